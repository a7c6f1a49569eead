"""What uses a buffer instead of an array, and when its cells are copied."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import islpy as isl

from looptx.errors import Malformed, Unproven
from looptx.model.elements import Access
from looptx.model.expr import IntExpr, Var
from looptx.model.moves import Cache
from looptx.model.moves.changes import redirected
from looptx.model.program import ANYTHING, Statement
from looptx.model.records import replace
from looptx.poly.dependences.flows import CELL, Flow
from looptx.poly.dependences.state import State

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


class Uses:
    """The instances that use a buffer, and those that copy.

    Args:
        state: what runs before. Its nest gets the accesses that stay with the array.
        cache: the buffer.

    Attributes:
        names: of the statements that use the buffer, before and now.
        cells: those that are in the buffer, as ``Cache`` has them.
        uses: the statements, their accesses to the buffer, and when they are to which
            cell.
        domains: of what runs under a new name, and of the copies.
        at: in which iteration of the loop each of them runs.
        places: the cells of a packed buffer, as ``Spaces`` has them.
    """

    def __init__(self, state: State, cache: Cache) -> None:
        self.state = state
        self.cache = cache
        self.names = cache.moved
        self.cells = {old: dict(own) for old, own in cache.cells.items()}
        self._check()
        self.domains = {
            new: state.domains[old].set_tuple_name(new)
            for old, new in cache.moved.items()
        }
        own = dict.fromkeys(cache.copies, tuple(map(Var, cache.coordinates)))
        inside = {new: cache.inside[old] for old, new in cache.moved.items()}
        self.at: dict[str, tuple[IntExpr, ...]] = {**inside, **own}
        self._leave()
        self.uses = [
            (name, access, self._use(name, access)) for name, access in self._accesses()
        ]
        self._check_copied()
        self._copy()
        self.places = self._places()

    def _accesses(self) -> Iterator[tuple[str, Access]]:
        """The statements that use the buffer, each with its accesses to it."""
        for name in self.names.values():
            for access in dict.fromkeys(self.state.nest.statements[name].accesses):
                if access.array == self.cache.buffer:
                    yield name, access

    def _check(self) -> None:
        """See that it is known which cells are used. (LX203)"""
        known = self.state.nest.statements
        for new in self.names.values():
            if any(x.write and x.array == ANYTHING for x in known[new].accesses):
                raise Unproven(
                    "LX203",
                    f"unknown: what `{self.cache.array}` holds",
                    detail=(f"{known[new].effects}, where the buffer is used",),
                    hint="leave this directive out",
                )
        array, nest = self.cache.array, self.state.nest
        views = frozenset((array,)) in nest.aliases
        if self.cache.store and (views or array in self.state.spaces.shapes):
            raise Unproven(
                "LX203",
                f"unknown: which cells of `{self.cache.array}` are one",
                detail=(
                    "two of its elements may be one array"
                    if views
                    else "a subscript may be negative and count from the end",
                ),
                hint="leave this directive out"
                if views
                else "leave this directive out, or `assume` that it is not negative",
            )

    def _check_copied(self) -> None:
        """See that what need not happen is to cells that are copied anyhow. (LX203)

        What is stored is written, which an array may not allow that is only read.
        """
        known = self.state.nest.statements
        sure = [x for x in self.uses if x[1].certain]
        for name, access, use in self.uses:
            if access.certain:
                continue
            rest = use.range()
            for _, other, cells in sure:
                if other.write >= access.write:
                    rest -= cells.range()
            if not rest.is_empty():
                raise self._depends(known[name], access)

    def _depends(self, statement: Statement, access: Access) -> Unproven:
        """The error for a use that need not happen. (LX203)"""
        own = [x for x in statement.elements if x.cell == access.cell]
        lines = [x.node.lineno for x in own if x.written] or [statement.place.line]
        cell, does, hint = ast.unparse(own[0].node), "reads", "leave this directive out"
        if access.write:
            does = "writes"
            hint = f"write `{cell}` in every branch, or leave this directive out"
        return Unproven(
            "LX203",
            f"unknown: which cells of `{self.cache.array}` are used",
            detail=(f"whether line {min(lines)} {does} `{cell}` depends on data",),
            hint=hint,
        )

    def _use(self, name: str, access: Access) -> isl.Map:
        """``{ statement[x] -> [coordinates, cell] }`` of an access."""
        spaces, statement = self.state.spaces, self.state.nest.statements[name]
        cell = [one for one in access.subscripts if one is not None]
        found = spaces.map(name, statement.loops, [*self.at[name], *cell])
        happens = spaces.guarded(statement, access, self.domains[name])
        return found.intersect_domain(happens)

    def _leave(self) -> None:
        """Leave to the array what is only read, where no written cell is."""
        cache, known = self.cache, self.state.nest.statements
        written = [
            self._use(name, x).range() for name, x in self._accesses() if x.write
        ]
        more: dict[str, Statement] = {}
        for old, cells in cache.perhaps.items():
            new = cache.moved[old]
            apart = {self.cells[old][one]: one for one in cells}
            for name, access in self._accesses():
                if name == new and access.cell in apart:
                    use = self._use(new, access).range()
                    if not all(map(use.is_disjoint, written)):
                        del apart[access.cell]
            more[new] = redirected(known[new], new, apart)
            for one in apart.values():
                del self.cells[old][one]
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
        rank = len(cache.coordinates) + len(cache.axes)
        every = isl.Set.empty(spaces.space("", rank))
        for name in cache.copies:
            every |= self.domains[name].set_tuple_name("")
        loops = self.state.nest.statements[cache.load].loops
        cells = spaces.map("", loops, [*map(Var, cache.coordinates), *cache.cell])
        if not cells.intersect_domain(every).is_injective():
            raise Malformed(
                "LX106",
                f"several iterations of the loops mean one cell of `{cache.array}`",
                hint="leave `packed` out, or name an inner loop",
            )
        for name in cache.copies:
            loops = self.state.nest.statements[name].loops
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
        """The cells that an access may read before the iteration has written them."""
        reads = use.domain()
        before = reads - reads
        for one in self.state.flows[self.cache.array]:
            flow = one.named(self.names)
            if flow.sink == name:
                inside = self.into(flow, use)
                reads -= inside.read.domain()
                before |= flow.reading(self.cell(use)).minus(inside).read.domain()
        # A write that need not happen leaves what was there before.
        before -= reads
        if not before.is_empty():
            reads |= before
        return use.intersect_domain(reads).range()

    def into(self, flow: Flow, use: isl.Map) -> Flow:
        """What flows through the buffer into a read of it, in one iteration.

        Args:
            flow: of the array, to the statement that reads.
            use: when it reads which cell.
        """
        pairs = flow.pairs - flow.pairs
        for written in self.of(flow.source, write=True):
            pairs |= written.apply_range(use.reverse())
        return flow.reading(self.cell(use)).among(pairs)

    def cell(self, use: isl.Map) -> isl.Map:
        """``{ statement[x] -> cell[c] }`` of a use."""
        loops = self.state.nest.statements[self.cache.load].loops
        known = self.cache.cell
        axes = tuple(map(Var, self.cache.axes)) if known is None else known
        copied = self.state.spaces.map(self.cache.load, loops, axes, CELL)
        return use.set_tuple_name(_OUT, self.cache.load).apply_range(copied)

    def of(self, statement: str, *, write: bool) -> list[isl.Map]:
        """The accesses of a statement to the buffer."""
        return [
            use
            for name, access, use in self.uses
            if name == statement and access.write == write
        ]

    def copied(self, copy: str, use: isl.Map) -> isl.Map:
        """``{ statement[x] -> copy[coordinates, cell] }`` of a use."""
        return use.set_tuple_name(_OUT, copy).intersect_range(self.domains[copy])

    def same(self, first: str, second: str) -> isl.Map:
        """Pairs of copies, or of what uses the buffer, in one iteration."""
        one, other = (
            self.state.spaces.map(
                name, self.state.nest.statements[name].loops, self.at[name]
            )
            for name in (first, second)
        )
        return one.apply_range(other.reverse())
