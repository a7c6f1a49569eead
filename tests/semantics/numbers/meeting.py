"""Names that hold numbers of several types: which they hold decides what happens."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from kit.samples import TIMES

from semantics.table import Row, Table
from semantics.values import EDGES, cells


def divided(a, b, w):
    for k in range(a.shape[0]):
        x, y = 0.0, 3
        if w & 1:
            x = a[k]
        if w & 2:
            y = b[k]
        if w >> 2 == 0:
            z = x / y
        elif w >> 2 == 1:
            z = x // y
        elif w >> 2 == 2:
            z = x % y
        elif w >> 2 == 3:
            z = y / x
        elif w >> 2 == 4:
            z = y // x
        else:
            z = y % x
    return x, y, z


def truths(a, b, w):
    """``and`` and ``or`` give one of their operands, which are of two types."""
    some = every = none = w * 0.5
    either = 0
    for k in range(a.shape[0]):
        one, two = a[k] != 0, b[k] > 1
        some += one and (not two)
        every -= (not one) or two or w > 2
        none += not one and (two and not one)
        either += (k > 0 or one) and (not two or two)  # noqa: SIM221
    return some, every, none, either


def combined(a, b, w):
    for k in range(a.shape[0]):
        x, y = 2, 1
        if w & 1:
            x = a[k]
        if w & 2:
            y = b[k]
        added = x + y
        less = x - y
        times = x * y
        minus = -x
        size = abs(y)
        below = x < y
        same = x == 2
        far = x >= 2.5
        least = min(x, y, 1)
        most = max(1, x, y)
        low = np.minimum(x, y)
        root = np.sqrt(abs(x))
        made = float(x)
        picked = x if below else y
    return (
        (added, less, times, minus, size, below, same, far, least),
        (most, low, root, made, picked, x, y),
    )


def raised(a, w):
    for k in range(a.shape[0]):
        x = 0.0
        if w:
            x = a[k]
        square = x**2
        root = x**0.5
        again = root**0.5
    return x, square, root, again


def stored(a, u, i, f, d, w):
    for k in range(a.shape[0]):
        x = 7
        if w & 1:
            x = a[k]
        f[k] = x
        d[k] = x
        if w & 2:
            u[k] = x
        if w & 4:
            i[k] = x
    return x


def exchanged(a, w):
    before, now = 0, 1.0
    for k in range(a.shape[0]):
        if w & 1:
            before, now = now, before
        if w & 2:
            now = a[k]
        before, now = now, before + 1
        last = 1 / before if w & 4 else before
    return before, now, last


def given(a, p, w):
    for k in range(a.shape[0]):
        if w & 1:
            p = a[k]
        q = p
        if w & 2:
            p = 1
        z = 5 // q
    return p, q, z


def beyond(f, x, y):
    """Numbers that one of the types has not decide what the other leaves open."""
    for i in range(f.shape[0]):
        m = f[i]
        if y[i] > 0:
            m = x[i]
        if m > 300:
            y[i] = 1
        elif m < -300:
            y[i] = 2
        y[i] += 4 if not m <= 70000 else 8
        b = x[i] if f[i] else f[i]
        if b == 1000 or b != -500:
            y[i] += 16
        while m > 5000:
            m = x[0] * 0
    return m


_DTYPES = ("uint8", "int32", "int64", "float32", "float64")


def largest(a, s):
    for k in range(a.shape[0]):
        if a[k] > s:
            s = a[k]
    return s


def last(a, s):
    for k in range(a.shape[0]):
        if a[k] > 2:
            s = a[k]
    return s, s == a[0], a[0] < s


def following(a, s):
    for k in range(a.shape[0]):
        if abs(a[k]) > 2:
            s = a[k]
    return s


def in_turn(x, y):
    """Which of several may raise first is Python's choice, whatever the least is."""
    least = most = 0
    for i in range(len(x)):
        least = min(int(x[i]) % 4 * 5, 4.5 % float(y[i]))
        most = max(7 // int(y[i] + 3), float(x[i]) // y[i], least)
    return least, most


def _pairs(count: int, step: int, turn: int) -> Iterator[tuple[str, list[Any]]]:
    """Two numbers, and what is done: two types in one order for one ``turn``."""
    for (x, one), (y, two) in itertools.product(enumerate(_DTYPES), repeat=2):
        if TIMES <= 1 and x != y and (x + y + (x < y)) % 2 == turn:
            continue
        for at in range(0, 12, step):
            values = [EDGES[one][at % len(EDGES[one])]]
            values.append(EDGES[two][(at * 5 + 1) % len(EDGES[two])])
            if any(value != value for value in values):
                continue
            for which in range(count):
                yield f"{values!r}, case {which}", [*values, which]


def _divided_rows() -> Iterator[Row]:
    for name, (one, two, which) in _pairs(24, 5, 0):
        yield Row(name, cells(one, two, after=(which,)), None)


def _combined_rows() -> Iterator[Row]:
    for name, (one, two, which) in _pairs(4, 3, 1):
        yield Row(name, cells(one, two, after=(which,)), None)


def _each(*after: int, native: bool | None = True) -> Iterator[Row]:
    for dtype in _DTYPES:
        for value in EDGES[dtype]:
            for which in after:
                name = f"{dtype} {value!r}, case {which}"
                yield Row(name, cells(value, after=(which,)), native)


def _stored_rows() -> Iterator[Row]:
    kept = [EDGES[dtype][1] for dtype in ("uint8", "int32", "float32", "float64")]
    for dtype in _DTYPES:
        for value in EDGES[dtype]:
            for which in range(8):
                if dtype.startswith("float") and which & 6 and not abs(value) < 200:
                    continue  # C leaves open what integers these become.
                name = f"{dtype} {value!r}, case {which}"
                yield Row(name, cells(value, *kept, after=(which,)), None)


def _beyond_rows() -> Iterator[Row]:
    for one, two in itertools.product(
        ("bool", "uint8", "int16"), ("float32", "float64")
    ):
        for f, x in itertools.product((0, 1, 5), (0.5, 1000.0, -500.0, 1e6, -1e6)):
            for way in (0, 1):
                values = (np.array(f).astype(one)[()], np.array(x).astype(two)[()])
                yield Row(f"{values!r}, case {way}", cells(*values, float(way)))


def _given_rows() -> Iterator[Row]:
    for dtype in _DTYPES:
        for value in EDGES[dtype][:4]:
            for number in (0, 2, 0.0, -1.5, np.float64(0.0), np.float64(4.0)):
                for which in range(4):
                    name = f"{dtype} {value!r}, {number!r}, case {which}"
                    yield Row(name, cells(value, after=(number, which)), None)


def _held_rows(*kinds: str) -> Iterator[Row]:
    """Integers of Python in a variable of elements, which C has another type for."""
    ends = [
        0,
        5,
        (1 << 53) + 1,
        (1 << 63) - 1,
        1 << 63,
        (1 << 64) - 1,
        1 << 64,
        1 << 100,
    ]
    for kind, s in itertools.product(
        kinds, [*ends, -5, -(1 << 63), -(1 << 63) - 1, True]
    ):
        for a in ([], [1], [1, 3], [1 << 63, 3, (1 << 64) - 1]):
            if kind == "uint64" or max(a, default=0) < 4:
                values = np.array(a, "uint64").astype(kind)
                yield Row(
                    f"{kind} {a} {s}", lambda m, v=values, s=s: (m.array(v), s), None
                )


def _in_turn_rows() -> Iterator[Row]:
    for x in ([1.0, np.inf], [np.inf, 1.0], [1.0, 2.0], [np.nan, 0.0]):
        for y in ([1.0, 0.0], [0.0, 1.0], [2.0, 1.0], [-3.0, np.inf]):
            yield Row(f"{x}, {y}", lambda m, x=x, y=y: (m.array(x), m.array(y)), None)


TABLES = (
    Table(in_turn, tuple(_in_turn_rows())),
    Table(divided, tuple(_divided_rows())),
    Table(combined, tuple(_combined_rows())),
    Table(truths, tuple(_each(0, 1, 3, native=None))),
    Table(raised, tuple(_each(0, 1, native=None))),
    Table(stored, tuple(_stored_rows())),
    Table(exchanged, tuple(_each(*range(8), native=None))),
    Table(beyond, tuple(_beyond_rows())),
    Table(given, tuple(_given_rows())),
    Table(largest, tuple(_held_rows("uint64", "float64", "float32"))),
    Table(last, tuple(_held_rows("uint64", "float64", "int64"))),
    Table(following, tuple(_held_rows("complex128", "complex64"))),
)
