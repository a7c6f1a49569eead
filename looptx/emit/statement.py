"""Statements as text: names replaced, lines indented, nothing else touched."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Mapping

from looptx.emit.text import ATOM, PRODUCT, SUM, wrapped
from looptx.model.expr import Const, IntExpr, Mul, Var, add, mul, neg, variables
from looptx.model.program import Ref, Text

_NUMBER = re.compile(r" ([+-]) (\d+)(?= *[\]),:}]| [+-] |\Z)")
_SIGN = re.compile(r" ([+-]) \Z")
_LEADING = re.compile(r"(?:[\[(,:{=]|\A) ?((\d+) ([+-]) )\Z")
_FACTOR = re.compile(r"(?:[\[(,:{=]|\A) ?((\d+) \* )\Z")
_OPENERS = "[(,:{="
_ENDS = re.compile(r" *[\]),:}]| [+-] |\Z")
_BEFORE = {
    "": 0,
    "[": 0,
    "(": 0,
    ",": 0,
    ":": 0,
    "{": 0,
    "=": SUM,
    "<": SUM,
    ">": SUM,
}
_BEFORE |= {"|": SUM, "^": SUM, "&": SUM, "+": PRODUCT}
_AFTER = {
    "": 0,
    "]": 0,
    ")": 0,
    ",": 0,
    ":": 0,
    "}": 0,
    "=": SUM,
    "<": SUM,
    ">": SUM,
}
_AFTER |= {"|": SUM, "^": SUM, "&": SUM, "+": SUM, "-": SUM, "!": SUM}
_AFTER |= {"*": PRODUCT, "/": PRODUCT, "%": PRODUCT, "@": PRODUCT}


def render(text: Text, values: Mapping[str, IntExpr], names: Mapping[str, str]) -> str:
    """The text of a statement with its names replaced.

    Args:
        text: the statement.
        values: what stands for a loop, by loop id.
        names: what stands for another name; a name found nowhere stays.
    """
    parts = list(text.parts)
    done = ""
    at = 0
    while at < len(parts):
        part = parts[at]
        at += 1
        if isinstance(part, str):
            done += part
        elif part.name not in values:
            done += names.get(part.name, part.name.partition("#")[0])
        else:
            value = values[part.name]
            done, value = _led(done, value, parts[at : at + 1])
            least = _least_before(done)
            if least <= SUM:
                value, at = _added_up(value, parts, at, values)
            elif factor := _FACTOR.search(done, max(0, *map(done.rfind, _OPENERS))):
                product = mul(Const(int(factor[2])), value)
                total, behind = _added_up(product, parts, at, values)
                if total != product or behind > at:
                    done = done[: factor.start(1)]
                    value, at, least = total, behind, _least_before(done)
            after = parts[at] if at < len(parts) else ""
            after = after if isinstance(after, str) else "x"
            least = 0 if part.alone else max(least, _least_after(after))
            code = wrapped(value, names, least)
            # A point behind a literal would be one of its own.
            literal = code.isdecimal() and after.lstrip(" ").startswith(".")
            done += f"({code})" if literal else code
    return done


def _led(done: str, value: IntExpr, following: list[str | Ref]) -> tuple[str, IntExpr]:
    """A literal in front of a literal value, as in ``2 - 1``, made one with it."""
    last = max(map(done.rfind, _OPENERS))
    literal = _LEADING.search(done, max(0, last))
    after = following[0] if following else ""
    ends = isinstance(after, str) and _ENDS.match(after)
    if not literal or not ends or not isinstance(value, Const):
        return done, value
    term = value if literal[3] == "+" else neg(value)
    return done[: literal.start(1)], add(Const(int(literal[2])), term)


def _added_up(
    first: IntExpr, parts: list[str | Ref], at: int, values: Mapping[str, IntExpr]
) -> tuple[IntExpr, int]:
    """A sum of loop values and literals, from its first term up to where it ends.

    ``parts`` from ``at`` on follow the first term; a literal that is read only partly
    is shortened there. Loop values are integers, so that they may be added in any
    order. A sum of mere names stays as the user wrote it.
    """
    terms = [first]
    plain = int(isinstance(first, Var | Mul) and len(variables(first)) == 1)
    read = at
    left: str | None = None
    while read < len(parts):
        text = parts[read]
        if left is None:
            if not isinstance(text, str):
                break
            left = text
        number = _NUMBER.match(left)
        if number:
            terms.append(Const(int(number[1] + number[2])))
            left = left[number.end() :]
            plain += 1
            continue
        sign = _SIGN.fullmatch(left)
        following = parts[read + 1] if read + 1 < len(parts) else ""
        if not sign or isinstance(following, str) or following.name not in values:
            break
        after = parts[read + 2] if read + 2 < len(parts) else ""
        if not isinstance(after, str) or not _ENDS.match(after):
            break
        value = values[following.name]
        plain += isinstance(value, Var)
        terms.append(value if sign[1] == "+" else neg(value))
        read, left = read + 2, None
    if plain == len(terms):
        return first, at
    if left is not None:
        parts[read] = left
    return add(*terms), read


def _least_before(text: str) -> int:
    """How tightly an expression must bind to stand after ``text``."""
    text = text.rstrip(" ")
    last = text[-1:]
    if last.isalnum() or last == "_":
        return SUM
    return _BEFORE.get(last, ATOM)


def _least_after(text: str) -> int:
    """How tightly an expression must bind to stand before ``text``."""
    text = text.lstrip(" ")
    first = text[:1]
    if first.isalpha():
        return SUM
    return ATOM if text.startswith("**") else _AFTER.get(first, ATOM)


def inside_strings(code: str) -> frozenset[int]:
    """The lines (from 0) that begin inside a string literal: indent none of them."""
    if "\n" not in code or not ('"' in code or "'" in code):
        return frozenset()
    rows: set[int] = set()
    opened: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(code + "\n").readline):
        name = tokenize.tok_name[token.type]
        if name in ("FSTRING_START", "TSTRING_START"):
            opened.append(token.start[0])
        elif name in ("FSTRING_END", "TSTRING_END"):
            rows.update(range(opened.pop(), token.end[0]))
        elif name == "STRING":
            rows.update(range(token.start[0], token.end[0]))
    return frozenset(rows)


def indented(code: str, indent: str) -> list[str]:
    """The lines of a statement, indented; lines inside strings are left alone."""
    fixed = inside_strings(code)
    return [
        line if at in fixed or not line.strip() else indent + line
        for at, line in enumerate(code.split("\n"))
    ]
