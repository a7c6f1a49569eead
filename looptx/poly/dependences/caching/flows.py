"""The values that flow through a buffer, and through what it serves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import islpy as isl

from looptx.errors import Unproven
from looptx.model.expr import IntExpr, Var
from looptx.poly.dependences.caching.uses import Uses
from looptx.poly.dependences.privatization import Dataflow

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


class Flows:
    """From which writes to which reads values flow, now that there is a buffer.

    Args:
        uses: of the buffer.
    """

    def __init__(self, uses: Uses) -> None:
        self.uses = uses
        self.cache = uses.cache
        self.names = uses.names
        self.state = uses.state

    def buffer(self) -> Dataflow:
        """From writes of the buffer to its reads."""
        cache, known = self.cache, self.state.nest.statements
        flow: list[isl.Map] = [*self.uses.flow()] if cache.store else []
        for name in self.uses.copies:
            for _, access, use in self.uses.uses:
                pairs = self.uses.copied(name, use)
                if name == cache.load and not access.write:
                    flow.append(pairs.reverse())
                elif name == cache.store and access.write:
                    flow.append(pairs)
        own = tuple(map(Var, cache.coordinates))
        copies = dict.fromkeys(self.uses.copies, own)
        around = {new: cache.inside[old] for old, new in cache.moved.items()}
        around.update(copies)
        return Dataflow(
            users=tuple(known[name] for name in around),
            loops=(),
            flow=tuple(one for one in flow if not one.is_empty()),
            first=isl.UnionMap.empty(self.state.spaces.params_space()),
            around=around,
        )

    def renamed(self, name: str, pairs: Sequence[isl.Map]) -> list[isl.Map]:
        """The flows of an array or scalar, between what runs now."""
        result = []
        for one in pairs:
            for side in (_IN, _OUT):
                old = one.get_tuple_name(side)
                one = one.set_tuple_name(side, self.names.get(old, old))
            found = [one]
            if name == self.cache.array:
                found = [x for y in found for x in self._at_copies(y, _IN)]
                found = [x for y in found for x in self._at_copies(y, _OUT)]
            for each in found:
                ends = each.get_tuple_name(_IN), each.get_tuple_name(_OUT)
                if ends == (self.cache.store, self.cache.load):
                    each -= self.uses.same(*ends)
                if not each.is_empty():
                    result.append(each)
        return result

    def _at_copies(self, pairs: isl.Map, side: isl.dim_type) -> list[isl.Map]:
        """Flows from stores, or to loads, in the place of what uses the buffer."""
        write, name = side == _IN, pairs.get_tuple_name(side)
        copies = self.cache.store if write else self.cache.load
        found = [pairs] if not self.uses.of(name, write=write) else []
        if self._direct(name, write=write):
            found = [pairs]
        for use in self.uses.of(name, write=write):
            copy = self.uses.copied(copies, use)
            found.append(
                copy.reverse().apply_range(pairs) if write else pairs.apply_range(copy)
            )
        return found

    def _direct(self, statement: str, *, write: bool) -> bool:
        """Whether a statement uses the array itself, too."""
        known = self.state.nest.statements.get(statement)
        return known is not None and any(
            access.array == self.cache.array and access.write == write
            for access in known.accesses
        )

    def other(self, name: str, known: Dataflow) -> Dataflow:
        """The dataflow of another temporary, or of the cached one, as it is now."""
        own, cache = name == self.cache.array, self.cache
        around = {self.names.get(x, x): y for x, y in known.around.items()}
        loops = known.loops
        if own:
            around, loops = self._around(known), ()
        new = [self.names.get(user.name, user.name) for user in known.users]
        if own:
            new = [
                x
                for x in new
                if self._direct(x, write=True) or self._direct(x, write=False)
            ]
            new += self.uses.copies
        maps, first = known.first.get_map_list(), []
        for read in (maps.get_at(at) for at in range(maps.n_map())):
            old = read.get_tuple_name(_IN)
            read = read.set_tuple_name(_IN, self.names.get(old, old))
            user = read.get_tuple_name(_IN)
            uses = self.uses.of(user, write=False) if own else []
            if not uses or self._direct(user, write=False):
                first.append(read)
            for use in uses:
                load = use.set_tuple_name(_OUT, cache.load)
                first.append(load.reverse().apply_range(read))
        return replace(
            known,
            users=tuple(self.state.nest.statements[x] for x in new),
            flow=tuple(self.renamed(name, known.flow)),
            first=reduce(
                isl.UnionMap.union,
                map(isl.UnionMap.from_map, first),
                isl.UnionMap.empty(known.first.get_space()),
            ),
            around=around,
            loops=loops,
        )

    def _around(self, known: Dataflow) -> dict[str, tuple[IntExpr, ...]]:
        """What tells the cells of the cached array apart, for the copies, too.

        Raises:
            Unproven: LX203 where that is no matter of the loops around the copies.
        """
        cache = self.cache
        before = {user.name: known.prefix(user) for user in known.users}
        found = {self.names.get(x, x): y for x, y in before.items()}
        places = {
            tuple(
                cache.inside[old].index(x) if x in cache.inside[old] else -1 for x in y
            )
            for old, y in before.items()
            if any(name == self.names.get(old) for name, _, _ in self.uses.uses)
        }
        at = places.pop() if len(places) == 1 else (-1,)
        if -1 in at:
            raise shared(cache.array)
        own = tuple(Var(cache.coordinates[x]) for x in at)
        return {**found, **dict.fromkeys(self.uses.copies, own)}


def shared(array: str) -> Unproven:
    """The error for an array of which iterations have cells of their own. (LX203)"""
    return Unproven(
        "LX203",
        f"unknown: which cells of `{array}` are in the buffer",
        detail=("iterations of a loop have cells of their own of it",),
        hint="put the cache before what moves into that loop, or leave it out",
    )
