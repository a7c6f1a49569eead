"""Functions that are given blocks of arrays, and take rows and columns of these."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def _framed(B, m):
    B[: m + 1, 0] = 2.5
    B[0, : m + 1] = 7
    B[0, 0] = 0
    for i in range(1, B.shape[0]):
        for j in range(1, B.shape[1]):
            B[i, j] = B[i - 1, j] + B[i, j - 1] / 2


def framed(A, m, x):
    for k in range(A.shape[0]):
        _framed(A[k], m)
        x[k] = A[k, -1, -1]


def sliced(A, m, x):
    for k in range(A.shape[0]):
        _framed(A[k, :, :], m)


def _moved(B, m):
    B[1, m:] += B[0, m:] * 2
    B[:, 1] = B[:, m]
    return B[1:, 0].sum() + B[0].max()


def moved(A, m, x):
    for k in range(A.shape[0]):
        x[k] = _moved(A[k], m)
    return x


def backwards(A, m, x):
    for k in range(A.shape[0] - 1, -1, -2):
        x[k] -= _moved(A[-k], m)


def across(A, m, x):
    """The axes of the block are not the last ones."""
    for j in range(A.shape[1]):
        x[j % len(x)] += _moved(A[:, j, :], m)


def twice(A, m, x):
    """Names of blocks, and of rows of these."""
    for k in range(A.shape[0]):
        B = A[k]
        row = B[m]
        row[1:] = x[k]
        B[:m, 0] = row[:m]


def _apart(B, C):
    s = 0.0
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            s += (B[i, j] - C[i, j]) * j
    return s


def pairs(A, m, x):
    """Two blocks get names at once."""
    for i in range(len(A)):
        for j in range(i):
            B, C = A[i], A[j - m]
            x[j] += _apart(B, C)
    return x


def given_to(
    memory: Memory,
    shape: tuple[int, ...] = (3, 4, 5),
    m: object = 2,
    kind: str = "float64",
    layout: str = "C",
) -> tuple[Any, ...]:
    """Blocks, a position in them, and a line.

    Args:
        memory: where they lie. shape: of the blocks. m: the position.
        kind: of all elements. layout: of the blocks.
    """
    values = (np.arange(np.prod(shape)) % 11).reshape(shape) / 4 + 1
    line = memory.array(np.arange(shape[0]).astype(kind), dtype=kind)
    return memory.array(values.astype(kind), dtype=kind, layout=layout), m, line


def _rows(sure: bool) -> Iterator[Row]:
    shapes = ((3, 4, 5), (1, 3, 3), (2, 1, 7), (0, 2, 2), (2, 0, 3), (2, 3, 1))
    for shape in shapes:
        for m in (0, 1, 2, 3, 6, -1):
            native = True if sure and (shape, m) == ((3, 4, 5), 2) else None
            yield Row(f"{shape} {m}", partial(given_to, shape=shape, m=m), native)
    for kind in ("float32", "int64", "int8", "complex128", "bool", "uint64"):
        yield Row(f"of {kind}", partial(given_to, kind=kind), None)
    for layout in ("apart", "back", "F", "fixed", "odd"):
        yield Row(f"lies {layout}", partial(given_to, layout=layout), None)
    for m in (2.0, None, True, np.int8(1), 2**70):
        yield Row(f"at {m!r}", partial(given_to, m=m), None)
    yield Row("two axes", partial(given_to, shape=(3, 4)), None)


_SURE = (framed, sliced, moved, pairs)

TABLES = tuple(
    Table(function, tuple(_rows(function in _SURE)))
    for function in (*_SURE, backwards, across, twice)
)
