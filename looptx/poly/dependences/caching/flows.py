"""The values that flow through a buffer, and through what it serves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import islpy as isl

from looptx.errors import Unproven
from looptx.model.elements import Access
from looptx.model.expr import IntExpr, Var
from looptx.model.moves import Cache
from looptx.model.records import replace
from looptx.poly.dependences.caching.dependences import dependences
from looptx.poly.dependences.caching.uses import Uses
from looptx.poly.dependences.flows import Flow, kept
from looptx.poly.dependences.memory_based import Dependence
from looptx.poly.dependences.privatization import Dataflow
from looptx.poly.dependences.state import Lifting, State

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
        through = Dataflow(
            users=tuple(known[name] for name in self.uses.at),
            loops=(),
            flow=tuple(kept(self._through() if cache.store else self._loaded())),
            around=self.uses.at,
        )
        return {cache.buffer: through}

    def _loaded(self) -> Iterator[Flow]:
        """The flows of a buffer that is only read: each cell is loaded."""
        for name, access, use in self.uses.uses:
            yield self._from_load(name, access, use)

    def _through(self) -> Iterator[Flow]:
        """The flows of a buffer that is stored, from those of the array.

        Inside one iteration they are flows of the buffer, too; others begin or end
        there with a copy. What is never read may be any value that was stored.
        """
        uses, stores = self.uses, self.uses.domains[self.cache.store]
        for one in self.state.flows[self.cache.array]:
            rest = one.named(self.names)
            reads = [x for x in uses.uses if x[0] == rest.sink and not x[1].write]
            writes = [x for x in uses.uses if x[0] == rest.source and x[1].write]
            for name, access, use in reads:
                inside = uses.into(rest, use)
                yield Flow.by(inside.pairs, self.state.cell(name, access))
                rest = rest.minus(inside)
            for name, access, use in reads:
                loaded = rest.reading(uses.cell(use)).read.domain()
                yield self._from_load(name, access, use.intersect_domain(loaded))
            for _, _, use in writes:
                written = rest.writing(uses.cell(use)).relation.domain()
                stored = self._to_store(use.intersect_domain(written))
                stores -= stored.pairs.range()
                yield stored
        for _, access, use in uses.uses:
            if access.write:
                yield self._to_store(use.intersect_range(stores.reset_tuple_id()))

    def _from_load(self, name: str, access: Access, use: isl.Map) -> Flow:
        """From what loads cells to a statement that reads them."""
        pairs = self.uses.copied(self.cache.load, use).reverse()
        return Flow.by(pairs, self.state.cell(name, access))

    def _to_store(self, use: isl.Map) -> Flow:
        """From a statement that writes cells to what stores them."""
        store = self.cache.store
        accesses = self.state.nest.statements[store].accesses
        read = next(
            x for x in accesses if (x.array, x.write) == (self.cache.buffer, False)
        )
        return Flow.by(self.uses.copied(store, use), self.state.cell(store, read))

    def flows(self, name: str, known: Sequence[Flow]) -> list[Flow]:
        """The flows of an array or scalar, between what runs now."""
        result = []
        for one in known:
            found = [one.named(self.names)]
            if name == self.cache.array:
                found = [x for y in found for x in self._at_copies(y, _IN)]
                found = [x for y in found for x in self._at_copies(y, _OUT)]
            for each in found:
                if each.ends == (self.cache.store, self.cache.load):
                    each = each.without(self.uses.same(*each.ends))
                result.append(each)
        return kept(result)

    def _at_copies(self, flow: Flow, side: isl.dim_type) -> list[Flow]:
        """Flows from stores, or to loads, in the place of what uses the buffer."""
        write, name = side == _IN, flow.ends[side == _OUT]
        copies = self.cache.store if write else self.cache.load
        found = [flow] if not self.uses.of(name, write=write) else []
        if self._direct(name, write=write):
            found = [flow]
        for use in self.uses.of(name, write=write):
            cell = self.uses.cell(use)
            own = flow.writing(cell) if write else flow.reading(cell)
            found.append(own.at(side, self.uses.copied(copies, use)))
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
        return replace(
            known,
            users=tuple(self.state.nest.statements[x] for x in new),
            flow=tuple(self.flows(name, known.flow)),
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
