"""Intervals between two numbers, or without a bound on one side or both."""

from __future__ import annotations

from looptx.model.records import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """The integers from ``low`` to ``high``; None for no bound on that side.

    The operators are those of Python's integers.
    """

    low: int | None
    high: int | None

    @property
    def number(self) -> int | None:
        """The only number in it, if there is but one."""
        return self.low if self.low == self.high else None

    def at_least(self, number: int) -> bool:
        """Whether nothing in it is less."""
        return self.low is not None and self.low >= number

    def at_most(self, number: int) -> bool:
        """Whether nothing in it is greater."""
        return self.high is not None and self.high <= number

    def __add__(self, other: Interval) -> Interval:
        if self is ANY or other is ANY:
            return ANY
        low = None if self.low is None or other.low is None else self.low + other.low
        if self.high is None or other.high is None:
            return Interval(low, None)
        return Interval(low, self.high + other.high)

    def __neg__(self) -> Interval:
        return Interval(
            None if self.high is None else -self.high,
            None if self.low is None else -self.low,
        )

    def __mul__(self, other: Interval) -> Interval:
        if self.at_least(0):
            lowest = self.low if other.at_least(0) else self.high
            highest = self.low if other.at_most(0) else self.high
            return Interval(_product(lowest, other.low), _product(highest, other.high))
        if self.at_most(0):
            return -(-self * other)
        if other.at_least(0) or other.at_most(0):
            return other * self
        lows = _product(self.low, other.high), _product(self.high, other.low)
        highs = _product(self.low, other.low), _product(self.high, other.high)
        return Interval(_least(*lows), _greatest(*highs))

    def __floordiv__(self, other: Interval) -> Interval:
        divisor = other.number
        if divisor is None or divisor <= 0:
            return ANY
        return Interval(
            None if self.low is None else self.low // divisor,
            None if self.high is None else self.high // divisor,
        )

    def __mod__(self, other: Interval) -> Interval:
        """The remainder of the division by a positive number."""
        divisor = other.number
        if divisor is None:
            return Interval(0, None if other.high is None else max(other.high - 1, 0))
        if self.low is not None and self.high is not None:
            block = self.low // divisor
            if block == self.high // divisor:
                return Interval(self.low - block * divisor, self.high - block * divisor)
        return Interval(0, divisor - 1)

    def join(self, other: Interval) -> Interval:
        """The least interval that holds both."""
        return Interval(_least(self.low, other.low), _greatest(self.high, other.high))

    def meet(self, other: Interval) -> Interval:
        """What is in both."""
        lows = [low for low in (self.low, other.low) if low is not None]
        highs = [high for high in (self.high, other.high) if high is not None]
        return Interval(max(lows, default=None), min(highs, default=None))

    def minimum(self, other: Interval) -> Interval:
        """The lesser of a number of each."""
        highs = [high for high in (self.high, other.high) if high is not None]
        return Interval(_least(self.low, other.low), min(highs, default=None))

    def maximum(self, other: Interval) -> Interval:
        """The greater of a number of each."""
        lows = [low for low in (self.low, other.low) if low is not None]
        return Interval(max(lows, default=None), _greatest(self.high, other.high))


def exactly(number: int) -> Interval:
    """One number."""
    return Interval(number, number)


def _product(left: int | None, right: int | None) -> int | None:
    """The product of two ends; none of anything is nothing."""
    if left == 0 or right == 0:
        return 0
    return None if left is None or right is None else left * right


def _least(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else min(left, right)


def _greatest(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else max(left, right)


ANY = Interval(None, None)
