"""Symbolic intervals of integers, evaluated partly now and partly at the entry.

An integer lies in ``[-down, up]``; both ends are sums, products, minima and maxima of
magnitudes that are known when a nest is entered, and of constants. Magnitudes are never
negative, so nothing cancels: the entry computes them in doubles, and a relative margin
covers the rounding (Higham, Accuracy and Stability of Numerical Algorithms, 3.1).
"""

from __future__ import annotations

from dataclasses import dataclass

from looptx.lower.limits import WORD
from looptx.lower.tree import Expr

_LARGEST = WORD + 1
"""Constants above this are treated as unbounded."""

_FINITE = 1 << 1000
"""Magnitudes that might exceed it count as unbounded: a double holds no more."""


@dataclass(frozen=True, slots=True, eq=False)
class Size:
    """A magnitude: what an end of an interval does not exceed.

    Attributes:
        most: its greatest value at any entry; None when there is none.
        op: ``const``, ``leaf``, ``+``, ``*``, ``/``, ``max`` or ``min``.
        parts: its operands.
        leaf: what a leaf is in C.
    """

    most: int | None
    op: str = "const"
    parts: tuple[Size, ...] = ()
    leaf: Expr | None = None

    @property
    def constant(self) -> bool:
        """Whether nothing more is known of it at the entry."""
        return self.op == "const"


def constant(number: int) -> Size:
    """A magnitude known now."""
    return Size(number) if number <= _LARGEST else UNBOUNDED


def leaf(expr: Expr, most: int) -> Size:
    """A magnitude known at the entry: an expression of C, at most ``most``."""
    return Size(most, "leaf", (), expr)


UNBOUNDED = Size(None)
NOTHING = Size(0)
_UNIT = Size(1)


def plus(left: Size, right: Size) -> Size:
    """The sum."""
    if left.most == 0:
        return right
    if right.most == 0:
        return left
    if left.most is None or right.most is None:
        return UNBOUNDED
    most = left.most + right.most
    if left.constant and right.constant:
        return constant(most)
    if _hopeless(left, right) or most >= _FINITE:
        return UNBOUNDED
    return Size(most, "+", (left, right))


def _hopeless(*sizes: Size) -> bool:
    """Whether a constant alone is as large as a magnitude of use can be."""
    return any(size.constant and size.most == _LARGEST for size in sizes)


def times(left: Size, right: Size) -> Size:
    """The product; nothing times anything is nothing."""
    if left.most == 0 or right.most == 1:
        return left
    if right.most == 0 or left.most == 1:
        return right
    if left.most is None or right.most is None:
        return UNBOUNDED
    most = left.most * right.most
    if left.constant and right.constant:
        return constant(most)
    if _hopeless(left, right) or most >= _FINITE:
        return UNBOUNDED
    return Size(most, "*", (left, right))


def over(size: Size, divisor: int) -> Size:
    """The quotient by a positive constant, rounded up."""
    if divisor == 1 or size.most is None or size.most == 0:
        return size
    most = -(-size.most // divisor)
    if size.constant:
        return constant(most)
    return plus(Size(most, "/", (size, constant(divisor))), _UNIT)


def larger(left: Size, right: Size) -> Size:
    """The maximum."""
    if left is right or right.most == 0:
        return left
    if left.most == 0:
        return right
    if left.most is None or right.most is None:
        return UNBOUNDED
    for one, other in ((left, right), (right, left)):
        if one.constant and one.most is not None and (other.most or 0) <= one.most:
            return one
    return Size(max(left.most, right.most), "max", (left, right))


def smaller(left: Size, right: Size) -> Size:
    """The minimum."""
    if left is right or left.most == 0 or right.most is None:
        return left
    if right.most == 0 or left.most is None:
        return right
    if right.constant and left.most <= right.most:
        return left
    if left.constant and right.most <= left.most:
        return right
    return Size(min(left.most, right.most), "min", (left, right))


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """The interval ``[-down, up]``."""

    down: Size
    up: Size

    @property
    def reach(self) -> Size:
        """The largest magnitude in it."""
        return larger(self.down, self.up)

    @property
    def closed(self) -> bool:
        """Whether both ends are bounded."""
        return self.down.most is not None and self.up.most is not None


ANY = Bound(UNBOUNDED, UNBOUNDED)
ZERO = Bound(NOTHING, NOTHING)
TRUTH = Bound(NOTHING, _UNIT)


def exactly(number: int) -> Bound:
    """One number."""
    return Bound(constant(max(-number, 0)), constant(max(number, 0)))


def within(low: int, high: int) -> Bound:
    """The numbers from ``low`` to ``high``."""
    return Bound(constant(max(-low, 0)), constant(max(high, 0)))


def join(left: Bound, right: Bound) -> Bound:
    """Either."""
    return Bound(larger(left.down, right.down), larger(left.up, right.up))


def negated(bound: Bound) -> Bound:
    """``-x``."""
    return Bound(bound.up, bound.down)


def added(left: Bound, right: Bound) -> Bound:
    """``x + y``."""
    return Bound(plus(left.down, right.down), plus(left.up, right.up))


def multiplied(left: Bound, right: Bound) -> Bound:
    """``x * y``."""
    return Bound(
        larger(times(left.up, right.down), times(left.down, right.up)),
        larger(times(left.up, right.up), times(left.down, right.down)),
    )


def floored(left: Bound, right: Bound, divisor: int | None) -> Bound:
    """``x // y``; ``divisor`` is y when it is a literal."""
    if divisor is not None and divisor > 0:
        return Bound(over(left.down, divisor), over(left.up, divisor))
    if right.down.most == 0:
        return left
    return Bound(left.reach, left.reach)


def remainder(right: Bound, divisor: int | None) -> Bound:
    """``x % y``: as large as y at most, with its sign."""
    if divisor is not None and divisor > 0:
        return within(0, divisor - 1)
    return right


def power(bound: Bound, exponent: int) -> Bound:
    """``x ** k``."""
    result = exactly(1)
    for bit in f"{exponent:b}":
        result = multiplied(result, result)
        if bit == "1":
            result = multiplied(result, bound)
        if not result.closed:
            return result
    return Bound(NOTHING, result.up) if exponent % 2 == 0 else result


def absolute(bound: Bound) -> Bound:
    """``abs(x)``."""
    return Bound(NOTHING, bound.reach)


def inverted(bound: Bound) -> Bound:
    """``~x``."""
    return Bound(plus(bound.up, _UNIT), bound.down)


def least(left: Bound, right: Bound) -> Bound:
    """``min(x, y)``."""
    return Bound(larger(left.down, right.down), smaller(left.up, right.up))


def greatest(left: Bound, right: Bound) -> Bound:
    """``max(x, y)``."""
    return Bound(smaller(left.down, right.down), larger(left.up, right.up))


def masked(left: Bound, right: Bound) -> Bound:
    """``x & y``: between 0 and either of them that is not negative."""
    if left.down.most == 0 or right.down.most == 0:
        ups = [one.up for one in (left, right) if one.down.most == 0]
        return Bound(NOTHING, smaller(ups[0], ups[-1]))
    return bits(left, right)


def bits(left: Bound, right: Bound) -> Bound:
    """``x & y``, ``x | y``, ``x ^ y``: no more bits than either has."""
    ends = larger(left.reach, right.reach)
    reach = smaller(plus(plus(ends, ends), _UNIT), constant(_LARGEST))
    return Bound(reach, reach)
