"""Loops without a bound around all others, and numbers that grow while they run."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from semantics.table import Make, Row, Table
from semantics.values import plain


def searched(x, v, low, high):
    """Looks up what may be outside, on both sides, and says where."""
    at = low
    while high - low > 1:
        at = (low + high) // 2
        if x[at] == v:
            return at, x[at]
        if x[at] < v:
            low = at
        else:
            high = at
    return low, high, at


def counted(x, start, stop, step):
    """Each number that it comes to, in the type that it has."""
    k = t = 0
    for k in range(start * start, stop, step):
        x[k] += 1
        t += k
    return k, t


def grown(a, b, which):
    """Outgrows 64 bits, but for some."""
    k = 0
    while k < 70:
        if which == 0:
            a, b = b, a + b
        elif which == 1:
            a = a * b
        elif which == 2:
            a = a - b * b
        elif which == 3:
            a = b - a
        k += 1
    return a, b, k


def drained(x, n, d):
    """Raises in the middle: a division, a subscript; what it wrote stays."""
    left = n
    while left:
        left -= 1
        x[left] = 7 // d
        d -= 1
    else:
        d = -d
    return left, d


def swung(x, k, sign):
    """To and fro, down to where nothing is any longer."""
    i = len(x)
    while i > 0:
        i -= 1
        x[i] = x[i] * sign + k
        sign = -sign
        k = 3 - k
    return k, sign, i


def _with(values: Any, dtype: str, *others: Any) -> Make:
    """An array, and what is none."""
    return lambda memory: (memory.array(values, dtype), *others)


def _searched() -> Iterator[Row]:
    ends = ((0, 5), (-1, 5), (-6, 5), (-9, 3), (0, 12), (3, 3), (5, 0))
    for (low, high), v, dtype in itertools.product(ends, (-1, 4, 99), _TYPES):
        name = f"{dtype}, {v} from {low} to {high}"
        yield Row(name, _with([0, 2, 4, 4, 9], dtype, v, low, high))


def _counted() -> Iterator[Row]:
    for start, stop, step in itertools.product((0, 1, 2, -2), (0, 4, 9), (1, 3, -2, 0)):
        name = f"from {start} to {stop} by {step}"
        yield Row(name, _with([1] * 6, "int64", start, stop, step))
    for step in (np.int64(2), np.int8(3), np.uint8(2), True):
        yield Row(f"by {step!r}", _with([1] * 6, "float64", 1, 6, step), None)


def _grown() -> Iterator[Row]:
    pairs = ((0, 1), (1, 2), (-3, 7), (0, 0), (2**62, 1), (-(2**63), -1), (1, -1))
    for (a, b), which in itertools.product(pairs, range(5)):
        yield Row(f"{a}, {b}, case {which}", plain(a, b, which), None)
    for a in (np.int64(5), 1.5, True, np.float32(2), 2**70):
        yield Row(f"{a!r}", plain(a, 2, 0), None)


def _drained() -> Iterator[Row]:
    for n, d, dtype in itertools.product((0, 1, 3, 4, 6), (9, 2, 0), _TYPES):
        yield Row(f"{dtype}, {n}, {d}", _with([5] * 4, dtype, n, d))


def _swung() -> Iterator[Row]:
    for n, k, dtype in itertools.product((0, 1, 2, 7), (0, -4, 2**40), _TYPES):
        yield Row(f"{dtype}, {n}, {k}", _with(range(n), dtype, k, 1), None)


_TYPES = ("int64", "float64", "int32")

TABLES = (
    Table(searched, tuple(_searched())),
    Table(counted, tuple(_counted())),
    Table(grown, tuple(_grown())),
    Table(drained, tuple(_drained())),
    Table(swung, tuple(_swung())),
)
