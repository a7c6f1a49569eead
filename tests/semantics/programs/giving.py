"""Calls of functions that give arrays which they make, stored as they come."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table
from semantics.values import numbers, pair


def running(x):
    out = np.empty_like(x)
    t = x.dtype.type(0)
    for i in range(len(x)):
        t = t + x[i]
        out[i] = t
    return out


def lagged(x, k=1):
    out = np.full_like(x, -1.0, dtype=np.float64)
    for i in range(k, x.shape[0]):
        out[i] = x[i] - x[i - k]
    return out


def of_its_type(x):
    out = np.zeros(x.shape, dtype=x.dtype)
    for i in range(x.size):
        out[i] = x[i] * 2
    return out


def perhaps_itself(x):
    if len(x) < 6:
        return x
    out = np.ones_like(x)
    for i in range(1, len(x)):
        out[i] = x[i] - out[i - 1]
    return out


def shorter(x):
    out = np.empty(len(x) - 1)
    for i in range(len(x) - 1):
        out[i] = x[i + 1] * 0.5
    return out


def twice(x):
    y = np.empty(len(x))
    y[:] = lagged(x)
    for i in range(len(x)):
        y[i] = y[i] + 1
    return y


def longest(x):
    best = run = 0
    for i in range(1, len(x)):
        run = run + 1 if x[i] != x[i - 1] else 0
        best = max(best, run)
    return min(best, len(x))


def added_up(x):
    total = 0.5
    for v in x:
        total = total / 2 + v
    return total


def first_larger(x, y, bound=0.5):
    """Elements side by side, from the second on, and a way out."""
    at = -1
    for i, (a, b) in enumerate(zip(x[1:], y, strict=False), 1):
        if a * 2 > b + bound:
            at = i
            break
        for d in (-1, 0, 1):
            if 0 <= i + d < len(x):
                x[i] = x[i] + x[i + d]
    return at


def last_of(x):
    for v in x[::-1]:
        if v > 3:
            return v
    return x[0]


def nothing(x, do):
    if do:
        x[:] = 0.0


def of_rows(A, B):
    for i in range(A.shape[0]):
        A[i] = lagged(A[i])
        B[i, :] = lagged(k=2, x=A[i, :])


def of_columns(A, B):
    _, m = A.shape
    for j in range(m):
        A[:, j] = lagged(B[:, j])
        B[:, j] = perhaps_itself(A[:, j])


def of_types(A, B):
    for j in range(A.shape[1]):
        A[:, j] = of_its_type(A[:, j])
        B[:, j] = of_its_type(B[:, j])


def of_counts(A, B):
    for j in range(A.shape[1]):
        B[0, j] = longest(A[:, j])
        B[1, j] = longest(A[1]) - longest(A[2])


def of_elements(A, B):
    for i in range(A.shape[0]):
        B[i, 0] = added_up(A[i]) + first_larger(A[i], B[0], i) - last_of(B[i])


def of_all_elements(A, B):
    total = 0.0
    for i in range(3):
        total += added_up(A) - added_up(B)
    return total


def of_sums(A, B):
    for j in range(A.shape[1]):
        B[:, j] = running(A[:, j])
        B[1:, j] = lagged(A[1:, j])
        A[:, j] = lagged(of_its_type(B[:, j]))


def of_two(A, B):
    for j in range(A.shape[1]):
        A[:, j] = twice(A[:, j])
        B[0] = twice(B[-1])


def of_others(A, B):
    for i in range(A.shape[0]):
        A[i, 1:] = shorter(B[i])
        B[i] = shorter(A[i])


def of_itself(A, B):
    for i in range(1, A.shape[0]):
        A[i] = A[i - 1] = lagged(A[i])
        A[i, ::-1] = perhaps_itself(A[i])


def looked_at(A, B):
    for j in range(1, A.shape[1]):
        nothing(A[:, j], len(B) > 99)
    for i in range(len(A)):
        nothing(A[i, ::2], len(B) > 99)


def beyond(A, B):
    for j in range(A.shape[1] + 1):
        nothing(A[:, j], len(B) > 99)


def beyond_counted(A, B):
    for i in range(len(B)):
        B[i, :] = B[i, :] * 2
    for j in range(A.shape[1]):
        j += 1
        nothing(A[:, j], len(B) > 99)


def beyond_others(A, B):
    n = A.shape[0]
    for j in range(n):
        nothing(A[:, j], len(B) > 99)


def beyond_rebound(A, B):
    m = A.shape[1]
    A = A[:, 1:]
    for j in range(m):
        nothing(A[:, j], len(B) > 99)


def beyond_below(A, B):
    for j in range(-A.shape[1] - 1, A.shape[1]):
        nothing(A[:, j], len(B) > 99)


SHAPES = {"0": (0, 5), "one": (1, 5), "7": (7, 5), "thin": (7, 1), "no columns": (3, 0)}
KINDS = ("float32", "int64", "int8", "complex128")
SURE = (of_rows, of_columns, of_types, of_two, of_counts, of_elements, looked_at)


def _one(memory: Memory):
    A = memory.array(numbers((7, 7), "float64"))
    return A, A


def _strided(memory: Memory):
    A, B = (memory.array(numbers((14, 10), "float64")) for _ in range(2))
    return A[::2, ::-2], B[::-2, 1::2]


def _flat(memory: Memory):
    return memory.array(numbers((7,), "float64")), memory.array(np.ones(7))


def _unlike(memory: Memory):
    return memory.array(numbers((5, 5), "float64")), memory.array(np.ones((5, 4)))


def _rows(function) -> Iterator[Row]:
    for name, shape in SHAPES.items():
        native = True if function in SURE and name == "7" else None
        yield Row(name, partial(pair, shape, "float64"), native)
    for kind in KINDS:
        yield Row(kind, partial(pair, (7, 5), kind), None)
    for make in (_one, _strided, _flat, _unlike):
        yield Row(make.__name__.strip("_"), make, None)


TABLES = tuple(
    Table(function, tuple(_rows(function)))
    for function in (
        *SURE,
        of_all_elements,
        of_sums,
        of_others,
        of_itself,
        beyond,
        beyond_counted,
        beyond_others,
        beyond_rebound,
        beyond_below,
    )
)
