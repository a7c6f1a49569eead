"""Which iterations of a statement are in which part of a cut loop."""

from __future__ import annotations

from collections.abc import Sequence

from looptx.model.expr import (
    FALSE,
    Cond,
    IntExpr,
    Start,
    Var,
    compare,
    conj,
    distance,
    sub,
    walk,
)
from looptx.model.schedule import Dim, Index, Schedule


def counted(schedule: Schedule, dim: Dim) -> Index | None:
    """How the values of a loop follow from its positions, whatever stands in it.

    None where they do not.
    """
    shown = [schedule.index[x] for x in schedule.owner.get(dim.uid, {}).items()]
    if not shown:
        return None
    first, *others = shown
    known = first.weights == {dim.uid: 1} and all(one == first for one in others)
    # In steps from a start that varies, one position stands for several values.
    exact = abs(first.step) == 1 or not _has_start(first.start)
    return first if known and exact and not dim.part else None


def in_parts(
    schedule: Schedule, dim: Dim, statement: str, values: Sequence[IntExpr]
) -> dict[int, Cond]:
    """When a statement runs in each part, without those in which it never does.

    What is behind one value is in no part before it, whatever comes after. What has no
    such loop itself is where its position is.

    Args:
        schedule: the schedule. dim: the dimension that is cut. statement: one in it.
        values: where its parts after the first begin.
    """
    loop, index = schedule.owner[dim.uid].get(statement), counted(schedule, dim)
    up, here, ends = True, schedule.position[dim.uid][statement], [*values]
    if loop is not None:
        up, here = schedule.nest.loops[loop].step > 0, Var(loop)
    elif index is not None:
        far = (distance(index.start, value, index.step) for value in values)
        ends = [sub(one, index.offset) for one in far]
    before, behind = ("<", ">=") if up else (">", "<=")
    found = {}
    for part in range(len(values) + 1):
        until = (compare(before, here, x) for x in ends[part : part + 1])
        since = (compare(behind, here, x) for x in ends[:part])
        found[part] = conj(*since, *until)
    return {part: cond for part, cond in found.items() if cond != FALSE}


def _has_start(value: IntExpr) -> bool:
    """Whether a value is made of where a loop starts whose start varies."""
    return any(isinstance(one, Start) for one in walk(value))
