"""Loops in steps whose first value differs from one run to the next.

A position of such a loop stands for values of any phase: what a value is follows from
its position and from the loops around (``for j in range(1 + i % 2, n, 2)``). Where
these are fixed by dimensions around a dimension, it shows the very values of the loop.
Positions of a loop that nothing else is made of may then be counted from anywhere: its
own order is all that they tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from looptx.model.expr import (
    IntExpr,
    Max,
    Min,
    Select,
    Start,
    add,
    linear,
    mul,
    rewrite,
    variables,
)
from looptx.model.expr.terms import Const
from looptx.model.program import Nest
from looptx.model.records import replace
from looptx.model.schedule import Dim, Schedule


class Strides:
    """The loops in steps of a schedule, seen from its dimensions.

    Args:
        schedule: the schedule.
        dims: the dimensions of every statement, outermost first.

    Attributes:
        very: ``{dim uid: loop}`` of dimensions that show the very values of a loop
            whose first value differs from one run to the next.
        free: those of them that may be counted from anywhere.
        schedule: the schedule, such loops counted from a simple value where that is
            free.
    """

    def __init__(self, schedule: Schedule, dims: Mapping[str, Sequence[Dim]]) -> None:
        self.schedule = schedule
        self.dims = dims
        # What a collapsed loop is counted by is a position in a row or column.
        pairs = schedule.collapsed.values()
        counted = {dim.uid for pair in pairs for dim in pair.dims}
        self.very = {
            uid: loop
            for uid, owners in schedule.owner.items()
            for loop in set(owners.values())
            if uid not in counted and self._shows(uid, loop, [*owners])
        }
        self.free = {u for u, loop in self.very.items() if _alone(schedule, u, loop)}
        firsts: dict[IntExpr, IntExpr] = {
            Start(self.very[uid]): _first(schedule.nest, self.very[uid])
            for uid in self.free
        }
        if firsts:
            self.schedule = _counted_from(schedule, firsts)

    def _shows(self, uid: int, loop: str, names: Sequence[str]) -> bool:
        """Whether a dimension of some statements shows the very values of a loop."""
        index, owners = self.schedule.index, self.schedule.owner[uid]
        around = [*_around(self.schedule.nest, loop)]
        if not around or set(owners.values()) != {loop}:
            return False
        every = {name for name, dims in self.dims.items() if uid in _uids(dims)}
        if not every.issubset(names):
            # What is fused with the loop stands at a position of its own.
            return False
        for name in names:
            uids = _uids(self.dims[name])
            if uid not in uids:
                return False
            fixed = set(uids[: uids.index(uid) + 1])
            made = [index[name, each] for each in (loop, *around)]
            alike = [index[names[0], each] for each in (loop, *around)]
            if made != alike or any(not fixed.issuperset(x.weights) for x in made):
                return False
        return True


def _uids(dims: Sequence[Dim]) -> list[int]:
    return [dim.uid for dim in dims]


def _around(nest: Nest, loop: str) -> Iterator[str]:
    """The loops that decide about the phase of a loop in steps."""
    own = nest.loops.get(loop)  # None for a collapsed loop, which has no steps.
    if own is not None and abs(own.step) > 1:
        for other in variables(own.start) & nest.loops.keys():
            yield other
            yield from _around(nest, other)


def _alone(schedule: Schedule, uid: int, loop: str) -> bool:
    """Whether a dimension is all that a loop is made of, and of no other loop's."""
    return all(
        (own == loop) == (uid in index.weights)
        and (own != loop or index.weights == {uid: 1})
        for (_, own), index in schedule.index.items()
    )


def _first(nest: Nest, loop: str) -> IntExpr:
    """A value to count a loop from: what no loop is part of, or where each run starts.

    A start that is one of several values would leave pieces with steps of their own.
    """
    start = nest.loops[loop].start
    coefficients, constant = linear(start)
    inner = {term for term in coefficients if variables(term) & nest.loops.keys()}
    if any(isinstance(term, Min | Max | Select) for term in inner):
        return start
    outer = (mul(Const(c), t) for t, c in coefficients.items() if t not in inner)
    return add(*outer, Const(constant))


def _counted_from(schedule: Schedule, firsts: Mapping[IntExpr, IntExpr]) -> Schedule:
    """A schedule with other first values of some loops."""
    position = {
        uid: {name: rewrite(value, firsts) for name, value in values.items()}
        for uid, values in schedule.position.items()
    }
    index = {
        key: replace(value, start=rewrite(value.start, firsts))
        for key, value in schedule.index.items()
    }
    return replace(schedule, position=position, index=index)
