"""Names that are None until a loop gives them numbers, or again in each round."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def least(a, y):
    best = None
    for i in range(len(a)):
        if best is None or a[i] < best:
            best = a[i]
    return best


def greatest(a, y):
    best = None
    where = None
    for i in range(len(a)):
        if not (best is not None and best >= a[i]):
            best = a[i]
            where = i
    return best, where


def ends(a, y):
    first = last = None
    low, high = None, None
    count: int | None = None
    for i in range(len(a)):
        if a[i] > 0:
            if first is None:
                first = i
            last = i
            count = i if count is None else count + 1
            if low is None or a[i] < low:
                low, high = a[i], a[i] * 2
    return first, last, low, high, count


def steps(a, y):
    last = None
    for i in range(len(a)):
        if last is not None:
            y[i] = a[i] - last
        last = a[i]
    return last


def smoothed(a, y):
    s = None
    for i in range(len(a)):
        s = a[i] if s is None else s * 0.5 + a[i]
        y[i] = s
    return s


def rows(a, y):
    A = a.reshape(-1, 1) * np.ones(3)
    for i in range(A.shape[0]):
        best = None
        for j in range(A.shape[1]):
            best = A[i, j] if best is None else max(best, A[i, j])
        if best is not None:
            y[i] = best


def runs(a, y):
    start = None
    for i in range(len(a)):
        if a[i] > 0 and start is None:
            start = i
        elif a[i] <= 0 and start is not None:
            y[start] = i - start
            start = None


def compared(a, y):
    best = None
    for i in range(len(a)):
        y[i] = 1
        if a[i] > 1 and a[i] > best:
            best = a[i]
        elif a[i] == 0:
            best = 0.5
    return best


def counted(a, y):
    seen = None
    for i in range(len(a)):
        if a[i] > 1:
            seen += 1
        elif seen is None:
            seen = i
    return seen


def climbing(a, y):
    k = None
    i = 0
    while i < len(a) and (k is None or a[i] > k):
        k = a[i]
        i += 1
    return i, k


def begun_with_a_number(a, y):
    best = 1.5
    for i in range(len(a)):
        if best is None or a[i] < best:
            best = a[i]
    return best


def left_as_none(a, y):
    start = None
    for i in range(len(a)):
        start = None
        if a[i] > 0:
            start = i
    return start


def never_a_number(a, y):
    for i in range(len(a)):
        p = i
        y[i] = p
        p = None
        if a[i] > 2 and p > 1:
            y[i] = p


def of_two_loops(a, y):
    best = None
    for i in range(len(a)):
        if best is None or a[i] < best:
            best = a[i]
    for i in range(len(a)):
        if best is not None and a[i] > best:
            y[i] = best
            best = a[i]
    return best


def _given(values: list[float], kind: str) -> Callable[[Memory], Any]:
    def make(memory: Memory) -> tuple[Any, ...]:
        zeros = [0.0] * max(1, len(values))
        return memory.array(values, kind), memory.array(zeros, "float64")

    return make


NAN = float("nan")
_VALUES = (
    *([], [1.0], [-1.0], [2.0, 0.0, -0.0, 2.0], [3.0, 1.0, 2.0]),
    *([0.0, 2.0, 3.0, 0.0, 1.0, 1.0, -1.0], [1.0, 2.0, 3.0, 5.0, 4.0]),
)


def _rows(native: bool | None = True) -> Iterator[Row]:
    for values in _VALUES:
        for kind in ("float64", "int64", "float32"):
            yield Row(f"{values} {kind}", _given(values, kind), native)
    yield Row("nan", _given([NAN, 1.0, NAN, 0.0], "float64"), native)


TABLES = (
    *(
        Table(function, tuple(_rows()))
        for function in (least, greatest, ends, rows, runs, climbing)
    ),
    *(
        Table(function, tuple(_rows(None)))
        for function in (
            *(steps, smoothed, compared, counted),
            *(begun_with_a_number, of_two_loops),
        )
    ),
    Table(left_as_none, tuple(_rows(False))),
    Table(never_a_number, tuple(_rows(False))),
)
