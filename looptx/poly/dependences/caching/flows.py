"""The values that flow through a buffer, and through what it serves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import islpy as isl

from looptx.errors import Unproven
from looptx.model.expr import IntExpr, Var
from looptx.model.moves import Cache
from looptx.poly.dependences.caching.dependences import dependences
from looptx.poly.dependences.caching.uses import Uses
from looptx.poly.dependences.memory_based import Dependence
from looptx.poly.dependences.privatization import Dataflow, pieces, united
from looptx.poly.dependences.state import Lifting, State, renamed

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


class Cached(Lifting):
    """What uses a buffer, and what copies, related to all others.

    Args:
        state: what runs before. cache: the buffer.
    """

    def __init__(self, state: State, cache: Cache) -> None:
        super().__init__(state, cache.moved)
        self.cache = cache
        self.uses = Uses(state, cache)
        self.domains = self.uses.domains

    def dependences(self, known: Sequence[Dependence]) -> list[Dependence]:
        """The dependences between what runs now."""
        return dependences(self.uses, known)

    def places(self) -> dict[str, dict[str, isl.PwAff]]:
        """What statements need besides loops; the copies are among them."""
        return {**super().places(), **self.uses.places}

    def made(self) -> dict[str, Dataflow]:
        """From writes of the buffer to its reads."""
        cache, known = self.cache, self.state.nest.statements
        flow: list[isl.Map] = [*self.uses.flow()] if cache.store else []
        for name in cache.copies:
            for _, access, use in self.uses.uses:
                pairs = self.uses.copied(name, use)
                if name == cache.load and not access.write:
                    flow.append(pairs.reverse())
                elif name == cache.store and access.write:
                    flow.append(pairs)
        through = Dataflow(
            users=tuple(known[name] for name in self.uses.at),
            loops=(),
            flow=tuple(one for one in flow if not one.is_empty()),
            first=isl.UnionMap.empty(self.state.spaces.params_space()),
            around=self.uses.at,
        )
        return {cache.buffer: through}

    def flows(self, name: str, pairs: Sequence[isl.Map]) -> list[isl.Map]:
        """The flows of an array or scalar, between what runs now."""
        result = []
        for one in pairs:
            found = [renamed(one, self.names)]
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

    def dataflow(self, name: str, known: Dataflow) -> Dataflow:
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
            new += cache.copies
        first = []
        for read in pieces(known.first):
            read = renamed(read, self.names)
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
            flow=tuple(self.flows(name, known.flow)),
            first=united(first, known.first.get_space()),
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
        return {**found, **dict.fromkeys(cache.copies, own)}


def shared(array: str) -> Unproven:
    """The error for an array of which iterations have cells of their own. (LX203)"""
    return Unproven(
        "LX203",
        f"unknown: which cells of `{array}` are in the buffer",
        detail=("iterations of a loop have cells of their own of it",),
        hint="put the cache before what moves into that loop, or leave it out",
    )
