"""What can be told from an expression alone: how long it is, how large it can be."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from itertools import islice
from typing import Protocol, TypeVar

from looptx.model.expr.terms import (
    Add,
    Const,
    FloorDiv,
    IntExpr,
    Max,
    Min,
    Mod,
    Mul,
    Select,
    Start,
    Var,
    walk,
)
from looptx.model.intervals.constant import ANY, Interval, exactly

D = TypeVar("D", bound="Domain")


def size(expr: IntExpr) -> int:
    """How many names and literals are read when the expression is printed."""
    match expr:
        case Const() | Var() | Start():
            return 1
        case Mul((Const(-1), *rest)):
            return sum(map(size, rest))
        case Add(parts) | Mul(parts) | Min(parts) | Max(parts):
            return sum(map(size, parts))
        case FloorDiv(left, right) | Mod(left, right):
            return size(left) + size(right)
        case Select(_, then, other):
            return 2 + size(then) + size(other)


def nodes(expr: IntExpr, limit: int) -> int:
    """The number of nodes of an expression, counted no further than ``limit``."""
    return sum(1 for _ in islice(walk(expr), limit))


def largest(expr: IntExpr) -> int:
    """The greatest absolute value of the numbers in an expression."""
    numbers = (abs(node.value) for node in walk(expr) if isinstance(node, Const))
    return max(numbers, default=0)


class Domain(Protocol):
    """What stands for the values of an expression: numbers, intervals of them."""

    def __add__(self: D, other: D, /) -> D: ...
    def __mul__(self: D, other: D, /) -> D: ...
    def __floordiv__(self: D, other: D, /) -> D: ...
    def __mod__(self: D, other: D, /) -> D: ...

    def join(self: D, other: D, /) -> D:
        """What stands for either."""

    def minimum(self: D, other: D, /) -> D:
        """What stands for the lesser."""

    def maximum(self: D, other: D, /) -> D:
        """What stands for the greater."""


def interpreted(
    expr: IntExpr,
    constant: Callable[[int], D],
    leaf: Callable[[Var | Start], D],
) -> D:
    """An expression in a domain.

    Args:
        expr: the expression.
        constant: what stands for a number.
        leaf: what stands for a variable, or for the start of a loop.

    Returns:
        What stands for every value that the expression may have.
    """

    def of(part: IntExpr) -> D:
        return interpreted(part, constant, leaf)

    match expr:
        case Const(value):
            return constant(value)
        case Var() | Start():
            return leaf(expr)
        case Add(parts):
            return reduce(operator.add, map(of, parts))
        case Mul(parts):
            return reduce(operator.mul, map(of, parts))
        case FloorDiv(left, right):
            return of(left) // of(right)
        case Mod(left, right):
            return of(left) % of(right)
        case Min(parts):
            return reduce(lambda one, other: one.minimum(other), map(of, parts))
        case Max(parts):
            return reduce(lambda one, other: one.maximum(other), map(of, parts))
        case Select(_, then, other):
            return of(then).join(of(other))


def _unknown(_: Var | Start) -> Interval:
    return ANY


def interval(expr: IntExpr) -> Interval:
    """The least and greatest value that hold for all values of the names."""
    return interpreted(expr, exactly, _unknown)
