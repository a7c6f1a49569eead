"""Rows and columns of subscripts such as ``i * w + j``, which are not affine.

Where ``0 <= j < w`` in all iterations, ``(i, j)`` is one to one with ``i * w + j``, so
two such subscripts meet where their rows and their columns do. That is shown before
anything runs (Maslov, "Delinearization: an efficient way to break multiloop dependence
equations", PLDI 1992); the sizes are those that subscripts multiply by (Grosser et al.,
"Optimistic delinearization of parametrically sized arrays", ICS 2015).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import islpy as isl

from looptx.model.expr import (
    TRUE,
    ZERO,
    Compare,
    Cond,
    Const,
    IntExpr,
    Var,
    conj,
)
from looptx.model.expr.polynomial import Polynomial, Sizes
from looptx.model.program import Access, Statement
from looptx.poly.astexpr import expression
from looptx.poly.spaces import Spaces

Axis = tuple[str, str, int]
"""A statement, an array that it uses, and an axis of that."""


@dataclass(frozen=True, slots=True)
class Radices:
    """A mixed-radix system for the places of an axis.

    Attributes:
        strides: of its digits, the largest first; the last is 1.
        radices: of all digits but the first: what one is below.
    """

    strides: tuple[Sizes, ...]
    radices: tuple[IntExpr, ...]

    def digits(self, place: Polynomial) -> tuple[IntExpr, ...]:
        """The digits of a place."""
        known = dict(place.terms)
        return tuple(known.get(stride, ZERO) for stride in self.strides)


def place(access: Access, axis: int) -> Polynomial | None:
    """A subscript as a sum of products, affine or not."""
    known = access.subscripts[axis]
    if known is not None:
        return Polynomial.of(known)
    return access.products[axis] if access.products else None


def common(places: Sequence[Polynomial]) -> Radices | None:
    """The system of some subscripts of one axis; None where they have none."""
    found = {sizes for place in places for sizes, _ in place.terms} | {()}
    strides = sorted(found, key=len, reverse=True)
    radices = []
    for larger, smaller in pairwise(strides):
        left = Counter(larger)
        left.subtract(smaller)
        more = [*left.elements()]
        if len(more) != 1 or min(left.values()) < 0:
            return None
        radices.append(more[0])
    return Radices(tuple(strides), tuple(radices)) if radices else None


@dataclass(slots=True)
class Delinearization:
    """The cells of accesses, as far as digits tell them.

    Attributes:
        spaces: of the nest. shown: what has been asked for already.
    """

    spaces: Spaces
    shown: dict[tuple[str, Access, int, Radices], bool] = field(default_factory=dict)

    def same_cell(
        self, one: tuple[Statement, Access], other: tuple[Statement, Access]
    ) -> isl.Map | None:
        """The instances that touch one cell of an array.

        Args:
            one, other: statements and their accesses to the same array.

        Returns:
            ``{ one[x] -> other[y] }``; None where digits tell no more than subscripts.
        """
        ours, theirs = one[1], other[1]
        if not (ours.products or theirs.products):
            return None
        if ours.array in self.spaces.shapes:
            return None
        cells: list[tuple[Sequence[IntExpr], Sequence[IntExpr]]] = []
        gained = False
        for axis in range(min(len(ours.subscripts), len(theirs.subscripts))):
            both = ours.subscripts[axis], theirs.subscripts[axis]
            if both[0] is not None and both[1] is not None:
                cells.append(((both[0],), (both[1],)))
                continue
            found = self._digits(axis, one, other)
            if found is not None:
                cells.append(found)
                gained = True
        if not gained:
            return None
        maps = [
            self._map(*user, [value for own in cells for value in own[at]])
            for at, user in enumerate((one, other))
        ]
        return maps[0].apply_range(maps[1].reverse())

    def _digits(
        self, axis: int, *users: tuple[Statement, Access]
    ) -> tuple[tuple[IntExpr, ...], tuple[IntExpr, ...]] | None:
        """The digits of a subscript in two accesses, where they are one to one."""
        places = [place(access, axis) for _, access in users]
        known = [one for one in places if one is not None]
        system = common(known) if len(known) == len(places) else None
        if system is None or not all(self._inside(*x, axis, system) for x in users):
            return None
        one, other = map(system.digits, known)
        return one, other

    def _map(
        self, statement: Statement, access: Access, cell: Sequence[IntExpr]
    ) -> isl.Map:
        domain = self.spaces.domain(statement)
        found = self.spaces.map(statement.name, statement.loops, cell)
        return found.intersect_domain(self.spaces.guarded(statement, access, domain))

    def _inside(
        self, statement: Statement, access: Access, axis: int, system: Radices
    ) -> bool:
        """Whether all digits of a subscript stay below what they have to."""
        key = statement.name, access, axis, system
        if key not in self.shown:
            known = place(access, axis)
            assert known is not None
            first, *rest = system.digits(known)
            wanted = [Compare(">=", first, ZERO)]
            for digit, radix in zip(rest, system.radices, strict=True):
                wanted.append(Compare(">=", digit, ZERO))
                wanted.append(Compare("<", digit, radix))
            domain = self.spaces.domain(statement)
            domain = self.spaces.guarded(statement, access, domain)
            space, loops = domain.get_space(), statement.loops
            holds = self.spaces.cond(conj(*wanted), space, loops)
            self.shown[key] = bool(domain.is_subset(holds))
        return self.shown[key]

    def reach(self, statement: Statement, access: Access, axis: int) -> Cond | None:
        """When a subscript surely stays inside its axis, where the statement runs.

        Args:
            statement: the statement. access: of it. axis: its subscript is not affine.

        Returns:
            A condition on parameters; None where digits do not tell.
        """
        known = place(access, axis)
        system = None if known is None else common([known])
        if known is None or system is None:
            return None
        if not self._inside(statement, access, axis, system):
            return None
        spaces, domain = self.spaces, self.spaces.domain(statement)
        domain = spaces.guarded(statement, access, domain)
        if domain.is_empty():
            return TRUE
        digits = system.digits(known)
        highest = [self._most(statement, domain, digit) for digit in digits]
        most = Polynomial(tuple(zip(system.strides, highest, strict=True))).expr
        extent = Var(spaces.shape_text(access.array, axis))
        return Compare("<", most, extent)

    def _most(self, statement: Statement, domain: isl.Set, digit: IntExpr) -> IntExpr:
        """The greatest value of a digit in some iterations, over parameters."""
        if isinstance(digit, Const):
            return digit
        values = self.spaces.map(statement.name, statement.loops, [digit])
        most = values.intersect_domain(domain).range().dim_max(0)
        return expression(self.spaces, most)


def inside(spaces: Spaces) -> dict[Axis, Cond]:
    """When subscripts that are not affine are inside their axes, where digits tell.

    Args:
        spaces: of the nest, with the extents of its arrays.
    """
    known = Delinearization(spaces)
    found: dict[Axis, list[Cond | None]] = {}
    for statement in spaces.nest.statements.values():
        for access in statement.accesses:
            for axis, subscript in enumerate(access.subscripts):
                if subscript is None and access.array in spaces.shapes:
                    key = statement.name, access.array, axis
                    reach = known.reach(statement, access, axis)
                    found.setdefault(key, []).append(reach)
    return {
        key: conj(*dict.fromkeys(x for x in conds if x is not None))
        for key, conds in found.items()
        if None not in conds
    }
