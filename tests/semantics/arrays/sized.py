"""Arrays that loops make of sizes which data decide."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def shrinking(x, s, y):
    n = len(x)
    for i in range(n):
        d = np.zeros(n - i)
        for k in range(n - i):
            d[k] += x[k] * i
        y[i] = d.sum() + len(d) + d[-1]


def counted(x, s, y):
    for i in range(len(x)):
        r = np.zeros(len(x))
        c = 0
        for k in range(len(x)):
            if x[k] >= x[i]:
                r[c] = k + 1
                c += 1
        d = np.empty(c - 1)
        for k in range(len(d)):
            d[k] = r[k + 1] - r[k]
        y[i] = np.mean(d) if len(d) > 0 else 9.0


def told(x, s, y):
    """The size is an element, of which some are below 0."""
    for i in range(len(s)):
        d = np.ones(s[i], dtype=np.int32)
        y[i] = d.sum() + d.shape[0]


def full(x, s, y):
    for i in range(len(s)):
        d = np.full(abs(s[i]), 2.5)
        d[:2] = x[i]
        y[i] = d.sum()


def computed(x, s, y):
    for i in range(len(s)):
        v = x[: s[i]]
        d = v * 2.0 - 1.0
        if len(d) > 0:
            d[0] = 0.0
        y[i] = d.sum() + len(d)


def copied(x, s, y):
    for i in range(len(s)):
        d = x[: s[i]].copy()
        d[-1:] = 7
        y[i] = d.sum()


def several(x, s, y):
    """Two arrays of one loop are never the same memory."""
    for i in range(len(s)):
        d = np.ones(s[i])
        other = d * 2.0 - i
        y[i] = other.sum() + d.sum()


def beyond(x, s, y):
    for i in range(len(s)):
        d = np.zeros(abs(s[i]))
        y[i] = d[i]


def deeper(x, s, y):
    for i in range(len(s)):
        for j in range(i):
            d = np.zeros(i - j)
            for k in range(i - j):
                d[k] = x[k] + j
            y[i] += d.sum()


def positions(x, s, y):
    for i in range(len(s)):
        found = np.flatnonzero(x > s[i])
        if found.shape[0] == 0:
            continue
        y[i] = found[0] + found[-1] * 100 + len(found)
        for k in found:
            y[i] += x[k]


def columns(A, s, y):
    for j in range(A.shape[1]):
        found = np.flatnonzero(~np.isnan(A[:, j]))
        for k in range(1, found.shape[0]):
            before = found[k - 1]
            A[before : found[k], j] = k
        y[j] = len(found)


def nonzero(x, s, y):
    for i in range(len(s)):
        here = np.nonzero(x == s[i])[0]
        there = np.where(x < s[i])[0]
        y[i] = len(here) - len(there)
        if len(here) > 0:
            y[i] += x[here[0]]


def truths(x, s, y):
    for i in range(len(s)):
        found = np.flatnonzero(x[i:])
        y[i] = len(found)


def shown(x, s, y):
    """Somebody has them all."""
    found = []
    for i in range(len(s)):
        d = np.zeros(abs(s[i]))
        for k in range(len(d)):
            d[k] = i
        found.append(d)
    return found


def taken(x, s, y):
    """Elements that a mask tells are used one by one, and stored."""
    for i in range(len(s)):
        d = x[x > s[i]]
        for k in range(len(d)):
            d[k] += i
            y[i] += d[k] * k
        y[0] += d.shape[0]


def carried(x, s, y):
    """What is made of a part is of the type of what its elements are summed to."""
    t = 0.0
    for i in range(len(s)):
        v = x[s[i] :] + t
        for q in v:
            t += q
        y[i] = t
    return t


def of_rows(x, s, y):
    """Masks of rows, and of another length than what they tell of."""
    for i in range(x.shape[0]):
        v = x[i]
        d = v[~np.isnan(v)]
        e = x[i, y[: len(s)] < 1]
        for k in range(min(len(d), len(e))):
            y[k] += d[k] - e[k]


def _values(*shape: int) -> Any:
    return (np.arange(int(np.prod(shape))) * 37 % 23 - 7.0).reshape(shape)


_SIZES: dict[str, Any] = {
    "some": [0, 2, 1, 5, 3],
    "below 0": [3, -1, 2],
    "none": [],
    "many": [70, 200, 3000, 9],
    "huge": [2, 1 << 40],
}


def given_to(
    memory: Memory,
    count: int = 11,
    sizes: Any = (0, 2, 1, 5, 3),
    kind: str = "float64",
    layout: str = "C",
    axes: int = 1,
    of: str = "int64",
) -> tuple[Any, ...]:
    """An array, sizes, and where results go."""
    shape = (count,) if axes == 1 else (count, 5)
    values = _values(*shape)
    if axes > 1:
        values[values < -3] = np.nan
    x = memory.array(values.astype(kind), dtype=kind, layout=layout)
    s = memory.array(np.array(sizes, of), dtype=of)
    return x, s, memory.array(np.zeros(max(count, len(sizes), 5)))


def _rows(sure: bool, axes: int) -> Iterator[Row]:
    for count in (0, 1, 2, 7, 11, 64):
        for name, sizes in _SIZES.items():
            make = partial(given_to, count=count, sizes=sizes, axes=axes)
            native = True if sure and name == "some" and count == 11 else None
            yield Row(f"{count} {name}", make, native)
    kinds = ("float32", "int64", "int8", "bool", "uint64", "complex128")
    for kind in kinds if axes == 1 else ():
        yield Row(kind, partial(given_to, kind=kind), None)
    for of in ("int32", "uint8", "uint64", "float64"):
        yield Row(f"sizes of {of}", partial(given_to, of=of, axes=axes), None)
    for layout in ("apart", "back", "F", "fixed", "odd"):
        yield Row(layout, partial(given_to, layout=layout, axes=axes), None)


_SURE = (shrinking, counted, told, computed, several, deeper, positions, taken)

TABLES = tuple(
    Table(
        function,
        tuple(_rows(function in _SURE, 2 if function in (columns, of_rows) else 1)),
    )
    for function in (
        *(shrinking, counted, told, full, computed, copied, several),
        *(beyond, deeper, positions, columns, nonzero, truths, shown, taken),
        *(of_rows, carried),
    )
)
