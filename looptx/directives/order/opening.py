"""Collapsed loops as the two that they stand for, while something moves into them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from looptx.directives.base import check
from looptx.directives.order.collapse import collapsed
from looptx.model.dims import loops
from looptx.model.execution.marks import PLAIN
from looptx.model.schedule import (
    Band,
    Collapsed,
    Dim,
    Schedule,
    Tree,
    replace_band,
    statements,
)
from looptx.model.tree import places, whole_loops


@dataclass(frozen=True, slots=True)
class Opened:
    """A schedule with two loops in the place of collapsed ones.

    Attributes:
        schedule: with the two loops.
        dim: the loop asked for, or the inner one of the two that it stands for.
        pairs: what was opened: each collapsed dimension and its two, the outermost
            collapsed first.
    """

    schedule: Schedule
    dim: Dim
    pairs: tuple[tuple[Dim, Collapsed], ...]

    @staticmethod
    def around(schedule: Schedule, dim: Dim) -> Opened:
        """The schedule without collapsed loops of what is in a loop."""
        inside = (x for band in loops(schedule.tree, dim.uid) for x in statements(band))
        return Opened.within(schedule, {*inside}, dim)

    @staticmethod
    def within(schedule: Schedule, inside: Collection[str], dim: Dim) -> Opened:
        """The schedule without collapsed loops of some statements.

        Those stay of which something else was made.

        Args:
            schedule: the schedule.
            inside: the statements. dim: the loop asked for.
        """
        pairs: list[tuple[Dim, Collapsed]] = []
        for loop in [*reversed([*schedule.collapsed])]:
            pair = schedule.collapsed[loop]
            shared = schedule.position[pair.outer.uid].keys() & set(inside)
            if shared and loop in whole_loops(schedule):
                schedule, whole = _without(schedule, loop)
                pairs.append((whole, pair))
                dim = pair.inner if dim.uid == whole.uid else dim
        return Opened(schedule, replace(dim, merged=""), tuple(pairs))

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


def check_not_collapsed(schedule: Schedule, inside: Collection[str], loop: str) -> None:
    """See that statements are in no collapsed loop of which others were made.

    Args:
        schedule: the schedule, opened around them.
        inside: the statements. loop: the loop that they are in.

    Raises:
        Malformed: LX106.
    """
    check(
        not any(
            schedule.position[pair.outer.uid].keys() & set(inside)
            for pair in schedule.collapsed.values()
        ),
        f"`{loop}` is made of a collapsed loop, or a loop around or in it is",
        "collapse the loops afterwards",
    )


def _without(schedule: Schedule, loop: str) -> tuple[Schedule, Dim]:
    """A schedule with the two loops of a collapsed one, and what that was."""
    pair = schedule.collapsed[loop]
    (uid,) = places(schedule, loop)
    (whole,) = (band.dim for band in loops(schedule.tree, uid))
    outer, inner = (replace(x, merged="", marks=PLAIN) for x in pair.dims)

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
