"""The instances of statements that moved, and what relates them to all others.

A relation of instances of the source is *lifted* to those that run: to all copies of
each. But the cells that the moved statements write are as good as private to each
iteration of the loop (array expansion: Feautrier, ICS 1988), so what goes by them is
lifted to pairs inside one iteration only, as far as both are in the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import islpy as isl

from looptx.model.expr import IntExpr, Var
from looptx.model.moves import Move
from looptx.poly.dependences.placing import Relation, State, left, runs
from looptx.poly.dependences.privatization import Dataflow

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


class Copies:
    """The instances of statements that move.

    Args:
        state: what runs before.
        move: the statements, and where they move.

    Attributes:
        written: the arrays and scalars that they write.
        domains: their instances, under their new names. left: those that stay where
            they were, under the old ones.
        unique: whether each runs once.
        expanded: which of ``written`` have cells of their own in every iteration.
    """

    def __init__(self, state: State, move: Move) -> None:
        self.state = state
        self.move = move
        self.written = state.accessed([*move.moved], write=True)
        found = runs(state, move)
        self.unique = all(one.reverse().is_single_valued() for one in found.values())
        ran = {name: one.range() for name, one in found.items()}
        self.left = left(state, move, ran)
        self.domains = {
            new: found[old].wrap().flatten().set_tuple_name(new)
            for old, new in move.moved.items()
        }
        self._copy = {old: self._copied(old, new) for old, new in move.moved.items()}
        self.expanded = self._expanded()

    def _copied(self, old: str, new: str) -> isl.Map:
        """``{ old[x] -> new[coordinates, x] }``."""
        own = isl.Set.identity(self.domains[new])
        own = own.project_out(_IN, 0, len(self.move.coordinates))
        return own.set_tuple_name(_IN, old)

    def _names(self, name: str) -> list[tuple[str, isl.Map | None]]:
        """Under which names a statement runs now, and how its instances are copied."""
        if name not in self.move.moved:
            return [(name, None)]
        found: list[tuple[str, isl.Map | None]] = [
            (self.move.moved[name], self._copy[name])
        ]
        if not self.left[name].is_empty():
            found.append((name, isl.Set.identity(self.left[name])))
        return found

    def lifted(self, relation: Relation, *, own: bool) -> list[Relation]:
        """A relation between what runs now.

        Args:
            relation: between what ran before.
            own: whether it is by cells that the moved statements write.
        """
        source, sink, pairs = relation
        result: list[Relation] = []
        for first, ours in self._names(source):
            for second, theirs in self._names(sink):
                found = pairs
                if ours is not None:
                    found = ours.reverse().apply_range(found)
                if theirs is not None:
                    found = found.apply_range(theirs)
                if own and not self.unique and first in self.domains:
                    found = self._inside_one(first, second, found)
                if not found.is_empty():
                    result.append((first, second, found))
        return result

    def all_lifted(self, pairs: Sequence[isl.Map], *, own: bool) -> list[isl.Map]:
        """Relations between what runs now."""
        return [
            found
            for one in pairs
            for ends in [(one.get_tuple_name(_IN), one.get_tuple_name(_OUT))]
            for _, _, found in self.lifted((*ends, one), own=own)
        ]

    def places(self) -> dict[str, dict[str, isl.PwAff]]:
        """What statements need besides loops, under their new names."""
        known = self.state.spaces.places
        found: dict[str, dict[str, isl.PwAff]] = {}
        for old, new in self.move.moved.items():
            if old in known:
                back = isl.PwMultiAff.from_map(self._copy[old].reverse())
                found[new] = {
                    place: value.pullback_pw_multi_aff(back)
                    for place, value in known[old].items()
                }
        return found

    def tags(self) -> dict[str, tuple[IntExpr, ...]]:
        """In which iteration of the loop statements run, of all that are in it."""
        common = self.move.common
        own = tuple(map(Var, self.move.coordinates))
        before = self.move.moved.items()
        return {
            **{x: (*common[x], *at) for x, at in self.move.inside.items()},
            **{new: (*common[old], *own) for old, new in before},
        }

    def _at(self) -> dict[str, tuple[IntExpr, ...]]:
        """The same, for one iteration of the loops that were around before."""
        own = dict.fromkeys(self.domains, tuple(map(Var, self.move.coordinates)))
        return {**self.move.inside, **own}

    def _inside_one(self, first: str, second: str, pairs: isl.Map) -> isl.Map:
        """The pairs that are in one iteration of the loop, as far as both are in it.

        Those in different iterations of the loops that were around before stay.
        """
        tags, places = self.tags(), self._at()
        if first not in tags or second not in tags:
            return pairs
        rank = len(tags[first]) - len(places[first])
        level, same = (
            self._map(first, tags[first][part]).apply_range(
                self._map(second, tags[second][part]).reverse()
            )
            for part in (slice(rank), slice(rank, None))
        )
        return pairs - (level - same)

    def _map(self, name: str, values: Sequence[IntExpr]) -> isl.Map:
        loops = self.state.nest.statements[name].loops
        return self.state.spaces.map(name, loops, values)

    def _expanded(self) -> frozenset[str]:
        """What of their own all users have in every iteration."""
        if self.unique:
            return frozenset()
        known = self.state.dataflows
        return frozenset(
            name
            for name in self.written & known.keys()
            if all(
                self.left[user.name].is_empty()
                if user.name in self.move.moved
                else user.name in self.move.inside
                for user in known[name].users
            )
            and all(map(self._stays, known[name].flow))
        )

    def _stays(self, flow: isl.Map) -> bool:
        """Whether values stay inside iterations: each has its own of what moves."""
        source, sink = flow.get_tuple_name(_IN), flow.get_tuple_name(_OUT)
        common, inside = self.move.common, self.move.inside
        if not common.keys() >= {source, sink}:
            return True
        ours, theirs = common[source], common[sink]
        if source in inside:
            tags = self.tags()
            ours = tags[source]
            if sink in inside:
                theirs = tags[sink]
            else:
                flow = flow.apply_range(self._copy[sink])
                sink = self.move.moved[sink]
                theirs = tags[sink]
        one, other = self._map(source, ours), self._map(sink, theirs)
        return bool(flow.is_subset(one.apply_range(other.reverse())))

    def dataflow(self, name: str, known: Dataflow) -> Dataflow:
        """The dataflow of a temporary or private scalar between what runs now."""
        own, tags = name in self.expanded, self._at()
        new = [x for user in known.users for x, _ in self._names(user.name)]
        before = {y: x for x, y in self.move.moved.items()}
        around = {
            user: (
                *(tags[user] if own else ()),
                *known.around.get(before.get(user, user), ()),
            )
            for user in new
        }
        first = isl.UnionMap.empty(known.first.get_space())
        maps = known.first.get_map_list()
        for read in (maps.get_at(at) for at in range(maps.n_map())):
            for _, copy in self._names(read.get_tuple_name(_IN)):
                lifted = read if copy is None else copy.reverse().apply_range(read)
                first = first.union(isl.UnionMap.from_map(lifted))
        return replace(
            known,
            users=tuple(self.state.nest.statements[x] for x in new),
            flow=tuple(self.all_lifted(known.flow, own=own)),
            first=first,
            around=around,
        )
