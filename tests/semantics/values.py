"""Values at the edges of each dtype, and rows that combine them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Make, Row

INTEGERS = ("int64", "int32", "uint8")
FLOATS = ("float64", "float32")

_PAYLOAD = {
    "float64": np.array([0xFFF8_0000_0000_BEEF], np.uint64).view(np.float64)[0],
    "float32": np.array([0xFFC0_BEEF], np.uint32).view(np.float32)[0],
}
"""A NaN that is negative and says something."""


def _floats(dtype: str) -> list[Any]:
    info = np.finfo(dtype)
    near = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -1.5, 3.0, 1e-3]
    far = [info.smallest_subnormal, info.tiny, info.max, -info.max]
    beyond = [np.inf, -np.inf, np.nan, _PAYLOAD[dtype]]
    exact = [2.0**53 + 2 if dtype == "float64" else 2.0**24 + 2]
    kind = np.dtype(dtype).type
    return [kind(value) for value in near + far + exact + beyond]


def _integers(dtype: str) -> list[Any]:
    info = np.iinfo(dtype)
    near = [0, 1, 2, 3, 7, info.max, info.max - 1, info.min, info.min + 1]
    if info.min < 0:
        near += [-1, -2, -3]
    if dtype == "int64":
        near += [2**53 + 1, -(2**53) - 1]
    kind = np.dtype(dtype).type
    return [kind(value) for value in dict.fromkeys(near)]


def _complexes(largest: float, *more: complex) -> list[Any]:
    parts = [0.0, -0.0, -2.5, np.inf, np.nan, largest]
    return [*(complex(re, im) for re, im in itertools.product(parts, repeat=2)), *more]


def _narrow_complexes() -> list[Any]:
    found = _complexes(1e38, 0.1 - 1e-45j, -1.7 + 0.3j, 3e-39 + 7e20j)
    return [np.complex64(value) for value in found]


EDGES: dict[str, list[Any]] = {
    "bool": [np.False_, np.True_],
    **{dtype: _integers(dtype) for dtype in INTEGERS},
    **{dtype: _floats(dtype) for dtype in FLOATS},
    "complex64": _narrow_complexes(),
    "complex128": _complexes(1e300),
}
"""NumPy numbers at the edges of each dtype."""

_ORDINARY = (-1.0, 1e-3, -1.5, 3.0, 2.0**53 + 2)

PYTHON: dict[str, list[Any]] = {
    "bool": [False, True],
    "int": [0, 1, -1, 2, 3, -7, 255, 2**31 - 1, 2**53 + 1, -(2**53) - 1],
    "float": [float(value) for value in EDGES["float64"] if value not in _ORDINARY],
    "complex": [
        complex(re, im)
        for re in (0.0, -0.0, 1.5, np.inf, np.nan)
        for im in (0.0, -0.0, -2.0, np.inf)
    ],
}
"""Python numbers of each type."""


def cells(*values: Any, after: tuple[Any, ...] = ()) -> Make:
    """Arguments: an array with one cell for each value, then ``after`` as they are."""
    return partial(_cells, values, after)


def _cells(
    values: tuple[Any, ...], after: tuple[Any, ...], memory: Memory
) -> tuple[Any, ...]:
    return (*(memory.array([value]) for value in values), *after)


def plain(*values: Any) -> Make:
    """Arguments that are no arrays."""
    return lambda memory: values


def each(
    dtype: str, *after: Any, native: bool | None = True, only: list[Any] | None = None
) -> Iterator[Row]:
    """A row for every edge of a dtype, in an array of one cell."""
    for value in only or EDGES[dtype]:
        name = " ".join([dtype, *map(repr, (value, *after))])
        yield Row(name, cells(value, after=after), native)


def pairs(
    left: str, right: str, *after: Any, native: bool | None = True
) -> Iterator[Row]:
    """A row for every pair of edges of two dtypes, but for two NaNs.

    Which of two NaNs an operation returns is up to the C compiler, of NumPy, too.
    """
    for one, two in itertools.product(EDGES[left], EDGES[right]):
        if one != one and two != two:
            continue
        name = f"{left} {one!r}, {right} {two!r}"
        yield Row(
            " ".join([name, *map(repr, after)]), cells(one, two, after=after), native
        )


def numbers(shape: tuple[int, ...], kind: str) -> np.ndarray:
    """A few small numbers, over and over, as an array of a shape and type."""
    count = int(np.prod(shape))
    return (np.arange(count) * 7 % 5 - 1.25).reshape(shape).astype(kind)


def pair(shape: tuple[int, ...], kind: str, memory: Memory):
    """Two arrays of a shape and type."""
    return memory.array(numbers(shape, kind)), memory.array(numbers(shape, kind) + 1)
