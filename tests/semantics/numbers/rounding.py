"""Floats made whole, numbers made others: rounding and conversions."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from semantics.table import Row, Table
from semantics.values import EDGES, FLOATS, INTEGERS, PYTHON, cells, each, plain


def whole_numbers(a, which):
    r = 0
    s = False
    for i in range(a.shape[0]):
        if which == 0:
            r = math.floor(a[i])
        elif which == 1:
            r = math.ceil(a[i])
        elif which == 2:
            r = round(a[i])
        elif which == 3:
            r = int(a[i])
        elif which == 4:
            s = math.isnan(a[i])
        elif which == 5:
            s = math.isinf(a[i])
        elif which == 6:
            s = math.isfinite(a[i])
        else:
            s = bool(a[i])
    return r, s


def cut(a):
    for i in range(a.shape[0]):
        r = math.trunc(a[i])
    return r


def python_whole(x, which):
    r = 0
    y = 0.0
    for i in range(1):
        if which == 0:
            r = math.floor(x)
        elif which == 1:
            r = math.ceil(x)
        elif which == 2:
            r = math.trunc(x)
        elif which == 3:
            r = round(x)
        elif which == 4:
            r = int(x)
        elif which == 5:
            y = math.sqrt(x)
        elif which == 6:
            y = math.log(x)
        elif which == 7:
            y = float(x)
        else:
            y = abs(x)
    return r, y


def digits(a):
    for i in range(a.shape[0]):
        r = round(a[i], 1)
        s = round(a[i] * 1.005, 2)
        t = round(a[i], 0)
        u = np.round(a[i], 7)
    return r, s, t, u


def python_digits(x):
    r = s = t = u = 0.0
    for i in range(3):
        r = round(x, 2)
        s = round(x * 0.125 + i, 2) + round(x, 15)
        t = round(x, 0)
        u = np.round(x, 3)
    return r, s, t, u


def conversions(a):
    for i in range(a.shape[0]):
        f = float(a[i])
        z = complex(a[i])
        b = bool(a[i])
        d = np.float64(a[i])
        s = np.float32(a[i])
        c = np.complex128(a[i])
        t = np.bool_(a[i])
        m = abs(a[i])
    return f, z, b, d, s, c, t, m


def whole_conversions(a):
    for i in range(a.shape[0]):
        p = int(a[i])
        q = np.int64(a[i])
        r = np.int32(a[i])
        s = np.uint8(a[i])
    return p, q, r, s


def quotients(a):
    q = r = s = t = 0.0
    for i in range(a.shape[0]):
        n = int(a[i])
        q = n / 3
        r = 9007199254740993 / 7
        s = (n & 0xFFFF) / 9007199254740993
        t = (n >> 1) / -5
    return q, r, s, t


def stepped(a):
    for i in range(a.shape[0]):
        r0 = np.floor(a[i])
        r1 = np.ceil(a[i])
        r2 = np.trunc(a[i])
        r3 = np.rint(a[i])
        r4 = np.abs(a[i])
        r5 = np.fabs(a[i])
        r6 = np.square(a[i])
        r7 = np.isnan(a[i])
        r8 = np.isinf(a[i])
        r9 = np.isfinite(a[i])
        s = np.sign(a[i])
        t = np.sign(-a[i]) * 2
    return r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, s, t


def nearest(a, which):
    """Halves go to even numbers; what has no digits behind the point is left."""
    r = s = 0
    for i in range(a.shape[0]):
        if which == 0:
            r = np.round(a[i])
        elif which == 1:
            r = np.around(a[i] * 0.5)
            s += np.round(0.5 * i) + np.round(i)
        elif which == 2:
            r = np.round(a[i] > 0)
        elif which == 3:
            r = np.round(a[i], 1)
        else:
            a[i] = np.round(a[i]) + int(np.round(s))
    return r, s


HALVES = [0.5, -0.5, 1.5, 2.5, -2.5, 3.5, 0.49999999999999994, 4503599627370497.5]
HALVES += [1e10, -1e18, 2.0**63, -(2.0**63), 9.2e18, 255.9, -0.9, 256.0, 2147483648.5]


def _cases(count: int, *kinds: str) -> Iterator[Row]:
    for which in range(count):
        for kind in kinds:
            values = map(np.dtype(kind).type, HALVES) if kind in FLOATS else ()
            for value in [*EDGES[kind], *values]:
                name = f"{kind} {value!r}, case {which}"
                yield Row(name, cells(value, after=(which,)), None)


def _python_cases() -> Iterator[Row]:
    for which in range(9):
        for value in [*PYTHON["int"], *PYTHON["float"], *HALVES]:
            name = f"{type(value).__name__} {value!r}, case {which}"
            yield Row(name, plain(value, which), None)


def _numbers() -> Iterator[Row]:
    decimals = [k / 200 for k in range(-9, 12)] + [2.675, 1.005, 1e15 + 0.375, 5e-324]
    for value in [*PYTHON["int"], *PYTHON["float"], *HALVES, *decimals]:
        native = isinstance(value, float) or None
        yield Row(f"{value!r}", plain(value), native)


def _halves() -> Iterator[Row]:
    for kind in FLOATS:
        values = [np.dtype(kind).type(value) for value in HALVES]
        yield from each(kind, only=values, native=None)


def _every(*kinds: str, native: bool | None = True) -> Iterator[Row]:
    for kind in kinds:
        yield from each(kind, native=native)


WIDE = [2**53 + 1, 2**53 + 3, -(2**55) - 1, 2**60 + 7, 2**63 - 1, -(2**63), 5]


TABLES = (
    Table(whole_numbers, tuple(_cases(8, *FLOATS, "bool", "int64"))),
    Table(cut, tuple(_every(*FLOATS, *INTEGERS, native=None))),
    Table(python_whole, tuple(_python_cases())),
    Table(
        digits, (*_every(*FLOATS, *INTEGERS), *_halves(), *_every("bool", native=False))
    ),
    Table(python_digits, tuple(_numbers())),
    Table(conversions, tuple(_every("float32", "int64", "bool"))),
    Table(
        whole_conversions,
        (*_every("float64", "int64", "bool", native=None), *_halves()),
    ),
    Table(quotients, tuple(each("int64", only=[*map(np.int64, WIDE)], native=True))),
    Table(stepped, (*_every(*FLOATS, *INTEGERS), *_halves())),
    Table(nearest, tuple(_cases(5, *FLOATS, *INTEGERS, "bool", "complex128"))),
)
