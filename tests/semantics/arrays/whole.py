"""Whole arrays: made by statements, returned, reduced along axes, multiplied."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def computed(A, B, x, c):
    X = A * c + B
    Y = X * X - x
    X = np.sqrt(np.abs(Y)) - X
    return X, X.strides, Y, Y.strides


def returned(A, B, x, c):
    return np.where((A > 0.5) & ~(x > B), A - c, np.clip(B, 0, 2) * 2)


def branched(A, B, x, c):
    if x.shape[0] > 2:
        return A + B * c
    for i in range(2):
        Z = A * i - B
    return Z


def turned(A, B, x, c):
    Y = A.T * 2 - np.transpose(B)
    Z = np.flip(A) + B[::-1, ::-1] * c
    x[:] = np.flip(x) * 2 - x[0]
    return Y, Z - np.fliplr(A) * np.flipud(B)


def ones(A, B, x, c):
    """Slices of one position, which stay where they are while others are written."""
    A -= A[:1]
    A[:, :] /= A[:, :1] + 1
    A[:, :] = A[0:1, :] - B[:1] + A[-1, :]
    x[:] = x[:1] + x[:]
    x[:1] = x[:1] * 2
    for i in range(len(x)):
        B[i] += B[i, 0:1]
    Y = A * 2 + A.shape[0] - +B
    return Y, (not c) - x * 2


def outer(A, B, x, c):
    Y = np.outer(x, B[0]) + np.add.outer(A[:, 0], x) * c
    Y -= np.maximum.outer(x, x) + np.less.outer(x, x)
    return Y


def repeated(A, B, x, c):
    for k in range(2):
        A[:] = np.minimum(A[:], np.add.outer(A[:, k], A[k, :]))
        A[1:] = A[:-1] * c
        A[0, :] = A[0, :] / 4 - A[0, 0]
        A[:, :] = A.T + B


def meaned(A, B, x, c):
    Y = A - np.mean(B, axis=0) * c
    Z = np.std(A, axis=0) + np.var(B, axis=1)
    return Y, Z - np.mean(A * B, axis=-1, keepdims=True)


def summed(A, B, x, c):
    Y = np.sum(A * B, axis=0) - A.sum(axis=1) * 2
    Z = (A + np.sum(B, axis=1, keepdims=True)) * np.prod(A, 0)
    return Y, Z


def extreme(A, B, x, c):
    Y = np.max(A * B, axis=0) - B.min(axis=0)
    return Y * 2 - np.amax(A, axis=1), A - np.min(B, axis=-1, keepdims=True) * 2


def blocks(A, B, x, c):
    Y = np.zeros((3, A.shape[1]))
    for i in range(3):
        Y[i, :] = np.sum(
            A[i : i + 2, :, None] * B[i : i + 2, np.newaxis, :], axis=(0, 1)
        )
        Y[i, :] += np.max(A[i:], axis=0) + np.mean(B[:, i:], axis=1)
    return Y


def named(A, B, x, c):
    for k in range(A.shape[1]):
        t = A[:, k]
        x[:] = t * c
    for k in range(A.shape[1]):
        t = A[:, k] - B[:, k] * x
        B[:, k] = t / 2


def kept(A, B, x, c):
    u = np.empty_like(A)
    u = A.copy()
    for k in range(3):
        u = A.copy()
        A[1:, :] = u[:-1, :] * c + B[1:, :]
        v = u * 2
        B[:, 1:] = v[:, :-1] - u[:, 1:]
    return A


def renamed(A, B, x, c):
    for k in range(2):
        t = A[:, k] * c
        x[:] = t
        t = A * c + B
        x[: len(repr(t)) % 3] = t[0, 0]


def matrices(A, B, x, c):
    Y = c * A @ B - A
    z = A @ x * 2 + x @ B
    B[:] = A @ B.T @ A + 0.5 * Y
    x += 2 * x @ A + z
    return Y, np.matmul(A, x[:, None]) * 2 - z[:, None]


def rows(A, B, x, c):
    return (A @ x) @ B * c - x


def chains(A, B, x, c):
    for i in range(A.shape[0]):
        t = A[:, i] * 2
        x[:] = t @ B
        A[:] = A - np.matmul(A, B)


def taken(A, B, x, c):
    places = np.argsort(x)
    for i in range(A.shape[0]):
        some = places[i : i + 3]
        row = B[i, i : i + 3]
        A[i, 0] = row @ x[some] + np.sum(x[places[:i]] * 2)


def swept(A, B, x, c):
    for k in range(1, B.shape[1]):
        p = A[1:, k] + A[:-1, k]
        q = A[1:, k - 1] - A[:-1, k - 1]
        r = p * 0.5
        s = q * c
        t = r * s
        u = x[1:] - t - s
        v = r * (B[1:, k - 1] - B[1:, k]) - s * B[1:, k] + u
        B[1:, k] = (v - B[:-1, k - 1] * t) / (u - s * t)
        x[1:] = v * 2 + q


def numbers(A, B, x, c):
    """NumPy's functions of numbers alone give numbers of other types than operators."""
    Y = A * np.multiply(c, 2.0) + np.add(c, 1)
    Z = B - np.divide(1, c) * np.power(c, 2)
    P = np.power(A, 2) + A.shape[0] * B
    Q = A**2 * A[0, 0] ** 2 + B
    R = (A[0, 0] + A[1, 0]) ** 2 * B - B
    A[:, :] = A * np.multiply(c, 2.0) + np.subtract(c, 1)
    return Y, Z, P, Q, R


def past(A, B, x, c):
    """Slices end with their axis, and do so where there is nothing beside it, too."""
    X = A[: x.shape[0], :] * 2 + B[: x.shape[0], :]
    Y = B[0:1, :] * 2 + A
    Z = A[x.shape[0] - 1 :: -1, :] * 2 + c
    A[: x.shape[0], :] = B[: x.shape[0], :] * 2
    return X, Y, Z


def functions(A, B, x, c):
    """NumPy's own loops, which go through numbers side by side and backwards."""
    Y = np.exp(-A * A) * np.sin(c) - 1
    Z = np.log(B * B + 1) * 2
    for i in range(A.shape[0]):
        B[i, :] = np.log1p(abs(A[i, :])) - np.hypot(i, c)
    x[:] = np.tanh(x) * c
    x[:] = np.cos(np.exp(c) * x[::-1])
    return Y, Z, np.exp(A - np.sum(A, axis=1, keepdims=True)) * np.arctan2(c, 2)


def joined(A, B, x, c):
    """Arrays one behind the other, which may lie column by column."""
    X = np.concatenate((A * c, B))
    Y = np.hstack([A, B, A[:, :1]]) * 2
    Z = np.vstack((B[1:], A)) - 1
    x[:] = np.concatenate((x[1:], x[:1]), axis=-1)
    A[:, :] = np.hstack((A[:, 1:], B[:, :1]))
    for i in range(A.shape[0]):
        v = np.hstack((x * i, A[i, ::2]))
        B[i] += np.sum(v) - v[-1]
    return X, X.strides, Y, Y.strides, Z, Z.strides


def chained(A, B, x, c):
    """A value for several arrays is computed once."""
    x[:] = B[0, :] = 0.5
    for i in range(A.shape[0]):
        A[i, :] = A[:, i] = x * c + i
        B[i, i:] = B[i:, i] = A[:, i] @ A[:, i:] / 2
    x[1:] = x[:-1] = x[1:] * 2 + A[0, 1:]
    B[0, :] = B[:, 0] = c


def chained_alone(A, B, x, c):
    for i in range(A.shape[0]):
        A[i, :] = A[:, i] = x * 2


def chained_views(A, B, x, c):
    """What is no array of its own may change on the way."""
    for i in range(A.shape[0]):
        A[i, :] = B[:, i] = A[i, ::-1]
        x[1:] = x[:-1] = x[:-1]
        x[i] = A[0, i] = B[i, 0]
        A[i, :] = A[:, i] = x[i]
    A[1:] = B[:-1] = x


FLOATS = (computed, returned, turned, outer, summed, extreme, blocks, named, kept)
SQUARE = (
    repeated,
    renamed,
    rows,
    meaned,
    matrices,
    chains,
    taken,
    branched,
    swept,
    ones,
    functions,
    joined,
    chained,
)


def _filled(n: int, m: int, kind: str, first: int = 0) -> Any:
    values = (np.arange(n * m).reshape(n, m) * 7 + first) % 11 - 3
    made = values.astype(kind)
    if np.dtype(kind).kind in "fc":
        made = (made + 0.375).astype(kind)
        if n * m > 8:
            made[n // 2, m // 2] = -0.0
            made[-1, 0] = np.nan
    if np.dtype(kind).kind == "c":
        made = made * (1 - 0.5j)
    return made


def divided(k, n):
    X = np.log2(np.floor_divide(n - 1, k - 1))
    Y = np.exp2(k // 2 + n % 3) * 2
    return X, Y


def _whole(n: int, kind: str, memory: Memory) -> tuple[Any, ...]:
    return memory.array(np.arange(2, n + 2, dtype=kind)), 100


SIZES = (0, 1, 2, 3, 7, 13)
KINDS = ("float32", "int64", "uint8", "bool", "complex128", "float16")

Change = Callable[[Any], Any]
CHANGES: dict[str, Change] = {
    "transposed": lambda array: array.T,
    "backwards": lambda array: array[::-1, ::-1],
    "every second": lambda array: np.repeat(np.repeat(array, 2, 0), 2, 1)[::2, ::2],
    "one row": lambda array: array[:1],
    "of one axis": lambda array: array.ravel()[:7].copy(),
    "of three axes": lambda array: np.stack([array, array]),
    "a list": lambda array: array.tolist(),
    "masked": lambda array: np.ma.masked_equal(array, 2),
    "a matrix": lambda array: np.asmatrix(array),
    "objects": lambda array: array.astype(object),
}


def _square(n: int, kind: str, c: Any, memory: Memory) -> tuple[Any, ...]:
    A, B = (memory.array(_filled(n, n, kind, first)) for first in (0, 5))
    return A, B, memory.array(_filled(1, n, kind)[0]), c


def _changed(change: Change, which: int, memory: Memory) -> tuple[Any, ...]:
    given = [*_square(7, "float64", 2.0, memory)]
    given[which] = change(given[which])
    return (*given,)


def _without_columns(rows: Sequence[int], memory: Memory) -> tuple[Any, ...]:
    A, B = (memory.array(np.zeros((n, 0))) for n in rows)
    return A, B, memory.array(np.ones(4)), 2.0


def _truths(memory: Memory) -> tuple[Any, ...]:
    A, *others = _square(7, "float32", 2, memory)
    return A.astype(bool), *others


def _one(memory: Memory) -> tuple[Any, ...]:
    A, _, x, _ = _square(7, "float64", 2.0, memory)
    return A, A, x, 2.0


def _rows(at: int) -> Iterator[Row]:
    """The rows of the function of that number: types and layouts go by turns."""
    for n in SIZES:
        yield Row(f"{n}", partial(_square, n, "float64", 1.5), None)
    for kind in KINDS[at % 2 :: 2]:
        yield Row(kind, partial(_square, 7, kind, 2), None)
    for c in (1.5, np.float64(3))[at % 3 :]:
        name = f"float32 {type(c).__name__}"
        yield Row(name, partial(_square, 7, "float32", c), None)
    for number, (name, change) in enumerate([*CHANGES.items()][at % 2 :: 2], at // 2):
        yield Row(name, partial(_changed, change, number % 2), None)
    yield Row("one array", _one, None)


def _sure(at: int, function: Callable[..., Any]) -> Table:
    """The rows of a function, that native code has to take where it can."""
    first = Row("7 natively", partial(_square, 7, "float64", 2.0), True)
    return Table(function, (first, *_rows(at)))


def _empty() -> Iterator[Row]:
    """Rows of arrays of no columns, which have no elements to be missed."""
    for rows in itertools.product((0, 1, 3, 4, 9), repeat=2):
        make = partial(_without_columns, rows)
        yield Row(f"{rows[0]} and {rows[1]} rows of nothing", make, None)


def _divided() -> Iterator[Row]:
    """Rows of integers, whose division is no loop of floats."""
    for kind, n in itertools.product(("int64", "int32", "uint8"), SIZES):
        native = True if kind == "int64" else None
        yield Row(f"{kind} {n}", partial(_whole, n, kind), native)


TABLES = (
    *itertools.starmap(_sure, enumerate((*FLOATS, *SQUARE))),
    Table(numbers, (*_rows(0), Row("truths", _truths, None))),
    Table(chained_views, (*_rows(1),)),
    _sure(1, chained_alone),
    Table(past, (*_rows(1), *_empty())),
    Table(divided, tuple(_divided())),
)
