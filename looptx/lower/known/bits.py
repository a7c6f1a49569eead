"""Intervals of integers whose bits are moved, or meet."""

from __future__ import annotations

from looptx.model.intervals.constant import ANY, Interval

_MOST = 64
"""Shifts by more are not looked at."""


def both(one: Interval, two: Interval) -> Interval:
    """The bits that two integers have in common: no more than one without a sign."""
    highs = [x.high for x in (one, two) if x.at_least(0) and x.high is not None]
    return Interval(0, min(highs)) if highs else _mixed(one, two)


def either(one: Interval, two: Interval) -> Interval:
    """The bits that one of two integers has, or just one of them."""
    return _mixed(one, two)


def _mixed(one: Interval, two: Interval) -> Interval:
    """Bits of two integers in any mixture."""
    found = one.join(two)
    if found.low is None or found.high is None:
        return ANY
    width = max(found.high.bit_length(), (~found.low).bit_length())
    return Interval(0 if found.low >= 0 else -(1 << width), (1 << width) - 1)


def shifted_left(one: Interval, by: Interval) -> Interval:
    """``one << by``."""
    if by.low is None or by.high is None or not 0 <= by.low <= by.high < _MOST:
        return ANY
    return one * Interval(1 << by.low, 1 << by.high)


def shifted_right(one: Interval, by: Interval) -> Interval:
    """``one >> by``."""
    if by.low is None or by.high is None or not 0 <= by.low <= by.high < _MOST:
        return ANY
    if one.low is None or one.high is None:
        return ANY
    ends = [end >> shift for end in (one.low, one.high) for shift in (by.low, by.high)]
    return Interval(min(ends), max(ends))


def size(one: Interval) -> Interval:
    """``abs(one)``."""
    if one.at_least(0):
        return one
    turned = -one
    return turned if turned.at_least(0) else Interval(0, one.join(turned).high)
