"""Sets of cells as boxes: one range for each axis, perhaps in steps.

Ranges are written so that equal ones are equal: the stop is behind the last value, and
one value has the step 1. An array without axes has one cell, the box ``()``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import gcd, prod
from typing import TypeAlias

Range: TypeAlias = tuple[int, int, int]
"""Start, stop and step; never empty."""

Box: TypeAlias = tuple[Range, ...]

MOST = 64
"""A range is cut in so many parts at most; of what would be more, all is taken."""


def ranged(start: int, stop: int, step: int = 1) -> Range | None:
    """The values of a range, if there are any.

    Args:
        start, stop, step: as Python's range has them.
    """
    count = len(range(start, stop, step))
    if not count:
        return None
    if step < 0:
        start, step = start + (count - 1) * step, -step
    last = start + (count - 1) * step
    return (start, last + 1, step if count > 1 else 1)


def whole(shape: Sequence[int]) -> list[Box]:
    """All cells of an array."""
    return [tuple((0, size, 1) for size in shape)] if all(shape) else []


def sides(box: Box) -> tuple[int, ...]:
    """How many values each range has."""
    return tuple((stop - start + step - 1) // step for start, stop, step in box)


def volume(boxes: Iterable[Box]) -> int:
    """How many cells boxes have that have none in common."""
    return sum(prod(sides(box)) for box in boxes)


def met(one: Box, other: Box) -> Box | None:
    """The cells that two boxes have in common."""
    found = []
    for left, right in zip(one, other, strict=True):
        if left[2] == right[2] == 1:
            start = left[0] if left[0] > right[0] else right[0]
            stop = left[1] if left[1] < right[1] else right[1]
            if start >= stop:
                return None
            found.append((start, stop, 1))
            continue
        both = _common(left, right)
        if both is None:
            return None
        found.append(both)
    return tuple(found)


def _common(one: Range, other: Range) -> Range | None:
    """The values that two ranges have in common."""
    start, step = max(one[0], other[0]), gcd(one[2], other[2])
    if (other[0] - one[0]) % step:
        return None
    # The first value of both: of the one's values one in so many is the other's.
    every = one[2] * other[2] // step
    first = one[0] + -(-(start - one[0]) // one[2]) * one[2]
    for value in range(first, first + every, one[2]):
        if (value - other[0]) % other[2] == 0:
            return ranged(value, min(one[1], other[1]), every)
    return None


def without(box: Box, gone: Box) -> list[Box]:
    """The cells of a box that are not in another one."""
    both = met(box, gone)
    if both is None:
        return [box]
    rest: list[Box] = []
    done: Box = ()
    for at, (own, out) in enumerate(zip(box, both, strict=True)):
        for part in _left(own, out):
            rest.append((*done, part, *box[at + 1 :]))
        done = (*done, out)
    return rest


def _left(own: Range, out: Range) -> Iterator[Range]:
    """The values of a range without some of its own."""
    ends = [(own[0], out[0], own[2]), (out[1] - 1 + own[2], own[1], own[2])]
    every = out[2] // own[2]
    if out[1] - out[0] > 1 and every > 1:
        ends += [(out[0] + at * own[2], out[1], out[2]) for at in range(1, every)]
    for start, stop, step in ends:
        found = ranged(start, stop, step)
        if found is not None:
            yield found


def minus(boxes: Iterable[Box], gone: Iterable[Box]) -> list[Box]:
    """The cells of some boxes that are in none of others."""
    left = list(boxes)
    for one in gone:
        left = [part for box in left for part in without(box, one)]
    return left


def common(boxes: Sequence[Box], others: Sequence[Box]) -> list[Box]:
    """The cells that are in some boxes and in others."""
    pairs = product(boxes, others)
    return [both for one, other in pairs if (both := met(one, other)) is not None]


def apart(boxes: Iterable[Box]) -> list[Box]:
    """The same cells in boxes that have none in common, as few as is easily found.

    The largest come first, so that what is left of the others is small.
    """
    given = sorted(set(boxes), key=lambda box: (-prod(sides(box)), box))
    found: list[Box] = []
    for box in given:
        found += minus([box], found)
    return joined(found)


def joined(boxes: Iterable[Box]) -> list[Box]:
    """The same cells with those boxes as one that are neighbours along an axis."""
    found = sorted(boxes)
    if len(found) < 2:
        return found
    for axis in reversed(range(len(found[0]))):
        rows: dict[tuple[Box, Box], list[Range]] = {}
        for box in found:
            rows.setdefault((box[:axis], box[axis + 1 :]), []).append(box[axis])
        found = [
            (*before, one, *behind)
            for (before, behind), ranges in rows.items()
            for one in _strung(sorted(ranges))
        ]
    return sorted(found)


def _strung(ranges: Sequence[Range]) -> Iterator[Range]:
    """Ranges in order, those as one that follow each other."""
    last, *rest = ranges
    for one in rest:
        following = last[2] == one[2] == 1 and last[1] == one[0]
        if following:
            last = (last[0], one[1], 1)
        else:
            yield last
            last = one
    yield last


def hull(boxes: Iterable[Box]) -> Box:
    """The least box without steps that holds all of some, of which there are any."""
    axes = zip(*boxes, strict=True)
    return tuple(
        (min(one[0] for one in axis), max(one[1] for one in axis), 1) for axis in axes
    )


def slices(box: Box, origin: Sequence[int]) -> tuple[slice, ...]:
    """The place of a box in an array whose first cell is ``origin``."""
    return tuple(
        slice(start - low, stop - low, step)
        for (start, stop, step), low in zip(box, origin, strict=True)
    )
