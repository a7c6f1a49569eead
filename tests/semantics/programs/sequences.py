"""Loops over parts of arrays, over what the source writes out, and over all cells."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np

from semantics.memory import Memory
from semantics.programs.headers import (
    OTHER_TABLES,
    OTHERS,
    TABLES_OF_TWO,
    VECTORS,
    _given,
)
from semantics.table import Row, Table


def backward(x, y):
    t = y[0]
    for v in x[::-1]:
        t = t * 3 + v
    return t


def turned(x, y):
    t = y[0]
    for i, v in enumerate(reversed(x)):
        t = t * 3 + v * i
    return t


def counted_twice(x, y):
    n = len(x)
    t = y[0]
    for i in reversed(x):
        t = t * 3 + n
    for i in x[1:]:
        t = t * 5 + n
    return t


def around(x, y):
    """Through lists as well, whose rows may be taken for numbers."""
    t = 0
    for v in x:
        for j in range(len(y)):
            y[j] = y[j] * 2 + v
        t += v
    for i, v in enumerate(x, 1):
        for j in range(i):
            t = t + j * v
    return t


def rebound(x, y):
    t = y[0]
    for v in x:
        x = x * 2
        t = t * 3 + v + x[0]
    for k in range(len(y)):
        t += y[k]
    return t


def rebound_backwards(x, y):
    t = y[0]
    for v in reversed(x):
        x = x * 2
        t = t * 3 + v + x[0]
    for k in range(len(y)):
        t += y[k]
    return t


def rebound_in_part(x, y):
    t = y[0]
    for _ in range(2):
        for v in x[1:]:
            x = x[::-1] * 2
            t = t * 3 + v
    for k in range(len(y)):
        t += y[k]
    return t


def rebound_at_last(x, y):
    t = y[0]
    for v in x:
        if v > 3:
            x = y
            break
        t = t * 3 + v
    for k in range(len(y)):
        t += y[k]
    return t, x


def middle(x, y):
    t = y[0]
    for v in x[2:-1]:
        t = t * 3 + v
    for v in x[-3:5]:
        t = t * 3 - v
    for v in x[:-2]:
        y[1] += v
    return t


def steps(x, y):
    t = y[0]
    for v in x[1::2]:
        t = t * 3 + v
    for i, v in enumerate(x[:5:3], 2):
        t = t * 3 - v * i
    for v in x[::-2]:
        y[2] -= v
    return t


def neighbours(x, y):
    t = y[0] * 0
    for a, b in zip(x[1:], x[:-1]):  # noqa: B905
        t = t / 2 + a * b
    for a, b, c in zip(x, x[::-1], y[1::2], strict=False):
        t = t / 2 + a * b - c
    return t


def written_while(x, y):
    for v in x[::-1]:
        y[0] += v
        x[0] = 100


def written_out(x, y):
    t = y[0]
    for i in range(len(x)):
        for d in (-1, 0, 1):
            t = t * 3 + d
        for d in (2, -1, 5):
            t = t * 3 + d * x[i]
        for w in (0.5, 0.25, 0.25):
            t += w * x[i]
    return t


def written_pairs(x, y):
    around = ((0, 1), (1, 0), (0, -1), (-1, 0))
    for i in range(1, len(x) - 1):
        for di, dj in around:
            y[i] += x[i + di] * dj
        for k, (w, d) in enumerate(((0.5, 1), (0.25, -1), (4.0, 0))):
            y[i] += x[i + d] * w * k


def written_beside(x, y):
    for v, w in zip(x, (1.0, -2.0, 4.0)):  # noqa: B905
        y[0] += v * w
    for k, w in enumerate([3, 1, 4, 1, 5]):
        y[k] += w


def some_of_them(x, y):
    t = d = 0
    for i in range(len(x)):
        for d in (3, 1, 2, 7):
            if d == 1:
                continue
            if x[i] > d:
                break
            t += d
        else:
            t += 100
    return t, d


def elements_first(x, y):
    for i in range(len(x) - 1):
        for v in (x[i], x[i + 1], y[i]):
            x[i + 1] = v
            y[i] += v


def outside_later(x, y):
    for i in range(len(x)):
        y[i] += 1
        for v in (x[i], x[i + 1]):
            y[i] += v


def changing(x, y):
    a = 1
    for i in range(len(x)):
        for v in (a, i, a + i):
            a = a % 7 + v
            y[i] += v
    return a


def own(x, y):
    y[0] = 0
    for d in (1, 2, 4):
        y[d] = x[0] * d
    return d


def flat(x, y):
    t = 0.0
    for v in x.ravel():
        t = t / 2 + v
    for i, v in enumerate(x.flatten()):
        y[i % 5] += v
    for v, w in zip(x.ravel(), y.ravel()):  # noqa: B905
        t = t / 2 + v * w
    return t


def flat_while_written(x, y):
    for v in x.ravel():
        x[0, 0] += v
    for i, v in enumerate(x.flatten()):
        x[-1, -1] = v + i
    return x


def flat_inside(x, y):
    for k in range(3):
        for i, v in enumerate(x.ravel()):
            y[i % 7] += v * k
    for i in range(len(y)):
        y[i] += 1


class Counted:
    """Counts how often it is asked for its elements."""

    def __init__(self) -> None:
        self.asked = 0

    def ravel(self) -> list[float]:
        self.asked += 1
        return [0.5, self.asked]

    flatten = ravel

    def __repr__(self) -> str:
        return f"asked {self.asked}"


def cells(x, y):
    t = 0.0
    for (i, j), v in np.ndenumerate(x):
        t = t / 2 + v
        y[i] += j
    return t


def cells_left(x, y):
    for (i, j), v in np.ndenumerate(x):
        if v < 1:
            continue
        y[j] = v
    return v


def bounded(x, a, b):
    t = 0.0
    for v in x[a:b]:
        t = t / 2 + v
    for v in x[a + 1 :]:
        t = t / 2 - v
    for v in x[: b - 1 : 2]:
        t = t / 2 - v
    return t


def rows_apart(x, ends, y):
    for k in range(len(ends) - 1):
        t = 0.0
        for v in x[ends[k] : ends[k + 1]]:
            t += v
        y[k] = t


def _rows(function) -> Iterator[Row]:
    for name, make in {**VECTORS, **OTHERS}.items():
        sure = name in ("7 cells", "strided", "reversed")
        last = function is outside_later
        yield Row(name, partial(_given, make), True if sure and not last else None)


def _tables() -> Iterator[Row]:
    others = {
        "counted": lambda _: Counted(),
        "columns": lambda memory: memory.array(np.arange(35.0).reshape(5, 7)).T,
        "strided": lambda memory: memory.array(np.arange(42.0).reshape(3, 14))[:, ::2],
        "small integers": lambda memory: memory.array(np.eye(3), "int8"),
    }
    for name, make in {**TABLES_OF_TWO, **OTHER_TABLES, **others}.items():
        yield Row(name, partial(_given, make), None)


def _bounds() -> Iterator[Row]:
    def given(n: int, a: object, b: object, memory: Memory):
        return memory.array(np.arange(n) + 1.5), a, b

    for n, a, b in itertools.product((0, 5), (-9, -2, 0, 3, 9), (-9, -1, 0, 2, 8)):
        yield Row(f"{n} {a} {b}", partial(given, n, a, b))
    for one in (2.0, True, np.int8(3), np.uint64(2), None, 2**70):
        yield Row(f"to {one!r}", partial(given, 5, 1, one), None)
        yield Row(f"from {one!r}", partial(given, 5, one, 4), None)


def _rebound() -> Iterator[Row]:
    for name in ("0 cells", "1 cells", "7 cells"):
        yield Row(name, partial(_given, VECTORS[name]), None)


def _counted() -> Iterator[Row]:
    def given(x: object, memory: Memory):
        return x, memory.array(np.arange(2) + 1.5)

    for name, x in (("list", [1, 2, 3]), ("set", {2, 4}), ("keys", {1: 2, 3: 4})):
        yield Row(name, partial(given, x), True if name == "list" else None)


def _ends() -> Iterator[Row]:
    def given(ends, memory: Memory):
        y = memory.array(np.zeros(9))
        return memory.array(np.arange(7) + 1.5), memory.array(np.array(ends)), y

    for ends in ([0, 3, 3, 7], [5, 2, -1], [-9, 99, 1], [0], [2, 2**62]):
        yield Row(str(ends), partial(given, ends))


TABLES = (
    *(
        Table(function, tuple(_rows(function)))
        for function in (
            backward,
            turned,
            middle,
            steps,
            neighbours,
            written_while,
            written_out,
            written_pairs,
            written_beside,
            some_of_them,
            elements_first,
            outside_later,
            changing,
            own,
        )
    ),
    *(
        Table(function, tuple(_tables()))
        for function in (cells, cells_left, flat, flat_while_written, flat_inside)
    ),
    Table(counted_twice, tuple(_counted())),
    Table(around, (*_counted(), *_rows(around))),
    *(
        Table(function, tuple(_rebound()))
        for function in (rebound, rebound_backwards, rebound_in_part, rebound_at_last)
    ),
    Table(bounded, tuple(_bounds())),
    Table(rows_apart, tuple(_ends())),
)
