"""Arrays that the first round of a loop makes, and parts that nothing uses.

Each function has a loop that can be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table
from semantics.values import numbers


def summed(A):
    for j in range(A.shape[1]):
        s = A[:, j].sum()
        if j == 0:
            y = np.zeros(A.shape[1], dtype=np.asarray(s).dtype)
        y[j] = s
    return y, y.strides


def counted(A):
    n, m = A.shape
    for j in range(m):
        if j == 0:
            y = np.empty_like(A, dtype=np.asarray(j).dtype)
        y[:, j] = j
        for i in range(n):
            y[i, j] += i
    return y


def alike(A):
    for i in range(0, len(A)):
        x = A[i, 0] * 2
        if i == 0:
            y = np.zeros_like(A, np.array(x).dtype)
        y[i, :1] = x
    y[:1] += 1
    return y, y.strides


def nested(A):
    first = 0
    for j in range(A.shape[1]):
        for i in range(A.shape[0]):
            x = A[i, j] * 0.5 - first
            if j == 0 and i == 0:
                y = np.full((A.shape[0], A.shape[1]), 7, np.asarray(x).dtype)
            y[i, j] += x
        first = first + j
    return y, first


def left(A):
    """It is there behind a loop that has ended early."""
    for j in range(A.shape[1]):
        if j == 0:
            y = np.zeros(A.shape[1])
        y[j] = j + 1
        if A[0, j] > 1:
            break
    return y


def late(A):
    """A round may go on before it."""
    count = 0
    for k in range(3):
        count += k
    for j in range(A.shape[1]):
        if A[0, j] < 0:
            continue
        if j == 0:
            y = np.zeros(A.shape[1])
        y[j] = j + 1
    return y


def elsewhere(A):
    count = 0
    for k in range(3):
        count += k
    y = np.ones(A.shape[1])
    for j in range(A.shape[1]):
        if j == 0:
            y = np.zeros(A.shape[1])
        y[j] += A[0, j]
    return y


def sooner(A):
    count = 0
    for k in range(3):
        count += k
    s = 0.0
    for j in range(A.shape[1]):
        if j > 0:
            s += y[j - 1]  # noqa: F821
        if j == 0:
            y = np.zeros(A.shape[1])
        y[j] = A[0, j]
    return s, y


def again(A):
    count = 0
    for k in range(3):
        count += k
    for k in range(count - 1):
        for j in range(A.shape[1]):
            if j == 0:
                y = np.zeros(A.shape[1])
            y[j] += A[0, j] + k
    return y


def unused(A):
    s = 0
    for i in range(A.shape[0]):
        _part = A[max(0, i - 1) : i + 1, 1]
        s += i
    return s


def unused_whole(A):
    """It has as many axes as subscripts say, and bounds are integers."""
    s = 0
    for i in range(len(A)):
        _part = A[:, i : i + 2]
        s += i
    return s


def unbounded(A):
    s, w = 0, A.shape[0] / 2
    for i in range(A.shape[0]):
        _part = A[i:w]
        s += i
    return s


def beyond(A):
    s = 0
    for i in range(A.shape[0]):
        _part = A[i // 0 : 2, 0]
        s += i
    return s


def _array(shape: tuple[int, ...], kind: str, order: str, memory: Memory):
    values = numbers(shape, "float64") * 3
    made = memory.array(values, kind)
    return (made if order == "C" else memory.array(values.T, kind).T,)


SURE = (summed, counted, nested, unused, unused_whole)


def _rows(function) -> Iterator[Row]:
    for shape in ((0, 3), (3, 0), (1, 1), (1, 4), (5, 1), (7, 5)):
        for order in "CF":
            make = partial(_array, shape, "float64", order)
            sure = order == "C" and function in SURE and min(shape) > 1
            yield Row(f"{shape} {order}", make, True if sure else None)
    for kind in ("float32", "int64", "int8", "uint16", "bool", "complex64"):
        yield Row(kind, partial(_array, (3, 4), kind, "C"), None)
    yield Row("flat", partial(_array, (7,), "float64", "C"), None)
    yield Row("list", lambda _: ([[1.5, 2.5], [3.5, 4.0]],), None)


TABLES = tuple(
    Table(function, tuple(_rows(function)))
    for function in (
        *SURE,
        alike,
        left,
        late,
        elsewhere,
        sooner,
        again,
        beyond,
        unbounded,
    )
)
