"""Expressions of random programs, as values that print themselves and get smaller."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

LEVELS = {
    **dict.fromkeys(("or",), 1),
    **dict.fromkeys(("and",), 2),
    **dict.fromkeys(("<", "<=", "==", "!=", ">", ">="), 4),
    **dict.fromkeys(("+", "-"), 5),
    **dict.fromkeys(("*", "/", "//", "%"), 6),
}
"""How tightly the operators bind."""

CHOICE, UNARY, ATOM = 0, 7, 9


@dataclass(frozen=True, slots=True)
class Num:
    """A literal; a negative one prints as such."""

    value: int


@dataclass(frozen=True, slots=True)
class Name:
    """A loop, a size or a scalar."""

    name: str


@dataclass(frozen=True, slots=True)
class Op:
    """Two expressions with an operator of ``LEVELS`` between them."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Call:
    """``min``, ``max`` or ``abs`` of something, or what else stands before it."""

    function: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """``then if condition else other``."""

    condition: Expr
    then: Expr
    other: Expr


@dataclass(frozen=True, slots=True)
class Chain:
    """``first one second two third``, with comparisons between."""

    first: Expr
    one: str
    second: Expr
    two: str
    third: Expr


@dataclass(frozen=True, slots=True)
class Cell:
    """An element of an array."""

    array: str
    at: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Chained(Cell):
    """An element in two steps: ``A[i][j]``."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How long a part of an array is: ``A[i].shape[0]``."""

    array: str
    at: Expr


Expr: TypeAlias = Num | Name | Op | Call | Choice | Chain | Cell | Extent

ZERO, ONE = Num(0), Num(1)


def add(left: Expr, right: int) -> Expr:
    """The expression moved by a constant."""
    if right == 0:
        return left
    return Op("+" if right > 0 else "-", left, Num(abs(right)))


def level(expr: Expr) -> int:
    """How tightly the outermost operator binds."""
    match expr:
        case Op(op):
            return LEVELS[op]
        case Choice():
            return CHOICE
        case Chain():
            return LEVELS["<"]
        case Num(value) if value < 0:
            return UNARY
    return ATOM


def text(expr: Expr, least: int = 0) -> str:
    """The expression as Python, in parentheses if it binds less than ``least``."""
    match expr:
        case Num(value):
            found = str(value)
        case Name(name):
            found = name
        case Op(op, left, right):
            own = LEVELS[op]
            found = f"{text(left, own + (own == 4))} {op} {text(right, own + 1)}"
        case Call(function, args):
            found = f"{function}({', '.join(map(text, args))})"
        case Choice(condition, then, other):
            found = f"{text(then, 1)} if {text(condition, 1)} else {text(other, 1)}"
        case Chain(first, one, second, two, third):
            a, b, c = (text(x, LEVELS["+"]) for x in (first, second, third))
            found = f"{a} {one} {b} {two} {c}"
        case Cell(array, at):
            mark = "][" if isinstance(expr, Chained) else ", "
            found = f"{array}[{mark.join(map(text, at))}]"
        case Extent(array, at):
            found = f"{array}[{text(at)}].shape[0]"
    return f"({found})" if level(expr) < least else found


def names(expr: Expr) -> frozenset[str]:
    """The names in an expression, those of arrays too."""
    match expr:
        case Name(name):
            return frozenset((name,))
        case Cell(array, at):
            return frozenset((array,)).union(*map(names, at))
        case Extent(array, at):
            return names(at) | {array}
    return frozenset().union(*map(names, parts(expr)))


def parts(expr: Expr) -> tuple[Expr, ...]:
    """What an expression is made of."""
    match expr:
        case Op(_, left, right):
            return left, right
        case Call(_, args):
            return args
        case Choice(condition, then, other):
            return condition, then, other
        case Chain(first, _, second, _, third):
            return first, second, third
        case Cell(_, at):
            return at
    return ()


def extents(expr: Expr) -> Iterator[Extent]:
    """The lengths of parts of arrays in an expression."""
    for part in parts(expr):
        yield from extents(part)
    if isinstance(expr, Extent):
        yield expr


def cells(expr: Expr) -> Iterator[Cell]:
    """The elements that an expression reads, in the order of the text."""
    for part in parts(expr):
        yield from cells(part)
    if isinstance(expr, Cell):
        yield expr


def put(expr: Expr, at: int, part: Expr) -> Expr:
    """The expression with another part in one place."""
    match expr:
        case Op():
            return replace(expr, right=part) if at else replace(expr, left=part)
        case Call(function, args):
            return Call(function, (*args[:at], part, *args[at + 1 :]))
        case Choice():
            return Choice(*(part if at == k else x for k, x in enumerate(parts(expr))))
        case Chain():
            return replace(expr, **{("first", "second", "third")[at]: part})
        case Cell(_, places):
            return replace(expr, at=(*places[:at], part, *places[at + 1 :]))
    raise AssertionError(expr)


def smaller(expr: Expr) -> Iterator[Expr]:
    """Simpler expressions for the same place, the simplest first."""
    match expr:
        case Num(value):
            yield from (Num(less) for less in (0, 1, 2) if less < value)
        case Op(op, left, right) if op not in ("<", "<=", "==", "!=", ">", ">="):
            yield from (left, right)
        case Call(_, args):
            yield from args
        case Choice(_, then, other):
            yield from (then, other)
        case Chain(_, _, second, two, third):
            yield Op(two, second, third)
    for at, part in enumerate(parts(expr)):
        for less in smaller(part):
            yield put(expr, at, less)
        if isinstance(expr, Cell) and part not in (ZERO, ONE):
            yield put(expr, at, ZERO)
