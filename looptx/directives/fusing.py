"""The rules of a fusing dimension, which every directive keeps."""

from __future__ import annotations

from looptx.errors import Malformed
from looptx.model.expr import Const
from looptx.model.schedule import Band, Dim, Schedule
from looptx.model.tree import nested


def check_fusing(schedule: Schedule) -> None:
    """Check that every fusing dimension runs in order and around what it must.

    The work of one nest stands behind that of another: a fusing dimension has a fixed
    position for each nest, is not marked, and is around every unfused dimension of its
    ``fuse``, so are the parts of one that was split.

    Raises LX112, LX113.
    """

    for band, around in nested(schedule.tree):
        if band.dim.fusing:
            _check(schedule, band, around)
    for pair in schedule.collapsed.values():
        for dim in pair.dims:
            if dim.fusing:
                raise in_order(dim)


def in_order(f: Dim) -> Malformed:
    """The error for a fusing dimension that shall be moved or marked. (LX112)"""
    return Malformed(
        "LX112",
        f"`{f.name}` is a fusing dimension: it runs its nests in order",
        hint="it can be split and reordered; mark a fused or unfused loop instead",
    )


def _check(schedule: Schedule, f: Band, around: tuple[Band, ...]) -> None:
    name, marks = f.dim.name, f.dim.marks
    values = schedule.position[f.dim.uid].values()
    fixed = all(isinstance(value, Const) for value in values)
    if marks.together or marks.unroll is not None or not fixed:
        raise in_order(f.dim)
    for band in around:
        if f.dim.fusing in band.dim.unfused:
            raise Malformed(
                "LX113",
                f"`{band.dim.name}` is not fused and would stand before the fusing "
                f"dimension `{name}`",
                hint=f"keep `{name}` outside of the loops that are not fused",
            )
