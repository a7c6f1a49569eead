"""One malformed input by its seed: what it is, and the way it goes into looptx."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from fuzz.programs.spellings import spelled
from fuzz.text import corpus as corpus
from fuzz.text import directives as text_directives
from fuzz.text import extremes as text_extremes
from fuzz.text import imports as text_imports
from fuzz.text import injections as text_injections
from fuzz.text import sources as text_sources

ENTRIES = {
    "file": 45,
    "text": 5,
    "cython": 20,
    "ahead": 15,
    "command": 10,
}
"""Ways in for a source file, by how often they are taken."""

COMMANDS = (
    ("transform", "{}"),
    ("transform", "--check", "-q", "{}"),
    ("transform", "--diff", "{}"),
    ("transform", "--write", "{}"),
    ("transform", "--output-format", "json", "{}"),
    ("transform", "--output-format", "github", "--to", "cython", "{}"),
    ("transform", "--output-format", "concise", "-v", "-o", "out/a.py", "{}"),
    ("transform", "-"),
    ("show", "{}", "-o", "out.svg"),
    ("show", "{}::f", "--size", "n=5", "-o", "out.html"),
    ("build", "{}"),
    ("build", "--dtype", "int64", "--output-format", "json", "{}"),
)
PAGE_COMMANDS = (
    ("transform", "--directives", "{page}", "{}"),
    ("transform", "--write", "--directives", "{page}", "{}"),
    ("show", "--directives", "{page}", "{}", "-o", "out.svg"),
    ("build", "--directives", "{page}", "{}"),
)
FILES = (
    "k.py", "k.py", "k.py", "a b.py", "\u202ek.py", "a\nb.py", "a::b.py", "#.py", "k",
    "%s.py", "';system('x').py", "{0}.py", "\udcff.py", "\x1b[31m.py", "é.py",
    "class.py", "a:1:2.py",
)  # fmt: skip
TOPICS = ("{}", "LX{}", "lx101", "../pyproject")


@dataclass(frozen=True)
class Case:
    """A malformed input.

    Attributes:
        seed: what it was made from. kind: how. entry: where it goes in.
        data: the malformed text: a source file, a directive, a directive file.
        beside: the program that a directive or a directive file is for.
        name: of the source file. page: of the directive file. words: of the command.
    """

    seed: int
    kind: str
    entry: str
    data: bytes
    beside: bytes = b""
    name: str = "k.py"
    page: str = ""
    words: tuple[str, ...] = ()

    @property
    def source(self) -> bytes:
        """The source file."""
        return (
            self.beside if self.entry in ("page", "kernel") or self.page else self.data
        )


def make(seed: int) -> Case:
    """The case of a seed."""
    other = random.Random(f"imports {seed}")
    share = other.random()
    if share < IMPORTS:
        return _source(other, seed, "imports", text_imports.odd(other))
    if share < IMPORTS + SPELLED:
        return _spelled(other, seed)
    rng = random.Random(f"text {seed}")
    kind = rng.choices(
        ("line", "page", "bytes", "tokens", "extreme", "evil"), _WEIGHTS
    )[0]
    if kind == "page":
        return _page(rng, seed)
    if kind == "line":
        line = text_directives.line(rng)
        if rng.random() < 0.25:
            return _bare(rng, seed, line)
        text = corpus.with_line(rng, corpus.program(rng), line)
        return _source(rng, seed, kind, text.encode("utf-8", "surrogatepass"))
    maker = {
        "bytes": text_sources.damaged,
        "tokens": text_sources.exchanged,
        "extreme": text_extremes.extreme,
        "evil": text_injections.source,
    }[kind]
    return _source(rng, seed, kind, maker(rng))


IMPORTS = 0.03
"""The share of programs with odd imports, which are not malformed."""

SPELLED = 0.02
"""The share of programs with names in other letters, which mean what they meant."""

_WEIGHTS = (38, 10, 20, 20, 2, 10)


def _source(rng: random.Random, seed: int, kind: str, data: bytes) -> Case:
    entry = rng.choices(tuple(ENTRIES), tuple(ENTRIES.values()))[0]
    if entry == "command":
        words = rng.choice(COMMANDS)
        return Case(seed, kind, entry, data, name=rng.choice(FILES), words=words)
    return Case(seed, kind, entry, data)


def _spelled(rng: random.Random, seed: int) -> Case:
    """A program with names in other letters, and the same in the usual ones."""
    text = corpus.program(rng)
    names = frozenset(re.findall(r"\b[A-Za-z]\w?\b", text))
    new = "\n".join(spelled(text.split("\n"), rng.randrange(10**6), names))
    return Case(seed, "spelled", "file", new.encode(), text.encode())


def _bare(rng: random.Random, seed: int, line: str) -> Case:
    """A directive in no file: for the parser, the decorator, or ``explain``."""
    data = line.encode("utf-8", "surrogatepass")
    entry = rng.choices(("parse", "kernel", "explain"), (80, 15, 5))[0]
    if entry == "explain":
        words = ("explain", rng.choice(TOPICS))
        return Case(seed, "line", "command", data, words=words)
    return Case(seed, "line", entry, data, corpus.program(rng).encode())


def _page(rng: random.Random, seed: int) -> Case:
    text, suffix = text_directives.page(rng)
    data = text.encode("utf-8", "surrogatepass")
    beside = corpus.DIRECTIVE.sub("", corpus.program(rng)).encode()
    if rng.random() < 0.8:
        return Case(seed, "page", "page", data, beside, page=f"p{suffix}")
    words, name = rng.choice(PAGE_COMMANDS), rng.choice(FILES)
    return Case(seed, "page", "command", data, beside, name, f"p{suffix}", words)
