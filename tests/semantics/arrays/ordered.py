"""Numbers in the order of rows: medians, quantiles and ranges, with NaN and zeros."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table

NAN, INF = np.nan, np.inf


def medians(A, y, q):
    for i in range(A.shape[0]):
        y[i] = np.median(A[i])


def medians_of_columns(A, y, q):
    for j in range(A.shape[1]):
        y[j] = np.median(A[:, j]) - np.median(A[::2, j])


def medians_of_numbers(A, y, q):
    for i in range(A.shape[0]):
        y[i] = np.nanmedian(A[i, ::-1])


def deviations(A, y, q):
    for i in range(A.shape[0]):
        y[i] = np.median(np.abs(A[i] - np.median(A[i]))) + np.median(A[i, 1:] * 2)


def of_all(A, y, q):
    for i in range(A.shape[0]):
        y[i] = np.median(A) + np.percentile(A, i * 10)


def of_single_numbers(A, y, q):
    """They stand for arrays of one."""
    for i in range(A.shape[0]):
        y[i] = np.median(A[i, 0]) + np.percentile(A[i, 0] * 2, q) + np.max(A[i, -1])
        y[i] += np.quantile(A[i, 0], 0.75) + np.any(A[i, 0] == A[i, -1])


def of_two_parts(A, y, q):
    for i in range(A.shape[0]):
        low, high = np.percentile(A[i, 0], [25, 75])
        y[i] = high - low


def ranges(A, y, q):
    for i in range(A.shape[0]):
        y[i] = np.ptp(A[i]) + np.ptp(A[:, 1:])


def percentiles(A, y, q):
    for i in range(A.shape[0]):
        y[i] = np.percentile(A[i], q)


def percentiles_of_numbers(A, y, q):
    for i in range(A.shape[0]):
        y[i] = np.nanpercentile(A[i], q=q)


def quantiles(A, y, q):
    for i in range(A.shape[0]):
        y[i] = np.quantile(A[i, 1:], q / 100, method="linear")


def quantiles_of_numbers(A, y, q):
    for i in range(A.shape[0]):
        y[i] = np.nanquantile(A[i] * A[0], q / 100)


def lowest(A, y, q):
    for i in range(A.shape[0]):
        y[i] = np.percentile(A[i], q, method="lower")


def range_of(values, low):
    return np.quantile(values, 0.75) - np.quantile(values, low)


def clipped(A, y, q):
    for i in range(A.shape[0]):
        y[i] = range_of(A[i], 0.25)


def _given(
    shape: tuple[int, int], dtype: str, q: object, odd: tuple[float, ...]
) -> Callable[[Memory], tuple[Any, ...]]:
    def make(memory: Memory) -> tuple[Any, ...]:
        random = np.random.default_rng(shape[0] * 31 + shape[1])
        values = random.integers(0, 100, shape).astype(np.float64)
        if dtype.startswith("float"):
            values -= 50.5
        if odd:
            values[random.random(shape) < 0.5] = odd[0]
            values[random.random(shape) < 0.3] = odd[-1]
        return (
            memory.array(values, dtype),
            memory.array([0.0] * max(shape), "float64"),
            q,
        )

    return make


def _rows(*parts: object, summed: bool = False) -> Iterator[Row]:
    """Rows; where two NaN meet in a sum, either may be the result."""
    shapes = (3, 7), (2, 32), (1, 1), (2, 2), (0, 3), (2, 131)
    for shape, dtype, q in itertools.product(shapes, _TYPES, parts or (0,)):
        yield Row(f"{shape} {dtype} {q!r}", _given(shape, dtype, q, ()))
    shape = (5, 9)
    many = [one for one in _ODD if not summed or one != _UNLIKE]
    for odd, dtype in itertools.product(many, ("float64", "float32")):
        for q in parts or (0,):
            yield Row(f"{odd} {dtype} {q!r}", _given(shape, dtype, q, odd))


def _none() -> Iterator[Row]:
    """No elements, and parts that are none."""
    for dtype in ("float64", "int64"):
        yield Row(f"none {dtype}", _given((2, 0), dtype, 50, ()))
        for q in (-1, 100.5, NAN):
            yield Row(f"{q} {dtype}", _given((2, 3), dtype, q, ()))


_TYPES = ("float64", "float32", "int64", "int8", "uint16", "uint64")
_UNLIKE = NAN, -NAN
_ODD = (NAN,), (0.0, -0.0), (INF, -INF), _UNLIKE, (-0.0, NAN)
_PARTS = 0, 100, 50, 37.5, 99.9

_strong = _given((2, 5), "float32", np.float64(50), ())
_wide = _given((2, 5), "float64", np.float64(50), ())

TABLES = (
    *(
        Table(function, (*_rows(), *_none()))
        for function in (medians, medians_of_numbers)
    ),
    *(
        Table(function, (*_rows(summed=True), *_none()))
        for function in (deviations, of_all, ranges)
    ),
    Table(medians_of_columns, tuple(_rows())),
    Table(of_single_numbers, tuple(_rows(*_PARTS))),
    Table(of_two_parts, (Row("wide", _wide),)),
    *(
        Table(function, (*_rows(*_PARTS), *_none()))
        for function in (percentiles, percentiles_of_numbers)
    ),
    Table(percentiles, (Row("wide", _wide), Row("strong", _strong, native=False))),
    *(
        Table(function, (*_rows(*_PARTS), *_none()))
        for function in (quantiles, quantiles_of_numbers)
    ),
    Table(clipped, tuple(_rows())),
    Table(lowest, (Row("lower", _given((2, 3), "float64", 50, ()), native=False),)),
)
