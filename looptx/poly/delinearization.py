"""Rows and columns of subscripts such as ``i * w + j``, which are not affine.

Where ``0 <= j < w`` in all iterations, ``(i, j)`` is one to one with ``i * w + j``, so
two such subscripts meet where their rows and their columns do. That is shown before
anything runs (Maslov, "Delinearization: an efficient way to break multiloop dependence
equations", PLDI 1992); the sizes are those that subscripts multiply by (Grosser et al.,
"Optimistic delinearization of parametrically sized arrays", ICS 2015).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
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
    add,
    conj,
    linear,
    mul,
)
from looptx.model.expr.polynomial import Polynomial, Sizes
from looptx.model.program import Access, Statement
from looptx.poly.astexpr import expression
from looptx.poly.spaces import Spaces

Digits = tuple[IntExpr, ...]
"""The largest first."""

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

    def readings(self, place: Polynomial) -> Iterator[Digits]:
        """The digits that a place may have: one reading at most has digits in range.

        Either each stride has what it is multiplied by, or what a digit has of its
        radix counts for the next one, as in ``k - w`` behind ``k = i * w + j``.
        """
        found = {**dict.fromkeys(self.strides, ZERO), **dict(place.terms)}
        yield tuple(found.values())
        pairs = zip(
            reversed(self.radices), reversed([*pairwise(self.strides)]), strict=True
        )
        for radix, (larger, smaller) in pairs:
            count = linear(found[smaller])[0].get(radix, 0)
            found[smaller] = add(found[smaller], mul(Const(-count), radix))
            found[larger] = add(found[larger], Const(count))
        yield tuple(found.values())


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
    shown: dict[tuple[str, Access, int, Radices], Digits | None] = field(
        default_factory=dict
    )

    def same_cell(
        self, one: tuple[Statement, Access], other: tuple[Statement, Access]
    ) -> tuple[isl.Map, bool] | None:
        """The instances that touch one cell of an array.

        Args:
            one, other: statements and their accesses to the same array.

        Returns:
            ``{ one[x] -> other[y] }``, and whether all axes are told, or some may be
            any; None where digits tell no more than subscripts.
        """
        ours, theirs = one[1], other[1]
        # What may count from the end has two places for a cell.
        if ours.array in self.spaces.shapes or not (ours.products or theirs.products):
            return None
        cells: list[tuple[Sequence[IntExpr], Sequence[IntExpr]]] = []
        rank = max(len(ours.subscripts), len(theirs.subscripts))
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
        return maps[0].apply_range(maps[1].reverse()), len(cells) == rank

    def _digits(
        self, axis: int, *users: tuple[Statement, Access]
    ) -> tuple[Digits, Digits] | None:
        """The digits of a subscript in two accesses, where they are one to one."""
        places = [place(access, axis) for _, access in users]
        known = [one for one in places if one is not None]
        system = common(known) if len(known) == len(places) else None
        if system is None:
            return None
        one, other = (self._inside(*user, axis, system) for user in users)
        return None if one is None or other is None else (one, other)

    def _map(
        self, statement: Statement, access: Access, cell: Sequence[IntExpr]
    ) -> isl.Map:
        domain = self.spaces.domain(statement)
        found = self.spaces.map(statement.name, statement.loops, cell)
        return found.intersect_domain(self.spaces.guarded(statement, access, domain))

    def _inside(
        self, statement: Statement, access: Access, axis: int, system: Radices
    ) -> Digits | None:
        """The digits of a subscript that stay below what they have to, if they do."""
        key = statement.name, access, axis, system
        if key not in self.shown:
            known = place(access, axis)
            assert known is not None
            readings = dict.fromkeys(system.readings(known))
            fitting = (x for x in readings if self._fits(statement, access, x, system))
            self.shown[key] = next(fitting, None)
        return self.shown[key]

    def _fits(
        self, statement: Statement, access: Access, digits: Digits, system: Radices
    ) -> bool:
        first, *rest = digits
        wanted = [Compare(">=", first, ZERO)]
        for digit, radix in zip(rest, system.radices, strict=True):
            wanted.append(Compare(">=", digit, ZERO))
            wanted.append(Compare("<", digit, radix))
        domain = self.spaces.domain(statement)
        domain = self.spaces.guarded(statement, access, domain)
        space, loops = domain.get_space(), statement.loops
        return bool(domain.is_subset(self.spaces.cond(conj(*wanted), space, loops)))

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
        digits = self._inside(statement, access, axis, system)
        if digits is None:
            return None
        spaces, domain = self.spaces, self.spaces.domain(statement)
        domain = spaces.guarded(statement, access, domain)
        if domain.is_empty():
            return TRUE
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
        own = [one for one in statement.accesses if one.array in spaces.shapes]
        for access in own:
            # A row, or the whole array, may be used at any place of the other axes.
            for axis in range(max(len(x.subscripts) for x in own)):
                key = statement.name, access.array, axis
                if axis >= len(access.subscripts):
                    found.setdefault(key, []).append(None)
                elif access.subscripts[axis] is None:
                    reach = known.reach(statement, access, axis)
                    found.setdefault(key, []).append(reach)
    return {
        key: conj(*dict.fromkeys(x for x in conds if x is not None))
        for key, conds in found.items()
        if None not in conds
    }
