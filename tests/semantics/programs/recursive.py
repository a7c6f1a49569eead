"""Functions that call themselves, and go on behind that."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def _walk(cell, seen, near, depth):
    if seen.flat[cell] or depth > 9:
        return
    seen.flat[cell] = True
    others = near + cell
    for k in range(len(near)):
        _walk(others[k], seen, near, depth + 1)


def walked(x, y, near, k):
    for start in range(2):
        _walk(start + k, x, near, start)
        y[start] = x.sum()


def _split(y, low, high, by):
    middle = (low + high) // 2
    if high - low < 2:
        y[low] += by
        return None
    by = by * 0.5
    _split(y, low, middle, by)
    y[middle] -= by
    if y[low] < 4:
        _split(y, middle, by=by + y[low], high=high)


def halves(x, y, near, k):
    for n in range(3):
        _split(y, n, len(y) - k, 1.0 * n)


def _counted(y, place, left):
    """What a loop has, and what it goes on with, are its own in each call."""
    while left > 0:
        left -= 1
        for k in range(3, 0, -1):
            if k == left:
                _counted(y, place + k, left - 1)
                y[place % len(y)] += k
            elif k > left + 1:
                return
    y[place % 6] = y[place % 6] * 2 + left


def counted(x, y, near, k):
    for n in range(4):
        _counted(y, n - k, n)


def _deep(y, n):
    if n > 0:
        y[n % 5] += 1
        _deep(y, n - 1)
        y[(n + 1) % 5] *= 0.5


def deep(x, y, near, k):
    for n in (3, 150 * (k + 1)):
        _deep(y, n)


def _values(dtype: str, steps: list[int], k: int, memory: Memory) -> tuple[Any, ...]:
    x = memory.array(np.zeros((3, 4)), "bool")
    y = memory.array(np.arange(6) - 1.5, dtype)
    return x, y, memory.array(np.array(steps), "int64"), k


def _rows() -> Iterator[Row]:
    for steps in ([-1, 1], [4, -1, 3], [-4], [], [0, 9]):
        for dtype in ("float64", "float32", "int64"):
            for k in (0, 1, 3):
                name = f"{steps}, {dtype}, {k}"
                yield Row(name, partial(_values, dtype, steps, k), None)


TABLES = tuple(
    Table(function, tuple(_rows())) for function in (walked, halves, counted, deep)
)
