"""How many positions a dimension has, when the source's literals tell.

By intervals of the position expressions: an upper bound that is exact
for a loop with literal bounds and its splits. Run-time sizes give no answer.
"""

from __future__ import annotations

from collections.abc import Mapping

from looptx.model.expr import And, Compare, Cond, IntExpr, Start, Var
from looptx.model.expr.measure import interpreted
from looptx.model.intervals.constant import ANY, Interval, exactly
from looptx.model.moves.cutting import part
from looptx.model.program import Loop
from looptx.model.schedule import Schedule


def extent(schedule: Schedule, uid: int) -> int | None:
    """The number of positions from 0 to the last one over the whole nest.

    Positions below 0 (a negative skew) count too. None when sizes are run-time.
    """
    known = _loops(schedule.nest.loops)
    for loop, pair in schedule.collapsed.items():
        rows, columns = (_count(schedule, dim.uid, known) for dim in pair.dims)
        if rows is not None and columns is not None:
            known[Var(loop)] = Interval(0, max(0, rows * columns - 1))
    return _count(schedule, uid, known)


def _count(
    schedule: Schedule, uid: int, known: Mapping[IntExpr, Interval]
) -> int | None:
    low, high = 0, 0
    for name, value in schedule.position[uid].items():
        found = _bounds(value, _cut(known, part(schedule.cuts, name)))
        if found.low is None or found.high is None:
            return None
        if found.low > found.high:
            continue
        low, high = min(low, found.low), max(high, found.high + 1)
    return high - low


def _cut(known: Mapping[IntExpr, Interval], cond: Cond) -> Mapping[IntExpr, Interval]:
    """The values of loops where a condition holds."""
    match cond:
        case And(parts):
            for one in parts:
                known = _cut(known, one)
        case Compare(op, left, right) if left in known:
            own, other = known[left], _bounds(right, known)
            if op in ("<", "<=") and other.high is not None and own.high is not None:
                high = min(own.high, other.high - (op == "<"))
                return {**known, left: Interval(own.low, high)}
            if op in (">", ">=") and other.low is not None and own.low is not None:
                low = max(own.low, other.low + (op == ">"))
                return {**known, left: Interval(low, own.high)}
    return known


def _loops(loops: Mapping[str, Loop]) -> dict[IntExpr, Interval]:
    """The values of every loop variable, and of its start over the whole nest."""
    known: dict[IntExpr, Interval] = {}
    for loop in loops.values():
        first, stop = _bounds(loop.start, known), _bounds(loop.stop, known)
        up = loop.step > 0
        begin, end = (first.low, stop.high) if up else (first.high, stop.low)
        if begin is not None and end is not None:
            last = max(end - 1, begin) if up else min(end + 1, begin)
            known[Var(loop.id)] = Interval(min(begin, last), max(begin, last))
            known[Start(loop.id)] = exactly(begin)
    return known


def _bounds(expr: IntExpr, known: Mapping[IntExpr, Interval]) -> Interval:
    return interpreted(expr, exactly, lambda name: known.get(name, ANY))
