"""A schedule with the storage of its temporaries: what code generation needs of it.

Each buffer that begins its lives with a value gets a statement that gives it that, once
in every iteration of the loops around; it is generated like all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import islpy as isl

from looptx.model.expr import TRUE, ZERO, IntExpr, Var, variables
from looptx.model.program import Loop, Statement, Text
from looptx.model.schedule import (
    Band,
    Index,
    Leaf,
    Schedule,
    Tree,
    replace_band,
    sequence,
)
from looptx.model.storage import Buffer
from looptx.poly.lives import Life
from looptx.poly.spaces import Spaces
from looptx.poly.storage import Room

_SET = isl.dim_type.set


@dataclass(frozen=True, slots=True)
class Storage:
    """The buffers of a schedule.

    Attributes:
        buffers: of the temporaries, and of the scalars that need more than a cell.
        spaces, schedule: with the places of their cells and the statements that fill.
    """

    buffers: tuple[Buffer, ...]
    spaces: Spaces
    schedule: Schedule


def storage(
    spaces: Spaces,
    schedule: Schedule,
    lives: Mapping[str, Life],
) -> Storage:
    """The storage of all temporaries.

    Args:
        spaces: of the nest.
        schedule: final and legal.
        lives: of every temporary.
    """
    buffers: list[Buffer] = []
    places: dict[str, dict[str, isl.PwAff]] = {}
    longer = spaces, schedule
    for name, life in lives.items():
        room = Room(spaces, schedule, name, life)
        buffer = room.buffer()
        if not (buffer.allocation or buffer.extents):
            continue
        buffers.append(buffer)
        for statement, own in room.places(buffer).items():
            places.setdefault(statement, {}).update(own)
        if buffer.filled:
            longer = _with_fill(*longer, room, buffer)
    spaces, schedule = longer
    spaces = spaces.extended(spaces.nest, ())
    spaces.places = places
    return Storage(tuple(buffers), spaces, schedule)


def _with_fill(
    spaces: Spaces, schedule: Schedule, room: Room, buffer: Buffer
) -> tuple[Spaces, Schedule]:
    """A schedule in which every life of a buffer begins with a statement."""
    uids = [dim.uid for dim in room.dims]
    around = [uid for uid, _ in room.around]
    begins = _begins(room)
    found = _like_user(room, begins) or _by_positions(room, buffer, begins)
    statement = Statement(
        buffer.fill, tuple(found.loops), TRUE, (), Text(()), (), spaces.nest.place
    )
    nest = replace(
        spaces.nest,
        loops={**spaces.nest.loops, **found.loops},
        statements={**spaces.nest.statements, buffer.fill: statement},
    )
    position = dict(schedule.position)
    for uid, value in zip(around, found.positions, strict=True):
        position[uid] = {**position[uid], buffer.fill: value}
    index = dict(schedule.index)
    for loop, pair in schedule.collapsed.items():
        if {dim.uid for dim in pair.dims} <= set(around):
            user = room.life.users[0].name
            index[buffer.fill, loop] = schedule.index[user, loop]
            for uid in set(uids) - set(around):
                value = position[uid][user]
                if loop in variables(value):
                    position[uid] = {**position[uid], buffer.fill: value}
    for loop, back in found.indices.items():
        index[buffer.fill, loop] = back

    def begin(band: Band) -> Tree:
        return Band(band.dim, sequence((Leaf(buffer.fill), band.body)))

    tree = (
        replace_band(schedule.tree, uids[-1], begin)
        if uids
        else sequence((Leaf(buffer.fill), schedule.tree))
    )
    spaces = spaces.extended(nest, ())
    domain = found.domain.set_tuple_name(buffer.fill)
    spaces.domains = {**spaces.domains, buffer.fill: domain}
    return spaces, replace(
        schedule, nest=nest, tree=tree, position=position, index=index
    )


@dataclass(frozen=True, slots=True)
class _Fill:
    """The iterations of a statement that fills, their positions, and the way back."""

    loops: Mapping[str, Loop]
    domain: isl.Set
    positions: Sequence[IntExpr]
    indices: Mapping[str, Index]


def _begins(room: Room) -> isl.Set:
    """The positions of the loops around the lives at which one begins.

    Where only sizes say that it is not used, it does no harm.
    """
    whole = reduce(isl.Set.union, (time.range() for time in room.times.values()))
    count = len(room.around)
    return whole.drop_constraints_not_involving_dims(_SET, 0, count).coalesce()


def _like_user(room: Room, begins: isl.Set) -> _Fill | None:
    """An iteration for each of the loops of a user, where these tell lives apart.

    Then isl sees at once that both run at the same time.
    """
    user, schedule = room.life.users[0], room.schedule
    positions = [values[user.name] for _, values in room.around]
    used = frozenset().union(*map(variables, positions))
    loops = [loop for loop in user.loops if loop in used]
    indices = {loop: schedule.index[user.name, loop] for loop in loops}
    uids = {uid for uid, _ in room.around}
    if not loops or any(not uids.issuperset(i.weights) for i in indices.values()):
        return None
    there = room.spaces.map("", loops, positions).intersect_range(begins)
    if not (there.is_injective() and begins.is_subset(there.range())):
        return None
    known = {loop: room.spaces.nest.loops[loop] for loop in loops}
    return _Fill(known, there.domain(), positions, indices)


def _by_positions(room: Room, buffer: Buffer, begins: isl.Set) -> _Fill:
    """An iteration for each position of the loops around the lives."""
    names = {f"{buffer.fill}@{uid}": uid for uid, _ in room.around}
    place = room.spaces.nest.place
    return _Fill(
        {name: Loop(name, name, ZERO, ZERO, 1, place) for name in names},
        begins,
        [Var(name) for name in names],
        {name: Index(ZERO, 1, ZERO, {uid: 1}) for name, uid in names.items()},
    )
