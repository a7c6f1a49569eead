"""Positions that a mask tells: one of them in a statement, or all in a loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def first(u, x, y):
    for i in range(len(x)):
        y[i] = np.where(u == x[i])[0][0]


def last(u, x, y):
    for i in range(len(x)):
        y[i] = u[np.nonzero(u == x[i])[0][-1]] + 1


def second(u, x, y):
    for i in range(len(x)):
        if np.flatnonzero(u <= x[i])[1] == 1:
            y[i] = 1
        elif np.flatnonzero(u <= x[i])[i] > 1:
            y[i] = 2


def both(u, x, y):
    A = np.zeros((len(u), len(u)), dtype=np.int64)
    for i in range(len(x)):
        A[np.where(u == x[i])[0][0], np.where(u == x[0])[0][0]] = i
    return A


def all_of(u, x, y):
    for i in range(len(x)):
        for k in np.where(u > x[i])[0]:
            y[i] += k


def changed(u, x, y):
    for i in range(len(x)):
        for k in np.flatnonzero(u > 1):
            u[k] -= 1
            if k == 2:
                break
        else:
            y[i] += 10


def outermost(u, x, y):
    s = 0
    for k in np.nonzero(u > 1)[0]:
        s += u[k]
    return s


def found(u, v):
    return np.where(u == v)[0][0]


def called(u, x, y):
    for i in range(len(x)):
        y[i] = found(u, x[i]) * 2


def again_and_again(u, x, y):
    for i in range(len(x)):
        k = i
        while k > 0:
            k = min(np.where(u == x[i])[0][0], k - 1)
            y[k] += i


def _given(u: list[int], x: list[int]) -> Callable[[Memory], Any]:
    def make(memory: Memory) -> tuple[Any, ...]:
        size = max(len(u), len(x), 1)
        return (
            memory.array(u, "int64"),
            memory.array(x, "int64"),
            memory.array([0] * size, "int64"),
        )

    return make


def _rows(native: bool | None = True) -> Iterator[Row]:
    for u in ([], [1], [3, 1, 2], [2, 2, 1, 3, 3, 0, 4]):
        for x in ([], [1], [3, 1, 2], [2, 7, 1], [4, 4, 0, 3, 2, 1, 1]):
            yield Row(f"{u} {x}", _given(u, x), native)


TABLES = (
    *(
        Table(function, tuple(_rows()))
        for function in (first, last, all_of, called, again_and_again)
    ),
    *(Table(function, tuple(_rows(None))) for function in (second, both, changed)),
    Table(outermost, tuple(_rows())),
)
