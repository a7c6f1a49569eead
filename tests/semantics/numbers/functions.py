"""Functions: Python's, those of ``math``, NumPy's, at the edges of their domains."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from semantics.table import Row, Table
from semantics.values import EDGES, FLOATS, cells, each


def roots_and_logarithms(a, which):
    r = 0.0
    for i in range(a.shape[0]):
        if which == 0:
            r = math.sqrt(a[i])
        elif which == 1:
            r = math.log(a[i])
        elif which == 2:
            r = math.log2(a[i])
        elif which == 3:
            r = math.log10(a[i])
        elif which == 4:
            r = math.log1p(a[i])
        elif which == 5:
            r = math.exp(a[i])
        elif which == 6:
            r = math.expm1(a[i])
        elif which == 7:
            r = math.fabs(a[i])
        elif which == 8:
            r = math.radians(a[i])
        elif which == 9:
            r = math.degrees(a[i])
        else:
            r = math.log(a[i], 3)
    return r


def circles(a, which):
    r = 0.0
    for i in range(a.shape[0]):
        if which == 0:
            r = math.sin(a[i])
        elif which == 1:
            r = math.cos(a[i])
        elif which == 2:
            r = math.tan(a[i])
        elif which == 3:
            r = math.asin(a[i])
        elif which == 4:
            r = math.acos(a[i])
        elif which == 5:
            r = math.atan(a[i])
        elif which == 6:
            r = math.sinh(a[i])
        elif which == 7:
            r = math.cosh(a[i])
        elif which == 8:
            r = math.tanh(a[i])
        elif which == 9:
            r = math.asinh(a[i])
        elif which == 10:
            r = math.acosh(a[i])
        else:
            r = math.atanh(a[i])
    return r


def of_two(a, b, which):
    r = 0.0
    for i in range(a.shape[0]):
        if which == 0:
            r = math.pow(a[i], b[i])
        elif which == 1:
            r = math.atan2(a[i], b[i])
        elif which == 2:
            r = math.copysign(a[i], b[i])
        elif which == 3:
            r = math.fmod(a[i], b[i])
        else:
            r = math.log(a[i], b[i])
    return r


def smooth(a):
    for i in range(a.shape[0]):
        p0 = np.exp(a[i])
        p1 = np.log(a[i])
        p2 = np.sin(a[i])
        p3 = np.cos(a[i])
        p4 = np.tanh(a[i])
        p5 = np.expm1(a[i])
        p6 = np.log1p(a[i])
        p7 = np.arctan(a[i])
        p8 = np.sqrt(a[i])
        p9 = np.cbrt(a[i])
        q0 = np.exp2(a[i])
        q1 = np.log2(a[i])
        q2 = np.log10(a[i])
        q3 = np.tan(a[i])
        q4 = np.arcsin(a[i])
        q5 = np.arccos(a[i])
        q6 = np.sinh(a[i])
        q7 = np.cosh(a[i])
        q8 = np.arcsinh(a[i])
        q9 = np.arccosh(a[i])
        q10 = np.arctanh(a[i])
    return (
        (p0, p1, p2, p3, p4, p5, p6, p7, p8, p9),
        (q0, q1, q2, q3, q4, q5, q6, q7, q8, q9, q10),
    )


def numpy_operators(a, b):
    for i in range(a.shape[0]):
        r0 = np.add(a[i], b[i]) + np.subtract(a[i], 2)
        r1 = np.multiply(a[i], b[i])
        r2 = np.divide(a[i], b[i])
        r3 = np.floor_divide(a[i], b[i])
        r4 = np.mod(a[i], b[i])
        r5 = np.remainder(i, -3) + np.mod(i, 2)
        r6 = np.divide(1, i) + np.add(i, True)
    return r0, r1, r2, r3, r4, r5, r6


def numpy_of_two(a, b):
    for i in range(a.shape[0]):
        r0 = np.arctan2(a[i], b[i])
        r1 = np.hypot(a[i], b[i])
        r2 = np.fmod(a[i], b[i])
        r3 = np.copysign(a[i], b[i])
        r4 = np.logaddexp(a[i], b[i])
        r5 = np.minimum(a[i], 1)
        r6 = np.maximum(b[i], 0.5)
        r7 = min(a[i], 1.0)
        r8 = max(0.0, b[i])
        r9 = np.where(a[i] > 0, b[i], 0.0) + b[i]
    return r0, r1, r2, r3, r4, r5, r6, r7, r8, r9


def sizes(z):
    for i in range(z.shape[0]):
        numpys = np.abs(z[i])
        same = np.absolute(z[i])
        pythons = abs(z[i])
    return numpys, same, pythons


def size_of_either(z):
    size = 1
    for i in range(z.shape[0]):
        size = abs(z[i] if z[i] != 0 else 1)
    return size


def ufunc_of_either(z):
    size = 1
    for i in range(z.shape[0]):
        size = np.abs(z[i] if z[i] != 0 else 1)
    return size


def _sizes(kind: str) -> Iterator[Row]:
    """NumPy rounds the size of a complex number in a way of its own, here and there."""
    yield from each(kind)
    for number in range(200):
        value = complex(math.sin(number), math.exp(number / 7) / 3)
        one = np.dtype(kind).type(value)
        yield Row(repr(one), cells(one))


def _cases(count: int, kind: str) -> Iterator[Row]:
    for which in range(count):
        for value in EDGES[kind]:
            name = f"{kind} {value!r}, case {which}"
            yield Row(name, cells(value, after=(which,)))


def _two_cases() -> Iterator[Row]:
    for which in range(5):
        for one, two in itertools.product(EDGES["float64"], repeat=2):
            if one == one or two == two:
                name = f"{one!r}, {two!r}, case {which}"
                yield Row(name, cells(one, two, after=(which,)))


def _numpy_two() -> Iterator[Row]:
    for kind in FLOATS:
        for one, two in itertools.product(EDGES[kind], repeat=2):
            if one == one or two == two:
                yield Row(f"{kind} {one!r}, {two!r}", cells(one, two))


TABLES = (
    Table(roots_and_logarithms, tuple(_cases(11, "float32"))),
    Table(circles, tuple(_cases(12, "float64"))),
    Table(of_two, tuple(_two_cases())),
    Table(smooth, tuple(row for kind in FLOATS for row in each(kind))),
    Table(numpy_of_two, tuple(_numpy_two())),
    Table(numpy_operators, tuple(_numpy_two())),
    Table(sizes, (*_sizes("complex128"), *_sizes("complex64"))),
    Table(size_of_either, (*each("complex128"), *each("complex64"))),
    Table(ufunc_of_either, tuple(each("complex128"))),
)
