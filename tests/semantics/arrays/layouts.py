"""Where the cells of arrays lie: strides, addresses, overlaps, sizes, read-only."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table

LAYOUTS = ("C", "F", "back", "apart", "one", "odd", "swapped", "fixed")
PLAIN = ("C", "F", "back", "apart", "one", "fixed")
"""The layouts that native code reads."""
WRITTEN = ("C", "F", "back", "apart")
"""Those that it writes into."""
SHAPES = ((3, 5), (1, 1), (1, 4), (4, 1), (0, 3), (3, 0))


def blend(A, B):
    n, m = A.shape
    for i in range(n):
        for j in range(m):
            B[i, j] = A[i, j] * 2 - B[i, j]
    return A, B


def scan(a, b):
    for i in range(1, a.shape[0]):
        b[i] = b[i - 1] + a[i]
        a[i - 1] = a[i] - b[i]


def spread(a, b, c):
    for i in range(a.shape[0]):
        b[i] = a[i] + 1
    for i in range(a.shape[0]):
        c[i] = b[i] * 2


def turn(A, B):
    n = A.shape[0]
    for i in range(n):
        for j in range(n):
            A[i, j] = B[j, i] + 1
            B[i, j] = A[i, j] - B[j, i]


def solid(A, s):
    n, m, p = A.shape
    for i in range(n):
        for j in range(m):
            for k in range(p):
                A[i, j, k] += s
                s = A[i, j, k]
    return s


def _values(shape: tuple[int, ...], dtype: str) -> Any:
    return (np.arange(np.prod(shape)).reshape(shape) * 3 + 1).astype(dtype)


def _blended(
    left: str, right: str, shape: tuple[int, int], dtype: str, memory: Memory
) -> tuple[Any, ...]:
    values = _values(shape, dtype)
    return memory.array(values, layout=left), memory.array(values + 7, layout=right)


def _blends() -> Iterator[Row]:
    for left, right in itertools.product(LAYOUTS, LAYOUTS):
        if left != right and "C" not in (left, right):
            continue
        for shape in SHAPES:
            native: bool | None = left in PLAIN and right in WRITTEN
            if 0 in shape or 1 in shape:
                native = None  # Strides of short axes say nothing.
            make = partial(_blended, left, right, shape, "float64")
            yield Row(f"{left} into {right} {shape}", make, native)
    for dtype in ("int32", "bool", "complex128"):
        for layout in ("C", "odd", "swapped", "fixed"):
            make = partial(_blended, layout, layout, (3, 4), dtype)
            yield Row(f"{dtype} {layout}", make, None)


def _shifted(
    cut: tuple[slice, slice], dtype: str, count: int, memory: Memory
) -> tuple[Any, ...]:
    return memory.overlapping(range(count), dtype, cut)


SHIFTS = {
    "the same": (slice(0, 6), slice(0, 6)),
    "one behind": (slice(0, 6), slice(1, 7)),
    "one before": (slice(1, 7), slice(0, 6)),
    "touching": (slice(0, 6), slice(6, 12)),
    "backwards": (slice(0, 6), slice(5, None, -1)),
    "woven": (slice(0, 12, 2), slice(1, 12, 2)),
    "half": (slice(0, 6), slice(3, 9)),
    "empty": (slice(0, 0), slice(0, 0)),
    "one cell": (slice(5, 6), slice(0, 6)),
}


def _shifts() -> Iterator[Row]:
    for name, cut in SHIFTS.items():
        native: bool | None = name in ("touching", "empty") or None
        make = partial(_shifted, cut, "float64", 12)
        yield Row(name, make, False if name == "the same" else native)


def _spreads() -> Iterator[Row]:
    for name in ("the same", "one behind", "half", "touching"):
        cut = SHIFTS[name]
        for order in itertools.permutations(range(3)):
            make = partial(_three, cut, order)
            yield Row(f"{name} in order {order}", make, None)


def _three(
    cut: tuple[slice, slice], order: tuple[int, ...], memory: Memory
) -> tuple[Any, ...]:
    one, two = memory.overlapping(range(12), "float64", cut)
    arrays = one, two, memory.array(range(12), "float64")
    return tuple(arrays[at] for at in order)


def _turned(how: str, size: int, memory: Memory) -> tuple[Any, ...]:
    A = memory.array(_values((size, size), "float64"))
    other = {
        "itself": A,
        "transposed": A.T,
        "upside down": A[::-1],
        "both ways": A[::-1, ::-1],
        "apart": memory.array(_values((size, size), "float64") + 1),
        "apart, transposed": memory.array(_values((size, size), "float64") + 1).T,
    }
    return A, other[how]


def _turns() -> Iterator[Row]:
    ways = ("itself", "transposed", "upside down", "both ways", "apart")
    for how in (*ways, "apart, transposed"):
        for size in (0, 1, 2, 5):
            native = how.startswith("apart") or (False if size > 1 else None)
            yield Row(f"{how} {size}", partial(_turned, how, size), native)


def _solid(layout: str, shape: tuple[int, ...], memory: Memory) -> tuple[Any, ...]:
    return memory.array(_values(shape, "float64"), layout=layout), 0.5


def _folded(strides: tuple[int, ...], memory: Memory) -> tuple[Any, ...]:
    whole = memory.array(np.arange(60.0))
    folded = np.lib.stride_tricks.as_strided(whole, (2, 3, 4), strides)
    return folded, 0.5


def _solids() -> Iterator[Row]:
    for layout in LAYOUTS:
        for shape in ((2, 3, 4), (1, 1, 1), (0, 2, 2), (2, 0, 2), (2, 2, 0)):
            yield Row(f"{layout} {shape}", partial(_solid, layout, shape), None)
    for strides in ((96, 32, 8), (8, 8, 8), (8, 16, 48), (0, 32, 8), (32, 32, 8)):
        whole = strides in ((96, 32, 8), (8, 16, 48))
        yield Row(f"strides {strides}", partial(_folded, strides), whole)


TABLES = (
    Table(blend, tuple(_blends())),
    Table(scan, tuple(_shifts())),
    Table(spread, tuple(_spreads())),
    Table(turn, tuple(_turns())),
    Table(solid, tuple(_solids())),
)
