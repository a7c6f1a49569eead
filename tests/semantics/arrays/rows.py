"""Rows of arrays that have names: looked up, read, written and gone through."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def read(x, y, n):
    h, m = x.shape
    t = y[0]
    for i in range(h):
        v = x[i]
        for j in range(m):
            t = t / 2 + v[j] * v[m - 1 - j]
    return t


def written(x, y, n):
    for i in range(len(x)):
        v = x[i]
        for j in range(1, len(v)):
            v[j] += v[j - 1]
            v[0] = x[i, j]


def neighbours(x, y, n):
    h, m = x.shape
    for i in range(1, h):
        above = x[i - 1]
        below = x[-i]
        here = x[i]
        for j in range(m):
            here[j] = below[-1 - j] / 2 + above[j] - here[0]


def counted(x, y, n):
    for i in range(n):
        v = x[i]
        for j in range(v.shape[0]):
            y[j] += v[j]


def nothing(x, y, n):
    for i in range(n):
        v = x[i]
        y[0] += 1
        for j in range(n - 7):
            y[0] = y[0] * v[j]


def gone_through(x, y, n):
    t = y[0]
    for r in x:
        for v in r:
            t = t / 2 + v
    return t


def numbered(x, y, n):
    assert x.ndim > 0
    for i, r in enumerate(x):
        for j, v in enumerate(r):
            y[j] = y[j] / 2 + v * i
            r[j] = i


def side_by_side(x, y, n):
    t = x.shape[0] * y[0]
    for r, s in zip(x, x):  # noqa: B905
        for a, b in zip(r, s):  # noqa: B905
            t = t / 2 + a * b
    return t


def under(x, y, n):
    for i in range(len(x)):
        if y[i] > 1:
            v = x[i]
            for j in range(len(v)):
                if v[j] > 0:
                    v[j] = -v[j]
                    continue
                y[j] += v[j]


def under_nothing(x, y, n):
    t = x.shape[1]
    for i in range(n):
        if y[i] > 1:
            v = x[i]
            for j in range(n - 5):
                t += v[j]
    return t


def before_changes(x, y, n):
    i, t = 0, y[0]
    while i < n:
        v = x[i]
        for j in range(len(x)):
            t = t / 2 + v[j]
        i += 1
    k = 0
    for _ in range(n):
        w = x[k]
        t = t * w[0]
        k += 1  # noqa: SIM113
    return t


def twice(x, y, n):
    for i in range(len(x)):
        v = x[i]
        for j in range(len(v)):
            v[j] = v[j] * 2
    for i in range(len(x)):
        v = x[i]
        y[i] = y[i] - v[0]


def blocks(x, y, n):
    t = y[0]
    for p in x:
        for q in p:
            for v in q:
                t = t / 2 + v
    for i in range(len(x)):
        p = x[i]
        for j in range(len(p)):
            q = p[j]
            q[0] = t
            for k in range(len(q)):
                y[k] += q[k]
    return t


def apart(r, s):
    t = 0.0
    for j in range(len(r)):
        t += (r[j] - s[j]) * r[j]
    return t


def scaled(r, by):
    r[0] = r[0] * by


def doubled(v):
    return v * 2


def given(x, y, n):
    assert x.ndim > 0
    best, where = 0.5, -1
    for i, r in enumerate(x):
        d = apart(r, y)
        if d > best:
            best, where = d, i
    return best, where


def given_and_changed(x, y, n):
    t = x.shape[0] * y[0]
    for r, s in zip(x, x):  # noqa: B905
        scaled(r, n)
        t = t / 2 + apart(r, s) + r[0]
    return t


def given_numbers(x, y, n):
    """What is given to a function is a number, whose cell changes before."""
    assert x.ndim > 0
    for i in range(len(x)):
        v = x[i]
        x[i] = n
        y[i] = doubled(v)


def given_numbers_behind(x, y, n):
    assert x.ndim > 0
    for i, v in enumerate(x):
        scaled(x, n)
        y[i] = doubled(v)


def numbers_and_rows(x, y, n):
    t = x.shape[0] * y[0]
    for i, v in enumerate(y):
        t = t / 2 + v * i
    for v in x:
        for w in v:
            t = t / 2 + w
    for i in range(len(x)):
        v = y[i]
        y[i] = n
        x[i, 0] = v
    return t


def row_after_its_loop(x, y, n):
    t, v = x.shape[0] * y[0], y
    for i in range(len(x)):
        for j in range(len(v)):
            t = t / 2 + v[j]
        v = x[i]
    return t, v[0]


Maker = Callable[[Memory], Any]


def _filled(*shape: int) -> np.ndarray:
    return (np.arange(np.prod(shape)).reshape(shape) % 11 - 3.5) / 3


TWO: dict[str, Maker] = {
    "x".join(map(str, shape)): partial(Memory.array, values=_filled(*shape))
    for shape in ((0, 0), (0, 3), (3, 0), (1, 1), (1, 7), (7, 1), (7, 7), (7, 5))
}
KINDS: dict[str, Maker] = {
    kind: partial(Memory.array, values=np.arange(49).reshape(7, 7) % 5, dtype=kind)
    for kind in ("float32", "complex128")
}
LAYOUTS: dict[str, Maker] = {
    "every second": lambda memory: memory.array(_filled(14, 14))[::2, ::2],
    "backwards": lambda memory: memory.array(_filled(7, 7))[::-1, ::-1],
}
OTHERS: dict[str, Maker] = {
    "one axis": lambda memory: memory.array(_filled(7)),
    "no axis": lambda memory: memory.array(np.float64(2.5)),
    "three axes": lambda memory: memory.array(_filled(7, 7, 7)),
    "lists": lambda _: [[float(i * j % 5) for j in range(7)] for i in range(7)],
    "ragged": lambda _: [[1.0, 2.0], [3.0], [], [4.0, 5.0, 6.0]],
    "rows": lambda memory: [memory.array(_filled(7)) for _ in range(7)],
    "objects": lambda _: _filled(7, 7).astype(object),
    "matrix": lambda _: np.asmatrix(_filled(7, 7)),
    "masked": lambda _: np.ma.masked_greater(_filled(7, 7), 1),
    "keys": lambda _: {i: [1.0] * 7 for i in range(7)},
    "text": lambda _: ["1234567"] * 7,
    "nobody": lambda _: None,
}
THREE: dict[str, Maker] = {
    "x".join(map(str, shape)): partial(Memory.array, values=_filled(*shape))
    for shape in ((0, 0, 0), (1, 1, 1), (2, 0, 3), (2, 3, 0), (7, 2, 5))
}


def _given(make: Maker, n: int, memory: Memory) -> tuple[Any, ...]:
    return make(memory), memory.array(np.arange(13.0)), n


SIZES = (0, 1, 7, 9)


def _rows(*groups: dict[str, Maker], sizes: tuple[int, ...] = SIZES) -> Iterator[Row]:
    for group in groups:
        for name, make in group.items():
            for n in sizes:
                sure = group is LAYOUTS and n < 9
                other = group is OTHERS and name != "lists"
                native = False if other else True if sure else None
                yield Row(f"{name} {n}", partial(_given, make, n), native)


def _free(rows: Iterator[Row]) -> Iterator[Row]:
    return (Row(row.name, row.make, None) for row in rows)


TABLES = (
    *(Table(f, tuple(_rows(TWO, KINDS, LAYOUTS, OTHERS))) for f in (written,)),
    *(
        Table(function, tuple(_rows(TWO, OTHERS)))
        for function in (gone_through, under, twice)
    ),
    *(
        Table(function, tuple(_free(_rows(TWO, OTHERS))))
        # The first two look at its shape before, where most others raise.
        for function in (
            read,
            numbered,
            neighbours,
            counted,
            nothing,
            side_by_side,
            under_nothing,
            before_changes,
        )
    ),
    *(
        Table(function, tuple(_free(_rows(TWO, OTHERS, sizes=(7,)))))
        for function in (
            numbers_and_rows,
            row_after_its_loop,
            given,
            given_and_changed,
            given_numbers,
            given_numbers_behind,
        )
    ),
    Table(blocks, tuple(_rows(THREE))),
)
