"""Own functions that make arrays and return them, in loops that give these names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def running(x):
    out = np.zeros(x.shape[0])
    total = 0.0
    for k in range(x.shape[0]):
        total += x[k]
        out[k] = total
    return out


def halves(x, k):
    left = np.zeros(k)
    right = np.empty(k, dtype=np.float32)
    for j in range(k):
        left[j] = x[j] * 0.5
        right[j] = x[j] + 1
    return left, right


def least(x):
    """An array and a number."""
    out = np.ones(len(x))
    low = 1e9
    for k in range(len(x)):
        if x[k] < low:
            low = x[k]
            out[k] = low
    return out, low


def ended(x):
    """It ends in several places."""
    if x.shape[0] < 3:
        return np.zeros(1)
    out = np.zeros(2)
    out[0] = x[0]
    return out


def kept(x):
    x[:] = 0.5
    return x


def chained(x):
    return running(running(x)) / 2.0 - 1.0


def named(A, y):
    for i in range(A.shape[0]):
        d = running(A[i])
        y[i] = d[0] + d.sum() + len(d)


def two(A, y):
    for i in range(A.shape[0]):
        d, e = halves(A[i], A.shape[1])
        y[i] = d[-1] + e.sum()


def number(A, y):
    for i in range(A.shape[0]):
        d, low = least(A[:, 0])
        y[i] = d[i] + low
        A[i, 0] += 1


def stored(A, y):
    B = np.zeros(A.shape)
    C = np.ones(A.shape)
    for j in range(A.shape[1]):
        B[:, j], C[:, j] = halves(A[:, j], A.shape[0])
    return B, C


def computed(A, y):
    for i in range(A.shape[0]):
        y[i] = np.min(running(A[i])) + running(A[i]).sum()


def through(A, y):
    for j in range(A.shape[1]):
        A[:, j] = chained(A[:, j])


def same(A, y):
    """What had the name is given to the function, and what it gives gets it."""
    for k in range(len(y)):
        y[k] += 1
    d = y * 1.0
    for i in range(A.shape[0]):
        d = running(d)
        y[i] = d[0]
    return d


def shared(A, y):
    """Somebody keeps each of them."""
    for k in range(len(y)):
        y[k] += 1
    found = []
    for i in range(A.shape[0]):
        d = running(A[i])
        found.append(d)
    return found


def several(A, y):
    for k in range(len(y)):
        y[k] += 1
    for i in range(A.shape[0]):
        d = ended(A[i])
        y[i] = d[0]


def itself(A, y):
    for k in range(len(y)):
        y[k] += 1
    for i in range(A.shape[0]):
        d = kept(A[i])
        y[i] = d[0]


def before(A, y):
    for k in range(len(y)):
        y[k] += 1
    d = y
    for i in range(A.shape[0]):
        s = d[0]
        d = running(A[i])
        y[i] = d[0] + s
    return d


def aside(A, y):
    """A column that there may not be, which the function may not look at."""
    for k in range(len(y)):
        y[k] += 1
    for j in range(A.shape[1]):
        d, _ = halves(A[:, 2 * j], 0)
        y[j] = len(d)


def given_to(
    memory: Memory,
    shape: tuple[int, int] = (7, 5),
    kind: str = "float64",
    layout: str = "C",
) -> tuple[Any, ...]:
    """A table, and where results go."""
    cells = (np.arange(shape[0] * shape[1]) * 37 % 23 - 7.5).reshape(shape)
    A = memory.array(cells.astype(kind), dtype=kind, layout=layout)
    return A, memory.array(np.arange(max(*shape, 1)) * 1.0)


def _rows(sure: bool) -> Iterator[Row]:
    for shape in ((0, 0), (0, 3), (3, 0), (1, 1), (2, 3), (7, 5), (5, 11), (13, 2)):
        native = True if sure and shape == (7, 5) else None
        yield Row(f"{shape}", partial(given_to, shape=shape), native)
    for kind in ("float32", "int64", "int8", "bool", "uint64", "complex128"):
        yield Row(kind, partial(given_to, kind=kind), None)
    for layout in ("apart", "back", "F", "fixed", "odd"):
        yield Row(layout, partial(given_to, layout=layout), None)
    rows = [[1.5, 2.0], [3.0, -1.0]]
    yield Row("lists", lambda _: ([*map(list, rows)], [0.0, 0.0]), None)


_SURE = (named, two, number, stored, computed, through)

TABLES = tuple(
    Table(function, tuple(_rows(function in _SURE)))
    for function in (*_SURE, same, shared, several, itself, before, aside)
)
