"""What generators give, summed, compared and asked for at once; rows of loops."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def products(A, x, y, k):
    for i in range(A.shape[0]):
        y[i] = sum(A[i, j] * x[j % len(x)] for j in range(A.shape[1]))
        y[i] += sum([A[i, j] for j in range(i) if j < A.shape[1]])
    return sum(v * w for v, w in zip(x, y, strict=False)), sum(1 for v in x if v > 0)


def folded_twice(A, x, y, k):
    s = 0.0
    for i in range(A.shape[0]):
        s = sum(v for v in A[i]) / (1 + sum(abs(v) for v in x)) + s
        y[i] = s
    return s


def extremes(A, x, y, k):
    """Of nothing there is none: ValueError."""
    for i in range(A.shape[0]):
        y[i] = max(A[i, j] - x[i] for j in range(k, A.shape[1]))
        y[i] -= min(v for v in x if v > y[i])
    return max(abs(v) for v in x), y[0]


def asked(A, x, y, k):
    v = 5
    for i in range(A.shape[0]):
        if any(v > 1 for v in A[i]):
            continue
        elif all(A[i, j] < 0 for j in range(A.shape[1])) and k:
            break
        y[i] = 1 + any(j > k for j in range(i))
    return v, i if len(x) else 0


def nested(A, x, y, k):
    for i in range(A.shape[0]):
        if k:
            if any(v > 2 for v in x):
                y[i] = 3
            if sum(v > 0 for v in A[i]) > 1:
                y[i] += 1
        elif any(v * w > 0 for v in x for w in A[i]):
            y[i] = 7
    return sum(A[i, j] * k for i in range(A.shape[0]) for j in range(i) if j < 3)


def rows(A, x, y, k):
    for i in range(A.shape[0]):
        for v in A[i]:
            y[i] += v
        for v in A[i, :]:
            if v > 1:
                break
        else:
            continue
        for v, w in zip(A[i], A[:, 0], strict=False):
            y[i] -= v * w
    for j in range(A.shape[1]):
        for n, v in enumerate(A[:, j]):
            y[n] += v * n
    for v in A[-1]:
        y[0] = y[0] * 0.5 + v


def _values(
    shape: tuple[int, int], dtype: str, k: int, memory: Memory
) -> tuple[Any, ...]:
    n, m = shape
    values = (np.arange(n * m) * 7 % 11 - 4) % (2 if dtype == "bool" else 99)
    A = memory.array(values.reshape(shape), dtype)
    x = memory.array([(3 * i) % 5 - 1.5 for i in range(n)], "float64")
    return A, x, memory.array([0.25] * n, "float64"), k


def _rows() -> Iterator[Row]:
    for shape in ((5, 4), (0, 3), (1, 1), (3, 0), (2, 7)):
        for dtype in ("float64", "float32", "int64", "uint8"):
            for k in (0, 2):
                name = f"{shape} of {dtype}, {k}"
                yield Row(name, partial(_values, shape, dtype, k), None)


TABLES = tuple(
    Table(function, tuple(_rows()))
    for function in (products, folded_twice, extremes, asked, nested, rows)
)
