"""Operators on the elements of arrays: every dtype, every pair of edges."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from semantics.table import Row, Table
from semantics.values import EDGES, FLOATS, INTEGERS, cells, pairs


def arithmetic(a, b):
    for i in range(a.shape[0]):
        added = a[i] + b[i]
        less = a[i] - b[i]
        times = a[i] * b[i]
        over = a[i] / b[i]
        whole = a[i] // b[i]
        rest = a[i] % b[i]
        minus = -a[i]
        plus = +a[i]
        size = abs(a[i])
        triple = a[i] * b[i] - a[i]
    return added, less, times, over, whole, rest, minus, plus, size, triple


def complex_arithmetic(a, b):
    for i in range(a.shape[0]):
        added = a[i] + b[i]
        less = a[i] - b[i]
        times = a[i] * b[i]
        over = a[i] / b[i]
        minus = -a[i]
        plus = +a[i]
        size = abs(a[i])
        real = a[i].real
        imaginary = b[i].imag
        triple = a[i] * b[i] - a[i] / b[i] * 3.3
        raised = 0.1 * a[i] + (7 - b[i] * (0.7 + 1j))
        same = a[i] == b[i]
        other = a[i] != b[i]
    return (
        added,
        less,
        times,
        over,
        minus,
        plus,
        size,
        real,
        imaginary,
        triple,
        raised,
        same,
        other,
    )


def truths(a, b):
    for i in range(a.shape[0]):
        added = a[i] + b[i]
        times = a[i] * b[i]
        size = abs(a[i])
        kept = a[i] and b[i]
        other = a[i] or b[i]
        no = not a[i]
        least = min(a[i], b[i])
        most = max(a[i], b[i])
        low = np.minimum(a[i], b[i])
        high = np.maximum(a[i], b[i])
        count = a[i] + 1
        half = a[i] / 2
        picked = a[i] if b[i] else not a[i]
        both = a[i] & b[i]
        either = a[i] | b[i]
        one = a[i] ^ b[i]
        flipped = ~a[i]
    return (
        (added, times, size, kept, other, no, least, most, low, high, count, half),
        (picked, both, either, one, flipped),
    )


def whole_operators(a, b):
    for i in range(a.shape[0]):
        both = a[i] & b[i]
        either = a[i] | b[i]
        one = a[i] ^ b[i]
        flipped = ~a[i]
        mixed = ~(a[i] & b[i]) | (a[i] ^ b[i])
        up = a[i] << b[i]
        down = a[i] >> b[i]
        little = a[i] << 3
        half = a[i] >> 1
        none = a[i] << 0
        out = a[i] << 40
        gone = a[i] >> 40
        sign = a[i] >> 7
        square = a[i] ** 2
        cube = a[i] ** 3
        unit = a[i] ** 0
        same = a[i] ** 1
        fifth = pow(a[i], 5)
    return (
        (both, either, one, flipped, mixed, square, cube, unit, same, fifth),
        (up, down, little, half, none, out, gone, sign),
    )


def comparisons(a, b):
    for i in range(a.shape[0]):
        same = a[i] == b[i]
        other = a[i] != b[i]
        less = a[i] < b[i]
        most = a[i] <= b[i]
        more = a[i] > b[i]
        least = a[i] >= b[i]
        chained = a[i] < b[i] <= a[i]
        between = 0 <= a[i] < b[i] != 1
        no = not a[i] < b[i]
        both = a[i] < b[i] and b[i] > 0
        either = a[i] < 0 or b[i] == a[i]
        first = a[i] and b[i]
        second = a[i] or b[i]
        picked = a[i] if a[i] < b[i] else b[i]
        lower = min(a[i], b[i])
        upper = max(a[i], b[i])
        three = min(a[i], b[i], -a[i])
        third = max(-b[i], a[i], b[i])
        low = np.minimum(a[i], b[i])
        high = np.maximum(a[i], b[i])
        where = np.where(a[i] > b[i], a[i], b[i]) + a[i]
    return (
        (same, other, less, most, more, least, chained, between, no, both, either),
        (first, second, picked, lower, upper, three, third, low, high, where),
    )


def powers(a, b):
    for i in range(a.shape[0]):
        power = a[i] ** b[i]
        square = a[i] ** 2
        cube = a[i] ** 3
        root = a[i] ** 0.5
        inverse = a[i] ** -1
        one = a[i] ** 0
        fifth = pow(a[i], 5)
    return power, square, cube, root, inverse, one, fifth


def mixed(b, u, i, L, f, d):
    for k in range(b.shape[0]):
        bu = b[k] + u[k]
        bi = b[k] * i[k]
        bl = b[k] - L[k]
        bf = b[k] * f[k]
        bd = b[k] - d[k]
        ui = u[k] * i[k]
        ul = u[k] - L[k]
        uf = u[k] - f[k]
        ud = u[k] * d[k]
        il = i[k] + L[k]
        lf = L[k] - f[k]
        jf = i[k] * f[k]
        jd = i[k] - d[k]
        ld = L[k] * d[k]
        fd = f[k] + d[k]
        quotient = i[k] / u[k]
        whole = u[k] // i[k]
        rest = L[k] % u[k]
        masked = u[k] & i[k]
        joined = b[k] | L[k]
        smaller = u[k] < i[k]
        equal = L[k] == d[k]
        above = i[k] > f[k]
        lowest = np.minimum(u[k], L[k])
        highest = np.maximum(f[k], d[k])
    return (
        (bu, bi, bl, bf, bd, ui, ul, uf, ud, il, lf, jf, jd, ld, fd),
        (quotient, whole, rest, masked, joined, smaller, equal, above, lowest, highest),
    )


def complex_mixed(b, u, i, L, f, d, z):
    for k in range(b.shape[0]):
        zb = z[k] + b[k]
        zu = u[k] * z[k]
        zi = z[k] - i[k]
        zl = L[k] / z[k]
        zf = z[k] * f[k]
        zd = d[k] * z[k]
        dz = d[k] / z[k]
        fz = z[k] / f[k]
        less = d[k] - z[k]
        same = z[k] == d[k]
    return zb, zu, zi, zl, zf, zd, dz, fz, less, same


def _shift_rows() -> Iterator[Row]:
    for dtype in INTEGERS:
        info = np.iinfo(dtype)
        counts = [0, 1, info.bits - 1, info.bits, info.bits + 1]
        counts += [-1, -info.bits, info.min, info.max] if info.min else [255]
        kind = np.dtype(dtype).type
        others = dict.fromkeys([*map(kind, counts), *EDGES[dtype]])
        for one, two in itertools.product(EDGES[dtype], others):
            yield Row(f"{one!r} and {two!r}", cells(one, two))


def _mixed_rows(dtypes: tuple[str, ...]) -> Iterator[Row]:
    longest = max(len(EDGES[dtype]) for dtype in dtypes)
    for turn in range(3):
        for at in range(longest):
            values = [
                EDGES[dtype][(at + turn * number) % len(EDGES[dtype])]
                for number, dtype in enumerate(dtypes)
            ]
            yield Row(f"turn {turn}: {values!r}", cells(*values))


NUMBERS = (*FLOATS, *INTEGERS)
COMPARED = ("float64", "int64", "uint8")
COMPLEX = ("complex128", "complex64")
REAL = ("bool", "uint8", "int32", "int64", "float32", "float64")

TABLES = (
    Table(arithmetic, tuple(row for kind in NUMBERS for row in pairs(kind, kind))),
    Table(complex_arithmetic, tuple(r for k in COMPLEX for r in pairs(k, k))),
    Table(complex_arithmetic, tuple(pairs("complex64", "complex128"))),
    Table(truths, tuple(pairs("bool", "bool"))),
    Table(whole_operators, tuple(_shift_rows())),
    Table(comparisons, tuple(row for kind in COMPARED for row in pairs(kind, kind))),
    Table(powers, tuple(row for kind in FLOATS for row in pairs(kind, kind))),
    Table(mixed, tuple(_mixed_rows(REAL))),
    Table(complex_mixed, tuple(r for k in COMPLEX for r in _mixed_rows((*REAL, k)))),
)
