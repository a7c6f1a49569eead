"""Tuples with names, rows that are taken apart, and rows that are put together."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def largest(x, y):
    best = -1.0
    at = (-1, -1)
    for i in range(len(x)):
        for j in range(i, len(x)):
            if x[i] * x[j] > best:
                best = x[i] * x[j]
                at = (i, j)
    return best, at


def located(x, y):
    best, at, last = -1.0, (-1, -1), (0, 0.5)
    for i in range(len(x)):
        for j in range(i, len(x)):
            if x[i] * x[j] > best:
                best, at = x[i] * x[j], (j, at[0])
        last, y[i] = (i, y[i]), last[1]
    return best, at, last[0]


def turned(x, y):
    pair = (0, 1)
    for i in range(len(x)):
        pair = pair[1], pair[0] + i
        y[pair[-1] % 3] += pair[0]
    a, b = pair
    return pair, a, b, len(pair), pair[0] + pair[-1]


def mixed(x, y):
    best = (0, 0.5)
    for i in range(len(x)):
        if x[i] > best[1]:
            best = (i, x[i])
    return best


def one_part_left(x, y):
    span = (3, 0)
    for i in range(len(x)):
        if x[i] > 2:
            span = (i, i + 2)
    return span[1]


def only_inside(x, y):
    for i in range(len(x)):
        ends = (i, i + 1)
        low, high = ends
        y[low] += high
    return y[0]


def perhaps(x, y):
    for i in range(len(x)):
        if x[i] > 2:
            last = (i, x[i])
    return last


def of_others(x, y):
    keep = (x, y)
    for i in range(len(x)):
        keep = (y, x)
    for i in range(len(x)):
        y[i] += 1
    return keep


def not_made_here(x, y):
    at = (1, 2)
    for i in range(len(x)):
        at = (i, at[0])
    for i in range(len(x)):
        if x[i] > 2:
            return i, at, (at[1], (x[i],))
    return at


def seen_by_others(x, y):
    at = (0, 0)

    def told():
        return at

    for i in range(len(x)):
        at = (i, at[0])
    for i in range(len(x)):
        y[i] += 1
    return told(), at


def before_an_error(x, y):
    at = (0, 0)
    try:
        for i in range(len(x) + 30):
            at = (i, i)
            y[i] += 1
    except IndexError:
        pass
    return at


def left_early(x, y):
    at = (-1, -1)
    for i in range(len(x)):
        at = (i, at[0])
        if x[i] > 3:
            return i, at
    return at


def loops_around(x, y):
    at = (0, 0)
    k = 0
    while k < 3:
        for i in range(len(x)):
            if x[i] > k:
                at = (k, i)
        k += 1
    return at


def apart(x, y):
    t = 0.0
    for i in range(len(x)):
        a, b, c = x[i]
        t = t / 2 + a * b - c
        y[i % 5] = c
    return t


def apart_twice(x, y):
    t = 0.0
    for i in range(len(x)):
        a, b, c = x[i - 1]
        a, b = b, a
        x[i][0], x[i][2] = b, a
        t += a
    for a, b, c in x:
        t = t / 2 + a - b - c
    for k, (a, b, c) in enumerate(x):
        y[k] = a + b + c
    return t


def put_together(x, y):
    for i in range(len(x)):
        x[i] = y[i], i, 0.5
        x[i - 1] = x[i, 1], x[i, 0], x[i, 2]
    return x


def counted_together(x, y):
    for i in range(len(x)):
        x[i] = [i, i + 300, -1]
    return x


def further(x, y):
    for i in range(len(x) + 1):
        y[0] += 1
        a, b, c = x[i]
        y[1] += a + b + c


def from_tables(x, y):
    cx = (0, 1, -1, 0)
    w = (0.5, 1 / 3, -2.0, 4.0)
    t = 0
    for i in range(1, len(x) - 1):
        for k in range(4):
            y[i] += w[k] * x[i + cx[k]]
        for k in range(3, -1, -1):
            t = (t * 3 + cx[k]) % 1001
        for k in range(1, 3):
            y[0] += cx[k] * w[-1] + cx[0]
    return t, y[0]


def outside_tables(x, y):
    cx = (1, 2, 3)
    for i in range(len(x)):
        for k in range(4):
            y[i] += cx[k]
        for k in range(3):
            k += i
            y[i] -= cx[k]
    return y[0]


def other_tables(x, y):
    cx = (1, 2, 3)
    t = 0
    for k in range(3):
        t += cx[k]
        for k in range(-2, 2):
            t = t * 2 + cx[k]
        y[k] += t
    cy = (1, 2)
    for i in range(len(x)):
        for k in range(2):
            y[i] += cy[k] * cx[i % 3]
        cy = (3, 4)
    return t


ARRAYS = {
    **{
        f"{n} cells": partial(Memory.array, values=np.arange(n) + 0.5)
        for n in (0, 1, 7)
    },
    "int64": partial(Memory.array, values=np.arange(7)),
    "float32": partial(Memory.array, values=np.arange(7) / 3, dtype="float32"),
    "strided": lambda memory: memory.array(np.arange(14.0))[::2],
    "list": lambda _: [1.5, 2, 3.5],
}
ROWS = {
    **{
        f"{n} x {m}": partial(Memory.array, values=np.arange(n * m).reshape(n, m) / 3)
        for n, m in ((0, 3), (1, 3), (7, 3), (7, 2), (7, 4), (7, 1), (0, 2))
    },
    **{
        dtype: partial(Memory.array, values=np.arange(21).reshape(7, 3), dtype=dtype)
        for dtype in (
            *("int64", "int8", "uint8", "uint64", "bool"),
            *("float32", "float16", "complex128"),
        )
    },
    "strided": lambda memory: memory.array(np.arange(42.0).reshape(7, 6))[:, ::2],
    "columns": lambda memory: memory.array(np.arange(21.0).reshape(3, 7)).T,
    "one axis": lambda memory: memory.array(np.arange(7.0)),
    "three axes": lambda memory: memory.array(np.arange(27.0).reshape(3, 3, 3)),
    "tuples": lambda _: [(1.0, 2.0, 3.0), (4.0, 5.0, 6.0)],
    "unlike tuples": lambda _: [(1.0, 2.0, 3.0), (4.0, 5.0)],
}


def _given(make, memory: Memory):
    return make(memory), memory.array(np.arange(13.0))


def _rows(function) -> Iterator[Row]:
    plain = ("7 cells", "int64", "strided")
    free = function in (perhaps, of_others, seen_by_others, before_an_error, mixed)
    free = free or function in (outside_tables, other_tables)
    for name, make in ARRAYS.items():
        sure = (
            name in plain
            and not free
            and not (function in (largest, located) and name == "int64")
        )
        yield Row(name, partial(_given, make), True if sure else None)


def _tables(function) -> Iterator[Row]:
    for name, make in ROWS.items():
        sure = name in ("7 x 3", "strided", "columns") and function is not further
        yield Row(name, partial(_given, make), True if sure else None)


TABLES = (
    *(
        Table(function, tuple(_rows(function)))
        for function in (
            largest,
            located,
            turned,
            mixed,
            one_part_left,
            only_inside,
            perhaps,
            of_others,
            seen_by_others,
            not_made_here,
            before_an_error,
            left_early,
            loops_around,
            from_tables,
            outside_tables,
            other_tables,
        )
    ),
    *(
        Table(function, tuple(_tables(function)))
        for function in (apart, apart_twice, put_together, counted_together, further)
    ),
)
