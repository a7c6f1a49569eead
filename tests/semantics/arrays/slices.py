"""Statements on slices: extents that agree or not, bounds beyond the ends, types."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def inner(A, B, x, c, k):
    for i in range(A.shape[0]):
        A[i, 1:-1] = B[i, 1:-1] + c


def scaled(A, B, x, c, k):
    for i in range(A.shape[0]):
        A[i, :] *= c


def rows(A, B, x, c, k):
    for i in range(1, A.shape[0]):
        A[i, :] += B[i - 1, :] * x[:] - A[i - 1, :]


def plane(A, B, x, c, k):
    for t in range(2):
        A[:, 1:] = np.sqrt(np.abs(B[:, :-1])) / 2 - x[1:]
        A[0, :] = 1


def clipped(A, B, x, c, k):
    for i in range(A.shape[0]):
        A[i, k:] = B[i, k:] - x[k:]
        A[i, :k] = -B[i, :k]
        A[i, k : k + 2] -= 0.5


def behind(A, B, x, c, k):
    """Arguments that count from the end."""
    for i in range(A.shape[0]):
        A[i, k:] = B[i, k:] - B[i, :-k]
        A[i, -k:] += x[-k:]
        A[i, 1:][:-k] -= x[1:][:-k]


def last(A, B, x, c, k):
    for i in range(A.shape[0]):
        A[i, -3:] += B[-1, -3:] * x[-1]
        A[i, 2:4] -= x[2:4]


def triangle(A, B, x, c, k):
    for i in range(1, A.shape[0]):
        A[i, i:] /= A[i - 1, i - 1] + 2
        A[i, :i] = A[i - 1, 1 : i + 1] + B[i, :i]


def stepping(A, B, x, c, k):
    """Steps that are no literals."""
    for i in range(1, A.shape[0]):
        A[i, ::i] = c
        A[i - 1 :: i, 1::2] += B[0, 0]
        x[i * i :: i] -= A[i, 0] * i
        x[: i + 2 : k] = x[0] + 1.5


def moved(A, B, x, c, k):
    for t in range(2):
        x[1:] = x[:-1] + c
        x[k:] = x[: x.shape[0] - k] * 2


def pivot(A, B, x, c, k):
    for i in range(A.shape[0]):
        A[i, :] = A[i, :] / A[i, 0]


def overlapping(A, B, x, c, k):
    for t in range(2):
        A[:-1, :] = B[1:, :] * 2


def nothing(A, B, x, c, k):
    for i in range(3):
        A[i, 0:0] = 1 // k


def squares(A, B, x, c, k):
    A[:, 1:] = (B[:, :-1] - x[1:]) ** 2 + np.abs(A[:, 1:]) ** 2
    for i in range(A.shape[0]):
        A[i, :] = B[i, :] ** 2 + x[:] ** 2


def numbers(A, B, x, c, k):
    x[1:] = x[1:] * (1 / k) + c**2 % 7
    for i in range(A.shape[0]):
        A[i, 1:] = B[i, 1:] / (2 * c**2) - 5 // k
        B[i, 0:0] = 1 / k


def ahead(A, B, x, c, k):
    x[:-1] += x[1:] * 0.5
    for i in range(1, A.shape[0]):
        A[i, 1:-1] += A[i - 1, :-2] + A[i, 2:] - A[i, 1:-1]
    A[:-1, 1:] = A[1:, :-1] * 0.5 + A[:-1, 1:] - B[1:, 1:]
    A[:0:-1, -2::-1] -= A[-2::-1, -2::-1]


def products(A, B, x, c, k):
    for i in range(A.shape[0]):
        A[i, 0] = np.dot(A[i, 1:], x[1:]) + B[i, :] @ x
        x[0] = 0.25 * (A[:, i] @ B[:, 0]) - np.dot(x[::-1], A[0])
        A[-1, i] -= A[i, :i] @ A[:i, i] + np.matmul(x[::-2], x[::2])


FUNCTIONS = (
    behind,
    products,
    ahead,
    squares,
    numbers,
    inner,
    scaled,
    rows,
    plane,
    clipped,
    last,
    triangle,
    stepping,
    moved,
    pivot,
    nothing,
)
SIZES = (0, 1, 2, 7, 13)
KINDS = (
    ("float32", "float64"),
    ("float64", "int64"),
    ("float32", "int32"),
    ("float16", "float16"),
    ("int64", "int64"),
    ("int64", "float64"),
    ("int8", "int8"),
    ("int8", "int32"),
    ("uint8", "uint8"),
    ("uint64", "int64"),
    ("bool", "bool"),
    ("complex128", "complex128"),
)


def _table(memory: Memory, n: int, m: int, dtype: str, first: float) -> Any:
    values = (np.arange(n * m).reshape(n, m) % 11 + first).astype(dtype)
    return memory.array(values, dtype=dtype)


def given(
    memory: Memory,
    sizes: tuple[int, int] = (7, 7),
    others: tuple[int, int, int] | None = None,
    kinds: tuple[str, str, str] = ("float64",) * 3,
    c: Any = 1.5,
    k: Any = 2,
) -> tuple[Any, ...]:
    """Arguments: two tables and a row of what sizes and kinds."""
    n, m, r = others or (*sizes, sizes[1])
    A = _table(memory, *sizes, kinds[0], 1.0)
    B = _table(memory, n, m, kinds[1], 0.5)
    x = memory.array((np.arange(r) % 5 + 0.75).astype(kinds[2]), dtype=kinds[2])
    return A, B, x, c, k


def _same(memory: Memory) -> tuple[Any, ...]:
    A, _, x, c, k = given(memory)
    return A, A, x, c, k


def _other(memory: Memory, at: int, value: Any) -> tuple[Any, ...]:
    args = [*given(memory)]
    args[at] = value(args[at])
    return tuple(args)


def _rows(function: Callable[..., Any]) -> Iterator[Row]:
    """Native code takes what surely agrees, and Python the rest."""
    for n, m in itertools.product(SIZES, SIZES):
        surely = function in (inner, scaled) and n * m > 0
        surely |= n == m == 7 and function not in (
            moved,
            pivot,
            nothing,
            stepping,
            behind,
        )
        free = True if surely else None
        yield Row(f"{n} x {m}", partial(given, sizes=(n, m)), free)
    for others in ((7, 8, 7), (7, 1, 7), (8, 7, 7), (7, 7, 1), (7, 7, 6), (1, 7, 7)):
        yield Row(f"others {others}", partial(given, others=others), None)
    for one, two in KINDS if function in (inner, scaled, squares, products) else ():
        kinds = partial(given, kinds=(one, two, two))
        yield Row(f"{one} of {two}", kinds, None)
    for c in NUMBERS if function in (inner, numbers) else ():
        for kind in ("float32", "int8", "int64"):
            make = partial(given, kinds=(kind,) * 3, c=c)
            yield Row(f"{kind} and {type(c).__name__} {c}", make, None)
    for c in (1j, None, "text", np.arange(7.0), np.arange(5.0), np.array(2.0), [1.0]):
        yield Row(f"{c!r}", partial(given, c=c), None)
    for k in (*range(-9, 9), 40, True, np.int8(3), np.uint8(0), np.uint8(3), 2.0, None):
        yield Row(f"k = {k!r}", partial(given, k=k), None)
    yield Row("one array", _same, None)
    for at, name in ((0, "A"), (1, "B"), (2, "x")):
        for what, value in OTHERS.items():
            yield Row(f"{name} is {what}", partial(_other, at=at, value=value), None)


NUMBERS = (0, 3, -1, 300, 2**70, 1e200, 0.0, np.float32(0.1), np.float64(0.0), True)

OTHERS: dict[str, Callable[[Any], Any]] = {
    "strided": lambda array: array[..., ::-1],
    "a list": lambda array: array.tolist(),
    "of one axis more": lambda array: np.stack([array, array]),
    "of one axis": lambda array: array.ravel()[:7].copy(),
    "a matrix": lambda array: np.asmatrix(array),
    "masked": lambda array: np.ma.masked_equal(array, 2),
    "objects": lambda array: array.astype(object),
}


def _views(function: Callable[..., Any]) -> Iterator[Row]:
    """Two arguments in the same memory."""

    def make(memory: Memory, step: int) -> tuple[Any, ...]:
        whole = _table(memory, 15, 7, "float64", 1.0)
        return whole[: 15 - step], whole[step:], whole[0], 1.5, 2

    for step in (0, 1, 7):
        yield Row(f"shifted by {step}", partial(make, step=step), False)


TABLES = (
    *(Table(function, tuple(_rows(function))) for function in FUNCTIONS),
    Table(overlapping, tuple(_views(overlapping))),
)
