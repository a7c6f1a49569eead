"""A nest that moves into a loop of another one: the new tree and the new maps.

Which iterations of the nest run in which of the loop is a matter of the dataflow; here
is said only that they do, and in which order with what stands in the loop.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from looptx.directives.moving.places import Place, forest
from looptx.directives.names import find
from looptx.directives.order.opening import Opened
from looptx.model.dims import down_to
from looptx.model.expr import IntExpr, Var, substitute
from looptx.model.moves import Move, When
from looptx.model.moves.changes import changed
from looptx.model.program import Nest
from looptx.model.records import dataclass, replace
from looptx.model.schedule import (
    Band,
    Collapsed,
    Dim,
    Group,
    Index,
    Schedule,
    Tree,
    counted,
    replace_band,
    sequence,
    statements,
)
from looptx.model.schedule import Leaf as One
from looptx.model.schedule import Sequence as InOrder
from looptx.model.tree import uids
from looptx.poly.collapse.literal import without_products


def moved_into(
    schedule: Schedule, nest: str, loop: str, when: When, *, first: bool
) -> Schedule:
    """The schedule in which a nest runs in the iterations of a loop of another.

    Args:
        schedule: the schedule.
        nest: the name of the nest that moves.
        loop: the loop it moves into.
        when: in which of its iterations each iteration of the nest runs.
        first: whether it runs before what stands in the loop, or behind it.

    Raises:
        Malformed: LX104 and LX105 for names, LX106 for a nest that moves into itself or
            is no single nest any more, and for a loop it cannot move into.
    """
    dim = find(schedule, loop)
    return moved_under(schedule, nest, dim, loop, when, first=first)


def moved_under(
    schedule: Schedule, nest: str, dim: Dim, loop: str, when: When, *, first: bool
) -> Schedule:
    """The same for the loop of a dimension.

    Args:
        schedule: the schedule.
        nest: the name of the nest that moves.
        dim: the dimension. loop: what it is called in messages.
        when, first: as for ``moved_into``.

    Raises:
        Malformed: as ``moved_into``.
    """
    opened = Opened.of(schedule, down_to(schedule.tree, dim.uid))
    schedule, dim = opened.schedule, opened.inner(dim)
    own = forest(schedule, nest)
    place = Place.of(schedule, own, dim, nest, loop)
    number = len(schedule.moves) + 1
    names = {old: f"{old}@{number}" for old in statements(own)}
    coordinates = {uid: f"@{uid}@{number}" for uid in place.counted}
    pairs = _pairs(schedule, own)
    dims = uids(own).union(dim.uid for pair in pairs.values() for dim in pair.dims)
    copies = {uid: schedule.fresh + at for at, uid in enumerate(sorted(dims))}
    copied = _copied(own, names, copies)

    def joined(band: Band) -> Tree:
        parts = (copied, band.body) if first else (band.body, copied)
        return Band(band.dim, sequence(parts))

    tree = replace_band(schedule.tree, dim.uid, joined)
    whole = {x: f"{pair.name}@{copies[pair.outer.uid]}" for x, pair in pairs.items()}
    maps = _Maps(schedule, names, coordinates, copies, whole)
    told = without_products(schedule)
    move = Move(
        when,
        names,
        tuple(coordinates.values()),
        {name: _positions(told, place.counted, name) for name in place.inside},
        {
            name: _positions(told, place.common, name)
            for name in (*names, *place.inside)
        },
        when is not When.COMPLETE and _is_hidden(schedule.nest, names),
    )
    result = replace(
        schedule,
        nest=_extended(schedule, move, coordinates, place),
        tree=tree,
        position=maps.position(place),
        owner=maps.owner(),
        index=maps.index(),
        groups=_groups(schedule, nest, maps, place.inside),
        collapsed={**schedule.collapsed, **maps.collapsed()},
        fresh=schedule.fresh + len(copies),
        moves=(*schedule.moves, move),
    )
    return opened.closed(result)


@dataclass(frozen=True, slots=True)
class _Maps:
    """The maps of a schedule for statements under new names.

    Attributes:
        names: the new name of each. coordinates: their loops by dimension.
        copies: the new dimension for each of their own.
        whole: the new loop for each collapsed one.
    """

    schedule: Schedule
    names: Mapping[str, str]
    coordinates: Mapping[int, str]
    copies: Mapping[int, int]
    whole: Mapping[str, str]

    def position(self, place: Place) -> dict[int, dict[str, IntExpr]]:
        """The positions of all statements."""
        found: dict[int, dict[str, IntExpr]] = {
            uid: dict(values) for uid, values in self.schedule.position.items()
        }
        for uid, values in self.schedule.position.items():
            new = self.copies.get(uid, uid)
            for old, name in self.names.items():
                if old in values:
                    found.setdefault(new, {})[name] = self._moved(values[old])
        for dim in place.around:
            known = self.schedule.position[dim.uid][place.inside[0]]
            loop = self.coordinates.get(dim.uid)
            value = Var(loop) if loop else known
            found[dim.uid].update(dict.fromkeys(self.names.values(), value))
        return found

    def owner(self) -> dict[int, dict[str, str]]:
        """The loops that the loops of a dimension show."""
        found = {uid: dict(values) for uid, values in self.schedule.owner.items()}
        for uid, values in self.schedule.owner.items():
            new = self.copies.get(uid, uid)
            for old, name in self.names.items():
                if old in values:
                    loop = self.whole.get(values[old], values[old])
                    found.setdefault(new, {})[name] = loop
        return found

    def index(self) -> dict[tuple[str, str], Index]:
        """The inverse maps."""
        found = dict(self.schedule.index)
        for (old, loop), value in self.schedule.index.items():
            if old in self.names:
                weights = {
                    self.copies.get(uid, uid): w for uid, w in value.weights.items()
                }
                start, offset = self._moved(value.start), self._moved(value.offset)
                new = Index(start, value.step, offset, weights)
                found[self.names[old], self.whole.get(loop, loop)] = new
        for name in self.names.values():
            for uid, loop in self.coordinates.items():
                found[name, loop] = counted(uid)
        return found

    def collapsed(self) -> dict[str, Collapsed]:
        """The collapsed loops."""
        found: dict[str, Collapsed] = {}
        for old, new in self.whole.items():
            pair = self.schedule.collapsed[old]
            outer, inner = (replace(x, uid=self.copies[x.uid]) for x in pair.dims)
            found[new] = Collapsed(pair.name, outer, inner)
        return found

    def _moved(self, value: IntExpr) -> IntExpr:
        """A function of loops for a statement under its new name."""
        return substitute(value, {x: Var(y) for x, y in self.whole.items()})


def _positions(
    schedule: Schedule, dims: Iterable[int], name: str
) -> tuple[IntExpr, ...]:
    """The positions of a statement in some dimensions."""
    return tuple(schedule.position[uid][name] for uid in dims)


def _pairs(schedule: Schedule, tree: Tree) -> dict[str, Collapsed]:
    """The collapsed loops of some statements."""
    inside = {*statements(tree)}
    return {
        loop: pair
        for loop, pair in schedule.collapsed.items()
        if not inside.isdisjoint(schedule.position[pair.outer.uid])
    }


def _copied(tree: Tree, names: Mapping[str, str], copies: Mapping[int, int]) -> Tree:
    """A tree with other statements and dimensions."""
    match tree:
        case Band(dim, body):
            return Band(replace(dim, uid=copies[dim.uid]), _copied(body, names, copies))
        case InOrder(children):
            return InOrder(tuple(_copied(each, names, copies) for each in children))
        case One(name):
            return One(names[name])


def _is_hidden(nest: Nest, names: Mapping[str, str]) -> bool:
    """Whether only the nest sees what some of its statements write."""
    accesses = (access for name in names for access in nest.statements[name].accesses)
    return all(nest.private(access.array) for access in accesses if access.write)


def _extended(
    schedule: Schedule, move: Move, coordinates: Mapping[int, str], place: Place
) -> Nest:
    """The nest with the statements under their new names."""
    nest = schedule.nest
    more = {
        loop: place.coordinate(schedule, uid, coordinates)
        for uid, loop in coordinates.items()
    }
    return replace(
        nest,
        loops={**nest.loops, **more},
        statements={**nest.statements, **changed(nest, move)},
    )


def _groups(
    schedule: Schedule, nest: str, maps: _Maps, inside: Collection[str]
) -> dict[str, Group]:
    """The nests: the one that moves is part of the one it moves into."""
    found: dict[str, Group] = {}
    names = maps.names

    def told(group: Group) -> Group:
        whole = (maps.whole[x] for x in group.loops & maps.whole.keys())
        return replace(group, loops=group.loops.union(whole))

    own = told(schedule.groups[nest])
    new = frozenset(names.values())
    for name, each in schedule.groups.items():
        known = told(each)
        # A set that several schedules share must not change.
        held = frozenset(names.get(x, x) for x in known.statements)
        if not held.isdisjoint(inside):
            held = held | new
            known = replace(known, loops=known.loops | own.loops)
        found[name] = replace(known, statements=held)
    return found
