"""Integer expressions and conditions at concrete values, as Python computes them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from math import prod

from looptx.model.expr import (
    Add,
    And,
    Compare,
    Cond,
    Const,
    FloorDiv,
    IntExpr,
    Max,
    Min,
    Mod,
    Mul,
    Not,
    Or,
    Select,
    Start,
    Var,
)

NO_STARTS: Mapping[str, int] = {}

_COMPARE: Mapping[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}


def value(
    expr: IntExpr, values: Mapping[str, int], starts: Mapping[str, int] = NO_STARTS
) -> int:
    """An expression, with the value of every variable and the start of every loop.

    Args:
        expr: the expression.
        values: of its variables, by name.
        starts: the first values of loops, by loop.

    Returns:
        Its value.
    """

    def of(part: IntExpr) -> int:
        return value(part, values, starts)

    match expr:
        case Const(number):
            return number
        case Var(name):
            return values[name]
        case Start(loop):
            return starts[loop]
        case Add(terms):
            return sum(map(of, terms))
        case Mul(factors):
            return prod(map(of, factors))
        case FloorDiv(left, right):
            return of(left) // of(right)
        case Mod(left, right):
            return of(left) % of(right)
        case Min(args):
            return min(map(of, args))
        case Max(args):
            return max(map(of, args))
        case Select(cond, then, other):
            return of(then if holds(cond, values, starts) else other)


def holds(
    cond: Cond, values: Mapping[str, int], starts: Mapping[str, int] = NO_STARTS
) -> bool:
    """A condition, with the same values.

    Args:
        cond: the condition.
        values: of its variables, by name.
        starts: the first values of loops, by loop.

    Returns:
        Whether it holds.
    """
    match cond:
        case Compare(op, left, right):
            compare = _COMPARE[op]
            return compare(value(left, values, starts), value(right, values, starts))
        case And(args):
            return all(holds(arg, values, starts) for arg in args)
        case Or(args):
            return any(holds(arg, values, starts) for arg in args)
        case Not(arg):
            return not holds(arg, values, starts)
