"""What storage a temporary needs under a schedule.

A temporary lives in the iterations of the innermost loops that all its values stay
inside; its buffer is the bounding box of the cells touched in one such iteration. An
axis of which fewer positions are live at a time wraps around (see ``windows``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce

import islpy as isl

from looptx.errors import Unproven
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
from looptx.model.storage import Buffer
from looptx.poly.astexpr import expression
from looptx.poly.lives import Life
from looptx.poly.spaces import Spaces, budget
from looptx.poly.windows import windows

_PARAM, _IN, _OUT = isl.dim_type.param, isl.dim_type.in_, isl.dim_type.out


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of a buffer: where it begins, its cells, and where it wraps around.

    ``low`` is a function of the positions in the loops around the life; ``modulus`` is
    0 where the axis does not wrap around.
    """

    low: isl.PwAff
    extent: IntExpr
    modulus: int = 0


class Room:
    """The cells of one temporary under a schedule.

    Args:
        spaces: of the nest.
        schedule: final and legal.
        name: of the temporary. life: its own.

    Attributes:
        dims: the loops around all users that every value stays inside an iteration of.
        axes: those that are kept, by number.
    """

    def __init__(
        self,
        spaces: Spaces,
        schedule: Schedule,
        name: str,
        life: Life,
    ) -> None:
        self.spaces = spaces
        self.schedule = schedule
        self.name = name
        self.life = life
        self.allocation = spaces.nest.allocations.get(name)
        self.accesses = [
            (user, access)
            for user in life.users
            for access in dict.fromkeys(user.accesses)
            if access.array == name
        ]
        self.dims = self._dims()
        self.times = {user.name: self._time(user) for user in life.users}
        self.axes = self._axes()

    def _axes(self) -> dict[int, Axis]:
        known: list[Cond] = [*self.spaces.assumes]
        if self.allocation is not None:
            known += [Compare(">=", size, Const(0)) for size in self.allocation.shape]
        facts = Spaces(self.spaces.nest, known)
        rank = len(self.life.subscripts(self.accesses[0][1]))
        moduli = self._moduli() or [0] * rank
        found: dict[int, Axis] = {}
        for axis, modulus in zip(range(rank), moduli, strict=True):
            one = self._axis(axis, facts)
            size = one.extent.value if isinstance(one.extent, Const) else None
            if modulus and (size is None or modulus < size):
                one = Axis(one.low, Const(modulus), modulus)
            if one.extent != Const(1):
                found[axis] = one
        return found

    def buffer(self) -> Buffer:
        """What it becomes."""
        fill = self.allocation is not None and bool(self.allocation.fill)
        named: dict[tuple[str, tuple[IntExpr | None, ...]], tuple[str, ...]] = {}
        counts: Counter[str] = Counter()
        for user, access in self.accesses:
            cell = user.name, access.subscripts
            if cell not in named:
                first = counts[user.name]
                counts[user.name] += len(self.axes)
                numbers = range(first, counts[user.name])
                named[cell] = tuple(f"{self.name}@{number}" for number in numbers)
        return Buffer(
            name=self.name,
            extents=tuple(one.extent for one in self.axes.values()),
            filled=fill and not self.life.first.is_empty(),
            whole=not self.dims,
            private=any(dim.marks.parallel is not None for dim in self.dims),
            shared=any(dim.marks.parallel is not None for dim in self._inner()),
            allocation=self.allocation,
            places=named,
        )

    def places(self, buffer: Buffer) -> dict[str, dict[str, isl.PwAff]]:
        """The coordinates of every access, by statement and name."""
        found: dict[str, dict[str, isl.PwAff]] = {}
        for user, access in self.accesses:
            own = found.setdefault(user.name, {})
            names = buffer.places[user.name, access.subscripts]
            cell = self.life.subscripts(access)
            time = isl.PwMultiAff.from_map(self.times[user.name])
            for name, (axis, one) in zip(names, self.axes.items(), strict=True):
                subscript = cell[axis]
                assert subscript is not None
                space = self.spaces.domain(user).get_space()
                at = self.spaces.expr(subscript, space, user.loops)
                if one.modulus:
                    context = at.get_ctx()
                    own[name] = at.mod_val(isl.Val(one.modulus, context))
                else:
                    own[name] = at.sub(one.low.pullback_pw_multi_aff(time))
        return found

    def _moduli(self) -> list[int]:
        """After how many positions each axis wraps around; none when that is hard."""
        with suppress(Unproven), budget():
            found = windows(
                self.spaces, self.schedule, self.life, self.name, self.times
            )
            return list(found)
        return []

    def _dims(self) -> list[Dim]:
        """The loops around all users that every value stays inside an iteration of."""
        paths = [
            [
                n.dim
                for n, _ in path(self.schedule.tree, user.name)
                if isinstance(n, Band)
            ]
            for user in self.life.users
        ]
        found: list[Dim] = []
        for level in zip(*paths, strict=False):
            dim = level[0]
            if any(other.uid != dim.uid for other in level) or not self._stays(dim):
                break
            found.append(dim)
        position = self.schedule.position
        # That of a `fuse` is no loop.
        while found and all(
            isinstance(position[found[-1].uid][user.name], Const)
            for user in self.life.users
        ):
            found.pop()
        return found

    def _stays(self, dim: Dim) -> bool:
        """Whether every read sees a value of its own iteration of a loop."""
        position = self.schedule.position[dim.uid]
        known = {*self.spaces.parameters, *self.spaces.nest.loops}
        users = {user.name: user for user in self.life.users}
        # Collapsed loops are no functions of isl.
        if any(not variables(position[name]) <= known for name in users):
            return False
        at = {
            name: self.spaces.map(name, user.loops, [position[name]])
            for name, user in users.items()
        }
        return all(
            piece.is_subset(
                at[piece.get_tuple_name(_IN)].apply_range(
                    at[piece.get_tuple_name(_OUT)].reverse()
                )
            )
            for piece in self.life.flow
        )

    def _inner(self) -> Iterator[Dim]:
        """The loops that run during the temporary's life."""
        outer = {dim.uid for dim in self.dims}
        for user in self.life.users:
            for node, _ in path(self.schedule.tree, user.name):
                if isinstance(node, Band) and node.dim.uid not in outer:
                    yield node.dim

    def _time(self, user: Statement) -> isl.Map:
        """``{ user[x] -> [its positions in the loops around the life] }``."""
        values = [self.schedule.position[dim.uid][user.name] for dim in self.dims]
        time = self.spaces.map(user.name, user.loops, values)
        return time.intersect_domain(self.spaces.domain(user))

    def _cells(self, axis: int) -> isl.Map:
        """From positions in the loops around the life to those on an axis."""
        found = []
        for user, access in self.accesses:
            subscript = self.life.subscripts(access)[axis]
            assert subscript is not None
            cells = self.spaces.map(user.name, user.loops, [subscript])
            found.append(self.times[user.name].reverse().apply_range(cells))
        return reduce(isl.Map.union, found).coalesce()

    def _axis(self, axis: int, facts: Spaces) -> Axis:
        """The least position of each life, and how many there are at most.

        A simpler function that is nowhere above the least position serves as well where
        it makes the buffer no larger.
        """
        cells = self._cells(axis)
        low = cells.dim_min(0).gist(cells.domain()).coalesce()
        extent = self._extent(_apart(cells, low), facts)
        if low.n_piece() > 1:
            for _, piece in low.get_pieces():
                simple = isl.PwAff.from_aff(piece)
                apart = _apart(cells, simple)
                negative = apart.dim_min(0).lt_set(
                    apart.dim_min(0).sub(apart.dim_min(0))
                )
                if negative.is_empty() and self._extent(apart, facts) == extent:
                    low = simple
                    break
        return Axis(low, extent)

    def _extent(self, apart: isl.Set, facts: Spaces) -> IntExpr:
        """The largest value plus 1, over parameters.

        A literal where sizes only make it smaller.
        """
        most = apart.dim_max(0).gist(self.spaces.context).coalesce()
        if most.n_piece() > 1:
            count = len(self.spaces.parameters)
            limit = apart.project_out(_PARAM, 0, count).dim_max_val(0)
            if limit.is_int():
                return Const(int(limit.to_python()) + 1)
        extent = add(expression(self.spaces, most), Const(1))
        negative = facts.cond(Compare("<", extent, Const(0)), facts.space("E", 0), ())
        never = (facts.context & negative.params()).is_empty()
        return extent if never else maximum(extent, Const(0))


def _apart(cells: isl.Map, low: isl.PwAff) -> isl.Set:
    """How far positions are from ``low``."""
    pairs = isl.Map.from_pw_aff(low).flat_range_product(cells).range()
    space = isl.LocalSpace.from_space(pairs.get_space())
    first, second = (
        isl.PwAff.var_on_domain(space, isl.dim_type.set, at) for at in range(2)
    )
    return isl.Map.from_pw_aff(second.sub(first)).intersect_domain(pairs).range()
