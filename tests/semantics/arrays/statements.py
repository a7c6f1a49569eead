"""Statements on whole arrays, outside of loops, too: steps, missing axes, functions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def jacobi(A, B, x, c, k):
    B[1:-1, 1:-1] = 0.2 * (
        A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]
    )
    A[1:-1, 1:-1] = 0.2 * (
        B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1]
    )


def fields(A, B, x, c, k):
    n = A.shape[0]
    for t in range(2):
        A[0, :] = x[t]
        A[1:, :] -= 0.5 * (B[1:, :] - B[:-1, :])
        B[:, 1:] -= 0.5 * (A[:, 1:] - A[:, :-1])
    A[0] *= B[n - 1]


def whole(A, B, x, c, k):
    A += 1
    A[:] = c * B + A * x
    B[...] = -A
    B[:, :] += A.shape[1]
    x[:] -= c


def stepped(A, B, x, c, k):
    A[::2, 1::3] = B[::2, 1::3] + c
    A[1::2] = B[1::2, ::-1] * x[::-1]
    x[::-1] = B[0, :] - x[::-1]
    A[k::-1, -1:0:-2] -= x[-1:0:-2]


def chosen(A, B, x, c, k):
    A[:, :] = np.where(B[:, :] > c, B[:, :], np.minimum(x[:], A[:, :]))
    B[:, 1:] = np.maximum(np.abs(B[:, 1:]), 0.5) * np.sqrt(np.square(A[:, 1:]))
    A[:, 0] = np.where(A[:, 0] != A[:, 0], 0.0, np.floor(A[:, 0]))


def signs(A, B, x, c, k):
    A[:, :] = np.sign(B[:, ::-1]) * c
    B[::-1] = np.round(np.sign(A - 1) * A + x)
    x[:] = np.around(np.sign(x))
    A[k] = np.sign(A[k] - A[k])


def columns(A, B, x, c, k):
    A[:, k] *= c
    A[:, 0] = B[:, 0] + B[:, -1]
    A[:, :] += B[:, 0, np.newaxis] * x[None, :]
    A[k - 1] = A[k] + x


def bare(A, B, x, c, k):
    A[:] = c * B + A * x
    A *= x
    B[...] = -A
    A[k] += B[0]
    x -= c
    B[:] = 1


def mirrored(A, B, x, c, k):
    x[::-1] = x + c
    x[1:] = x[:-1]
    A[::2] = A[1::2]


FUNCTIONS = (jacobi, fields, whole, stepped, chosen, signs, columns, bare, mirrored)
SIZES = (0, 1, 2, 3, 7, 12)
KINDS = (
    ("float32", "float32"),
    ("float32", "float64"),
    ("float64", "int32"),
    ("float16", "float16"),
    ("int64", "int64"),
    ("int32", "float64"),
    ("int8", "int8"),
    ("uint64", "int64"),
    ("bool", "bool"),
    ("complex128", "complex128"),
)


def _table(memory: Memory, n: int, m: int, dtype: str, first: float) -> Any:
    values = np.arange(n * m).reshape(n, m) % 11 - first
    if dtype.startswith("float"):
        values = np.where(values == 0, -0.0, values)
        values = np.where(np.arange(n * m).reshape(n, m) % 13 == 5, np.nan, values)
    return memory.array(values.astype(dtype), dtype=dtype)


def given(
    memory: Memory,
    sizes: tuple[int, int] = (7, 7),
    others: tuple[int, int, int] | None = None,
    kinds: tuple[str, str, str] = ("float64",) * 3,
    c: Any = 1.5,
    k: Any = 1,
) -> tuple[Any, ...]:
    """Arguments: two tables and a row of what sizes and kinds."""
    n, m, r = others or (*sizes, sizes[1])
    A = _table(memory, *sizes, kinds[0], 3.0)
    B = _table(memory, n, m, kinds[1], 5.0)
    x = memory.array((np.arange(r) % 5 - 2.0).astype(kinds[2]), dtype=kinds[2])
    return A, B, x, c, k


def _same(memory: Memory) -> tuple[Any, ...]:
    A, _, x, c, k = given(memory)
    return A, A, x, c, k


def _row(memory: Memory, at: int) -> tuple[Any, ...]:
    A, B, _, c, k = given(memory)
    return A, B, (A, B)[at][2], c, k


def _other(memory: Memory, at: int, value: Any) -> tuple[Any, ...]:
    args = [*given(memory)]
    args[at] = value(args[at])
    return tuple(args)


def _rows(number: int, function: Callable[..., Any]) -> Iterator[Row]:
    """Native code takes what surely agrees, and NumPy the rest.

    Types and layouts go by turns through the functions, of which this is that number.
    """
    for n, m in itertools.product(SIZES, SIZES):
        surely = n > 2 and m > 2 and function not in (mirrored, fields)
        yield Row(f"{n} x {m}", partial(given, sizes=(n, m)), True if surely else None)
    for others in ((7, 8, 7), (7, 1, 7), (8, 7, 7), (7, 7, 1), (7, 7, 6), (1, 7, 7)):
        yield Row(f"others {others}", partial(given, others=others), None)
    for one, two in KINDS[number % 2 :: 2]:
        yield Row(f"{one} of {two}", partial(given, kinds=(one, two, two)), None)
    for c in (0, 3, -1, 2**70, np.float32(0.1), np.int8(3), True, 1j, None, "text"):
        yield Row(f"{type(c).__name__} {c}", partial(given, c=c), None)
    for c in (np.arange(7.0), np.arange(5.0), np.ones((7, 7)), np.array(2.0), [1.0]):
        yield Row(f"{c!r}", partial(given, c=c), None)
    for k in (-9, -3, -1, 0, 6, 7, 40, True, np.int8(3), np.uint8(0), 2.0, None):
        yield Row(f"k = {k!r}", partial(given, k=k), None)
    yield Row("one array", _same, None)
    yield Row("a row of A", partial(_row, at=0), None)
    yield Row("a row of B", partial(_row, at=1), None)
    for at, name in ((0, "A"), (1, "B"), (2, "x")):
        for what, value in [*OTHERS.items()][(number + at) % 2 :: 2]:
            yield Row(f"{name} is {what}", partial(_other, at=at, value=value), None)


def _frozen(array: Any) -> Any:
    array.setflags(write=False)
    return array


OTHERS: dict[str, Callable[[Any], Any]] = {
    "strided": lambda array: array[..., ::-1],
    "by columns": np.asfortranarray,
    "read-only": _frozen,
    "a list": lambda array: array.tolist(),
    "of one axis more": lambda array: np.stack([array, array]),
    "of one axis": lambda array: array.ravel()[:7].copy(),
    "a number": lambda array: 2.5,
    "one cell": lambda array: array.ravel()[:1].copy(),
    "a matrix": lambda array: np.asmatrix(array),
    "masked": lambda array: np.ma.masked_equal(array, 2),
    "objects": lambda array: array.astype(object),
    "swapped bytes": lambda array: array.astype(array.dtype.newbyteorder()),
}


def _views(function: Callable[..., Any]) -> Iterator[Row]:
    """Two arguments in the same memory."""

    def make(memory: Memory, step: int) -> tuple[Any, ...]:
        whole = _table(memory, 15, 7, "float64", 1.0)
        return whole[: 15 - step], whole[step:], whole[0], 1.5, 2

    for step in (0, 1, 7):
        yield Row(f"shifted by {step}", partial(make, step=step), None)


TABLES = tuple(
    Table(function, (*_rows(number, function), *_views(function)))
    for number, function in enumerate(FUNCTIONS)
)
