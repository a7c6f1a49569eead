"""A schedule with the storage of its temporaries: what code generation needs of it.

Each buffer that begins its lives with a value gets a statement that gives it that, once
in every iteration of the loops around, and one that gives it to a row where it rolls;
they are generated like all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import islpy as isl

from looptx.model.expr import TRUE, ZERO, IntExpr, Var, variables
from looptx.model.program import Loop, Statement
from looptx.model.schedule import (
    Band,
    Dim,
    Index,
    Leaf,
    Schedule,
    Tree,
    replace_band,
    sequence,
)
from looptx.model.storage import Buffer
from looptx.poly.dependences.privatization import Dataflow
from looptx.poly.spaces import Spaces
from looptx.poly.storage import Position, Room

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
    lives: Mapping[str, Dataflow],
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
            fill = _fill(room, buffer.fill, room.dims, room.around, _begins(room))
            longer = _inserted(*longer, room, fill)
        if room.roll is not None:
            dims = [*room.dims, room.roll.dim]
            around = [*room.around, *(room.positions(room.roll.dim) or ())]
            rows = room.roll.rows
            fill = _fill(room, buffer.roll, dims, around, rows.domain())
            longer = _inserted(*longer, room, fill)
            modulus = room.axes[room.roll.axis].modulus
            places[buffer.roll] = {buffer.roll: _row(longer[0], fill, rows, modulus)}
    spaces, schedule = longer
    spaces = spaces.extended(spaces.nest, ())
    spaces.places = places
    return Storage(tuple(buffers), spaces, schedule)


@dataclass(frozen=True, slots=True)
class _Fill:
    """A statement that fills: its iterations, their positions, and the way back.

    Attributes:
        name: of the statement.
        dims: the loops around it; it stands first in the innermost.
        around: the dimensions that tell its iterations apart, as in ``Room``.
        loops, domain: its iterations.
        positions: over them, in the dimensions around. indices: the way back.
    """

    name: str
    dims: Sequence[Dim]
    around: Sequence[Position]
    loops: Mapping[str, Loop]
    domain: isl.Set
    positions: Sequence[IntExpr]
    indices: Mapping[str, Index]


def _inserted(
    spaces: Spaces, schedule: Schedule, room: Room, fill: _Fill
) -> tuple[Spaces, Schedule]:
    """A schedule with a statement that fills."""
    uids = [dim.uid for dim in fill.dims]
    around = [uid for uid, _ in fill.around]
    statement = Statement(fill.name, tuple(fill.loops), TRUE, (), (), spaces.nest.place)
    nest = replace(
        spaces.nest,
        loops={**spaces.nest.loops, **fill.loops},
        statements={**spaces.nest.statements, fill.name: statement},
    )
    position = dict(schedule.position)
    for uid, value in zip(around, fill.positions, strict=True):
        position[uid] = {**position[uid], fill.name: value}
    index = dict(schedule.index)
    for loop, pair in schedule.collapsed.items():
        if {dim.uid for dim in pair.dims} <= set(around):
            user = room.life.users[0].name
            index[fill.name, loop] = schedule.index[user, loop]
            for uid in set(uids) - set(around):
                value = position[uid][user]
                if loop in variables(value):
                    position[uid] = {**position[uid], fill.name: value}
    for loop, back in fill.indices.items():
        index[fill.name, loop] = back

    def begin(band: Band) -> Tree:
        return Band(band.dim, sequence((Leaf(fill.name), band.body)))

    tree = (
        replace_band(schedule.tree, uids[-1], begin)
        if uids
        else sequence((Leaf(fill.name), schedule.tree))
    )
    spaces = spaces.extended(nest, ())
    domain = fill.domain.set_tuple_name(fill.name)
    spaces.domains = {**spaces.domains, fill.name: domain}
    return spaces, replace(
        schedule, nest=nest, tree=tree, position=position, index=index
    )


def _begins(room: Room) -> isl.Set:
    """The positions of the loops around the lives at which one begins.

    Where only sizes say that it is not used, it does no harm.
    """
    whole = reduce(isl.Set.union, (time.range() for time in room.times.values()))
    count = len(room.around)
    return whole.drop_constraints_not_involving_dims(_SET, 0, count).coalesce()


def _fill(
    room: Room,
    name: str,
    dims: Sequence[Dim],
    around: Sequence[Position],
    begins: isl.Set,
) -> _Fill:
    """A statement that fills at some positions of the loops around.

    It has an iteration for each of the loops of a user, where these tell the positions
    apart: then isl sees at once that both run at the same time. Otherwise it has one
    for each position.
    """
    user, schedule = room.life.users[0], room.schedule
    positions = [values[user.name] for _, values in around]
    used = frozenset().union(*map(variables, positions))
    loops = [loop for loop in user.loops if loop in used]
    indices = {loop: schedule.index[user.name, loop] for loop in loops}
    uids = {uid for uid, _ in around}
    if loops and all(uids.issuperset(index.weights) for index in indices.values()):
        there = room.spaces.map("", loops, positions).intersect_range(begins)
        if there.is_injective() and begins.is_subset(there.range()):
            known = {loop: room.spaces.nest.loops[loop] for loop in loops}
            where = known, there.domain(), positions
            return _Fill(name, dims, around, *where, indices)
    names = {f"{name}@{uid}": uid for uid, _ in around}
    place = room.spaces.nest.place
    return _Fill(
        name,
        dims,
        around,
        {loop: Loop(loop, loop, ZERO, ZERO, 1, place) for loop in names},
        begins,
        [Var(loop) for loop in names],
        {loop: Index(ZERO, 1, ZERO, {uid: 1}) for loop, uid in names.items()},
    )


def _row(spaces: Spaces, fill: _Fill, rows: isl.Map, modulus: int) -> isl.PwAff:
    """Where the row stands that a statement fills."""
    positions = spaces.map(fill.name, tuple(fill.loops), fill.positions)
    row = isl.PwMultiAff.from_map(positions.apply_range(rows)).get_pw_aff(0)
    return row.mod_val(isl.Val(modulus, row.get_ctx()))
