"""Loops over elements, pairs and cells: of arrays, and of what only looks like them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table
from semantics.values import plain


def elements(x, y):
    t = y[0]
    for v in x:
        t = t * 3 + v
    return t


def named(x, y):
    t = 0.0
    for f in x:
        t = t / 2 + f
    for n, s in zip(x, y, strict=False):
        y[0] += n * s
    return t


def numbered(x, y):
    t = 0
    for i, v in enumerate(x):
        y[i] += v * i
        t += i
    return t, i, v


def numbered_from(x, y):
    t = 0
    for i, v in enumerate(x, 5):
        y[0] += v * i
        t += i
    for i, v in enumerate(x, start=2):
        y[1] -= v * i
        t += i
    return t


def renumbered(x, y):
    t = 0
    for i, v in enumerate(x):
        i *= 2
        v = v + v
        y[i] += v
        t += i
    return t


def beside(x, y):
    """Ranges and numbers that fall, side by side with elements."""
    t = 0
    for a, v, k in zip(range(3, 20, 2), x, (3, 2, 1, 0), strict=False):
        y[k] += v * a
        t += a
    for k, a in enumerate((4, 3, 2, 1, 0)):
        y[a] -= k
    for j, v in zip(range(len(x) - 1, -1, -1), x, strict=False):
        y[j] += v / 2
    for k, j in enumerate(range(1, len(x))):
        y[k] -= x[j]
    return t


def numbered_range(a, b, c):
    t = 0
    for k, j in enumerate(range(a, b)):
        t += k * 3 + j * c
    for j, k in zip(range(b, a, -2), range(c), strict=False):
        t = t * 2 + j - k
    return t


def ahead(x, y):
    for i, v in enumerate(x):
        x[i] = 0
        if i + 1 < len(x):
            x[i + 1] += v
    return x[0]


def left(x, y):
    v = 7
    for v in x:
        pass
    return v


def pairs(x, y):
    t = y[0] * 0
    for a, b in zip(x, y):  # noqa: B905
        t += a * b
    return t


def backward_pairs(x, y):
    t = y[0] * 0
    for a, b in zip(y, x, strict=False):
        t -= a - b
    return t


def numbered_pairs(x, y):
    t = y[0] * 0
    for i, (a, b) in enumerate(zip(x, y, strict=False)):
        t += a * b * i
        y[i] = t
    return t


def within(x, y):
    for i in range(3):
        for v in x:
            y[i] += v
        for a, b in zip(x, y):  # noqa: B905
            y[i] -= a * b


def cells(x, y):
    t = 0.0
    for i, j in np.ndindex(x.shape):
        t = t / 2 + x[i, j]
        y[i] += j
    return t


def counted_cells(x, y):
    n, m = x.shape
    t = 0.0
    for i, j in np.ndindex(n, m):
        t = t / 2 + x[i, j]
    for i, j in np.ndindex((len(x), 3)):
        y[j] += i
    return t


def shape(x, y):
    s = x.shape
    n, m = s
    t = 0.0
    for i in range(s[0]):
        for j in range(s[-1]):
            t = t / 2 + x[i, s[1] - 1 - j]
    return t, n, m


def backwards(a, b, c):
    t = 1
    for i in reversed(range(a, b)):
        t = (t * 31 + i) % 65537
    for i in reversed(range(c)):
        t = (t * 31 + i) % 65537
    for i in reversed(range(a, b, 3)):
        t = (t * 31 + i) % 65537
        for j in reversed(range(i, c, 2)):
            t = (t * 31 + j) % 65537
    for i in reversed(range(a, b, -2)):
        t = (t * 31 + i) % 65537
    return t


def backwards_kept(a, b, c):
    i = 100
    for i in reversed(range(a, b)):
        pass
    return i


def backwards_under(x, y):
    for i in reversed(range(len(x))):
        if x[i] > 2:
            for j in reversed(range(i)):
                y[j] = y[j] / 2 + x[i]


class Odd:
    """Goes through other values than those it has at its indices."""

    def __iter__(self) -> Iterator[float]:
        return iter((1.0, 2.0))

    def __len__(self) -> int:
        return 7

    def __getitem__(self, at: object) -> float:
        return 5.0

    def __repr__(self) -> str:
        return "odd"


class Once:
    """Goes through three values, once, and shows how far it is."""

    def __init__(self) -> None:
        self.at = 0

    def __iter__(self) -> Once:
        return self

    def __next__(self) -> float:
        self.at += 1
        if self.at > 3:
            raise StopIteration
        return self.at / 2

    def __repr__(self) -> str:
        return f"once, at {self.at}"


Maker = Callable[[Memory], Any]

VECTORS: dict[str, Maker] = {
    **{
        f"{n} cells": partial(Memory.array, values=np.arange(n) + 1.5)
        for n in (0, 1, 7)
    },
    **{
        dtype: partial(Memory.array, values=np.arange(7) + 1, dtype=dtype)
        for dtype in ("float32", "int64", "int8", "uint8", "bool", "complex128")
    },
    "strided": lambda memory: memory.array(np.arange(14.0))[::2],
    "reversed": lambda memory: memory.array(np.arange(7.0))[::-1],
}
OTHERS: dict[str, Maker] = {
    "list": lambda _: [1.5, 2, 3.5, 4, 5.5, 6, 7.5],
    "tuple": lambda _: (1.5, 2.5, 3),
    "empty list": lambda _: [],
    "once": lambda _: Once(),
    "keys": lambda _: {3: 1.0, 1: 2.0},
    "range": lambda _: range(2, 9),
    "text": lambda _: "1234567",
    "odd": lambda _: Odd(),
    "number": lambda _: 3.5,
    "masked": lambda _: np.ma.masked_equal(np.arange(7.0), 2),
    "matrix": lambda _: np.asmatrix(np.arange(7.0)),
    "objects": lambda _: np.array([1, 2.5, 3], object),
    "no axis": lambda memory: memory.array(np.float64(2.5)),
    "table": lambda memory: memory.array(np.arange(14.0).reshape(7, 2)),
    "nobody": lambda _: None,
}
TABLES_OF_TWO: dict[str, Maker] = {
    f"{n} x {m}": partial(Memory.array, values=np.arange(n * m).reshape(n, m) / 3)
    for n, m in ((0, 0), (0, 3), (3, 0), (1, 1), (7, 5))
}
OTHER_TABLES: dict[str, Maker] = {
    "one axis": lambda memory: memory.array(np.arange(7.0)),
    "three axes": lambda memory: memory.array(np.arange(27.0).reshape(3, 3, 3)),
    "lists": lambda _: [[1.0, 2.0], [3.0, 4.0]],
}


def _given(make: Maker, memory: Memory) -> tuple[Any, ...]:
    return make(memory), memory.array(np.arange(13.0))


def _rows(function: Callable[..., Any]) -> Iterator[Row]:
    """Native code takes every array of one axis, and of all else lists at most."""
    for name, make in VECTORS.items():
        # A name without a value is Python's business, and so is a float in an integer.
        free = name == "0 cells" or function in (left, ahead, renumbered)
        kinds = name in ("complex128", "bool", "int8", "uint8", "int64", "float32")
        yield Row(name, partial(_given, make), None if free or kinds else True)
    for name, make in OTHERS.items():
        listed = name in ("list", "tuple", "empty list")
        free = listed or (name == "no axis" and function is left)
        yield Row(name, partial(_given, make), None if free else False)


def _table_rows() -> Iterator[Row]:
    for name, make in TABLES_OF_TWO.items():
        yield Row(name, partial(_given, make))
    for name, make in OTHER_TABLES.items():
        yield Row(name, partial(_given, make), None)


def _number_rows() -> Iterator[Row]:
    """Numbers of Python count as they do there, and those of NumPy do not wrap."""
    for a, b, c in itertools.product((-5, 0, 2), (-5, 0, 1, 7, 8), (0, 1, 7)):
        # A loop that runs no iteration may leave its variable to Python.
        yield Row(f"{a} {b} {c}", plain(a, b, c), True if a < b else None)
    for kind in (np.int8, np.uint8, np.int64, np.uint64):
        low = 0 if kind in (np.uint8, np.uint64) else np.iinfo(kind).min
        yield Row(f"{kind.__name__} at its end", plain(kind(low), kind(low), 0), None)
        yield Row(f"{kind.__name__}", plain(kind(1), kind(9), kind(7)), None)
    for other in (2.0, None, np.float64(3), "3", [1], np.arange(2)):
        yield Row(f"to {other!r}", plain(0, other, 3), None)


TABLES = (
    *(Table(f, tuple(_number_rows())) for f in (backwards, backwards_kept)),
    Table(
        numbered_range,
        tuple(Row(x.name, x.make, None) for x in _number_rows()),
    ),
    Table(
        backwards_under,
        tuple(Row(x.name, x.make, None) for x in _rows(backwards_under)),
    ),
    *(
        Table(function, tuple(_rows(function)))
        for function in (
            elements,
            named,
            numbered,
            numbered_from,
            renumbered,
            beside,
            ahead,
            left,
            pairs,
            backward_pairs,
            numbered_pairs,
            within,
        )
    ),
    *(Table(f, tuple(_table_rows())) for f in (cells, counted_cells, shape)),
)
