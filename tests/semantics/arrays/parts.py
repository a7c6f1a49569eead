"""Slices whose bounds data say, and statements on arrays that data decide."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def frames(A, x, at, w):
    for i in range(len(at)):
        start = at[i]
        A[i, :] = x[start : start + w]


def hops(A, x, at, w):
    for i in range(A.shape[0]):
        low = i * w
        A[i, :2] = x[low : low + 2] * 2


def shifted(A, x, at, w):
    """It reads what it has written, or not."""
    for i in range(len(at)):
        s = at[i]
        x[s : s + w] = x[s + 1 : s + w + 1] + 1
        x[s + 1 : s + w + 1] = x[s : s + w]


def backwards(A, x, at, w):
    for i in range(len(at)):
        high = at[i] + w
        x[high : at[i] : -1] *= 2
        low = at[i]
        x[high:low:-1] += x[low:high]


def decided(A, x, at, w):
    for i in range(len(at)):
        if at[i] > 1:
            A[i] += x[i]
        else:
            A[i, 1:] = A[i, :-1] * 0.5
        if x[i] > 0.5:
            A[i] /= at[i]
            A[:, 0] = x[i] / 4


def guarded(A, x, at, w):
    for i in range(A.shape[0]):
        if i > 0 and x[i] > 0.3:
            A[i - 1, :] = A[i, :]
        if at[i] == 0:
            continue
        A[i, :] = i


def left(A, x, at, w):
    for t in range(len(at)):
        if at[t] > w:
            A[t:] = t
            return A, t
        x[t + 1 :] = x[t]
    return x


def lasting(A, x, at, w):
    t = 0
    while t < len(at):
        s = at[t]
        A[t, s:] = s
        A[:, t % 2] = x[t]
        if s > 3:
            break
        t += 1
    return t


def rows(A, x, at, w):
    for i in range(A.shape[0]):
        s = at[i]
        A[i, s : s + 2] = A[i, s : s + 2] * w + x[i]
        A[s, :] = x[i]


def divided(A, x, at, w):
    for i in range(A.shape[0]):
        if x[i] > 0.3:
            A[i, :] = x[i] * (1 / w)
            at[i:] += w


def narrow(A, x, at, w):
    """Bounds that wrap."""
    for i in range(len(at)):
        low = at[i]
        high = low + at[0]
        x[low:high] += 1
        x[: high - low] *= 2


KINDS = ("int64", "int32", "int8", "uint8", "uint64", "float64", "bool")
POSITIONS = {
    "inside": (0, 2, 1, 3, 0, 2),
    "at the end": (5, 6, 0, 7, 8, 9),
    "negative": (-1, 0, -3, 2, 1, -9),
    "far": (2, 100, 0, 120, 3, 1),
    "empty": (),
}


def given(
    memory: Memory,
    positions: tuple[int, ...] = POSITIONS["inside"],
    width: Any = 3,
    columns: int = 3,
    kind: str = "int64",
    element: str = "float64",
    layout: str = "C",
) -> tuple[Any, ...]:
    """Arguments.

    Args:
        memory: where they lie. positions, width: of slices.
        columns: of the table. kind: of the positions. element: of the other arrays.
        layout: of these.
    """
    count = len(positions)
    table = (np.arange(count * columns) % 7 / 4).reshape(count, columns)
    line = np.arange(count + 4) * 5 % 9 / 8
    at = np.array(positions, np.int64).astype(kind)
    return (
        memory.array(table, element, layout),
        memory.array(line, element, layout),
        memory.array(at),
        width,
    )


def _rows(sure: bool) -> Iterator[Row]:
    for name, positions in POSITIONS.items():
        for width in (3, 1, 0, -1, 40):
            for columns in (3, 1):
                make = partial(given, positions=positions, width=width, columns=columns)
                known = sure and (name, width, columns) == ("inside", 3, 3)
                yield Row(f"{name} {width} {columns}", make, True if known else None)
    for width in (True, 2.0, None, np.int8(3), np.float64(1), 2**70, "three"):
        yield Row(f"width {width!r}", partial(given, width=width), None)
    for kind in KINDS:
        for name in ("inside", "far"):
            positions = POSITIONS[name]
            make = partial(given, positions=positions, kind=kind)
            yield Row(f"{name} of {kind}", make, None)
    for element in ("float32", "int64", "int8", "complex128", "bool"):
        yield Row(f"elements of {element}", partial(given, element=element), None)
    for layout in ("apart", "back", "F", "fixed"):
        yield Row(f"lies {layout}", partial(given, layout=layout), None)


SURE = (frames, decided, guarded)

TABLES = tuple(
    Table(function, tuple(_rows(function in SURE)))
    for function in (
        *SURE,
        hops,
        shifted,
        backwards,
        left,
        lasting,
        rows,
        divided,
        narrow,
    )
)
