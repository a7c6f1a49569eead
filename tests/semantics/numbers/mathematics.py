"""What ``math`` has beyond the elementary functions, at the edges of their domains."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from semantics.table import Row, Table
from semantics.values import EDGES, cells, each, plain


def special(a, which):
    r = 0.0
    for i in range(a.shape[0]):
        if which == 0:
            r = math.erf(a[i])
        elif which == 1:
            r = math.erfc(a[i])
        elif which == 2:
            r = math.gamma(a[i])
        elif which == 3:
            r = math.lgamma(a[i])
        else:
            r = math.ulp(a[i])
    return r


def of_several(a, b, which):
    r = 0.0
    for i in range(a.shape[0]):
        if which == 0:
            r = math.hypot(a[i], b[i])
        elif which == 1:
            r = math.hypot(a[i], b[i], 0.25)
        elif which == 2:
            r = math.remainder(a[i], b[i])
        elif which == 3:
            r = math.nextafter(a[i], b[i])
        else:
            r = math.isclose(a[i], b[i])
    return r


def scaled(a, k):
    r = 0.0
    for i in range(a.shape[0]):
        r = math.ldexp(a[i], k)
    return r


def divisors(a, b, k):
    r = s = 0
    for i in range(a.shape[0]):
        r = math.gcd(a[i], b[i])
        s = math.gcd(int(a[i]) // 2, k)
    return r, s


def divisors_in_place(a):
    for i in range(1, a.shape[0]):
        a[i] = math.gcd(int(a[i]), int(a[i - 1]))


def roots(a, k):
    r = s = 0
    for i in range(a.shape[0]):
        s = math.isqrt(k)
        r = math.isqrt(a[i])
    return r, s


def sizes(x, y):
    r = 0.0
    for i in range(x.shape[0]):
        z = complex(x[i], y[i])
        r = abs(z)
    return r


def raised(a, b):
    """What it wrote stays where it raises."""
    for i in range(a.shape[0]):
        b[i] = math.lgamma(a[i])


NEAR = [0.3, -0.3, 5.5, -5.5, 26.0, 27.5, -171.3, 171.7, 172.0, -180.5, 1e17, -1e17]


def _special() -> Iterator[Row]:
    for which, value in itertools.product(range(5), (*EDGES["float64"], *NEAR)):
        value = np.float64(value)
        yield Row(f"{value!r}, case {which}", cells(value, after=(which,)))
    for which in range(5):
        yield from each("float32", which, only=list(map(np.float32, (0.7, -2.5))))
        yield from each("int32", which, only=list(map(np.int32, (3, 1))))


def _of_several() -> Iterator[Row]:
    near = [np.float64(1 + 1e-10), np.float64(1 + 1e-8), np.float64(7.7)]
    for which in range(5):
        for one, two in itertools.product((*EDGES["float64"], *near), repeat=2):
            if one == one or two == two:
                name = f"{one!r}, {two!r}, case {which}"
                yield Row(name, cells(one, two, after=(which,)))


def _scaled() -> Iterator[Row]:
    powers = (0, 1, -1, 52, 1023, 1024, 2000, -1074, -2100, 2**40, -(2**62), True)
    for value, power in itertools.product(EDGES["float64"], powers):
        native = None if power is True else True
        yield Row(f"{value!r} by {power}", cells(value, after=(power,)), native)


def _divisors() -> Iterator[Row]:
    for kind in ("int64", "int32", "uint8"):
        for one, two in itertools.product(EDGES[kind], repeat=2):
            yield Row(f"{kind} {one}, {two}", cells(one, two, after=(12,)), None)
    for k in (0, -18, 2**62):
        yield Row(f"of {k}", cells(np.int64(36), np.int64(-24), after=(k,)))


def _divided() -> Iterator[Row]:
    for values in ([12, 18, 27], [0, 0], [2**62, -(2**63)], [7]):
        yield Row(f"{values}", lambda memory, v=values: (memory.array(v, "int64"),))


def _roots() -> Iterator[Row]:
    whole = (0, 1, 2, 3, 4, 15, 16, 2**52 - 1, 2**60, 2**62, 2**63 - 1, -1)
    squares = [(3037000499 - k) ** 2 + d for k in (0, 1, 9) for d in (-1, 0, 1)]
    for one in (*whole, *squares):
        yield Row(f"{one}", cells(np.int64(one), after=(7,)))
        yield Row(f"of Python, {one}", cells(np.int64(9), after=(one,)), None)
    yield Row("of a float", plain(np.ones(1), 4), False)


def _sizes() -> Iterator[Row]:
    for one, two in itertools.product(EDGES["float64"], repeat=2):
        yield Row(f"{one!r}, {two!r}", cells(one, two))


def _raised() -> Iterator[Row]:
    for values in ([1.5, 2.5, 0.0, 1.0], [math.inf, -3.0], [1e306, 1.0]):
        yield Row(
            f"{values}",
            lambda memory, v=values: (
                memory.array(v, "float64"),
                memory.array([9.0] * len(v), "float64"),
            ),
        )


TABLES = (
    Table(special, tuple(_special())),
    Table(of_several, tuple(_of_several())),
    Table(scaled, tuple(_scaled())),
    Table(divisors, tuple(_divisors())),
    Table(divisors_in_place, tuple(_divided())),
    Table(roots, tuple(_roots())),
    Table(sizes, tuple(_sizes())),
    Table(raised, tuple(_raised())),
)
