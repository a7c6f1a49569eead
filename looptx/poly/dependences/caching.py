"""Statements that use a buffer instead of an array, and those that copy its cells.

What a statement reads from the buffer was read from the array when the cell was loaded,
and what it writes is written to the array when the cell is stored: the dependences of
its accesses are dependences of the copies. Inside one iteration of the loop they are
dependences by the buffer. So a load that comes before a write which the source's read
comes after, say, is a dependence that runs backward, like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce

import islpy as isl

from looptx.errors import Malformed, Unproven
from looptx.model.expr import IntExpr, Var
from looptx.model.moves import Cache, redirected
from looptx.model.program import Access, Statement
from looptx.poly.dependences.memory_based import Dependence
from looptx.poly.dependences.order import guarded
from looptx.poly.dependences.placing import State
from looptx.poly.dependences.privatization import Dataflow

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


class Cached:
    """The instances that use a buffer, and those that copy.

    Args:
        state: what runs before.
        cache: the buffer.
        dependences: between what runs before.

    Attributes:
        domains: of what runs under a new name, and of the copies.
        dependences, dataflow: of what runs now.
        places: the cells of a packed buffer, as ``Spaces`` has them.
    """

    def __init__(
        self, state: State, cache: Cache, dependences: Sequence[Dependence]
    ) -> None:
        self.state = state
        self.cache = cache
        self.names = cache.moved
        self._check(dependences)
        self.domains = {
            new: state.domains[old].set_tuple_name(new)
            for old, new in cache.moved.items()
        }
        self.cells = {old: dict(own) for old, own in cache.cells.items()}
        self._leave()
        self.uses = [
            (new, access, self._use(old, new, access))
            for old, new in cache.moved.items()
            for access in dict.fromkeys(state.nest.statements[new].accesses)
            if access.array == cache.buffer
        ]
        self._copy()
        self.places = self._places()
        self.dependences = [
            *(one for old in dependences for one in self._lifted(old)),
            *self._copies(),
        ]
        self.dataflow = self._dataflow()

    def _check(self, dependences: Sequence[Dependence]) -> None:
        """See that each access is to one cell, and happens."""
        known = self.state.nest.statements
        for new in self.names.values():
            for access in known[new].accesses:
                if access.array == self.cache.buffer and not access.certain:
                    raise Unproven(
                        "LX203",
                        f"unknown: which cells of `{self.cache.array}` are used",
                        detail=("whether it is used depends on data",),
                        hint="leave this directive out",
                    )
        if self.cache.store and self.cache.array in self.state.spaces.shapes:
            raise Unproven(
                "LX203",
                f"unknown: which cells of `{self.cache.array}` are one",
                detail=("a subscript may be negative and count from the end",),
                hint="leave this directive out, or `assume` that it is not negative",
            )

    def _use(self, old: str, new: str, access: Access) -> isl.Map:
        """``{ statement[x] -> [coordinates, cell] }`` of an access."""
        spaces, cache = self.state.spaces, self.cache
        loops = self.state.nest.statements[new].loops
        cell = [one for one in access.subscripts if one is not None]
        found = spaces.map(new, loops, [*cache.inside[old], *cell])
        statement = self.state.nest.statements[new]
        return found.intersect_domain(
            guarded(spaces, statement, access, self.domains[new])
        )

    def _leave(self) -> None:
        """Leave to the array what is only read, where no written cell is."""
        cache, known = self.cache, self.state.nest.statements
        written = [
            self._use(old, new, access)
            for old, new in cache.moved.items()
            for access in dict.fromkeys(known[new].accesses)
            if access.array == cache.buffer and access.write
        ]
        more: dict[str, Statement] = {}
        for old, cells in cache.perhaps.items():
            new = cache.moved[old]
            apart = {
                access.subscripts: access.subscripts
                for access in known[new].accesses
                if access.array == cache.buffer and access.subscripts in cells
                if all(
                    self._use(old, new, access).range().is_disjoint(one.range())
                    for one in written
                )
            }
            if apart:
                arrays = cache.buffer, cache.array
                for name, one in known.items():
                    # It may have further names, after later directives.
                    if name == new or name.startswith(f"{new}@"):
                        one = more.get(name, one)
                        more[name] = redirected(one, name, arrays, apart)
                for subscripts in apart:
                    del self.cells[old][subscripts]
        self.state.nest = replace(
            self.state.nest, statements={**self.state.nest.statements, **more}
        )

    def _copy(self) -> None:
        """When cells are loaded and stored."""
        cache = self.cache
        wanted = [
            self._unwritten(new, use) if cache.store else use.range()
            for new, access, use in self.uses
            if not access.write
        ]
        self.domains[cache.load] = self._united(wanted, cache.load)
        if cache.store:
            writes = [use.range() for _, access, use in self.uses if access.write]
            self.domains[cache.store] = self._united(writes, cache.store)

    def _places(self) -> dict[str, dict[str, isl.PwAff]]:
        """What the copies need besides loops: the cell of a packed buffer.

        Raises:
            Malformed: LX106 where a cell has several places in the buffer.
        """
        cache, spaces = self.cache, self.state.spaces
        found: dict[str, dict[str, isl.PwAff]] = {}
        if cache.cell is None:
            return found
        for name in filter(None, (cache.load, cache.store)):
            loops = self.state.nest.statements[name].loops
            coordinates = map(Var, cache.coordinates)
            cells = spaces.map(name, loops, [*coordinates, *cache.cell])
            if not cells.intersect_domain(self.domains[name]).is_injective():
                raise Malformed(
                    "LX106",
                    f"several iterations of the loops mean one cell of `{cache.array}`",
                    hint="leave `packed` out, or name an inner loop",
                )
            space = spaces.space(name, len(loops))
            found[name] = {
                place: spaces.expr(one, space, loops)
                for place, one in zip(cache.places, cache.cell, strict=True)
            }
        return found

    def _united(self, sets: Sequence[isl.Set], name: str) -> isl.Set:
        loops = len(self.cache.coordinates) + len(self.cache.axes)
        result = isl.Set.empty(self.state.spaces.space(name, loops))
        for one in sets:
            result |= one.set_tuple_name(name)
        return result.coalesce()

    def _unwritten(self, name: str, use: isl.Map) -> isl.Set:
        """The cells that an access reads before the iteration has written them."""
        reads = use.domain()
        for piece in self._flow():
            if piece.get_tuple_name(_OUT) == name:
                written = self._reached(piece.get_tuple_name(_IN), write=True)
                assert written is not None
                same = piece & written.apply_range(use.reverse())
                reads -= same.range()
        return use.intersect_domain(reads).range()

    def _flow(self) -> Iterator[isl.Map]:
        """From writes of the buffer to its reads, in one iteration."""
        for piece in self.state.flows[self.cache.array]:
            ends = piece.get_tuple_name(_IN), piece.get_tuple_name(_OUT)
            if not set(ends) <= self.names.keys():
                continue
            first, second = (self.names[end] for end in ends)
            ours = self._reached(first, write=True)
            theirs = self._reached(second, write=False)
            if ours is None or theirs is None:
                continue
            moved = piece.set_tuple_name(_IN, first).set_tuple_name(_OUT, second)
            found = moved & ours.apply_range(theirs.reverse())
            if not found.is_empty():
                yield found

    def _reached(self, statement: str, *, write: bool) -> isl.Map | None:
        """All cells that a statement uses in the buffer."""
        found = self._uses(statement, write=write)
        return reduce(isl.Map.union, found) if found else None

    def _ends(self, name: str, access: Access) -> bool:
        """Whether an access is to the buffer."""
        cells = self.cells.get(name, {})
        return access.array == self.cache.array and access.subscripts in cells

    def _within(self, one: Dependence) -> Dependence | None:
        """A dependence by the buffer, inside an iteration."""
        source, sink = one.source.name, one.sink.name
        if not (
            self._ends(source, one.source_access) and self._ends(sink, one.sink_access)
        ):
            return None
        ends = self._now(source, one.source_access), self._now(sink, one.sink_access)
        (first, ours), (second, theirs) = ends
        uses = {(name, access): use for name, access, use in self.uses}
        both = uses[first.name, ours].apply_range(uses[second.name, theirs].reverse())
        pairs = one.relation.set_tuple_name(_IN, first.name)
        pairs = pairs.set_tuple_name(_OUT, second.name) & both
        if pairs.is_empty():
            return None
        reduction = first.reduction if one.reduction is not None else None
        return replace(
            one,
            source=first,
            sink=second,
            source_access=ours,
            sink_access=theirs,
            relation=pairs,
            reduction=reduction,
        )

    def _now(self, name: str, access: Access) -> tuple[Statement, Access]:
        """A statement and its access as they are now."""
        new = self.names.get(name, name)
        if self._ends(name, access):
            cell = self.cells[name][access.subscripts]
            access = replace(access, array=self.cache.buffer, subscripts=cell)
        return self.state.nest.statements[new], access

    def _lifted(self, one: Dependence) -> Iterator[Dependence]:
        """A dependence between what runs now."""
        ends = (
            (one.source, one.source_access, _IN),
            (one.sink, one.sink_access, _OUT),
        )
        pairs = one.relation
        by_buffer = [self._ends(x.name, access) for x, access, _ in ends]
        now: list[tuple[Statement, Access]] = []
        for (statement, access, side), own in zip(ends, by_buffer, strict=True):
            new = self.names.get(statement.name, statement.name)
            pairs = pairs.set_tuple_name(side, new)
            if not own:
                now.append((self.state.nest.statements[new], access))
                continue
            _, wanted = self._now(statement.name, access)
            copy, use = self._copied(new, wanted)
            if use is None:
                return
            pairs = (
                use.reverse().apply_range(pairs)
                if side == _IN
                else pairs.apply_range(use)
            )
            now.append(copy)
        if all(by_buffer):
            # Inside one iteration it is a dependence by the buffer.
            pairs = pairs - self._same(now[0][0].name, now[1][0].name)
            inner = self._within(one)
            if inner is not None:
                yield inner
        if not pairs.is_empty():
            (source, ours), (sink, theirs) = now
            yield replace(
                one,
                source=source,
                sink=sink,
                source_access=ours,
                sink_access=theirs,
                relation=pairs.coalesce(),
                reduction=None,
            )

    def _copied(
        self, new: str, access: Access
    ) -> tuple[tuple[Statement, Access], isl.Map | None]:
        """What copies the cell of a use: the statement, its access, and when."""
        cache = self.cache
        name = cache.store if access.write else cache.load
        statement = self.state.nest.statements[name]
        ours = next(x for x in statement.accesses if x.array == cache.array)
        use = next(use for x, other, use in self.uses if x == new and other == access)
        use = use.set_tuple_name(_OUT, name).intersect_range(self.domains[name])
        return (statement, ours), None if use.is_empty() else use

    def _same(self, first: str, second: str) -> isl.Map:
        """Pairs of copies in one iteration."""
        known, coordinates = self.state.nest.statements, self.cache.coordinates
        one, other = (
            self.state.spaces.map(name, known[name].loops, [*map(Var, coordinates)])
            for name in (first, second)
        )
        return one.apply_range(other.reverse())

    def _copies(self) -> Iterator[Dependence]:
        """What keeps loads before, and stores behind, what uses the buffer."""
        cache, known = self.cache, self.state.nest.statements
        for name, first in ((cache.load, True), (cache.store, False)):
            if not name:
                continue
            copy = known[name]
            access = next(x for x in copy.accesses if x.array == cache.buffer)
            for new, other, use in self.uses:
                if not first and not other.write:
                    continue
                pairs = use.set_tuple_name(_OUT, name)
                pairs = pairs.intersect_range(self.domains[name])
                if pairs.is_empty():
                    continue
                if first:
                    ends = (copy, known[new], access, other, pairs.reverse())
                else:
                    ends = (known[new], copy, other, access, pairs)
                yield Dependence(*ends, exact=True)

    def _dataflow(self) -> Dataflow:
        """From writes of the buffer to its reads."""
        cache, known = self.cache, self.state.nest.statements
        flow: list[isl.Map] = [*self._flow()] if cache.store else []
        for name in filter(None, (cache.load, cache.store)):
            for _, access, use in self.uses:
                pairs = use.set_tuple_name(_OUT, name)
                pairs = pairs.intersect_range(self.domains[name])
                if name == cache.load and not access.write:
                    flow.append(pairs.reverse())
                elif name == cache.store and access.write:
                    flow.append(pairs)
        own = tuple(map(Var, cache.coordinates))
        copies = dict.fromkeys(filter(None, (cache.load, cache.store)), own)
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
                    each -= self._same(*ends)
                if not each.is_empty():
                    result.append(each)
        return result

    def _at_copies(self, pairs: isl.Map, side: isl.dim_type) -> list[isl.Map]:
        """Flows from stores, or to loads, in the place of what uses the buffer."""
        write, name = side == _IN, pairs.get_tuple_name(side)
        copies = self.cache.store if write else self.cache.load
        found = [pairs] if not self._uses(name, write=write) else []
        if self._direct(name, write=write):
            found = [pairs]
        for use in self._uses(name, write=write):
            copy = use.set_tuple_name(_OUT, copies)
            copy = copy.intersect_range(self.domains[copies])
            found.append(
                copy.reverse().apply_range(pairs) if write else pairs.apply_range(copy)
            )
        return found

    def _uses(self, statement: str, *, write: bool) -> list[isl.Map]:
        """The accesses of a statement to the buffer."""
        return [
            use
            for name, access, use in self.uses
            if name == statement and access.write == write
        ]

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
            new += filter(None, (cache.load, cache.store))
        maps, first = known.first.get_map_list(), []
        for read in (maps.get_at(at) for at in range(maps.n_map())):
            old = read.get_tuple_name(_IN)
            read = read.set_tuple_name(_IN, self.names.get(old, old))
            user = read.get_tuple_name(_IN)
            uses = self._uses(user, write=False) if own else []
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
            if any(name == self.names.get(old) for name, _, _ in self.uses)
        }
        at = places.pop() if len(places) == 1 else (-1,)
        if -1 in at:
            raise shared(cache.array)
        own = tuple(Var(cache.coordinates[x]) for x in at)
        return {**found, **dict.fromkeys(filter(None, (cache.load, cache.store)), own)}


def shared(array: str) -> Unproven:
    """The error for an array of which iterations have cells of their own. (LX203)"""
    return Unproven(
        "LX203",
        f"unknown: which cells of `{array}` are in the buffer",
        detail=("iterations of a loop have cells of their own of it",),
        hint="put the cache before what moves into that loop, or leave it out",
    )
