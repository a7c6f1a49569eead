"""Lists of rows that loops make, beside numbers of NumPy and huge sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kit.calls import same

import looptx

pytestmark = pytest.mark.usefixtures("rehearsed")


@looptx.kernel
def looked_up(a):
    table = []
    total = 0
    for i in range(len(a)):
        row = []
        for j in range(110):
            row.append(i * 1000 + j)
        table.append(row)
        total += table[i][a[i]]
    return total


@looptx.kernel
def columns(a, b):
    table = []
    total = 0
    for i in range(len(a)):
        table.append([i, i + 1, 7])
        total = total * 10 + table[-1][b[i]] + table[b[0]][0]
    return total, table


@looptx.kernel
def starred(a):
    *first, last = None, None
    n = 0
    for i in range(len(a)):
        if first is None or a[i] > 2:
            first = a[i]
        else:
            n += 1
    return first, last, n


@looptx.kernel
def repeated(a):
    table = []
    for i in range(len(a)):
        table.append([i] * a[i])
    return len(table)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "uint64"])
def test_places_are_no_numbers_of_a_small_type(dtype: str) -> None:
    for values in ([0, 100], [1, 109, 100], [0, 0, 0], [], [0, 110]):
        same(looked_up, np.array(values, dtype))


@pytest.mark.parametrize(
    "places",
    [
        *([True, False], np.array([True, False]), [0, 2], [1, -3], [0, 3]),
        *([0.0, 1.0], np.array([0.0, 1.0]), np.array([0, 1], "uint8")),
    ],
)
def test_what_is_no_place_is_told(places: Any) -> None:
    same(columns, [1, 2], places)


def test_a_starred_name_is_a_list() -> None:
    same(starred, [1, 2, 3, 0])
    same(starred, [])


def test_rows_of_all_sizes() -> None:
    same(repeated, [3, 0, -1, 2], native=1)
    same(repeated, [2, 1 << 62])
