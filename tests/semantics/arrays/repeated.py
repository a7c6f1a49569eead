"""Axes of one position that are repeated along others, as the first call has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def computed(A, w, v, x):
    Y = A * w + v
    A[:] = Y - w * 0.5
    return Y, Y.strides


def outer(A, w, v, x):
    A[:, :] = w * w.T - v + x
    A -= np.mean(w * A, axis=0) / 2


def columns(A, w, v, x):
    for i in range(A.shape[0]):
        A[i, :] += w[i] * v[0]
        x[i] = A[i, 0] - w[i, 0]
    A[:, :] = A[:, 1:2] - A[:, 1:2].T * w


def compared(A, w, v, x):
    m = w < A
    A[m] = 0.0
    A[:] = np.where(v > A, w, np.maximum(A, v))


def assigned(A, w, v, x):
    A[:] = w
    w[:] = v.T * 2 + w
    A += v


def _filled(shape: tuple[int, ...], kind: str, first: int) -> Any:
    count = int(np.prod(shape))
    made = (np.arange(count) * 5 + first) % 7 - 2
    return (made.reshape(shape) * 1.125).astype(kind)


def _given(n: int, kind: str, memory: Memory) -> tuple[Any, ...]:
    shapes = (n, n), (n, 1), (1, n), (n,)
    arrays = (_filled(shape, kind, at) for at, shape in enumerate(shapes))
    return (*map(memory.array, arrays),)


def _changed(which: int, change: Callable[[Any], Any], memory: Memory) -> Any:
    given = [*_given(5, "float64", memory)]
    given[which] = change(given[which])
    return (*given,)


CHANGES: dict[str, Callable[[Any], Any]] = {
    "of all positions": lambda array: np.repeat(array, 5, array.shape.index(1)),
    "of two positions": lambda array: np.repeat(array, 2, array.shape.index(1)),
    "of none": lambda array: np.delete(array, 0, array.shape.index(1)),
    "of columns": lambda array: np.asfortranarray(np.ones((5, 5)))[: len(array), :1],
    "of one axis": lambda array: array.ravel(),
    "of three axes": lambda array: array[None],
}


def _rows() -> Iterator[Row]:
    yield Row("5 natively", partial(_given, 5, "float64"), True)
    for n in (0, 1, 2, 3, 13):
        yield Row(f"{n}", partial(_given, n, "float64"), None)
    for kind in ("float32", "int64", "bool", "complex128", "float16"):
        yield Row(kind, partial(_given, 4, kind), None)
    for which, name in ((1, "w"), (2, "v")):
        for how, change in CHANGES.items():
            yield Row(f"{name} {how}", partial(_changed, which, change), None)


TABLES = tuple(
    Table(function, (*_rows(),))
    for function in (computed, outer, columns, compared, assigned)
)
