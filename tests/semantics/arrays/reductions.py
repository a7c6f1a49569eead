"""Reductions of rows and slices: the order of sums, NaN, zeros, no elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def sums(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.sum(A[i])


def means(A, y, k):
    for i in range(A.shape[0]):
        y[i] = A[i, :].mean()


def products(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.prod(A[i, 2:])


def spreads(A, y, k):
    for i in range(A.shape[0]):
        y[i] = A[i].std()


def freedoms(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.var(A[i, 1:], ddof=1)


def columns(A, y, k):
    for j in range(A.shape[1]):
        y[j] = A[:, j].sum() - np.mean(A[::2, j])


def ends(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.min(A[i]) - A[i].max()


def places(A, y, k):
    for i in range(A.shape[0]):
        y[i] = A[i].argmin() * 1000 + np.argmax(A[i])


def truths(A, y, k):
    for i in range(A.shape[0]):
        if np.any(A[i]) and not A[i, 1:].all():
            y[i] = 1


def windows(A, y, k):
    for i in range(A.shape[1]):
        y[i] = np.sum(A[0, i - k : i + k]) + A[0, ::-1].sum() + A[0, :-1].sum()


def running(A, y, k):
    for i in range(y.shape[0]):
        y[i] = y[:i].sum() + np.sum(A) + np.amax(y) + i


def found(A, y, k):
    s = 0.0
    m = 0
    for i in range(A.shape[0]):
        s += A[i].sum()
        m = A[i].max()
    return s, m


def products_of_rows(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.sum(A[i, :] * A[-1, :])


def distances(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.sqrt(np.sum((A[i] - A[0]) ** 2)) + np.max(np.abs(A[i] - 0.5))


def deviations(A, y, k):
    for i in range(A.shape[0]):
        m = np.mean(A[i])
        y[i] = np.mean((A[i] - m) * (A[i] - m))


def mixed(A, y, k):
    for i in range(A.shape[1]):
        y[i] = np.sum(A[0, k:] * A[0, : A.shape[1] - k]) - np.sum(-A[:, i] / 2 + i)


def unequal(A, y, k):
    for i in range(A.shape[0]):
        if np.any(A[i, 1:] > A[i, :k]) and i > 0:
            y[i] = 1
        y[i] += np.sum(A[i, :] - A[0, :1])


def compared(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.sum(A[i] > k) + np.all(A[i, ::-1] != A[i])


def powers(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.sum(A[i, k:] ** 2.0)


def spreads_of_computed(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.std(A[i] * A[-1] - k, ddof=2) + A[:, 0].var()


def squares(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.sum(A[i, k:] ** 2 + A[i, k:] ** 2)


def extremes(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.sum(A[i] * 2) + A[i, :k].max()


def parts(A, y, k):
    """Of several axes, in NumPy's order: it sorts them, and copies what has gaps."""
    for i in range(A.shape[0]):
        y[i] = A[i : i + k, 1:].sum()


def parts_multiplied(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.prod(A[::2, : i + 1])


def largest_of_parts(A, y, k):
    for i in range(A.shape[0]):
        y[i] = A[i:, ::2].max()


def means_of_parts(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.mean(A[: i + 1, ::-1])


def truths_of_parts(A, y, k):
    for i in range(A.shape[0]):
        if np.any(A[i:, :k]) and not A[: i + 1, 1:].all():
            y[i] = 1


def centred(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.std(A[i] - A[i].mean()) * np.sum(A[i] > np.mean(A[:, 0] * A[:, 0]))
        y[i] += np.sum(A[i] - np.sum(np.abs(A[i] - np.sum(A[0, k:]))))


def present_sums(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.nansum(A[i])


def present_products(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.nanprod(A[i, ::-1])
        y[i] -= np.nanprod(A[:, 0] + 1.0)


def present_means(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.nanmean(A[i, 1:])


def present_spreads(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.nanstd(A[i], ddof=1)


def present_columns(A, y, k):
    for j in range(A.shape[1]):
        y[j] = np.nanvar(A[:, j])


def absent(A, y, k):
    for i in range(A.shape[0]):
        if np.isnan(A[i]).any() and not np.isnan(A[:, 0]).all():
            y[i] = np.abs(A[0]).max()


def least_present(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.nanmin(A[i])


def most_present(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.nanmax(A[i, ::-1])


def averages(A, y, k):
    for i in range(A.shape[0]):
        y[i] = np.average(A[i])


COMPUTED = (
    *(products_of_rows, distances, deviations, mixed, unequal, compared),
    *(powers, squares, extremes, spreads_of_computed, means_of_parts, centred),
)

PRESENT = (
    *(present_sums, present_means, present_spreads, present_columns),
    *(least_present, most_present, present_products, absent),
)
"""Where NaN counts for nothing."""

ALONE = (
    *(sums, means, products, ends, places, truths, spreads, freedoms),
    *(parts, parts_multiplied, largest_of_parts, truths_of_parts, averages, *PRESENT),
)
"""Where no two reductions are added: which of two NaN C takes then is its own."""

FUNCTIONS = (*ALONE, columns, windows, running, found, *COMPUTED)
KINDS = (
    *("float64", "float32", "float16", "int64", "int32", "int16", "int8"),
    *("uint64", "uint8", "bool", "complex128"),
)
SHAPES = ((0, 0), (0, 3), (3, 0), (1, 1), (3, 7), (7, 2), (2, 129), (2, 1000))
SPECIAL = {
    "zeros": (0.0, -0.0),
    "negative zeros": (-0.0,),
    "not numbers": (np.nan, 1.0, -np.inf, np.inf),
    "infinite": (np.inf, 1.0, -np.inf),
    "large": (1e308, 1.0, -1e308, 3.0),
}
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "strided": lambda array: array[..., ::2],
    "backwards": lambda array: array[::-1, ::-1],
    "transposed": lambda array: array.T,
    "Fortran": np.asfortranarray,
    "read-only": lambda array: _locked(array),
    "a list": lambda array: array.tolist(),
    "of one axis": lambda array: array.ravel()[:7].copy(),
    "of one axis more": lambda array: np.stack([array, array]),
    "a matrix": np.asmatrix,
    "masked": lambda array: np.ma.masked_equal(array, 2),
    "repeated": lambda array: np.broadcast_to(array[0], array.shape),
}


def _locked(array: Any) -> Any:
    array.flags.writeable = False
    return array


def given(
    memory: Memory,
    shape: tuple[int, int] = (7, 7),
    kind: str = "float64",
    values: tuple[float, ...] = (),
    layout: Callable[[Any], Any] = lambda array: array,
    k: Any = 2,
) -> tuple[Any, ...]:
    """A table, as many numbers as its longer side has, and an integer."""
    count = shape[0] * shape[1]
    cells = np.resize(values, count) if values else np.arange(count) * 37 % 101 - 40.3
    if np.dtype(kind).kind in "ub":
        cells = abs(cells)
    with np.errstate(over="ignore"):
        cells = cells.reshape(shape).astype(kind)
    A = layout(memory.array(cells, dtype=kind))
    return A, memory.array(np.zeros(max(shape)), dtype="float64"), k


def _rows(function: Callable[..., Any]) -> Iterator[Row]:
    for shape in SHAPES:
        yield Row(f"{shape}", partial(given, shape=shape), None)
    for kind in KINDS:
        surely = kind.startswith(("int", "uint")) or kind in ("float64", "float32")
        native = True if surely and function not in COMPUTED else None
        if function in (products_of_rows, distances, extremes) and kind.startswith(
            "float"
        ):
            native = True if kind != "float16" else None
        yield Row(f"{kind}", partial(given, kind=kind), native)
    for kind in ("float64", "float32"):
        for name, values in SPECIAL.items() if function in ALONE else ():
            for shape in ((3, 9), (2, 300)):
                make = partial(given, kind=kind, values=values, shape=shape)
                yield Row(f"{kind} {name} {shape}", make, None)
    for kind, share in (("float64", 1), ("float64", 3), ("float32", 2)):
        for shape in ((3, 9), (2, 300)) if function in PRESENT else ():
            values = (np.nan,) if share == 1 else (*range(1, share), -np.nan, 0.1)
            make = partial(given, kind=kind, values=values, shape=shape)
            yield Row(f"{kind} NaN of {share} {shape}", make, None)
    for name, layout in LAYOUTS.items():
        yield Row(name, partial(given, layout=layout), None)
    for k in (-9, -1, 0, 1, 40, True, np.int8(3), np.uint64(2), 2.0, None):
        yield Row(f"k = {k!r}", partial(given, k=k), None)


TABLES = tuple(Table(function, tuple(_rows(function))) for function in FUNCTIONS)
