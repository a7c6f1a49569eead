"""Loops that are bound to a GPU's grid or to a cluster, as one CPU executes them."""

from __future__ import annotations

from collections.abc import Iterator

from looptx.model.execution.marks import Parallel
from looptx.model.records import replace
from looptx.model.schedule import Band, Dim, Schedule, Tree, bands
from looptx.model.tree import parts, uids, with_dims

BLOCK = "blockIdx."
THREAD = "threadIdx."


def executed(schedule: Schedule) -> Schedule:
    """The outermost loop of blocks is parallel, the innermost of threads has lanes.

    The others run in order, and so do those of a cluster's processes. The marks of the
    grid stay for those who print for one.
    """
    blocks = _uids(schedule, BLOCK)
    threads = _uids(schedule, THREAD)
    if not blocks | threads:
        return schedule
    outermost = blocks - set(_inside(schedule.tree, blocks, around=False))
    inner = {band.dim.uid: uids(band.body) for band in bands(schedule.tree)}

    def change(dim: Dim) -> Dim:
        marks = dim.marks
        if dim.uid in outermost and marks.parallel is None:
            marks = replace(marks, parallel=Parallel())
        lanes = dim.uid in threads and threads.isdisjoint(inner[dim.uid])
        if lanes and marks.vectorize is None:
            marks = replace(marks, vectorize=0)
        return replace(dim, marks=marks)

    return schedule.with_tree(with_dims(schedule.tree, change))


def _uids(schedule: Schedule, axis: str) -> frozenset[int]:
    """The dimensions that are bound to axes of a kind."""
    return frozenset(
        band.dim.uid
        for band in bands(schedule.tree)
        if band.dim.marks.bind.startswith(axis)
    )


def _inside(tree: Tree, known: frozenset[int], *, around: bool) -> Iterator[int]:
    """The dimensions among some that have a loop inside one of them."""
    for child in parts(tree):
        if isinstance(child, Band):
            own = child.dim.uid in known
            if own and around:
                yield child.dim.uid
            yield from _inside(child.body, known, around=around or own)
