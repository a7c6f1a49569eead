"""``bind``: the axes of a GPU's grid, and of the processes of a cluster."""

from __future__ import annotations

from looptx.directives.base import (
    LoopVerb,
    check,
    check_clause,
    fits,
    join,
    loop_name,
    make,
)
from looptx.directives.marks import mark
from looptx.directives.names import find
from looptx.directives.order.reorder import permute
from looptx.language.grammar import Clause
from looptx.language.words import nearest, shorten
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Dim, Schedule
from looptx.model.tree import nested

BLOCKS = ("blockIdx.x", "blockIdx.y", "blockIdx.z")
THREADS = ("threadIdx.x", "threadIdx.y", "threadIdx.z")
WORKERS = ("worker.x", "worker.y", "worker.z")
AXES = (*BLOCKS, *THREADS, *WORKERS)


@dataclass(frozen=True)
class Bind(LoopVerb):
    """Run the iterations of a loop on an axis of a grid; it must carry no dependence.

    syntax: ``bind LOOP blockIdx.x|threadIdx.x|worker.x|...``
    rewrite: in Python nothing; in Cython the outermost loop of blocks is parallel, and
        the innermost one of threads has vector lanes. On a cluster the iterations of
        those of ``worker`` are tasks.
    """

    axis: str

    verb = "bind"
    usage = "bind LOOP AXIS"
    parallel = True

    @classmethod
    def from_clause(cls, clause: Clause) -> Bind:
        """Read a loop and an axis."""
        check_clause(clause, cls)
        fits(len(clause.operands) == 2, cls, "takes a loop and an axis")
        loop, axis = loop_name(clause.operands[0], cls), str(clause.operands[1])
        axis = WORKERS[0] if axis == "worker" else axis
        near = nearest(axis, AXES)
        if near in WORKERS and not axis.endswith(("x", "y", "z")):
            near = WORKERS[0]
        check(
            axis in AXES,
            f"`{shorten(axis)}` is no axis of a grid",
            f"did you mean `{near}`?" if near else f"axes: {', '.join(AXES)}",
            "LX102",
        )
        return cls(loop, axis, place=clause.place, source=clause.source)

    @property
    def text(self) -> str:
        """``bind i blockIdx.x``."""
        return join(self.verb, self.loop, self.axis)

    def change(self, schedule: Schedule) -> Schedule:
        """Mark the loop; loops of a cluster's processes stand together."""
        dim = find(schedule, self.loop)
        known = dim.marks.bind
        check(
            known in ("", self.axis),
            f"`{self.loop}` is bound to {known} already",
            "bind a loop once; `split` makes two of one",
        )
        schedule = mark(schedule, dim, replace(dim.marks, bind=self.axis))
        between = _between(schedule, dim) if self.axis in WORKERS else []
        return permute(schedule, [dim.uid, *between]) if between else schedule


def _between(schedule: Schedule, dim: Dim) -> list[int]:
    """The loops between one of a cluster's processes and the next one around it."""
    for band, around in nested(schedule.tree):
        if band.dim.uid == dim.uid:
            bound = [each.dim.marks.bind in WORKERS for each in around]
            if any(bound):
                last = len(bound) - bound[::-1].index(True)
                return [each.dim.uid for each in around[last:]]
    return []


def bind(loop: str, axis: str) -> Bind:
    """Run the iterations of ``loop`` on an axis of a grid, as ``"blockIdx.x"``."""
    return make(Bind, loop, axis)
