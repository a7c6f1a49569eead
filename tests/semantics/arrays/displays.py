"""Numbers in brackets of which one is made, lengths of rows, several quantiles."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def places(A, B, y):
    for i in range(1, A.shape[0]):
        y[i] = np.argmin(np.array([A[i], A[i - 1], B[i]])) + np.argmax((A[i], B[i]))


def named(A, B, y):
    """An array of them has a name for the next statement."""
    for i in range(1, A.shape[0]):
        these = np.array([A[i], B[i], A[i - 1]])
        k = np.argmin(these)
        others = np.array((A[i], B[i]))
        s = np.sum(others)
        y[i] = k + s


def none_of_them(A, B, y):
    for i in range(A.shape[0]):
        k = int(A[i] > 1)
        if np.all(np.logical_not(np.array([k, B[i] > 0, A[i]]))):
            y[i] = 1
        if np.any(np.logical_not(np.array((A[i], k)))):
            y[i] += 2


def ends(A, B, y):
    for i in range(A.shape[0]):
        y[i] = min([A[i], B[i], A[0]]) - max((B[i], A[i]))


def ends_of_arrays(A, B, y):
    for i in range(A.shape[0]):
        y[i] = np.min([A[i], B[i]]) + np.max(np.array((B[i], A[i], A[0])))


def sums(A, B, y):
    for i in range(A.shape[0]):
        y[i] = np.sum([A[i], B[i], i]) + np.mean((A[i], 2.5, B[i]))


def middles(A, B, y):
    for i in range(A.shape[0]):
        y[i] = np.median([A[i], B[i], A[0]]) + np.std(np.array([A[i], B[i]]))


def truths(A, B, y):
    for i in range(A.shape[0]):
        if np.any([A[i] > 0, B[i] > 0]) and not np.all((A[i] > 1, B[i] > 1)):
            y[i] = 1


def rounds(A, B, y):
    i = A.shape[0] - 1
    while i > 0 and np.argmax([A[i], B[i]]) == 0:
        y[i] = 1
        i -= 1


def lengths(A, y):
    for i in range(A.shape[0]):
        y[i] = np.linalg.norm(A[i])


def lengths_of_columns(A, y):
    for j in range(A.shape[1]):
        y[j] = np.linalg.norm(A[:, j]) + np.linalg.norm(A[::-1, j])


def distances(A, y):
    for i in range(A.shape[0]):
        y[i] = np.linalg.norm(A[i] - A[0]) / (np.linalg.norm(A[i, 1:]) + 1)


def spreads(A, y):
    for i in range(A.shape[0]):
        low, high = np.percentile(A[i], [25, 75])
        y[i] = high - low


def quantiles(A, y):
    for i in range(A.shape[0]):
        y[i] = np.quantile(A[i], (0.1, 1, 0.35))[2] - np.percentile(A[i], [50.5, 0])[1]


NAN, INF = float("nan"), float("inf")
_ODD = (NAN,), (0.0, -0.0), (INF, -INF), (-0.0, NAN)
_NARROW = "int8", "uint16", "bool"


def _pair(left: str, right: str, odd: tuple[float, ...]) -> Callable[[Memory], Any]:
    def make(memory: Memory) -> tuple[Any, ...]:
        random = np.random.default_rng(len(left) * 31 + len(right) + len(odd))
        arrays = []
        for kind in (left, right):
            values = random.integers(0, 3, 13).astype(float) * random.choice([1, 1.5])
            if odd and kind.startswith("float"):
                values[random.random(13) < 0.4] = odd[0]
                values[random.random(13) < 0.3] = odd[-1]
            arrays.append(memory.array(values, kind))
        return (*arrays, memory.array([0.0] * 13, "float64"))

    return make


def _pairs(*kinds: str, native: bool | None = True) -> Iterator[Row]:
    for left, right in itertools.product(kinds, repeat=2):
        yield Row(f"{left} {right}", _pair(left, right, ()), native)
    for odd in _ODD if "float64" in kinds else ():
        yield Row(f"{odd}", _pair("float64", "float64", odd), native)


def _given(
    shape: tuple[int, int], dtype: str, odd: tuple[float, ...], layout: str = "C"
) -> Callable[[Memory], Any]:
    def make(memory: Memory) -> tuple[Any, ...]:
        random = np.random.default_rng(sum(shape) + len(odd))
        values = random.normal(size=shape) * 100
        if odd:
            values[random.random(shape) < 0.5] = odd[0]
            values[random.random(shape) < 0.3] = odd[-1]
        whole = memory.array(values, dtype, layout)
        return whole, memory.array([0.0] * max(shape), "float64")

    return make


def _rows(*kinds: str) -> Iterator[Row]:
    shapes = (3, 7), (2, 32), (1, 1), (2, 2), (0, 3), (2, 131)
    for shape, dtype in itertools.product(shapes, kinds):
        yield Row(f"{shape} {dtype}", _given(shape, dtype, ()))
    for odd in _ODD:
        yield Row(f"{odd}", _given((5, 9), "float64", odd))
    for layout in ("F", "apart", "back"):
        yield Row(layout, _given((4, 7), "float64", (), layout), None)


def _refused(function: Callable[..., Any], *kinds: str) -> Table:
    rows = (Row(kind, _given((2, 5), kind, ()), native=False) for kind in kinds)
    return Table(function, tuple(rows))


_none = Row("none", _given((2, 0), "float64", ()))

TABLES = (
    Table(places, tuple(_pairs("float64", "int64", "float32", "uint8"))),
    Table(places, tuple(_pairs("bool", native=False))),
    Table(named, tuple(_pairs("float64", "int64"))),
    Table(none_of_them, tuple(_pairs("float64", "int64", *_NARROW, native=None))),
    Table(ends, tuple(_pairs("float64", "int64"))),
    Table(ends_of_arrays, tuple(_pairs("float64", "int64", "uint8"))),
    Table(sums, tuple(_pairs("float64", "int64"))),
    Table(middles, tuple(_pairs("float64", "int64"))),
    Table(truths, tuple(_pairs("float64", "int64", *_NARROW))),
    Table(rounds, tuple(_pairs("float64", native=None))),
    *(
        Table(function, (*_rows("float64", "float32"), _none))
        for function in (lengths, lengths_of_columns, distances)
    ),
    _refused(lengths, "int64", "complex128"),
    *(
        Table(function, (*_rows("float64", "int64"), _none))
        for function in (spreads, quantiles)
    ),
    _refused(spreads, "float32", "bool"),
)
