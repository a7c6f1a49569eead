"""NumPy's functions in the place of operators: truth values, comparisons, bits, angles.

Each kernel computes some of one number, or of two; types decide which row is native.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from semantics.table import Row, Table
from semantics.values import EDGES, cells, each


def truths(a, b):
    for i in range(a.shape[0]):
        r0 = np.logical_and(a[i], b[i])
        r1 = np.logical_or(a[i], b[i])
        r2 = np.logical_xor(a[i], b[i])
        r3 = np.logical_not(a[i])
        r4 = np.logical_and(a[i], 2.5)
        r5 = np.logical_or(i, False)
    return r0, r1, r2, r3, r4, r5


def compared(a, b):
    for i in range(a.shape[0]):
        r0 = np.less(a[i], b[i])
        r1 = np.less_equal(a[i], b[i])
        r2 = np.equal(a[i], b[i])
        r3 = np.not_equal(a[i], 1)
        r4 = np.greater(2, b[i])
        r5 = np.greater_equal(a[i], i)
    return r0, r1, r2, r3, r4, r5


def bits(a, b):
    for i in range(a.shape[0]):
        r0 = np.bitwise_and(a[i], b[i])
        r1 = np.bitwise_or(a[i], b[i])
        r2 = np.bitwise_xor(a[i], b[i])
        r3 = np.invert(a[i])
        r4 = np.bitwise_not(b[i])
    return r0, r1, r2, r3, r4


def shifts(a, b):
    for i in range(a.shape[0]):
        r0 = np.left_shift(a[i], b[i])
        r1 = np.right_shift(a[i], b[i])
    return r0, r1


def signs(a):
    for i in range(a.shape[0]):
        r0 = np.negative(a[i])
        r1 = np.positive(a[i])
    return r0, r1


def angles(a):
    for i in range(a.shape[0]):
        r0 = np.radians(a[i])
        r1 = np.deg2rad(a[i])
        r2 = np.degrees(a[i])
        r3 = np.rad2deg(a[i])
    return r0, r1, r2, r3


def floats(a, b):
    for i in range(a.shape[0]):
        r0 = np.nextafter(a[i], b[i])
        r1 = np.heaviside(a[i], b[i])
        r2 = np.logaddexp2(a[i], b[i])
    return r0, r1, r2


def picked(a, b):
    for i in range(a.shape[0]):
        r0 = np.fmin(a[i], b[i])
        r1 = np.fmax(a[i], b[i])
    return r0, r1


def clipped(a, b):
    for i in range(a.shape[0]):
        r0 = np.clip(a[i], b[i], 1)
        r1 = np.clip(a[i], 0, b[i])
        r2 = np.clip(a[i], 1, 0)
    return r0, r1, r2


def reciprocals(a):
    for i in range(a.shape[0]):
        r0 = np.reciprocal(a[i])
    return r0


def near(a, b):
    for i in range(a.shape[0]):
        r0 = np.isclose(a[i], b[i])
        r1 = np.isclose(a[i], 1)
        r2 = np.isclose(0.5, b[i])
    return r0, r1, r2


def parts(a):
    for i in range(a.shape[0]):
        q, r = divmod(a[i], 7)
        s = divmod(a[i], 3)[1]
        h, m = divmod(i + 130, 60)
    return q, r, s, h, m


_WHOLE = "bool", "int64", "int32", "uint8"
_SOME = (*_WHOLE, "float64", "float32")


def _two(*kinds: tuple[str, str], native: bool = True) -> Iterator[Row]:
    for left, right in kinds:
        for one, two in itertools.product(EDGES[left], EDGES[right]):
            if one == one or two == two:
                name = f"{left} {one!r}, {right} {two!r}"
                yield Row(name, cells(one, two), native)


def _alike(*kinds: str, native: bool = True) -> Iterator[Row]:
    return _two(*((kind, kind) for kind in kinds), native=native)


def _close() -> Iterator[Row]:
    """What is as far from another number as is just near, and what is not."""
    far = 1e-8 + 1e-5
    for value in (1 + far, 1 - far, np.nextafter(1 + far, 2), 1 + 2e-5, 0.5 + 5e-6):
        yield Row(repr(value), cells(np.float64(value), np.float64(1)))
    yield from _two(("float64", "float64"), ("int64", "float64"), ("uint8", "bool"))
    yield from _two(("float32", "float64"), native=False)


TABLES = (
    Table(truths, (*_alike(*_SOME), *_two(("int64", "float32"), ("uint8", "bool")))),
    Table(compared, tuple(_alike("int64", "int32", "uint8", "float64", "float32"))),
    Table(bits, (*_alike(*_WHOLE), *_two(("uint8", "int32")))),
    Table(bits, tuple(_alike("float64", native=False))),
    Table(shifts, tuple(_alike("int64", "int32", "uint8"))),
    Table(signs, tuple(row for kind in _SOME[1:] for row in each(kind))),
    Table(signs, tuple(each("bool", native=False))),
    Table(angles, tuple(row for kind in _SOME for row in each(kind))),
    Table(floats, tuple(_alike("float64", "float32"))),
    Table(picked, tuple(_alike("int64", "int32", "uint8"))),
    Table(picked, tuple(_alike("float64", "float32", native=False))),
    Table(clipped, tuple(_alike("int64", "float64", "float32"))),
    Table(clipped, tuple(_alike("int32", "uint8", native=False))),
    Table(reciprocals, (*each("float64"), *each("float32"))),
    Table(reciprocals, tuple(each("int64", native=False))),
    Table(near, tuple(_close())),
    Table(parts, tuple(row for kind in _SOME for row in each(kind))),
)
