"""Malformed directives: words lost, doubled, swapped, misspelt, wrong numbers."""

from __future__ import annotations

import random
from collections.abc import Callable

from fuzz.text import corpus as corpus
from looptx import directives

NUMBERS = (
    "0", "-1", "1", "2", "3", "7", "64", "+4", "-0", "007", "1_000", "1e5", "0x10",
    "3.5", ".5", "5.", "1e400", "nan", "inf", "2147483647", "2147483648", "-2147483648",
    "9" * 30, "1" + "0" * 5000, "٣٢", "\uff13\uff12", "²", "½", "Ⅷ", "1 000", "None",
    "True",
)  # fmt: skip
CHARACTERS = (
    "\u200b", "\u200f", "\u202e", "\u2066", "\ufeff", "\u00ad", "\u0301", "\ufe0f",
    "\uff49", "\u212f", "\u017f", "ﬁ", "İ", "\x00", "\x1b[31m", "\x0c", "\x0b", "\x1c",
    "\x85", "\u2028", "\u3000", "\u00a0", "\U0001d422", "\U0001f600", "\udc80",
    "\ud800", "\t", "'", '"', "\\", "`", "$", "%s", "{0}", "{", "}", "(", ")", "[", "]",
    ";", ",", ":", "=", "==", "<", "<=", "#", "#2", "#0", "#-1", ".", "..", "|", "||",
    "&", "*", "**", "as", "by", "unroll<3", "->", "...", "/*", "*/", "//", "\\\n",
    "looptx:", "applied",
)  # fmt: skip
VERBS = (
    *directives.VERBS, "cache_read", "inline", "Tile", "TILE", "tiel", "splt",
    "interchange", "eval", "import", "lambda",
)  # fmt: skip
CONDITIONS = (
    "n % 0 == 0", "n // 2 > 1", "n * n > 0", "n >", "n and n", "n < n < n", "-n > 0",
    "n % 32 == 0 or n > 0", "not n", "n == 0 and n == 1", "n > 10**9", "len(A) >= n",
    "A.shape[9] > 0", "A.shape[-1] > 0", "A.shape[n] > 0", "len(n) > 0", "n[0] > 0",
    "(" * 40 + "n" + ")" * 40 + " > 0", "-" * 300 + "n > 0", "n > 0 " * 100, "n != n",
    "2147483647 * n > 0", "n * 2147483647 * 2147483647 * 4 > 0", "i < n", "n < 1",
)  # fmt: skip
VALUES = (
    "0", "-1", "+1", "k", "-k", "--k", "j+1", "n-1-i", "n//2", "2*i", "i*i", "i/2",
    "n//0", "n//-2", "n%0", "n%2", "n//2//3", "n**2", "i+", "*i", "(i", "i)", "(i+1)*2",
    "A.shape[0]", "A.shape[-1]-1", "A.shape[n]", "A.shape", "len(A)-1", "x[i]",
    "len(n)", "f(i)", "k==1", "k<2", "at", "as", "i#2", "mm.i", "s0", "0x10", "1e5",
    "1.5", "٣", "9" * 30, "2147483647*n", "n*2147483647*2147483647*4",
    "(" * 40 + "n" + ")" * 40, "-" * 300 + "n", "+".join(["n"] * 100),
    "", "=", "True", "None", "i:j", "'1'",
)  # fmt: skip
MOST = 5


def line(rng: random.Random) -> str:
    """The text of a directive with one fault or several."""
    words = rng.choice(corpus.lines()).split(" ")
    for _ in range(rng.randint(1, 3)):
        words = rng.choice(_CHANGES)(rng, words)
    joint = (
        " " if rng.random() < 0.95 else rng.choice((" | ", "  ", "\t", "\u00a0", ""))
    )
    return joint.join(words)


def page(rng: random.Random) -> tuple[str, str]:
    """A directive file, or a pyproject.toml, and the ending of its name."""
    toml = rng.random() < 0.4
    text = _toml(rng) if toml else _plain(rng)
    if rng.random() < 0.3:
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice((*CHARACTERS, *NUMBERS)) + text[at + 1 :]
    return text, ".toml" if toml else ".txt"


def _drop(rng: random.Random, words: list[str]) -> list[str]:
    at = rng.randrange(len(words) + 1)
    return words[:at] + words[at + 1 :]


def _double(rng: random.Random, words: list[str]) -> list[str]:
    at = rng.randrange(len(words) + 1)
    return words[:at] + words[max(0, at - 1) :]


def _swap(rng: random.Random, words: list[str]) -> list[str]:
    return rng.sample(words, len(words))


def _insert(rng: random.Random, words: list[str]) -> list[str]:
    at = rng.randrange(len(words) + 1)
    every = (corpus.words(), NUMBERS, CHARACTERS, VERBS)
    return [*words[:at], rng.choice(rng.choice(every)), *words[at:]]


def _replace(rng: random.Random, words: list[str]) -> list[str]:
    at = rng.randrange(len(words) + 1)
    return _insert(rng, [*words[:at], *words[at + 1 :]])


def _number(rng: random.Random, words: list[str]) -> list[str]:
    """Another number where one stands, or behind an ``=``."""
    places = [at for at, word in enumerate(words) if word[-1:].isdigit()]
    if not places:
        return [*words, rng.choice(NUMBERS)]
    at = rng.choice(places)
    key, equals, _ = words[at].rpartition("=")
    return [*words[:at], f"{key}{equals}{rng.choice(NUMBERS)}", *words[at + 1 :]]


def _misspell(rng: random.Random, words: list[str]) -> list[str]:
    text = " ".join(words)
    at = rng.randrange(len(text) + 1)
    cut = rng.choice((0, 1, 1))
    new: str = rng.choice((*CHARACTERS, *"abijnkm=0 ", ""))
    return (text[:at] + new + text[at + cut :]).split(" ")


def _join(rng: random.Random, words: list[str]) -> list[str]:
    """Another directive behind it; often the two contradict each other."""
    separator = rng.choice(("|", "|", "|", ";", ",", "&", "||", "# looptx:"))
    return [*words, separator, *rng.choice(corpus.lines()).split(" ")]


def _verb(rng: random.Random, words: list[str]) -> list[str]:
    return [rng.choice(VERBS), *words[1:]]


def _condition(rng: random.Random, words: list[str]) -> list[str]:
    return [*words, "|", "assume", rng.choice(CONDITIONS)]


def _place(rng: random.Random, words: list[str]) -> list[str]:
    """Where nests stand in the loops that they lack, one or several."""
    loops = rng.choices(("i", "j", "k", "k", "l", "partial", "n", "i#2"), k=3)
    given = [f"{loop}={rng.choice(VALUES)}" for loop in loops[: rng.randint(1, 3)]]
    fused = words if words[0] == "fuse" else ["fuse", "s0", "s1"]
    return [*fused, "at", *given]


def _long(rng: random.Random, words: list[str]) -> list[str]:
    """Very long names, or very many words."""
    count = rng.choice((65, 130, 1000, 20_000))
    if rng.random() < 0.5:
        return [*words, rng.choice(corpus.words()) * count]
    return [*words, *rng.choices((*corpus.words(), "|"), k=count)]


_CHANGES: tuple[Callable[[random.Random, list[str]], list[str]], ...] = (
    *(_drop, _double, _swap, _insert, _insert, _replace, _replace, _number, _number),
    *(_misspell, _misspell, _join, _verb, _condition),
    *(_drop, _double, _swap, _insert, _insert, _replace, _replace, _number, _number),
    *(_misspell, _misspell, _join, _verb, _long, _place, _place),
)


def _key(rng: random.Random) -> str:
    """The key of an entry: the function of most programs, or something odd."""
    names = (
        "matmul",
        "smear",
        "f",
        "scale",
        "heat",
        "K.run",
        "f.<locals>.g",
        "a b",
        "",
    )
    files = (
        "",
        "",
        "k.py::",
        "./k.py::",
        "..\\k.py::",
        "::",
        "*.py::",
        "/etc/passwd::",
    )
    return rng.choice(files) + rng.choice(names)


def _plain(rng: random.Random) -> str:
    rows = []
    for _ in range(rng.randint(0, MOST)):
        key = _key(rng)
        head = (f"[{key}]", f"[{key}]", f"[{key}", f"{key}]", f"[[{key}]]", "# " + key)
        rows.append(rng.choice(head))
        rows += [line(rng) for _ in range(rng.randint(0, 2))]
    return rng.choice(("\n", "\n", "\r\n", "\r", "\n\n\x0c")).join(rows)


def _toml(rng: random.Random) -> str:
    head = (
        "[tool.looptx.schedules]",
        "[tool.looptx]\nschedules = 3",
        "[tool]\nlooptx=[]",
    )
    rows = [rng.choice(head)]
    for _ in range(rng.randint(0, MOST)):
        quoted = [_basic(line(rng)) for _ in range(rng.randint(0, 2))]
        value = (
            f"[{', '.join(quoted)}]",
            quoted[0] if quoted else "1",
            "{a = 1}",
            "[[]]",
        )
        rows.append(f"{_basic(_key(rng))} = {rng.choice(value)}")
    return "\n".join(rows)


def _basic(text: str) -> str:
    """A TOML string: most often with what it may not hold escaped."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return (
        '"'
        + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped)
        + '"'
    )
