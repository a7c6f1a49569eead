"""The dependences of what uses a buffer, and of what copies its cells.

What a statement reads from the buffer was read from the array when the cell was loaded,
and what it writes is written to the array when the cell is stored: the dependences of
its accesses are dependences of the copies. Inside one iteration of the loop they are
dependences by the buffer. So a load that comes before a write which the source's read
comes after, say, is a dependence that runs backward, like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import islpy as isl

from looptx.model.elements import Access
from looptx.model.program import ANYTHING, Statement
from looptx.model.records import replace
from looptx.poly.dependences.caching.uses import Uses
from looptx.poly.dependences.flows import renamed
from looptx.poly.dependences.memory_based import Dependence

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


def dependences(uses: Uses, before: Sequence[Dependence]) -> list[Dependence]:
    """The dependences between what runs now.

    Args:
        uses: of the buffer.
        before: those between what ran before there was one.
    """
    lifting = _Lifting(uses)
    lifted = (one for old in before for one in lifting.lifted(old))
    # A copy that has nothing to copy does not run, and so nothing depends on it.
    return [x for x in (*lifted, *_copies(uses)) if not x.relation.is_empty()]


class _Lifting:
    """Dependences between what runs now, for those between what ran before."""

    def __init__(self, uses: Uses) -> None:
        self.uses = uses
        self.cache = uses.cache
        self.names = uses.names
        self.state = uses.state

    def lifted(self, one: Dependence) -> Iterator[Dependence]:
        """A dependence between what runs now."""
        if one.source_access.array == ANYTHING:
            yield from self._unseen(one)
            return
        ours, theirs = one.source_access, one.sink_access
        source, sink = one.source.name, one.sink.name
        by_buffer = self._ends(source, ours), self._ends(sink, theirs)
        if all(by_buffer):
            yield self._within(one)
        pairs = renamed(one.relation, self.names)
        for first, write, left in self._touched(source, ours, pairs, _IN):
            for second, read, found in self._touched(sink, theirs, left, _OUT):
                if all(by_buffer):
                    # Inside one iteration it is a dependence by the buffer.
                    found = found - self.uses.same(first.name, second.name)
                yield replace(
                    one,
                    source=first,
                    sink=second,
                    source_access=write,
                    sink_access=read,
                    relation=found.coalesce(),
                    reduction=one.reduction if not any(by_buffer) else None,
                )

    def _touched(
        self, name: str, access: Access, pairs: isl.Map, side: isl.dim_type
    ) -> Iterator[tuple[Statement, Access, isl.Map]]:
        """Where the cell of an access is touched now: by a copy, else where it was.

        Args:
            name: of the statement before. access: to a cell.
            pairs: of instances, under the new names. side: which end the statement is.
        """
        known = self.state.nest.statements
        new = self.names.get(name, name)
        if self._ends(name, access):
            (copy, copied), use = self._copied(new, self._now(name, access)[1])
            if use is not None:
                found = (
                    use.reverse().apply_range(pairs)
                    if side == _IN
                    else pairs.apply_range(use)
                )
                yield copy, copied, found
                rest = use.domain().complement()
                pairs = (
                    pairs.intersect_domain(rest)
                    if side == _IN
                    else pairs.intersect_range(rest)
                )
        yield known[new], access, pairs

    def _unseen(self, one: Dependence) -> Iterator[Dependence]:
        """A dependence by what a call may reach: the cells of the array, too.

        What copies the cells of a statement stays on the same side of the call.
        """
        known, pairs = self.state.nest.statements, renamed(one.relation, self.names)
        source, sink = (self.names.get(x.name, x.name) for x in (one.source, one.sink))
        own = replace(one, source=known[source], sink=known[sink], relation=pairs)
        yield own
        for user, access, use in self.uses.uses:
            copy = self.cache.store if access.write else self.cache.load
            at = self.uses.copied(copy, use)
            if user == source:
                by = replace(one.source_access, write=False)
                found = at.reverse().apply_range(pairs)
                yield replace(own, source=known[copy], source_access=by, relation=found)
            if user == sink:
                by = replace(one.sink_access, write=False)
                found = pairs.apply_range(at)
                yield replace(own, sink=known[copy], sink_access=by, relation=found)

    def _within(self, one: Dependence) -> Dependence:
        """A dependence by the buffer, inside an iteration."""
        first, ours = self._now(one.source.name, one.source_access)
        second, theirs = self._now(one.sink.name, one.sink_access)
        uses = {(name, access): use for name, access, use in self.uses.uses}
        both = uses[first.name, ours].apply_range(uses[second.name, theirs].reverse())
        reduction = first.reduction if one.reduction is not None else None
        return replace(
            one,
            source=first,
            sink=second,
            source_access=ours,
            sink_access=theirs,
            relation=renamed(one.relation, self.names) & both,
            reduction=reduction,
        )

    def _now(self, name: str, access: Access) -> tuple[Statement, Access]:
        """A statement and its access as they are now."""
        new = self.names.get(name, name)
        if self._ends(name, access):
            array, subscripts = self.uses.cells[name][access.cell]
            access = replace(access, array=array, subscripts=subscripts)
        return self.state.nest.statements[new], access

    def _copied(
        self, new: str, access: Access
    ) -> tuple[tuple[Statement, Access], isl.Map | None]:
        """What copies the cell of a use: the statement, its access, and when."""
        cache = self.cache
        name = cache.store if access.write else cache.load
        statement = self.state.nest.statements[name]
        ours = next(x for x in statement.accesses if x.array == cache.array)
        use = next(
            use for x, other, use in self.uses.uses if x == new and other == access
        )
        use = self.uses.copied(name, use)
        return (statement, ours), None if use.is_empty() else use

    def _ends(self, name: str, access: Access) -> bool:
        """Whether an access is to the buffer."""
        return access.cell in self.uses.cells.get(name, ())


def _copies(uses: Uses) -> Iterator[Dependence]:
    """What keeps loads before, and stores behind, what uses the buffer."""
    cache, known = uses.cache, uses.state.nest.statements
    for name, first in ((cache.load, True), (cache.store, False)):
        if not name:
            continue
        copy = known[name]
        access = next(x for x in copy.accesses if x.array == cache.buffer)
        for new, other, use in uses.uses:
            if not first and not other.write:
                continue
            pairs = uses.copied(name, use)
            if first:
                ends = (copy, known[new], access, other, pairs.reverse())
            else:
                ends = (known[new], copy, other, access, pairs)
            yield Dependence(*ends, exact=True)
