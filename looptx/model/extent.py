"""How many positions a dimension has, when the source's literals tell.

Plain interval arithmetic over the position expressions: an upper bound that is exact
for a loop with literal bounds and its splits. Run-time sizes give no answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import TypeAlias

from looptx.model.expr import (
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
)
from looptx.model.program import Loop
from looptx.model.schedule import Schedule

Interval: TypeAlias = "tuple[int, int] | None"
"""Least and greatest value; None when they depend on run-time sizes."""


def extent(schedule: Schedule, uid: int) -> int | None:
    """The number of positions from 0 to the last one over the whole nest.

    Positions below 0 (a negative skew) count too. None when sizes are run-time.
    """
    known = _loops(schedule.nest.loops)
    for loop, pair in schedule.collapsed.items():
        rows, columns = (_count(schedule, dim.uid, known) for dim in pair.dims)
        if rows is not None and columns is not None:
            known[Var(loop)] = 0, max(0, rows * columns - 1)
    return _count(schedule, uid, known)


def _count(
    schedule: Schedule, uid: int, known: Mapping[IntExpr, Interval]
) -> int | None:
    low, high = 0, 0
    for value in schedule.position[uid].values():
        interval = bounds(value, known)
        if interval is None:
            return None
        low, high = min(low, interval[0]), max(high, interval[1] + 1)
    return high - low


def _loops(loops: Mapping[str, Loop]) -> dict[IntExpr, Interval]:
    """The values of every loop variable, and of its start over the whole nest."""
    known: dict[IntExpr, Interval] = {}
    for loop in loops.values():
        first = bounds(loop.start, known)
        stop = bounds(loop.stop, known)
        values: Interval = None
        if first is not None and stop is not None:
            if loop.step > 0:
                values = first[0], max(stop[1] - 1, first[0])
            else:
                values = min(stop[0] + 1, first[1]), first[1]
        known[Var(loop.id)] = values
        if values is not None:
            begin = values[0] if loop.step > 0 else values[1]
            known[Start(loop.id)] = begin, begin
    return known


def bounds(expr: IntExpr, known: Mapping[IntExpr, Interval]) -> Interval:
    """The interval of an expression, given those of its variables."""
    match expr:
        case Const(value):
            return value, value
        case Var() | Start():
            return known.get(expr)
        case Add(terms):
            ends = [bounds(term, known) for term in terms]
            if any(end is None for end in ends):
                return None
            sums = [end for end in ends if end is not None]
            return sum(low for low, _ in sums), sum(high for _, high in sums)
        case Mul(factors):
            total: Interval = (1, 1)
            for factor in factors:
                total = _times(total, bounds(factor, known))
            return total
        case FloorDiv(value, Const(divisor)):
            inner = bounds(value, known)
            return inner and (inner[0] // divisor, inner[1] // divisor)
        case Mod(value, Const(divisor)):
            inner = bounds(value, known)
            if inner and inner[0] // divisor == inner[1] // divisor:
                return inner[0] % divisor, inner[1] % divisor
            return 0, divisor - 1
        case Min(args) | Max(args):
            pick = min if isinstance(expr, Min) else max
            found = [bounds(arg, known) for arg in args]
            both = [end for end in found if end is not None]
            if len(both) < len(found):
                return None
            return pick(low for low, _ in both), pick(high for _, high in both)
        case FloorDiv() | Mod() | Select():
            return None


def _times(left: Interval, right: Interval) -> Interval:
    if left is None or right is None:
        return None
    corners = [a * b for a, b in product(left, right)]
    return min(corners), max(corners)


def size(expr: IntExpr, limit: int) -> int:
    """The number of nodes of an expression, counted no further than ``limit``."""
    count, todo = 0, [expr]
    while todo and count < limit:
        node = todo.pop()
        count += 1
        match node:
            case Add(parts) | Mul(parts) | Min(parts) | Max(parts):
                todo.extend(parts)
            case FloorDiv(value, divisor) | Mod(value, divisor):
                todo.extend((value, divisor))
            case Select(_, then, other):
                todo.extend((then, other))
    return count
