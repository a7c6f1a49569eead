"""Functions that ask what they are given: how many axes, whether it is None, which."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def distance(x, y):
    """As libraries write it, for rows and for tables."""
    if x.ndim == 1 and y.ndim == 1:
        return of_rows(x, y)
    if x.ndim == 2 and y.ndim == 2:
        total = 0.0
        for i in range(x.shape[0]):
            total += of_rows(x[i], y[i])
        return total
    raise ValueError("x and y must have one or two axes")


def of_rows(x, y):
    total = 0.0
    for i in range(min(len(x), len(y))):
        total += (x[i] - y[i]) ** 2
    return total


def first(row, start=0, end=None, step=1, invert=False):
    if end is None:
        end = len(row)
    if invert:
        for i in range(start, end, step):
            if not row[i]:
                return i
        else:
            return -1
    for i in range(start, end, step):
        if row[i]:
            return i
    else:
        return -1


def weighted(x, at, kind="plain", weights=None, power=2):
    if kind == "plain" and weights is None:
        return x[at] ** power
    elif kind == "plain":
        return x[at] * weights[at]
    total = 0
    while power > 0:
        power -= 1
        total += x[at] if weights is None else x[at] * weights[at]
    return total


def chosen(a, i, j, flexible=True):
    return picked(a, i, j, flexible) + (a.ndim if flexible else -a.ndim)


def picked(a, i, j, flexible):
    if a.ndim == 1:
        return a[j] if flexible else a[i]
    return a[i, j]


def distances(X, Y, out):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = distance(X[i], Y[j])


def wholes(X, out):
    for i in range(len(out)):
        out[i] = distance(X, X) + i


def firsts(mask, at):
    for i in range(len(at)):
        at[i] = first(mask[:, i], invert=True) + first(mask[i])
        at[i] += 100 * first(mask[:, i], start=len(mask) - 1, end=-1, step=-1)


def sums(x, w, out):
    for i in range(len(out)):
        out[i] = weighted(x, i) + weighted(x, i, weights=w)
        out[i] -= weighted(x, i, "all", None, 3) / weighted(w, i, "all", x)


def cells(a, out):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = chosen(a, i, j) - chosen(a, i, j, flexible=False)


def flexible(a, i, j):
    """An element of whatever it is given, or the number that it is."""
    i, j = places_of(a, i, j)
    if a.ndim == 0:
        return a.item()
    return a[i] if a.ndim == 1 else a[i, j]


def places_of(a, i, j):
    if a.ndim == 0:
        i = j = 0
    elif a.shape[0] == 1:
        i = 0
    return i, j


def thresholds(x, out, low, high):
    low = np.asarray(low)
    highs = np.asarray(high)
    n = len(out)
    for i in range(n):
        out[i] = flexible(low, i, 0) - 2 * flexible(highs, i, i)
        if x[i] > flexible(low, j=0, i=-1):
            out[i] += 7
    return low, highs


def optional(x, out, w=None, kind="plain"):
    if kind == "squares":
        x = x * x + 0.5
    for i in range(len(out)):
        if w is not None and kind != "alone":
            out[i] = x[i] * w[i] if x[i] > 0 else w[i + 1]
        elif kind in ("plain", "squares"):
            out[i] += x[i]
    return w is None


def least(x, out, count=None):
    for i in range(len(out)):
        out[i] = at_least(x[i], count) + at_least(i, None)


def at_least(value, count):
    if count is None:
        return value
    return max(value, count)


def given_more(x, out, *more):
    for i in range(len(out)):
        out[i] = several(x[i], *more) - several(x[i]) + several(x[i], i, 2.5)
        if more:
            out[i] *= more[0]
    return len(more)


def several(value, *more):
    if not more:
        return value
    return value * more[0] + several_of(*more)


def several_of(first, second=0.5, *rest):
    return first if rest else first - second


SIZES = (0, 1, 2, 3, 7)


def _numbers(memory: Memory, *sizes: int, dtype: str = "float64"):
    values = np.arange(int(np.prod(sizes))).reshape(sizes) % 5
    return memory.array(values * 0.75 - 1 if dtype == "float64" else values, dtype)


def _distances() -> Iterator[Row]:
    for n in SIZES:
        for rest in ((n,), (n, 3)):

            def given(memory: Memory, n=n, rest=rest):
                rows = _numbers(memory, n, *rest), _numbers(memory, 3, *rest)
                return *rows, memory.array(np.zeros((n, 3)))

            # One kernel has the axes of its first call.
            yield Row(f"{n}, {rest}", given, None if len(rest) > 1 else True)

    def deep(memory: Memory):
        return *(_numbers(memory, 2, 2, 2, 2) for _ in "XY"), memory.array([[1.0]])

    yield Row("raises", deep, False)


def _wholes() -> Iterator[Row]:
    for sizes in ((3,), (0,), (1,), (2, 3), (2, 2, 2)):

        def given(memory: Memory, sizes=sizes):
            return _numbers(memory, *sizes), memory.array(np.zeros(3))

        yield Row(f"{sizes}", given, True if len(sizes) == 1 else None)


def _firsts() -> Iterator[Row]:
    for n in SIZES:
        for dtype in ("bool", "float64", "uint8"):

            def given(memory: Memory, n=n, dtype=dtype):
                values = np.arange(n * n).reshape(n, n) % 3 == 1
                return memory.array(values, dtype), memory.array([9] * n, "int64")

            yield Row(f"{dtype} {n}", given)


def _sums() -> Iterator[Row]:
    def given(memory: Memory, n: int, dtype: str):
        pair = (_numbers(memory, n, dtype=dtype) for _ in range(2))
        return *pair, memory.array(np.zeros(n))

    for n in SIZES:
        yield Row(f"{n}", partial(given, n=n, dtype="float64"))
    yield Row("integers", partial(given, n=3, dtype="int64"), None)


def _cells() -> Iterator[Row]:
    def given(memory: Memory, n: int, axes: int):
        return _numbers(memory, *[n] * axes), memory.array(np.zeros((n, n)))

    for axes in (2, 1, 3):
        for n in SIZES:
            yield Row(f"{axes} axes, {n}", partial(given, n=n, axes=axes), None)


def _optional() -> Iterator[Row]:
    for n in SIZES:
        for kind in ("plain", "squares", "alone", "other"):

            def given(memory: Memory, more: int | None, n=n, kind=kind):
                x, out = _numbers(memory, n), memory.array(np.ones(n))
                # One element less may be asked for, which raises.
                w = None if more is None else _numbers(memory, n + more)
                return x, out, w, kind

            yield Row(f"{n}, {kind}, none", partial(given, more=None), None)
            yield Row(f"{n}, {kind}, some", partial(given, more=1), None)
            yield Row(f"{n}, {kind}, few", partial(given, more=0), None)
    for more in ((), (None,), (memoryview(b"ab"),), (None, b"plain"), (2, "alone")):

        def given_more(memory: Memory, more=more):
            return _numbers(memory, 3), memory.array(np.ones(3)), *more

        yield Row(f"{more}", given_more, None)


def _least() -> Iterator[Row]:
    for n in SIZES:
        for more in ((), (None,), (1,), (0.5,), (np.float32(0.25),), ("a",)):

            def given(memory: Memory, n=n, more=more):
                return _numbers(memory, n), memory.array(np.ones(n)), *more

            yield Row(f"{n}, {more}", given, None)


def _thresholds() -> Iterator[Row]:
    odd = (True, np.float32(0.25), np.float64(1.5), [1.0, 2.0], None, 2 + 1j)
    # A version that nothing is told of takes all that comes behind it.
    for low in (0.5, 2, -0.0, math.nan, *odd):
        plain = type(low) in (int, float)
        for n, high in itertools.product(SIZES, (1.5, 3)):

            def given(memory: Memory, n=n, low=low, high=high):
                return _numbers(memory, n), memory.array(np.ones(n)), low, high

            yield Row(f"{n}, {low}, {high}", given, plain or None)

    def arrays(memory: Memory, axes: int):
        x = _numbers(memory, 3)
        lows = memory.array(np.arange(3.0**axes).reshape((3,) * axes))
        return x, memory.array(np.ones(3)), lows, 1.5

    for axes in (0, 1, 2):
        yield Row(f"{axes} axes", partial(arrays, axes=axes), None)


def _more() -> Iterator[Row]:
    for n in SIZES:
        for more in ((), (2,), (2, 0.5), (np.float32(0.25), 1, 3), ("a",)):

            def given(memory: Memory, n=n, more=more):
                return _numbers(memory, n), memory.array(np.ones(n)), *more

            yield Row(f"{n}, {more}", given, None)


TABLES = (
    Table(given_more, tuple(_more())),
    Table(optional, tuple(_optional())),
    Table(least, tuple(_least())),
    Table(thresholds, tuple(_thresholds())),
    Table(distances, tuple(_distances())),
    Table(wholes, tuple(_wholes())),
    Table(firsts, tuple(_firsts())),
    Table(sums, tuple(_sums())),
    Table(cells, tuple(_cells())),
)
