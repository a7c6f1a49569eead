"""The nodes of integer expressions and conditions; ``model.expr`` is the door."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from looptx.model.records import dataclass


@dataclass(frozen=True, slots=True)
class Const:
    """An integer literal."""

    value: int


@dataclass(frozen=True, slots=True)
class Var:
    """A loop (by its id) or a parameter (by its text, ``n`` or ``A.shape[0]``)."""

    name: str


@dataclass(frozen=True, slots=True)
class Start:
    """The first value a loop takes over the whole nest, in the direction it runs."""

    loop: str


@dataclass(frozen=True, slots=True)
class Add:
    """A sum of at least two terms, flat, at most one constant and that one last."""

    terms: tuple[IntExpr, ...]


@dataclass(frozen=True, slots=True)
class Mul:
    """A product; a constant factor, if any, comes first."""

    factors: tuple[IntExpr, ...]


@dataclass(frozen=True, slots=True)
class FloorDiv:
    """``value // divisor`` rounded down; the divisor is positive."""

    value: IntExpr
    divisor: IntExpr


@dataclass(frozen=True, slots=True)
class Mod:
    """``value % divisor``, never negative; the divisor is positive."""

    value: IntExpr
    divisor: IntExpr


@dataclass(frozen=True, slots=True)
class Min:
    """The least of two or more."""

    args: tuple[IntExpr, ...]


@dataclass(frozen=True, slots=True)
class Max:
    """The greatest of two or more."""

    args: tuple[IntExpr, ...]


@dataclass(frozen=True, slots=True)
class Select:
    """``then if cond else other``."""

    cond: Cond
    then: IntExpr
    other: IntExpr


IntExpr: TypeAlias = (
    Const | Var | Start | Add | Mul | FloorDiv | Mod | Min | Max | Select
)


@dataclass(frozen=True, slots=True)
class Compare:
    """``left op right`` with op one of ``< <= == != >= >``."""

    op: str
    left: IntExpr
    right: IntExpr


@dataclass(frozen=True, slots=True)
class And:
    """All of ``args``; true when there are none."""

    args: tuple[Cond, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Any of ``args``; false when there are none."""

    args: tuple[Cond, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The negation."""

    arg: Cond


Cond: TypeAlias = Compare | And | Or | Not

ZERO = Const(0)
ONE = Const(1)
TRUE = And(())
FALSE = Or(())


def parts(node: IntExpr | Cond) -> tuple[IntExpr | Cond, ...]:
    """What an expression or a condition is made of."""
    match node:
        case Const() | Var() | Start():
            return ()
        case Add(exprs) | Mul(exprs) | Min(exprs) | Max(exprs):
            return exprs
        case And(conds) | Or(conds):
            return conds
        case FloorDiv(left, right) | Mod(left, right) | Compare(_, left, right):
            return left, right
        case Select(cond, then, other):
            return cond, then, other
        case Not(arg):
            return (arg,)


def walk(node: IntExpr | Cond) -> Iterator[IntExpr | Cond]:
    """An expression or a condition and all in it, in no particular order."""
    todo = [node]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(parts(node))


def with_parts(expr: IntExpr, change: Callable[[IntExpr], IntExpr]) -> IntExpr:
    """An expression of the same form, its parts changed; nothing is simplified."""
    match expr:
        case Const() | Var() | Start():
            return expr
        case Add(parts) | Mul(parts) | Min(parts) | Max(parts):
            return type(expr)(tuple(map(change, parts)))
        case FloorDiv(value, divisor) | Mod(value, divisor):
            return type(expr)(change(value), change(divisor))
        case Select(cond, then, other):
            return Select(with_exprs(cond, change), change(then), change(other))


def with_exprs(cond: Cond, change: Callable[[IntExpr], IntExpr]) -> Cond:
    """A condition of the same form, its expressions changed; nothing is simplified."""
    match cond:
        case Compare(op, left, right):
            return Compare(op, change(left), change(right))
        case And(args) | Or(args):
            return type(cond)(tuple(with_exprs(arg, change) for arg in args))
        case Not(arg):
            return Not(with_exprs(arg, change))
