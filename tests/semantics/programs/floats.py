"""Tuples of floats, of which loops take elements."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table

WEIGHTS = (0.5, -0.0, 7.25)


def weighed(t, x, k):
    s = 0.0
    for i in range(len(x)):
        s += t[i % len(t)] * x[i]
        x[i] = t[-1] - WEIGHTS[i % 3]
    return s


def divided(t, x, k):
    """Numbers of Python raise where those of NumPy do not."""
    for i in range(len(x)):
        x[i] = x[i] / (1.0 + t[i % 2] * t[i % 2])
    for i in range(k):
        x[0] += 1.0 / t[i]


def held(t, x, k):
    best = t[0]
    for i in range(len(x)):
        best = x[i] if x[i] > t[i % 2] else t[i % 2]
    return best, t


def taken(t, x, k):
    for i in range(k):
        x[i] += t[i]
    for i in range(-k, 0):
        x[i] *= t[i]
    for i in range(len(x)):
        x[i] += t[int(x[i]) - k]


def beside(t, x, k):
    s = 0
    for i, (a, b) in enumerate(zip(t, x, strict=False)):
        s = s * 0.5 + a * b - i
    for v in t:
        s += v
    return s


def made(t, x, k):
    parts = (t[0], 0.25 * k, t[0] + k)
    for i in range(len(x)):
        x[i] *= parts[i % 3]
    return x


TUPLES: tuple[Any, ...] = (
    *((0.5, 1.5), (1.0, 0.0), (-0.0, float("nan")), (float("inf"), 2.0, -3.5)),
    *((), (2.5,), (1, 2), (1.0, 2), (True, 1.0), (np.float64(1), 2.0), (2**64, 1)),
)


def _values(t: Any, dtype: str, k: int, memory: Memory) -> tuple[Any, ...]:
    return t, memory.array(np.arange(5) - 1.5, dtype), k


def _rows() -> Iterator[Row]:
    for t in TUPLES:
        for dtype in ("float64", "float32", "int64"):
            for k in (0, 2, 3):
                yield Row(f"{t!r}, {dtype}, {k}", partial(_values, t, dtype, k), None)


TABLES = tuple(
    Table(function, tuple(_rows()))
    for function in (weighed, divided, held, taken, beside, made)
)
