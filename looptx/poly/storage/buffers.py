"""A schedule with the storage of its temporaries: what code generation needs of it.

Each buffer that begins its lives with a value gets a statement that gives it that, once
in every iteration of the loops around, and one that gives it to a row where it rolls;
they are generated like all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

import islpy as isl

from looptx.model.expr import TRUE, ZERO, IntExpr, Var, variables
from looptx.model.program import Loop, Statement
from looptx.model.records import dataclass, replace
from looptx.model.schedule import (
    Band,
    Dim,
    Index,
    Leaf,
    Schedule,
    Tree,
    counted,
    replace_band,
    sequence,
)
from looptx.model.storage import Buffer
from looptx.poly.dependences.privatization import Dataflow
from looptx.poly.spaces import Spaces
from looptx.poly.storage.rolling import Roll
from looptx.poly.storage.room import Position, Room

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
    places = {name: dict(own) for name, own in spaces.places.items()}
    longer = spaces, schedule
    for name, life in lives.items():
        room = Room(spaces, schedule, name, life)
        buffer = room.buffer()
        if not (buffer.allocation or buffer.extents):
            continue
        buffers.append(buffer)
        for statement, own in room.places(buffer).items():
            places.setdefault(statement, {}).update(own)
        for store in buffer.stores:
            rows = room.roll if any(store.places) else None
            when = _iterations(room, store.name, rows)
            longer = _inserted(*longer, room, when)
            if rows is not None:
                modulus = room.axes[rows.axis].modulus
                row = _row(longer[0], when, rows.rows, modulus)
                places[store.name] = {place: row for place in store.places if place}
    spaces, schedule = longer
    spaces = spaces.extended(spaces.nest, ())
    spaces.places = places
    return Storage(tuple(buffers), spaces, schedule)


@dataclass(frozen=True, slots=True)
class _Iterations:
    """When a statement of the storage runs, and the inverse map.

    Attributes:
        name: of the statement.
        dims: the loops around it; it stands first in the innermost.
        around: the dimensions that tell its iterations apart, as in ``Room``.
        loops, domain: its iterations.
        positions: over them, in the dimensions around. indices: the inverse map.
    """

    name: str
    dims: Sequence[Dim]
    around: Sequence[Position]
    loops: Mapping[str, Loop]
    domain: isl.Set
    positions: Sequence[IntExpr]
    indices: Mapping[str, Index]


def _inserted(
    spaces: Spaces, schedule: Schedule, room: Room, own: _Iterations
) -> tuple[Spaces, Schedule]:
    """A schedule with a statement of the storage, first in the loops around it."""
    uids = [dim.uid for dim in own.dims]
    around = [uid for uid, _ in own.around]
    statement = Statement(own.name, tuple(own.loops), TRUE, (), (), spaces.nest.place)
    nest = replace(
        spaces.nest,
        loops={**spaces.nest.loops, **own.loops},
        statements={**spaces.nest.statements, own.name: statement},
    )
    position = dict(schedule.position)
    for uid, value in zip(around, own.positions, strict=True):
        position[uid] = {**position[uid], own.name: value}
    index = dict(schedule.index)
    for loop, pair in schedule.collapsed.items():
        if {dim.uid for dim in pair.dims} <= set(around):
            user = room.life.users[0].name
            index[own.name, loop] = schedule.index[user, loop]
            for uid in set(uids) - set(around):
                value = position[uid][user]
                if loop in variables(value):
                    position[uid] = {**position[uid], own.name: value}
    for loop, back in own.indices.items():
        index[own.name, loop] = back

    def begin(band: Band) -> Tree:
        return Band(band.dim, sequence((Leaf(own.name), band.body)))

    tree = (
        replace_band(schedule.tree, uids[-1], begin)
        if uids
        else sequence((Leaf(own.name), schedule.tree))
    )
    spaces = spaces.extended(nest, ())
    domain = own.domain.set_tuple_name(own.name)
    spaces.domains = {**spaces.domains, own.name: domain}
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


def _iterations(room: Room, name: str, rows: Roll | None) -> _Iterations:
    """When a statement runs that fills the buffer, or its rows when they are due.

    It has an iteration for each of the loops of a user, where these tell the positions
    apart: then isl sees at once that both run at the same time. Otherwise it has one
    for each position.
    """
    dims, around = [*room.dims], [*room.around]
    if rows is not None:
        dims.append(rows.dim)
        around += room.positions(rows.dim) or ()
    begins = _begins(room) if rows is None else rows.rows.domain()
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
            return _Iterations(name, dims, around, *where, indices)
    # A nest has its place in a fusing dimension: no loop counts it.
    fixed = {dim.uid for dim in dims if dim.fusing}
    for at in reversed(range(len(around))):
        if around[at][0] in fixed:
            begins = begins.project_out(_SET, at, 1)
    names = {f"{name}@{uid}": uid for uid, _ in around if uid not in fixed}
    place = room.spaces.nest.place
    return _Iterations(
        name,
        dims,
        around,
        {loop: Loop(loop, loop, ZERO, ZERO, 1, place) for loop in names},
        begins,
        [
            value if uid in fixed else Var(f"{name}@{uid}")
            for (uid, _), value in zip(around, positions, strict=True)
        ],
        {loop: counted(uid) for loop, uid in names.items()},
    )


def _row(spaces: Spaces, own: _Iterations, rows: isl.Map, modulus: int) -> isl.PwAff:
    """Where the row stands that a statement fills."""
    positions = spaces.map(own.name, tuple(own.loops), own.positions)
    row = isl.PwMultiAff.from_map(positions.apply_range(rows)).get_pw_aff(0)
    return row.mod_val(isl.Val(modulus, row.get_ctx()))
