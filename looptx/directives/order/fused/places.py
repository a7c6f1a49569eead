"""Where a nest of fewer loops stands in the loops it lacks: at a value of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from looptx.directives.base import check
from looptx.directives.order.fused.meeting import in_steps, over
from looptx.errors import Malformed
from looptx.looptree.text import format_expr
from looptx.model.expr import (
    ZERO,
    Const,
    IntExpr,
    floordiv,
    mul,
    sub,
    variables,
)
from looptx.model.schedule import Dim, Index, Schedule

Shown: TypeAlias = tuple[str, str]
"""A statement, and one of its loops."""


def stop(schedule: Schedule, dim: Dim) -> str:
    """The value before which the loops of a dimension end, as a directive has it.

    It is empty for loops that are none of the source.
    """
    loops = schedule.nest.loops
    for loop in schedule.owner.get(dim.uid, {}).values():
        if loop in loops:
            names = {name: one.var for name, one in loops.items()}
            return format_expr(loops[loop].stop, names).replace(" ", "")
    return ""


def positions(
    schedule: Schedule,
    names: Sequence[str],
    shows: Shown | None,
    index: Index | None,
    dim: Dim,
    places: Mapping[str, IntExpr],
) -> dict[str, IntExpr]:
    """The positions of statements in a loop that they lack.

    Args:
        schedule: the schedule.
        names: the statements.
        shows: a statement in it, and the loop of the source that it shows.
        index: how it does. dim: its dimension.
        places: the values of the loop where they stand, over the loops around them and
            parameters; the first position where there is none.

    Raises:
        Malformed: LX106 for a loop that shows no values, LX116 for a value that may lie
            between two of the loop.
    """
    if not places:
        return dict.fromkeys(names, ZERO)
    if not shows or not index or dim.part or index.weights != {dim.uid: 1}:
        raise Malformed(
            "LX106",
            f"`{dim.name}` counts positions, not values of a loop",
            hint="put this directive before the ones that split or skew the loop",
        )
    check(
        all(_is_met(schedule, name, shows, index, places[name]) for name in names),
        f"`{dim.name}` has the step {index.step} and may not have that value",
        "place it at a value that the loop has in any case",
        "LX116",
    )
    return {name: _position(index, places[name]) for name in names}


def _is_met(
    schedule: Schedule, statement: str, shows: Shown, index: Index, value: IntExpr
) -> bool:
    """Whether a value cannot lie between two of a loop.

    Args:
        schedule: the schedule. statement: the one that the value is for.
        shows: a statement in the loop, and that of the source. index: what it shows.
        value: over the loops around the statement.
    """
    if abs(index.step) == 1:
        return True
    nest, (other, loop) = schedule.nest, shows
    start = over(schedule, nest.loops[loop].start, other, statement)
    if variables(start) & ({*nest.loops} - {*nest.statements[statement].loops}):
        start = index.start
    return in_steps(schedule, statement, value, start, index.step)


def _position(index: Index, value: IntExpr) -> IntExpr:
    """The position at which a loop has a value, which may lie beside all of its own."""
    far, step = sub(value, index.start), index.step
    forward = mul(Const(1 if step > 0 else -1), far)
    return sub(floordiv(forward, abs(step)), index.offset)
