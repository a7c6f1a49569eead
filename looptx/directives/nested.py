"""Loops whose iterations run at the same time, one inside the other.

Any directive may put one loop into another one; so every directive keeps these rules.
"""

from __future__ import annotations

from looptx.errors import Malformed
from looptx.language.words import is_identifier
from looptx.model.execution.grid import BLOCK, executed
from looptx.model.schedule import Band, Schedule, shown, statements
from looptx.model.tree import nested


def check_nested(schedule: Schedule) -> None:
    """Check that no parallel loop is in another, and no axis of a grid in itself.

    Raises:
        Malformed: LX106.
    """
    for inner, around in nested(executed(schedule).tree):
        for outer in around:
            _check_pair(schedule, inner, outer)


def _check_pair(schedule: Schedule, inner: Band, outer: Band) -> None:
    one, other = inner.dim.marks, outer.dim.marks
    again = bool(one.bind) and one.bind == other.bind
    if not again and (one.parallel is None or other.parallel is None):
        return
    both = " and ".join(f"`{_called(schedule, band)}`" for band in (inner, outer))
    if again:
        raise Malformed(
            "LX106",
            f"{both}, one inside the other, would both be bound to {one.bind}",
            hint="bind one of them to another axis",
        )
    blocks = any(marks.bind.startswith(BLOCK) for marks in (one, other))
    raise Malformed(
        "LX106",
        f"{both} would be parallel loops, one inside the other",
        hint="leave `parallel` out: the outermost loop of blocks is parallel"
        if blocks
        else "make one of them parallel, or `collapse` them first",
    )


def _called(schedule: Schedule, band: Band) -> str:
    """A loop as a directive calls it, with its nest where that is one of several."""
    inside, owners = {*statements(band)}, {*shown(schedule, band).values()}
    nests = [
        (len(group.statements), name)
        for name, group in schedule.groups.items()
        if name != schedule.nest.name and is_identifier(name)
        if group.statements >= inside and group.loops >= owners
    ]
    prefix = f"{min(nests)[1]}." if nests else ""
    return f"{prefix}{band.dim.name}"
