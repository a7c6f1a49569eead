"""Rows and columns of subscripts such as ``i * w + j``, which are not affine.

Where ``0 <= j < w`` in all iterations, ``(i, j)`` is one to one with ``i * w + j``, so
two such subscripts meet where their rows and their columns do. That is shown before
anything runs (Maslov, "Delinearization: an efficient way to break multiloop dependence
equations", PLDI 1992); the sizes are those that subscripts multiply by (Grosser et al.,
"Optimistic delinearization of parametrically sized arrays", ICS 2015).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from math import gcd

import islpy as isl

from looptx.model.elements import Access
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
from looptx.model.expr.polynomial import Polynomial, Sizes, content, divided
from looptx.model.program import Nest, Statement
from looptx.model.records import dataclass, field, replace
from looptx.poly.astexpr import expression
from looptx.poly.spaces import Spaces

Digits = tuple[IntExpr, ...]
"""The largest first."""

Systems = dict[int, "Radices"]
"""By axis."""

Axis = tuple[str, str, int]
"""A statement, an array that it uses, and an axis of that."""


@dataclass(frozen=True, slots=True)
class Radices:
    """A mixed-radix system for the places of an axis.

    Attributes:
        strides: of its digits, the largest first, as a number times sizes each; the
            last is 1.
        radices: of all digits but the first, likewise: what one is below.
    """

    strides: tuple[tuple[int, Sizes], ...]
    radices: tuple[tuple[int, IntExpr], ...]

    def readings(self, place: Polynomial) -> Iterator[Digits]:
        """The digits that a place may have: one reading at most has digits in range.

        Either each stride has what it is multiplied by, or what a digit has of its
        radix counts for the next one, as in ``k - w`` behind ``k = i * w + j``.
        """
        terms = dict(place.terms)
        found = []
        for number, sizes in self.strides:
            factor = terms.pop(sizes, ZERO)
            if content(factor) % number:
                return
            found.append(divided(factor, number))
        if terms:
            return
        yield tuple(found)
        for at in reversed(range(len(self.radices))):
            number, size = self.radices[at]
            count = linear(found[at + 1])[0].get(size, 0) // number
            found[at + 1] = add(found[at + 1], mul(Const(-count * number), size))
            found[at] = add(found[at], Const(count))
        yield tuple(found)


def place(access: Access, axis: int) -> Polynomial | None:
    """A subscript as a sum of products, affine or not."""
    known = access.subscripts[axis]
    if known is not None:
        return Polynomial.of(known)
    return access.products[axis] if access.products else None


def common(places: Sequence[Polynomial]) -> Radices | None:
    """The system of some subscripts of one axis; None where they have none."""
    found = {sizes for place in places for sizes, _ in place.terms} | {()}
    ordered = sorted(found, key=len, reverse=True)
    strides: list[tuple[int, Sizes]] = []
    number = 0
    for sizes in ordered:
        factors = (dict(place.terms).get(sizes, ZERO) for place in places)
        number = gcd(number, content(*factors)) if sizes else 1
        strides.append((number, sizes))
    radices = []
    for (larger, many), (smaller, few) in pairwise(strides):
        left = Counter(many)
        left.subtract(few)
        more = [*left.elements()]
        if len(more) != 1 or min(left.values()) < 0:
            return None
        radices.append((larger // smaller, more[0]))
    return Radices(tuple(strides), tuple(radices)) if radices else None


def most_common(places: Sequence[Polynomial]) -> Radices | None:
    """The system of some subscripts, or else of the first and what has one with it."""
    system = common(places)
    if system is not None:
        return system
    kept: list[Polynomial] = []
    for one in places:
        if common([*kept, one]) is not None:
            kept.append(one)
    return common(kept)


def with_products(nest: Nest) -> list[str]:
    """The arrays with subscripts that are no sums of loops but of their products."""
    accesses = (x for one in nest.statements.values() for x in one.accesses)
    return [*dict.fromkeys(x.array for x in accesses if x.products)]


@dataclass(slots=True)
class Delinearization:
    """The digits of accesses.

    Attributes:
        spaces: of the nest. shown: what has been asked for already.
    """

    spaces: Spaces
    shown: dict[tuple[str, Access, int, Radices], Digits | None] = field(
        default_factory=dict
    )

    def told(self, copied: Collection[str] = ()) -> Nest:
        """The nest with the digits that tell cells apart.

        Args:
            copied: arrays of which statements that are made later use cells, too: these
                have no digits.
        """
        nest = self.spaces.nest
        # What may count from the end has two places for a cell.
        left = {*copied, *self.spaces.shapes}
        systems: dict[str, Systems] = {
            x: {} for x in with_products(nest) if x not in left
        }
        for array, known in systems.items():
            known.update(self._systems(array))
        statements = {
            name: self._statement(one, systems) for name, one in nest.statements.items()
        }
        return replace(nest, statements=statements)

    def _systems(self, array: str) -> Systems:
        """The systems of the axes of an array, as far as there is one."""
        found: dict[int, list[Polynomial]] = {}
        for statement in self.spaces.nest.statements.values():
            for access in statement.accesses:
                for axis, one in enumerate(access.products):
                    if access.array == array and one is not None:
                        found.setdefault(axis, []).append(one)
        known = ((axis, most_common(places)) for axis, places in sorted(found.items()))
        return {axis: system for axis, system in known if system is not None}

    def _statement(
        self, statement: Statement, systems: Mapping[str, Systems]
    ) -> Statement:
        """A statement with the digits of its accesses."""
        accesses = tuple(
            self._access(statement, one, systems[one.array])
            if systems.get(one.array)
            else one
            for one in statement.accesses
        )
        if accesses == statement.accesses:
            return statement
        return replace(statement, accesses=accesses)

    def _access(self, statement: Statement, access: Access, systems: Systems) -> Access:
        """An access with its digits, and what they say of it."""
        digits: list[IntExpr | None] = []
        for axis, subscript in enumerate(access.subscripts):
            system = systems.get(axis)
            if system is None:
                digits.append(subscript)
            else:
                found = self._inside(statement, access, axis, system)
                digits += found or [None] * len(system.strides)
        # What surely writes somewhere leaves no cell of which that is known.
        certain = None not in digits and (access.certain or access.reached)
        return replace(access, digits=tuple(digits), certain=certain)

    def _inside(
        self, statement: Statement, access: Access, axis: int, system: Radices
    ) -> Digits | None:
        """The digits of a subscript that stay below what they have to, if they do."""
        key = statement.name, access, axis, system
        if key not in self.shown:
            known = place(access, axis)
            readings = dict.fromkeys(system.readings(known) if known else ())
            fitting = (x for x in readings if self._fits(statement, access, x, system))
            self.shown[key] = next(fitting, None)
        return self.shown[key]

    def _fits(
        self, statement: Statement, access: Access, digits: Digits, system: Radices
    ) -> bool:
        first, *rest = digits
        wanted = [Compare(">=", first, ZERO)]
        for digit, (number, size) in zip(rest, system.radices, strict=True):
            wanted.append(Compare(">=", digit, ZERO))
            wanted.append(Compare("<", digit, mul(Const(number), size)))
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
        most = add(
            *(
                mul(Const(number), digit, *sizes)
                for (number, sizes), digit in zip(system.strides, highest, strict=True)
            )
        )
        extent = Var(spaces.shape_text(access.array, axis))
        return Compare("<", most, extent)

    def _most(self, statement: Statement, domain: isl.Set, digit: IntExpr) -> IntExpr:
        """The greatest value of a digit in some iterations, over parameters."""
        if isinstance(digit, Const):
            return digit
        values = self.spaces.map(statement.name, statement.loops, [digit])
        most = values.intersect_domain(domain).range().dim_max(0)
        return expression(self.spaces, most)


def inside(spaces: Spaces, arrays: frozenset[str]) -> dict[Axis, Cond]:
    """When subscripts that are not affine are inside their axes, where digits tell.

    Args:
        spaces: of the nest.
        arrays: those that nothing is counted from the end of.
    """
    known = Delinearization(spaces)
    found: dict[Axis, list[Cond | None]] = {}
    for statement in spaces.nest.statements.values():
        own = [one for one in statement.accesses if one.array in arrays]
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
