"""Differences of neighbours, one by one and all of them, behind conditions on rows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Make, Row, Table


def single(A, b, c):
    for i in range(A.shape[0]):
        b[i] = np.diff(A[i])[i] + np.diff(A[:, 0])[-1]


def every(A, b, c):
    for i in range(A.shape[0]):
        v = A[i]
        for j in range(A.shape[1] - 1):
            b[i] += np.diff(v)[j] * c


def sliced(A, b, c):
    for i in range(A.shape[0]):
        b[i] = np.sum(np.diff(A[i])[1:]) - np.max(np.diff(A[i])[:2])


def spread(A, b, c):
    out = []
    for row in A:
        if any(row > c):
            continue
        steps = np.diff(row)
        out.append(np.percentile(steps, 75) - np.percentile(steps, 25))
    return out


def rough(A, b, c):
    out = []
    for i, row in enumerate(A):
        if not all(row < c) or any(np.isnan(row)):
            b[i] += 1
        elif any(row) and not all(np.abs(row) > c):
            out.append(np.quantile(np.diff(row), 0.9))
    return out


def asked(A, b, c):
    for i in range(A.shape[0]):
        b[i] = 2 if any(A[i, 1:] == A[i, 0]) else all(A[:, 0]) + any(A[i] > c)


def numbers_asked(A, b, c):
    for i in range(A.shape[0]):
        if any(A[i] > c > -c):
            b[i] += 1
        if all(c < A):
            b[i] += 2


_SHAPES = ((0, 3), (1, 1), (1, 4), (3, 0), (3, 5), (4, 7))


def _given(shape: tuple[int, int], dtype: str, odd: bool, c: float) -> Make:
    def make(memory: Memory) -> tuple[Any, ...]:
        many = math.prod(shape)
        numbers = (np.arange(many) * 7 % 5).reshape(shape).astype(dtype)
        if odd and many:
            numbers.flat[many // 2] = math.nan
        return memory.array(numbers), memory.array([0] * shape[0], "float64"), c

    return make


def _rows(types: tuple[str, ...], *, plain: bool = True) -> Iterator[Row]:
    """Calls for arrays of these types; ``plain`` where native code takes the large."""
    for shape, dtype, c in itertools.product(_SHAPES, types, (0.0, 3.5, 9.0)):
        for odd in (False, True) if dtype[0] == "f" else (False,):
            name = f"{shape} {dtype}, {c}{', odd' if odd else ''}"
            large = plain and min(shape) > 2 and dtype != "bool"
            yield Row(name, _given(shape, dtype, odd, c), large or None)


_FLOATS = ("float64", "float32")
_TYPES = (*_FLOATS, "int64", "uint8", "bool")

TABLES = (
    *(Table(one, (*_rows(_TYPES),)) for one in (single, every, sliced)),
    *(Table(one, (*_rows(_FLOATS),)) for one in (spread, rough)),
    *(Table(one, (*_rows(_TYPES, plain=False),)) for one in (asked, numbers_asked)),
)
