"""The grammar every verb shares: ``VERB OPERAND... [KEY=VALUE...] [as NAME...]``.

Clauses are separated by ``|``. This module knows words, not meanings: which operands
and options a verb takes is the verb's own file. Text is never evaluated; what leaves
here are checked names and bounded integers. The one exception is a verb in ``FREE``,
whose operand is a condition with a parser of its own (``language.conditions``).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NoReturn, TypeAlias

from looptx.errors import Malformed, Place, Together
from looptx.language import words
from looptx.model.program import Directive
from looptx.model.records import dataclass, replace

Operand: TypeAlias = str | int

FREE = frozenset({"assume"})
"""Verbs whose text is kept whole."""

VALUES = frozenset({"cut", "fuse", "cache_read"})
"""Verbs of which words may be affine values, ``k+1`` (``conditions.parse_value``), or
cells: ``A[i,k]``."""

KEYWORDS = frozenset({"except", "global"})
"""Words of verbs that are keywords of Python: nothing can be named like them."""

MOST_WORDS = 64
MOST_CLAUSES = 64
LONGEST_TEXT = 8192


@dataclass(frozen=True, slots=True)
class Clause:
    """One verb with its words.

    Attributes:
        operands: loop or array names (``str``) and integers, as they stand.
        options: ``KEY=VALUE`` in order; ``unroll<3`` has the key ``unroll<``.
        names: the names after ``as``.
        text: the whole clause, white space normalised.
        rest: the text after the verb.
    """

    verb: str
    operands: tuple[Operand, ...]
    options: Mapping[str, Operand]
    names: tuple[str, ...]
    text: str
    rest: str
    place: Place
    source: str = ""


def parse(directive: Directive) -> tuple[Clause, ...]:
    """The clauses of a directive's text (without its ``# looptx:``).

    Raises LX102 for what is no clause, LX103 for a number that is none or too large.
    """
    try:
        parts = _parts(directive.text)
    except Malformed as error:
        raise error.at(directive.place, directive.source) from None
    clauses: list[Clause] = []
    wrong = Together()
    at = 0
    for part in parts:
        at = directive.text.index(part, at)
        place = _place(directive, part, at)
        with wrong:
            try:
                clauses.append(_clause(part, place, directive.source))
            except Malformed as error:
                raise error.at(place, directive.source, part) from None
        at += len(part)
    wrong.fail()
    return tuple(clauses)


def _place(directive: Directive, part: str, at: int) -> Place:
    """Where a clause stands that is ``at`` characters behind its directive's start.

    It may be a few further: a decorator's string has a quote before it. Where the line
    does not show the clause, it is the directive's place.
    """
    column = directive.source.find(part, directive.place.column - 1 + at)
    return (
        directive.place if column < 0 else replace(directive.place, column=column + 1)
    )


def _parts(text: str) -> list[str]:
    """The text between the bars, with the limits that keep everything after it fast."""
    if len(text) > LONGEST_TEXT:
        _fail("the directive is too long", f"write at most {LONGEST_TEXT} characters")
    if not text.isprintable() and not text.replace("\t", " ").isprintable():
        _fail(
            "a directive is one line of printable text",
            "write one directive per line, or `|` between two on a line",
        )
    parts = [part.strip() for part in text.split("|")]
    if len(parts) > MOST_CLAUSES:
        _fail("too many directives on one line", "write them on lines of their own")
    if not all(parts):
        what = "a directive is missing" if len(parts) == 1 else "nothing beside a `|`"
        _fail(what, "write a verb and its operands, for example `tile i=32 j=32`")
    return parts


def _clause(part: str, place: Place, source: str) -> Clause:
    tokens = part.split()
    verb, *rest = tokens
    if len(rest) > MOST_WORDS and verb not in FREE:
        _fail(f"`{words.shorten(verb)}` has too many operands", "name fewer loops")
    operands: list[Operand] = []
    options: dict[str, Operand] = {}
    names: list[str] = []
    if verb not in FREE:
        cut = rest.index("as") if "as" in rest else len(rest)
        for token in rest[:cut]:
            _word(verb, token, operands, options)
        names = _names(rest[cut + 1 :], cut < len(rest))
    return Clause(
        verb,
        tuple(operands),
        MappingProxyType(options),
        tuple(names),
        " ".join(tokens),
        " ".join(rest),
        place,
        source,
    )


def _word(
    verb: str, token: str, operands: list[Operand], options: dict[str, Operand]
) -> None:
    """Put one word of a verb where it belongs."""
    shown = words.shorten(token)
    if token in ("=", "<") or token[0] in "=<" or token[-1] in "=<":
        _fail(f"`{shown}` is incomplete", "write options without spaces: `i=32`")
    if "=" in token or "<" in token:
        mark = "=" if "=" in token else "<"
        key, _, text = token.partition(mark)
        if not words.is_loop(key):
            _fail(f"`{shown}` is not `name{mark}value`", "write options like `i=32`")
        key = key if mark == "=" else f"{key}<"
        if key in options:
            _fail(f"`{key}` is given twice", "give each name one value")
        options[key] = _value(verb, text)
    else:
        operands.append(_value(verb, token))


def _value(verb: str, text: str) -> Operand:
    """A name, an integer, or what a verb may take besides."""
    if verb in VALUES and words.looks_affine(text):
        return text
    if words.looks_numeric(text):
        return words.integer(text)
    base, mark, _ = text.partition("#")
    if words.is_loop(text) or (not mark and words.is_dotted(base)) or text in KEYWORDS:
        return text
    _fail(f"`{words.shorten(text)}` is not a name or an integer", "see `looptx list`")


def _names(tokens: list[str], given: bool) -> list[str]:
    """The names after ``as``, checked."""
    if given and not tokens:
        _fail("names are missing after `as`", "write, for example, `as i ii`")
    for token in tokens:
        words.check_new_name(token)
    if len(set(tokens)) < len(tokens):
        _fail("a name is given twice after `as`", "give each loop a name of its own")
    return tokens


def _fail(message: str, hint: str) -> NoReturn:
    raise Malformed("LX102", message, hint=hint)
