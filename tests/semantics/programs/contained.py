"""Membership in numbers that the source writes out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def one_of(x, y, low):
    count = 0
    for i in range(len(x)):
        if x[i] in (0, 3, -2):
            y[i] = 1
        elif x[i] not in [low, low + 4, 1.5]:
            y[i] = 2
        count += x[i] in {4, 1000}
    return count


def at_ends(x, y, low):
    last = -1
    for i in range(len(x)):
        if i in (0, len(x) - 1, low):
            y[i] += x[i]
            last = i in (low,)
    return last


def as_it_was(x, y, low):
    for i in range(len(x)):
        v = x[i]
        while v not in (low - 1, 5, 9 * low) and y[i] < 4:
            y[i] += 1 + (v in (2, True))
            v = v + 1
    return low in (2, 3)


def the_same_object(x, y, low):
    nan = x[0]
    for i in range(len(x)):
        y[i] = nan in (nan, low)
        y[i] += x[i] in (nan, low)


def rounded(x, y, low):
    for i in range(len(x)):
        y[i] = x[i] in (0.1, 16777217, 1 / 3)
        y[i] += x[i] in {0.1, 16777217}


VALUES = {
    "int64": np.array([0, 3, -2, 4, 1000, 7, 2]),
    "int8": np.array([0, 3, -2, 4, 100, 7, 2], "int8"),
    "uint8": np.array([0, 3, 254, 4, 232, 7, 2], "uint8"),
    "uint64": np.array([0, 3, 2**64 - 2, 4, 1000, 7, 2], "uint64"),
    "bool": np.array([False, True, True]),
    "float64": np.array([-0.0, 3, np.nan, 1.5, 4, np.inf, 0.1]),
    "float32": np.array([0, 3, 0.1, 16777217, 1 / 3, 4, 1000], "float32"),
    "float16": np.array([0, 3, 0.1, 4, 1000, 1 / 3], "float16"),
    "complex128": np.array([0, 3, 4 + 1j, -2, 4, complex(0, np.nan)]),
    "none": np.zeros(0),
    "one": np.array([3.0]),
    "NaN first": np.array([np.nan, 1.0, np.nan]),
}
LOW = {"2": 2, "2.0": 2.0, "NaN": np.nan, "int16": np.int16(3), "None": None}


def _given(values: object, low: object, memory: Memory):
    return memory.array(values), memory.array(np.zeros(len(values))), low


def _rows(function) -> Iterator[Row]:
    others = (("float64", text) for text in LOW if text != "2")
    for name, text in (*((name, "2") for name in VALUES), *others):
        sure = function is one_of and name in ("int64", "float64") and text == "2"
        make = partial(_given, VALUES[name], LOW[text])
        yield Row(f"{name}, {text}", make, True if sure else None)


TABLES = tuple(
    Table(function, tuple(_rows(function)))
    for function in (one_of, at_ends, as_it_was, the_same_object, rounded)
)
