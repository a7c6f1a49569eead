"""Collapsed loops as the two that they stand for, while something moves into them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from looptx.directives.order.collapse import collapsed
from looptx.errors import Malformed
from looptx.model.dims import loops
from looptx.model.execution.marks import PLAIN
from looptx.model.expr import variables
from looptx.model.records import dataclass, replace
from looptx.model.schedule import (
    Band,
    Collapsed,
    Dim,
    Schedule,
    Tree,
    replace_band,
)
from looptx.model.tree import places, whole_loops
from looptx.poly.collapse.literal import without_products


@dataclass(frozen=True, slots=True)
class Opened:
    """A schedule with two loops in the place of collapsed ones.

    Attributes:
        schedule: with the two loops.
        pairs: what was opened: each collapsed dimension and its two, the outermost
            collapsed first.
    """

    schedule: Schedule
    pairs: tuple[tuple[Dim, Collapsed], ...]

    @staticmethod
    def of(schedule: Schedule, dims: Iterable[Dim]) -> Opened:
        """A schedule without the collapsed loops among some.

        Those stay of which something else was made.

        Args:
            schedule: the schedule. dims: the dimensions of the loops.
        """
        wanted = {dim.uid for dim in dims}
        pairs: list[tuple[Dim, Collapsed]] = []
        for loop in [*reversed([*schedule.collapsed])]:
            pair = schedule.collapsed[loop]
            if wanted & places(schedule, loop) and loop in whole_loops(schedule):
                schedule, whole = _without(schedule, loop)
                pairs.append((whole, pair))
                wanted |= {dim.uid for dim in pair.dims}
        return Opened(schedule, tuple(pairs))

    def inner(self, dim: Dim) -> Dim:
        """A loop of the schedule before, or the inner one of the two in its place."""
        for whole, pair in self.pairs:
            if dim.uid == whole.uid:
                dim = _plain(pair.inner)
        return dim

    def closed(self, schedule: Schedule) -> Schedule:
        """A schedule made of it, with the collapsed loops again."""
        new: dict[int, Dim] = {}
        for whole, pair in reversed(self.pairs):
            outer, inner = (new.get(x.uid, x) for x in (pair.outer, pair.inner))
            schedule = collapsed(schedule, outer, inner, whole.name)
            dim = new[whole.uid] = replace(whole, uid=schedule.fresh - 1)

            def told(band: Band, dim: Dim = dim) -> Tree:
                return Band(dim, band.body)

            schedule = schedule.with_tree(replace_band(schedule.tree, dim.uid, told))
        return schedule


def check_not_collapsed(
    schedule: Schedule,
    inside: Collection[str],
    dims: Iterable[Dim],
    *,
    packed: bool = False,
) -> None:
    """See that positions in some loops are functions of the source's loops.

    Args:
        schedule: the schedule, opened around them.
        inside: the statements. dims: the loops around them that matter.
        packed: whether the functions have to be linear.

    Raises:
        Malformed: LX106.
    """
    schedule = schedule if packed else without_products(schedule)
    for dim in dims:
        known = schedule.position[dim.uid]
        used = frozenset().union(*(variables(known[x]) for x in inside if x in known))
        for loop in used & schedule.collapsed.keys():
            pair = schedule.collapsed[loop]
            message = f"`{dim.name}` is made of the collapsed loop `{pair.name}`"
            why, other = tuple[str, ...](), "leave `packed` out"
            if not packed:
                message += ", whose rows have a run-time size"
                why = ("which rows and columns a part of it has is not affine",)
                other = f"`assume` how many iterations `{pair.inner.name}` has"
            hint = f"put this directive before those that changed it, or {other}"
            raise Malformed("LX106", message, detail=why, hint=hint)


def _plain(dim: Dim) -> Dim:
    """One of the two loops of a collapsed one, by itself."""
    return replace(dim, merged="", marks=PLAIN)


def _without(schedule: Schedule, loop: str) -> tuple[Schedule, Dim]:
    """A schedule with the two loops of a collapsed one, and what that was."""
    pair = schedule.collapsed[loop]
    (uid,) = places(schedule, loop)
    (whole,) = (band.dim for band in loops(schedule.tree, uid))
    outer, inner = map(_plain, pair.dims)

    def both(band: Band) -> Tree:
        return Band(outer, Band(inner, band.body))

    result = replace(
        schedule,
        tree=replace_band(schedule.tree, uid, both),
        position={x: y for x, y in schedule.position.items() if x != uid},
        owner={x: y for x, y in schedule.owner.items() if x != uid},
        index={x: y for x, y in schedule.index.items() if x[1] != loop},
        groups={
            name: replace(group, loops=group.loops - {loop})
            for name, group in schedule.groups.items()
        },
        collapsed={x: y for x, y in schedule.collapsed.items() if x != loop},
    )
    return result, whole
