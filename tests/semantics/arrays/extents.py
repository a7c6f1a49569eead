"""Sizes asked of what has them and of what has not; positions that are no integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def first(x, y):
    for i in range(3):
        for j in range(x.shape[0]):
            y[j] += i


def second(x, y):
    for i in range(x.shape[1]):
        y[i] += i + 1


def sixth(x, y):
    for i in range(3):
        for j in range(x.shape[5]):
            y[j] += i


def product(x, y):
    for i in range(x.shape[0] * x.shape[1]):
        y[i] += i + 1


def added(x, y):
    for i in range(3):
        y[i] += x.shape[1]


def counted(x, y):
    for i in range(len(x)):
        y[i] += i + 1


def last(x, y):
    for i in range(3):
        for j in range(x.shape[-1]):
            y[j] += i


def told(x, y):
    for i in range(3):
        y[i] += x.size * 10 + x.ndim


def unpacked(x, y):
    for i in range(3):
        n, m = x.shape
        y[i] += 10 * n + m


def of_slices(x, y):
    for i in range(2):
        y[i] += 10 * len(x[i, 1:]) + len(x[:, 2])
        y[i + 2] += len(x[:-1, i]) - x[i, :2].size


def row_length(x, y):
    for i in range(2):
        for j in range(len(x[i])):
            y[j] += x[i][j]


def row_shape(x, y):
    for i in range(2):
        for j in range(x[i].shape[0]):
            y[j] += i


def column_shape(x, y):
    for i in range(2):
        for j in range(x[:, i].shape[0]):
            y[j] += x[j, i]


def row_value(x, y):
    for i in range(2):
        y[i] += x[i, :].shape[-1] + len(x[i][:])


def beyond(x, y):
    for i in range(3):
        y[i] += x[i + 5].shape[0]


def backwards(x, y):
    for i in range(3):
        y[x - 1 - i] *= np.int32(i)


def at(x, y):
    for i in range(3):
        y[x] += i


def chosen(x, y):
    for i in range(4):
        y[i if i < x else 0] += y[x if i > 2 else 0]


def either(x, y):
    for i in range(4):
        y[i and x] += 1


def carried(x, y):
    t = x
    for i in range(4):
        y[t] += 1
        t = i


def least(x, y):
    for i in range(3):
        for j in range(min(x, 4)):
            y[j] += i


Maker = Callable[[Memory], Any]

SCALARS: dict[str, Any] = {
    "int": 3,
    "float": 3.0,
    "complex": 3 + 0j,
    "bool": True,
    "None": None,
    "text": "3",
    "float64": np.float64(3),
    "float32": np.float32(3),
    "complex128": np.complex128(3),
    "bool_": np.bool_(True),
    "int64": np.int64(3),
    "uint8": np.uint8(3),
}

ARRAYS: dict[str, Maker] = {
    "vector": lambda memory: memory.array([1.0, 2.0, 3.0]),
    "matrix": lambda memory: memory.array(np.arange(6.0).reshape(2, 3)),
    "empty": lambda memory: memory.array(np.ones((2, 0))),
    "list": lambda memory: [1.0, 2.0, 3.0],
    "ragged": lambda memory: [np.ones(3), np.ones(2)],
}

NATIVE: dict[Callable[..., Any], tuple[str, ...]] = {
    first: ("vector", "matrix", "empty"),
    second: ("matrix", "empty"),
    sixth: (),
    product: ("matrix", "empty"),
    added: ("matrix", "empty"),
    counted: ("vector", "matrix", "empty"),
    last: ("vector", "matrix", "empty"),
    told: ("vector", "matrix", "empty"),
    unpacked: ("matrix", "empty"),
    of_slices: ("matrix",),
    row_length: ("matrix", "empty"),
    row_shape: ("matrix", "empty"),
    column_shape: ("matrix",),
    row_value: ("matrix", "empty"),
    beyond: (),
    backwards: ("int", "int64"),
    at: ("int", "int64", "uint8"),
    chosen: ("int", "int64", "uint8"),
    either: ("int", "int64", "uint8"),
    carried: ("int", "int64", "uint8"),
    least: ("int", "int64", "uint8"),
}
"""What native code takes; the rest is Python's, with its exception or not."""


def _given(make: Maker, memory: Memory) -> tuple[Any, ...]:
    return make(memory), memory.array(np.arange(12.0))


def _rows(taken: tuple[str, ...]) -> Iterator[Row]:
    makers: dict[str, Maker] = dict(ARRAYS)
    makers.update({n: lambda _, value=v: value for n, v in SCALARS.items()})
    for name, make in makers.items():
        # A list has a length, and whether more is asked of it native code sees.
        yield Row(
            name, partial(_given, make), None if name == "list" else name in taken
        )


def told_rows(x, at):
    """How long rows are is known once they are looked up: they may be outside."""
    s = 0
    for j in range(len(at)):
        for _ in range(len(x[at[j]])):
            s += 1
        at[j] = len(x[at[j]]) - s
    return s


def _places(shape: tuple[int, ...], at: list[int], memory: Memory) -> tuple[Any, ...]:
    return memory.array(np.ones(shape)), memory.array(np.array(at))


def _told() -> Iterator[Row]:
    for shape in ((4, 3), (4, 0), (0, 3), (1, 1)):
        for at in ([0, 0], [0, 3, 1], [0, 4], [-4, -1], [0, -5, 0], [-1]):
            yield Row(f"{shape}, {at}", partial(_places, shape, at))


TABLES = (
    *(Table(function, tuple(_rows(names))) for function, names in NATIVE.items()),
    Table(told_rows, tuple(_told())),
)
