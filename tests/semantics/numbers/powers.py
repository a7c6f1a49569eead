"""Powers and shifts of Python's numbers by what is no literal."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from semantics.table import Make, Row, Table
from semantics.values import PYTHON, plain


def power(x, y, n):
    r = 0.0
    for _ in range(n):
        r = x**y
    return r


def of_integers(a, b, k, x):
    """What NumPy computes of a Python float and one of its integers."""
    for i in range(len(k)):
        a[i] = x ** k[i]
        b[i] = k[i] ** x
        b[i] -= float(a[i]) ** k[i]
        a[i] -= np.float64(x) ** k[i]


def by_position(x, n):
    """Each exponent is an integer: none is complex."""
    total = 0.0
    for i in range(n):
        total += x ** (i - 2)
    return total


def in_a_row(a, x, e):
    """One way and the other, in many iterations; what raises keeps what it wrote."""
    n = len(a)
    for i in range(n):
        a[i] = x ** (i + e)
        a[i] += x ** (n - i - e)
        a[i] -= np.float64(x) ** (i - e)


def of_cells(a, y):
    """Raises, or becomes complex, in the middle; what it wrote stays."""
    for i in range(len(a)):
        a[i] = float(a[i]) ** y


def rooted(a, b):
    """Complex numbers have no place in b: Python says so, at the same cell."""
    for i in range(len(a)):
        b[i] = (float(a[i]) - 1.0) ** 0.5


def whole(x, n, m):
    r = 1
    for i in range(m):
        r = x ** (n + i)
    return r


def left(x, k, n):
    r = 0
    for i in range(n):
        r = x << (k + i)
    return r


def right(x, k, n):
    r = 0
    for i in range(n):
        r = x >> (k + i)
    return r


def reversed_bits(x):
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        v = int(x[i])
        r = 0
        for _ in range(16):
            r = (r << 1) | (v & 1)
            v >>= 1
        out[i] = r
    return out


def packed(a, width):
    """Grows beyond 64 bits, or not, beside what it writes."""
    word = 0
    for i in range(len(a)):
        word = (word << width) | int(a[i])
        a[i] = word & 255
    return word


def halves(a):
    """A float as an int, where the array is read and written."""
    for i in range(1, len(a)):
        k = int(a[i - 1] * 2)
        a[i] = a[i] + k


NUMBERS = (*PYTHON["float"], -2.5, -3.0, 2.0, 1e300, -1e300, 1e-300, 5e-324)
POWERS = (*PYTHON["float"], -2.5, -3.0, 2.0, 3.0, 1 / 3, -0.5, 1e300, 1074.5)


def _powers() -> Iterator[Row]:
    for x, y in itertools.product(NUMBERS, POWERS):
        yield Row(f"{x!r} to {y!r}", plain(x, y, 1), None)
    for x, y in itertools.product((0.0, 2.5, -2.0), (-3, 0, 2, 2**53 + 1, True)):
        yield Row(f"{x!r} to {y!r}", plain(x, y, 1), None)
        yield Row(f"{y!r} to {x!r}", plain(y, x, 1), None)
    yield Row("4.0 to 0.5", plain(4.0, 0.5, 3))
    yield Row("-4.0 to 0.5, never", plain(-4.0, 0.5, 0))


def _of(values: Any, *after: Any, dtype: str = "float64") -> Make:
    return lambda memory: (memory.array(values, dtype), *after)


def _with_integers(dtype: str, x: float) -> Make:
    k = np.arange(100) % 120 + 1
    zeros = np.zeros(len(k))
    return lambda memory: (
        *(memory.array(zeros) for _ in "ab"),
        memory.array(k, dtype),
        x,
    )


def _cells() -> Iterator[Row]:
    for y in (0.5, 2.0, -1.0, -0.5, 1e3):
        for values in ([1.0, 4.0], [4.0, 0.0, 2.0], [1.0, -4.0, 2.0], [2.0, 9.0]):
            complex_ = y in (0.5, -0.5, 1e3) and -4.0 in values
            native = None if complex_ and y != 1e3 else True
            yield Row(f"{values} to {y}", _of(values, y), native)


def _rooted() -> Iterator[Row]:
    for values in ([1.0, 4.0], [4.0, 0.0, 2.0]):
        yield Row(
            f"{values}",
            lambda memory, v=values: (
                memory.array(v, "float64"),
                memory.array([7.0] * len(v), "float64"),
            ),
            None if 0.0 in values else True,
        )


def _whole() -> Iterator[Row]:
    for x, n in itertools.product((0, 1, -1, 2, 3, -7, 10**9), (-1, 0, 1, 5, 60, 64)):
        yield Row(f"{x} to {n}", plain(x, n, 3), None)
    yield Row("3 to 10", plain(3, 10, 3))


def _shifts() -> Iterator[Row]:
    numbers = (0, 1, -1, 5, -7, 2**62, -(2**62), 2**63 - 1, True)
    for x, k in itertools.product(numbers, (-1, 0, 1, 3, 61, 62, 63, 64, 1000)):
        yield Row(f"{x!r} by {k}", plain(x, k, 2), None)
    yield Row("5 by 7", plain(5, 7, 2))
    yield Row("5 by -7", plain(5, -7, 2))


def _packed() -> Iterator[Row]:
    for width, count in itertools.product((0, 1, 8, 31, -1), (0, 1, 7, 8, 9)):
        native = True if count * max(width, 0) < 56 else None
        yield Row(
            f"{count} by {width}", _of([200] * count, width, dtype="uint8"), native
        )


def _halves() -> Iterator[Row]:
    for values in (
        [0.5, 1.5, -2.25],
        [1e18, 1.0, 3.0],
        [1e30, 1.0, 1.0],
        [np.nan, 1.0],
    ):
        native = True if values[0] == 0.5 else None
        yield Row(f"{values}", _of(values), native)


TABLES = (
    Table(power, tuple(_powers())),
    Table(
        by_position,
        tuple(Row(f"{x}", plain(x, 7)) for x in (0.5, -1.1, 0.0, 1e200, np.inf)),
    ),
    Table(
        in_a_row,
        tuple(
            Row(f"{x!r}, {e} of {n}", _of([0.0] * n, x, e), None)
            for x in (1.03, -1.01, 0.97, 2.0, -1.0, 0.0, -0.0, 1e9, np.inf, np.nan)
            for e in (0, 5, -60, 2**40)
            for n in (1, 8, 9, 130)
        ),
    ),
    Table(
        of_integers,
        tuple(
            Row(f"{x!r} and {dtype}", _with_integers(dtype, x))
            for x in (1.0123, 0.37, 1.0 / 3, -1.5)
            for dtype in ("int64", "int32", "uint8", "int8")
        ),
    ),
    Table(of_cells, tuple(_cells())),
    Table(rooted, tuple(_rooted())),
    Table(whole, tuple(_whole())),
    Table(left, tuple(_shifts())),
    Table(right, tuple(_shifts())),
    Table(
        reversed_bits,
        tuple(Row(f"{n}", _of(range(n), dtype="uint32")) for n in (0, 1, 5)),
    ),
    Table(packed, tuple(_packed())),
    Table(halves, tuple(_halves())),
)
