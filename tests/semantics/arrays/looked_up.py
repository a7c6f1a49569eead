"""What raises first where an element is stored: its value, its place, or the store."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Make, Row, Table

INF, NAN = math.inf, math.nan


def stored(a, at, x):
    for i in range(at.shape[0]):
        a[at[i]] = float(x[i])


def computed(a, at, x):
    for i in range(at.shape[0]):
        a[at[i]] = 4.0 / float(x[i]) - 2.5


def several(a, at, x):
    for i in range(at.shape[0]):
        a[at[i]], a[i] = float(x[i]), i
        a[at[i]] = a[at[i] - 1] = float(x[i])


def in_turn(a, at, x):
    t = 0
    for i in range(at.shape[0]):
        t = float(x[i]) * 100 if x[i] > 2 else i - 2
        a[at[i]] = t // (i - 1)


def in_part(a, at, x):
    for i in range(at.shape[0]):
        part = a[at[i] : at[i] + 1]
        part[0] = float(x[i])
        part[-1] = -2.0


def added(a, at, x):
    for i in range(at.shape[0]):
        a[at[i]] -= float(x[i])


def of_float(a, at, x):
    for i in range(at.shape[0]):
        a[int(x[i])] += 1


def of_name(a, at, x):
    for i in range(at.shape[0]):
        k = int(x[i])
        a[k] += i


def of_argument(a, y):
    for i in range(3):
        a[int(y)] += i


def of_both(A, at, x):
    for i in range(at.shape[0]):
        A[at[i], int(x[i])] += 1


def of_other(A, at, x):
    for i in range(at.shape[0]):
        A[math.floor(x[i]), at[i]] = A[at[i], round(x[i])] + 1


def of_names(A, at, x):
    for i in range(at.shape[0]):
        k, j = int(x[i]), at[i]
        A[j, k] += 1


def of_copies(A, at, x):
    k = 0
    for i in range(at.shape[0]):
        m, n = k, at[i]
        A[n, m] += 1
        j = k = int(x[i])
        A[at[i], j] += 1


def of_part(A, at, x):
    for i in range(at.shape[0]):
        part = A[1:]
        k = int(x[i])
        part[at[i], k] += 1


def of_row(A, at, x):
    for i in range(at.shape[0]):
        A[at[i]][int(x[i])] += 1


def of_slices(A, at, x):
    t = 0
    for i in range(at.shape[0]):
        t += np.sum(A[at[i], int(x[i]) :]) + np.sum(A[: int(x[i]), at[i]])
    return t


def of_slices_of_slices(A, at, x):
    t = 0
    for i in range(at.shape[0]):
        t += np.sum(A[:, int(x[i]) :][at[i]]) - A[at[i]][int(x[i]) :].sum()
    return t


_PLACES = ((0, 0, 1), (0, 1, 2), (2, 1, 7), (-9, 0, 0), (2**63 - 1, 0, 0))
_VALUES = {
    "small": (1.0, 2.0, 0.0),
    "negative": (2.0, 0.0, -1.0),
    "no number": (1.0, NAN, 2.0),
    "infinite": (-INF, 0.0, 1.0),
    "large": (1e30, -1e19, 2.5),
    "words": (2.0**63, -(2.0**63), 2.0**62),
    "outside": (9.0, 9.0, 9.0),
}
_TYPES = ("uint64", "uint8", "int64", "float64")


def _rows(rank: int, types: tuple[str, ...]) -> Iterator[Row]:
    """Calls with an array of that many axes."""
    sizes = (0, 1, 3)
    for n, dtype, at, values in itertools.product(sizes, types, _PLACES, _VALUES):
        yield Row(
            f"{n} {dtype} at {at}: {values}",
            _given((n,) * rank, dtype, at, values),
            None,
        )


def _given(shape: Any, dtype: str, at: Any, values: str) -> Make:
    def make(memory: Memory) -> tuple[Any, ...]:
        return (
            memory.array(np.zeros(shape), dtype),
            memory.array(at, "int64"),
            memory.array(_VALUES[values], "float64"),
        )

    return make


def _arguments() -> Iterator[Row]:
    numbers = sorted({x for row in _VALUES.values() for x in row if x == x})
    for n, one in itertools.product((0, 1, 3), (*numbers, NAN)):
        for number in (one, np.float64(one), np.float32(one)):
            yield Row(
                f"{n} at {number!r}",
                lambda m, n=n, number=number: (m.array([0] * n, "int64"), number),
                None,
            )


TABLES = (
    *(
        Table(one, tuple(_rows(1, _TYPES)))
        for one in (stored, computed, several, in_turn, in_part, added)
    ),
    *(Table(one, tuple(_rows(1, ("int64",)))) for one in (of_float, of_name)),
    Table(of_argument, tuple(_arguments())),
    *(
        Table(one, tuple(_rows(2, ("int64",))))
        for one in (of_both, of_other, of_names, of_copies, of_part, of_row)
    ),
    *(
        Table(one, tuple(_rows(2, ("int64",))))
        for one in (of_slices, of_slices_of_slices)
    ),
)
