"""What storage a temporary needs under a schedule.

A temporary lives in the iterations of the innermost loops that all its values stay
inside; its buffer is the bounding box of the cells touched in one such iteration. An
axis of which fewer positions are live at a time wraps around (see ``windows``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from typing import TypeAlias

import islpy as isl

from looptx.model.expr import (
    Compare,
    Cond,
    Const,
    IntExpr,
    add,
    maximum,
    variables,
)
from looptx.model.program import Statement
from looptx.model.schedule import Band, Dim, Schedule, path
from looptx.model.storage import Buffer, Store
from looptx.poly.astexpr import expression, integer
from looptx.poly.budget import FACT_OPERATIONS, Exceeded, budget
from looptx.poly.collapse.literal import as_functions
from looptx.poly.dependences.privatization import Dataflow
from looptx.poly.spaces import Spaces
from looptx.poly.storage.axes import Axis, bounded, distances
from looptx.poly.storage.rolling import Roll, rolls
from looptx.poly.storage.touches import Touch
from looptx.poly.storage.windows import windows

_PARAM, _IN, _OUT = isl.dim_type.param, isl.dim_type.in_, isl.dim_type.out


Position: TypeAlias = tuple[int, Mapping[str, IntExpr]]
"""A dimension, and its position for every user of a temporary."""


class Room:
    """The cells of one temporary under a schedule.

    Args:
        spaces: of the nest.
        schedule: final and legal.
        name: of the temporary. life: its own.

    Attributes:
        told: the schedule, collapsed loops of literal width as functions of others.
        dims: the loops around all users that every value stays inside an iteration of.
        around: what tells their iterations apart: by dimension and user, positions.
        touches: every access with the coordinates of its cell.
        axes: the coordinates that are kept, by number.
        roll: the loop that fills rows when they are due, if one does.
    """

    def __init__(
        self,
        spaces: Spaces,
        schedule: Schedule,
        name: str,
        life: Dataflow,
    ) -> None:
        self.spaces = spaces
        self.schedule = schedule
        self.told = as_functions(spaces, schedule)
        self.name = name
        self.life = life
        self.allocation = spaces.nest.allocations.get(name)
        self.dims = self._dims()
        known = (pos for dim in self.dims for pos in self.positions(dim) or ())
        self.around = list(dict(known).items())
        self.times = {user.name: self._time(user) for user in life.users}
        self.touches = [
            Touch(user, access, tuple(one for one in cell if one is not None))
            for user in life.users
            for access in dict.fromkeys(user.accesses)
            if access.array == name
            for cell in [life.subscripts(user, access)]
        ]
        for _ in life.prefix(life.users[0]):
            shorter = [touch.without_first() for touch in self.touches]
            if not self._determines(shorter):
                break
            self.touches = shorter
        self.roll: Roll | None = None
        self.axes = self._axes()

    def _determines(self, shorter: Sequence[Touch]) -> bool:
        """Whether the other coordinates of a cell determine the first one."""
        found = []
        for touch, less in zip(self.touches, shorter, strict=True):
            rest, first = less.cells(self.spaces), touch.cells(self.spaces, 1)
            known = self.times[touch.user.name].flat_range_product(rest)
            found.append(known.reverse().apply_range(first))
        return bool(reduce(isl.Map.union, found).is_single_valued())

    def _axes(self) -> dict[int, Axis]:
        known: list[Cond] = [*self.spaces.assumes]
        if self.allocation is not None:
            known += [Compare(">=", size, Const(0)) for size in self.allocation.shape]
        facts = Spaces(self.spaces.nest, known, self.spaces.shapes)
        rank = len(self.touches[0].cell)
        moduli = self._moduli() or [0] * rank
        found: dict[int, Axis] = {}
        for axis, modulus in zip(range(rank), moduli, strict=True):
            one = self._axis(axis, facts)
            size = one.extent.value if isinstance(one.extent, Const) else None
            if modulus and (size is None or modulus < size):
                one = Axis(one.low, Const(modulus), modulus)
            elif self.roll is not None and axis == self.roll.axis:
                self.roll = None
            if one.extent != Const(1):
                found[axis] = one
        return found

    def buffer(self) -> Buffer:
        """What it becomes."""
        named: dict[tuple[str, tuple[IntExpr | None, ...]], tuple[str, ...]] = {}
        counts: Counter[str] = Counter()
        for touch in self.touches:
            cell = touch.user.name, touch.access.subscripts
            if cell not in named:
                first = counts[touch.user.name]
                counts[touch.user.name] += len(self.axes)
                numbers = range(first, counts[touch.user.name])
                named[cell] = tuple(f"{self.name}@{number}" for number in numbers)
        return Buffer(
            name=self.name,
            extents=tuple(one.extent for one in self.axes.values()),
            whole=not self.dims,
            private=any(dim.marks.parallel is not None for dim in self.dims),
            shared=any(dim.marks.parallel is not None for dim in self._inner()),
            allocation=self.allocation,
            places=named,
            stores=tuple(self._stores()),
            where=self.schedule.memory.get(self.name, ""),
        )

    def _stores(self) -> Iterator[Store]:
        """The statements that give it the source's initial value."""
        if self._fills():
            yield Store(f"fill {self.name}", self.name)
        if self.roll is not None:
            row = f"roll {self.name}"
            every = [None] * [*self.axes].index(self.roll.axis)
            yield Store(row, self.name, (*every, row))

    def places(self, buffer: Buffer) -> dict[str, dict[str, isl.PwAff]]:
        """The coordinates of every access, by statement and name."""
        found: dict[str, dict[str, isl.PwAff]] = {}
        for touch in self.touches:
            user = touch.user
            own = found.setdefault(user.name, {})
            names = buffer.places[user.name, touch.access.subscripts]
            time = isl.PwMultiAff.from_map(self.times[user.name])
            for name, (axis, one) in zip(names, self.axes.items(), strict=True):
                space = self.spaces.domain(user).get_space()
                at = self.spaces.expr(touch.cell[axis], space, user.loops)
                if one.modulus:
                    context = at.get_ctx()
                    own[name] = at.mod_val(isl.Val(one.modulus, context))
                else:
                    own[name] = at.sub(one.low.pullback_pw_multi_aff(time))
        return found

    def _moduli(self) -> list[int]:
        """After how many positions each axis wraps around; none when that is hard."""
        given = self.spaces, self.told, self.life, self.touches, self.times
        found: list[int] = []
        with suppress(Exceeded), budget(FACT_OPERATIONS):
            found = list(windows(*given))
        if any(found) or not self._fills():
            return found
        with suppress(Exceeded), budget(FACT_OPERATIONS):
            for roll in self._rolls():
                moduli = list(windows(*given, roll))
                if moduli[roll.axis] > 1:
                    self.roll = roll
                    return [
                        modulus if axis == roll.axis else 0
                        for axis, modulus in enumerate(moduli)
                    ]
        return found

    def _fills(self) -> bool:
        """Whether a life begins with values that are read."""
        own = self.allocation
        return own is not None and bool(own.fill) and bool(self.life.first)

    def _rolls(self) -> Iterator[Roll]:
        """The ways in which the next loop around all users goes from row to row."""
        level = len(self.dims)
        paths = self._paths()
        if len(self.around) != level or any(len(dims) <= level for dims in paths):
            return
        dim = paths[0][level]
        values = self.told.position[dim.uid]
        together = dim.marks.together
        alike = all(dims[level].uid == dim.uid for dims in paths)
        if alike and not together and not dim.fusing:
            users = self.life.users
            known = {*self.spaces.parameters, *self.spaces.nest.loops}
            if all(variables(values[user.name]) <= known for user in users):
                given = self.spaces, self.told, self.touches, self.times
                yield from rolls(*given, dim)

    def _paths(self) -> list[list[Dim]]:
        """The loops around each user, outermost first."""
        return [
            [
                node.dim
                for node, _ in path(self.schedule.tree, user.name)
                if isinstance(node, Band)
            ]
            for user in self.life.users
        ]

    def _dims(self) -> list[Dim]:
        """The loops around all users that every value stays inside an iteration of."""
        users = self.life.users
        found: list[Dim] = []
        for level in zip(*self._paths(), strict=False):
            dim = level[0]
            if any(other.uid != dim.uid for other in level) or not self._stays(dim):
                break
            # What fills it is one statement, in one of the nests.
            if dim.fusing and self._fills() and not self._in_one(dim):
                break
            found.append(dim)
        position = self.schedule.position
        # That of a `fuse` is no loop.
        while found and (
            all(isinstance(position[found[-1].uid][u.name], Const) for u in users)
            or not self._whole(found)
        ):
            found.pop()
        return found

    def _in_one(self, dim: Dim) -> bool:
        """Whether all users are in one of the nests that a dimension holds apart."""
        position = self.schedule.position[dim.uid]
        return len({position[user.name] for user in self.life.users}) == 1

    def _whole(self, dims: Sequence[Dim]) -> bool:
        """Whether collapsed loops have all or none of their parts among some loops."""
        outer = {dim.uid for dim in dims}
        parts = [
            set(self.schedule.index[user.name, loop].weights)
            for user in self.life.users
            for loop in self.told.collapsed
            if (user.name, loop) in self.schedule.index
        ]
        return all(part <= outer or part.isdisjoint(outer) for part in parts)

    def _stays(self, dim: Dim) -> bool:
        """Whether every read sees a value of its own iteration of a loop."""
        positions = self.positions(dim)
        if positions is None:
            return False
        at = {
            user.name: self.spaces.map(
                user.name, user.loops, [one[user.name] for _, one in positions]
            )
            for user in self.life.users
        }
        return all(
            one.pairs.is_subset(at[one.source].apply_range(at[one.sink].reverse()))
            for one in self.life.inner
        )

    def positions(self, dim: Dim) -> list[Position] | None:
        """The coordinates that distinguish a loop's iterations, as far as isl knows.

        For a collapsed loop, and the parts of one, that is the row and the column.
        """
        position = self.told.position[dim.uid]
        known = {*self.spaces.parameters, *self.spaces.nest.loops}
        values = {user.name: position[user.name] for user in self.life.users}
        if all(variables(value) <= known for value in values.values()):
            return [(dim.uid, values)]
        loops = frozenset().union(*map(variables, values.values()))
        if len(loops) != 1 or not loops <= set(self.told.collapsed):
            return None
        (loop,) = loops
        found = [self.positions(each) for each in self.told.collapsed[loop].dims]
        if None in found:
            return None
        return [one for each in found for one in each or ()]

    def _inner(self) -> Iterator[Dim]:
        """The loops that run during the temporary's life."""
        outer = {dim.uid for dim in self.dims}
        for user in self.life.users:
            for node, _ in path(self.schedule.tree, user.name):
                if isinstance(node, Band) and node.dim.uid not in outer:
                    yield node.dim

    def _time(self, user: Statement) -> isl.Map:
        """``{ user[x] -> [its positions in the loops around the life] }``."""
        values = [values[user.name] for _, values in self.around]
        time = self.spaces.map(user.name, user.loops, values)
        return time.intersect_domain(self.spaces.domain(user))

    def _cells(self, axis: int) -> isl.Map:
        """From positions in the loops around the life to those on an axis."""
        found = []
        for touch in self.touches:
            cells = touch.cells(self.spaces).project_out(_OUT, 0, axis)
            cells = cells.project_out(_OUT, 1, cells.dim(_OUT) - 1)
            found.append(self.times[touch.user.name].reverse().apply_range(cells))
        return reduce(isl.Map.union, found).coalesce()

    def _axis(self, axis: int, facts: Spaces) -> Axis:
        """The least position of each life, and how many there are at most."""
        cells = self._cells(axis)
        try:
            with budget(FACT_OPERATIONS):
                return self._least(cells, facts)
        except Exceeded:
            found = bounded(cells)
            if found is None:
                raise
            return found

    def _least(self, cells: isl.Map, facts: Spaces) -> Axis:
        """The same from the least positions themselves.

        A simpler function that is nowhere above the least position serves as well where
        it makes the buffer no larger.
        """
        low = cells.dim_min(0).gist(cells.domain()).coalesce()
        extent = self._extent(distances(cells, low), facts)
        if low.n_piece() > 1:
            for _, piece in low.get_pieces():
                simple = isl.PwAff.from_aff(piece)
                apart = distances(cells, simple)
                negative = apart.dim_min(0).lt_set(
                    apart.dim_min(0).sub(apart.dim_min(0))
                )
                if negative.is_empty() and self._extent(apart, facts) == extent:
                    low = simple
                    break
        return Axis(low, extent)

    def _extent(self, apart: isl.Set, facts: Spaces) -> IntExpr:
        """The largest value plus 1, over parameters.

        A literal where sizes only make it smaller; 0 where no cell is ever used.
        """
        if apart.is_empty():
            return Const(0)
        most = apart.dim_max(0).gist(self.spaces.context).coalesce()
        if most.n_piece() > 1:
            count = len(self.spaces.parameters)
            limit = apart.project_out(_PARAM, 0, count).dim_max_val(0)
            if limit.is_int():
                return Const(integer(limit) + 1)
        extent = add(expression(self.spaces, most), Const(1))
        negative = facts.cond(Compare("<", extent, Const(0)), facts.space("E", 0), ())
        never = (facts.context & negative.params()).is_empty()
        return extent if never else maximum(extent, Const(0))
