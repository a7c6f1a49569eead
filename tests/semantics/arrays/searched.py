"""Where numbers would stand in rows: sorted ones, others, and none at all."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from semantics.memory import Memory
from semantics.table import Make, Row, Table

NAN, INF = np.nan, np.inf


def placed(row, numbers, at):
    for i in range(len(numbers)):
        at[i] = np.searchsorted(row, numbers[i])


def placed_behind(row, numbers, at):
    for i in range(len(numbers)):
        at[i] = np.searchsorted(row, numbers[i], side="right") - 1


def of_one(row, number):
    k = 0
    for _ in range(2):
        k = np.searchsorted(row, number, "right")
    return k


def in_parts(rows, number, at):
    for i in range(len(rows)):
        at[i] = np.searchsorted(rows[i], number) + np.searchsorted(rows[:, i], number)
        at[i] -= np.searchsorted(rows[i, ::-1], number, side="left")


def cell_of(edges, x):
    k = np.searchsorted(edges, x, side="right")
    if k == 0 or k == len(edges):
        return -1
    return k - 1


def counted(edges, numbers, at):
    for i in range(len(numbers)):
        k = cell_of(edges, numbers[i])
        if k >= 0:
            at[k] += 1


def lengths(rows, at):
    """Products of rows in functions are those of NumPy, too."""
    for i in range(len(rows)):
        at[i] = length(rows[i]) + np.dot(rows[i], rows[0])


def length(row):
    return np.sqrt(np.dot(row, row))


_ROWS = {
    "sorted": [1, 2, 2, 3, 9],
    "turned": [9, 3, 2, 1],
    "mixed": [3, 1, 9, 2, 2, 5],
    "unsorted": [7 * k % 30 for k in range(29)],
    "one": [2],
    "none": [],
}
_NUMBERS = [0, 1, 2, 3, 8, 9, 100]


def _given(row: list[float], dtype: str, numbers: list[float], of: str) -> Make:
    """A row, what is looked up in it, and room for the places."""

    def make(memory: Memory) -> tuple[object, ...]:
        at = [0] * (len(numbers) + 1)
        return (
            memory.array(row, dtype),
            memory.array(numbers, of),
            memory.array(at, "int64"),
        )

    return make


def _placed() -> Iterator[Row]:
    for (name, row), dtype, of in itertools.product(_ROWS.items(), _TYPES, _TYPES):
        yield Row(f"{name} {dtype}, {of}", _given(row, dtype, _NUMBERS, of))
    odd = [-INF, -0.0, 0.0, 1.5, INF, NAN, NAN]
    for dtype, of in itertools.product(("float64", "float32"), repeat=2):
        for name, row in ("odd", odd), ("odd twice", 3 * odd):
            yield Row(f"{name} {dtype}, {of}", _given(row, dtype, [*odd, 2.0], of))
    far = [2**53, 2**53 + 1, 2**62]
    yield Row("beyond doubles", _given(far, "int64", [2**53 + 1], "int64"))
    yield Row("doubles in integers", _given(far, "int64", [2.0**53], "float64"))
    yield Row("without a sign", _given(far, "uint64", [2**53 + 1], "int64"))


def _of_one() -> Iterator[Row]:
    def given(row: object, dtype: str, number: object) -> Make:
        return lambda memory: (memory.array(row, dtype), number)

    numbers = (0.1, 2, 2.0, np.float32(0.1), np.int8(2), np.uint64(3), NAN)
    for number, dtype in itertools.product(numbers, _TYPES):
        yield Row(f"{dtype}, {number!r}", given([0.1, 2, 2, 3], dtype, number))
    for other in (True, 1j, [1, 2], "a", None, np.array([1.5])):
        yield Row(f"{other!r}", given([1, 2], "float64", other), native=False)
    yield Row("complex", given([1, 2], "complex128", 1.5), native=False)


def _in_parts() -> Iterator[Row]:
    table = np.arange(9).reshape(3, 3) % 5

    def given(dtype: str) -> Make:
        return lambda m: (m.array(table, dtype), 2, m.array([0] * 3, "int64"))

    for dtype in ("float64", "int64"):
        yield Row(dtype, given(dtype))


def _counted() -> Iterator[Row]:
    for n in (0, 1, 2, 5):
        edges = [*range(n)]
        yield Row(f"{n}", _given(edges, "float64", [0.5, -1, 3.0, 4, NAN], "float64"))


def _lengths() -> Iterator[Row]:
    for n in (1, 2, 7):
        yield Row(
            f"{n}",
            lambda m, n=n: (
                m.array(np.linspace(-1, 2, n * n).reshape(n, n), "float64"),
                m.array([0] * n, "float64"),
            ),
        )


_TYPES = ("float64", "float32", "int64", "int32", "uint8", "uint64")

TABLES = (
    Table(placed, tuple(_placed())),
    Table(placed_behind, tuple(_placed())),
    Table(of_one, tuple(_of_one())),
    Table(in_parts, tuple(_in_parts())),
    Table(counted, tuple(_counted())),
    Table(lengths, tuple(_lengths())),
)
