"""Symbolic intervals: known in part now, and in part when a nest is entered.

An integer lies in ``[-down, up]``. Both are sums, products, minima and maxima of
constants and of what is known on entry. They are never negative, so nothing cancels:
the entry computes them in doubles, and a relative margin covers the rounding (Higham,
*Accuracy and Stability of Numerical Algorithms*, 3.1).
"""

from __future__ import annotations

from math import isqrt, prod
from typing import TypeGuard

from looptx.model.expr.terms import IntExpr
from looptx.model.records import dataclass

_LARGEST = 1 << 63
"""Bounds above this are treated as unbounded, if they are constant."""

_FINITE = 1 << 1000
"""Bounds that might exceed it count as unbounded: a double holds no more."""


@dataclass(frozen=True, slots=True, eq=False)
class UpperBound:
    """What a number does not exceed; it is not negative.

    Attributes:
        most: its greatest value at any entry; None when there is none.
        op: ``const``, ``leaf``, ``+``, ``*``, ``/``, ``sqrt``, ``max`` or ``min``.
        parts: its operands.
        leaf: the expression whose value a leaf is, or 0 where that is negative.
    """

    most: int | None
    op: str = "const"
    parts: tuple[UpperBound, ...] = ()
    leaf: IntExpr | None = None

    @property
    def constant(self) -> bool:
        """Whether nothing more is known of it at the entry."""
        return self.op == "const"

    def at(self, value: int) -> int | None:
        """What it is where all that the entry knows is ``value``, or all it may be."""
        if self.constant or self.most is None:
            return self.most
        if self.op == "leaf":
            return min(value, self.most)
        found = [part.at(value) for part in self.parts]
        known = [x for x in found if x is not None]
        match self.op:
            case "+":
                return sum(known)
            case "*":
                return prod(known)
            case "/":
                return known[0] // known[1]
            case "sqrt":
                return isqrt(known[0])
        return max(known) if self.op == "max" else min(known)

    def __add__(self, other: UpperBound) -> UpperBound:
        if self.most == 0:
            return other
        if other.most == 0:
            return self
        if self.most is None or other.most is None:
            return UNBOUNDED
        return self._made("+", other, self.most + other.most)

    def __mul__(self, other: UpperBound) -> UpperBound:
        if self.most == 0 or other.most == 1:
            return self
        if other.most == 0 or self.most == 1:
            return other
        if self.most is None or other.most is None:
            return UNBOUNDED
        return self._made("*", other, self.most * other.most)

    def _made(self, op: str, other: UpperBound, most: int) -> UpperBound:
        """A sum or a product; unbounded where it exceeds the useful range."""
        if self.constant and other.constant:
            return constant(most)
        # A constant alone may be as large as a bound of use can be.
        hopeless = any(x.constant and x.most == _LARGEST for x in (self, other))
        if hopeless or most >= _FINITE:
            return UNBOUNDED
        return UpperBound(most, op, (self, other))

    def over(self, divisor: int) -> UpperBound:
        """The quotient by a positive constant, rounded up."""
        if divisor == 1 or self.most is None or self.most == 0:
            return self
        most = -(-self.most // divisor)
        if self.constant:
            return constant(most)
        return UpperBound(most, "/", (self, constant(divisor))) + _UNIT

    def root(self) -> UpperBound:
        """The square root, of which an integer does not exceed the rounded one."""
        if self.most is None:
            return self
        most = isqrt(self.most)
        return constant(most) if self.constant else UpperBound(most, "sqrt", (self,))

    def maximum(self, other: UpperBound) -> UpperBound:
        """The greater of two."""
        if self is other or other.most == 0:
            return self
        if self.most == 0:
            return other
        if self.most is None or other.most is None:
            return UNBOUNDED
        for one, two in ((self, other), (other, self)):
            if one.constant and one.most is not None and (two.most or 0) <= one.most:
                return one
        return UpperBound(max(self.most, other.most), "max", (self, other))

    def minimum(self, other: UpperBound) -> UpperBound:
        """The lesser of two."""
        if self is other or self.most == 0 or other.most is None:
            return self
        if other.most == 0 or self.most is None:
            return other
        if other.constant and self.most <= other.most:
            return self
        if self.constant and other.most <= self.most:
            return other
        return UpperBound(min(self.most, other.most), "min", (self, other))


def constant(number: int) -> UpperBound:
    """A bound known now."""
    return UpperBound(number) if number <= _LARGEST else UNBOUNDED


def leaf(expr: IntExpr, most: int) -> UpperBound:
    """A bound known at the entry: an expression, at most ``most``."""
    return UpperBound(most, "leaf", (), expr)


UNBOUNDED = UpperBound(None)
NOTHING = UpperBound(0)
_UNIT = UpperBound(1)


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """The integers in ``[-down, up]``; the operators are those of Python's integers.

    Attributes:
        down, up: its ends.
        number: the only one that there is, where it is written as a literal.
    """

    down: UpperBound
    up: UpperBound
    number: int | None = None

    @property
    def reach(self) -> UpperBound:
        """The largest magnitude in it."""
        return self.down.maximum(self.up)

    @property
    def closed(self) -> bool:
        """Whether both ends are bounded."""
        return self.down.most is not None and self.up.most is not None

    def join(self, other: Interval) -> Interval:
        """What holds both."""
        return Interval(self.down.maximum(other.down), self.up.maximum(other.up))

    def meet(self, other: Interval) -> Interval:
        """What lies in both, where that is known to be something."""
        return Interval(self.down.minimum(other.down), self.up.minimum(other.up))

    def __neg__(self) -> Interval:
        return Interval(self.up, self.down)

    def __invert__(self) -> Interval:
        return Interval(self.up + _UNIT, self.down)

    def __abs__(self) -> Interval:
        return Interval(NOTHING, self.reach)

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.down + other.down, self.up + other.up)

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def __mul__(self, other: Interval) -> Interval:
        return Interval(
            (self.up * other.down).maximum(self.down * other.up),
            (self.up * other.up).maximum(self.down * other.down),
        )

    def __floordiv__(self, other: Interval) -> Interval:
        divisor = other.number
        if divisor is not None and divisor > 0:
            return Interval(self.down.over(divisor), self.up.over(divisor))
        if other.down.most == 0:
            return Interval(self.down, self.up)
        return Interval(self.reach, self.reach)

    def __mod__(self, other: Interval) -> Interval:
        """As large as the divisor at most, with its sign."""
        divisor = other.number
        if divisor is not None and divisor > 0:
            return within(0, divisor - 1)
        return Interval(other.down, other.up)

    def __pow__(self, other: Interval) -> Interval:
        exponent = other.number
        if exponent is None or exponent < 0:
            return ANY
        result = exactly(1)
        for bit in f"{exponent:b}":
            result = result * result
            if bit == "1":
                result = result * self
            if not result.closed:
                return result
        return Interval(NOTHING, result.up) if exponent % 2 == 0 else result

    def __lshift__(self, other: Interval) -> Interval:
        """Shifted by what is not negative: for others Python raises."""
        if _is_shift(other.number):
            return self * exactly(1 << other.number)
        most = other.up.most
        return self * within(0, 1 << most) if _is_shift(most) else ANY

    def __rshift__(self, other: Interval) -> Interval:
        if _is_shift(other.number):
            return self // exactly(1 << other.number)
        return Interval(self.down, self.up)

    def __and__(self, other: Interval) -> Interval:
        """Between 0 and either of the operands that is not negative."""
        ups = [one.up for one in (self, other) if one.down.most == 0]
        if ups:
            return Interval(NOTHING, ups[0].minimum(ups[-1]))
        return self | other

    def __or__(self, other: Interval) -> Interval:
        """No more bits than either has, nor than a word where these have no more."""
        for one, two in ((self, other), (other, self)):
            if one.down.most == one.up.most == 0:
                return two
        if not (self.closed and other.closed):
            return ANY
        ends = self.reach.maximum(other.reach)
        reach = (ends + ends + _UNIT).minimum(constant(_LARGEST))
        return Interval(reach, reach)

    __xor__ = __or__

    def minimum(self, other: Interval) -> Interval:
        """The lesser of a number of each."""
        return Interval(self.down.maximum(other.down), self.up.minimum(other.up))

    def maximum(self, other: Interval) -> Interval:
        """The greater of a number of each."""
        return Interval(self.down.minimum(other.down), self.up.maximum(other.up))


ANY = Interval(UNBOUNDED, UNBOUNDED)
ZERO = Interval(NOTHING, NOTHING)
TRUTH = Interval(NOTHING, _UNIT)


def exactly(number: int) -> Interval:
    """One number."""
    ends = constant(max(-number, 0)), constant(max(number, 0))
    return Interval(*ends, number)


def within(low: int, high: int) -> Interval:
    """The numbers from ``low`` to ``high``."""
    return Interval(constant(max(-low, 0)), constant(max(high, 0)))


def _is_shift(number: int | None) -> TypeGuard[int]:
    """Whether a number of bits is known, and less than those of an integer of C."""
    return number is not None and 0 <= number < 64
