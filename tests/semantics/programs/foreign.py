"""What is no plain array of a supported type: looptx leaves it to Python, unharmed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


class Tagged(np.ndarray):  # type: ignore[type-arg]
    """An array that reads differently from what it holds."""

    def __getitem__(self, at: Any) -> Any:
        return super().__getitem__(at) + 100


class Number(float):
    """A float that adds in its own way."""

    def __radd__(self, other: Any) -> float:
        return float(other) - 1000.0

    def __rmul__(self, other: Any) -> float:
        return float(other) / 8.0


class Listlike:
    """What can be indexed, has a shape, and is no array."""

    def __init__(self, values: list[float]) -> None:
        self.values = values
        self.shape = (len(values),)

    def __getitem__(self, at: int) -> float:
        return self.values[at]

    def __setitem__(self, at: int, value: float) -> None:
        self.values[at] = value

    def __repr__(self) -> str:
        return f"Listlike({self.values})"


def update(a, b, s):
    t = a[0]
    for i in range(len(a)):
        b[i] = a[i] * s + b[i]
        t = b[i]
    return t


def update_shape(a, b, s):
    for i in range(a.shape[0]):
        b[i] = a[i] + s
        t = a[i]
    return t


def operate(a, b):
    for i in range(a.shape[0]):
        r0 = a[i] + b[i]
        r1 = a[i] * b[i]
        r2 = a[i] - b[i]
        r3 = a[i] / b[i]
        r4 = -a[i]
        r5 = a[i] < b[i]
    return r0, r1, r2, r3, r4, r5


def read(A):
    t = 0
    for i in range(A.shape[0]):
        t = A[i, 0]
    return t


Maker = Callable[[Memory], Any]

KINDS: dict[str, Maker] = {
    "float64": lambda memory: memory.array([1.5, 2.5, -3.0]),
    "masked": lambda memory: np.ma.array(
        memory.array([1.0, 2.0, 3.0]), mask=[False, True, False], copy=False
    ),
    "masked, hard": lambda memory: np.ma.array(
        memory.array([1.0, 2.0, 3.0]), mask=[True, False, False], hard_mask=True
    ),
    "a subclass": lambda memory: memory.array([1.0, 2.0, 3.0]).view(Tagged),
    "recarray": lambda memory: memory.array([1.0, 2.0, 3.0]).view(np.recarray),
    "memmap": lambda memory: memory.mapped([1.0, 2.0, 3.0], "float64"),
    "list": lambda memory: [1.0, 2.0, 3.0],
    "tuple": lambda memory: (1.0, 2.0, 3.0),
    "str": lambda memory: "abc",
    "None": lambda memory: None,
    "a number": lambda memory: 3.5,
    "0-d": lambda memory: memory.array(3.5),
    "empty": lambda memory: memory.array([], "float64"),
    "a column": lambda memory: memory.array([[1.0], [2.0], [3.0]]),
    "a cube": lambda memory: memory.array(np.ones((3, 1, 1))),
    "listlike": lambda memory: Listlike([1.0, 2.0, 3.0]),
    "odd": lambda memory: memory.array([1.0, 2.0, 3.0], layout="odd"),
    "swapped": lambda memory: memory.array([1.0, 2.0, 3.0], layout="swapped"),
    "read-only": lambda memory: memory.array([1.0, 2.0, 3.0], layout="fixed"),
    "one cell": lambda memory: memory.array([1.0, 1.0, 1.0], layout="one"),
    "shorter": lambda memory: memory.array([1.0, 2.0]),
    "longer": lambda memory: memory.array([1.0, 2.0, 3.0, 4.0]),
    "object": lambda memory: np.array([2**80, 1.5, Fraction(1, 3)], object),
    "dict": lambda memory: {0: 1.0, 1: 2.0, 2: 3.0},
}

SCALARS: dict[str, Any] = {
    "None": None,
    "text": "x",
    "a huge int": 2**70,
    "a float of its own": Number(2.0),
    "Fraction": Fraction(1, 2),
    "0-d": np.array(2.0),
    "longdouble": np.longdouble(1.5),
    "an array": np.array([1.0, 2.0]),
    "datetime64": np.datetime64("2020-01-01"),
}

DTYPES = (
    "longdouble", "complex64", "clongdouble", "longlong", "ulonglong",
)  # fmt: skip

EXTREMES = (0, 1, 3, 2**7 - 1, 2**15 - 1, 200, 2**16 - 1)


def _kinds(left: str, right: str, memory: Memory) -> tuple[Any, ...]:
    return KINDS[left](memory), KINDS[right](memory), 2.0


def _updates() -> Iterator[Row]:
    for name in KINDS:
        yield Row(f"{name} read", partial(_kinds, name, "float64"), _taken(name, True))
        yield Row(
            f"{name} written", partial(_kinds, "float64", name), _taken(name, False)
        )
        yield Row(f"{name} both", partial(_kinds, name, name), None)


def _taken(name: str, read: bool) -> bool | None:
    """Whether native code may take an argument."""
    if name in ("float64", "shorter", "longer", "empty", "list"):
        return None
    return (name in ("read-only", "one cell") or None) if read else False


def _scaled(value: Any, memory: Memory) -> tuple[Any, ...]:
    return memory.array([1.0, 2.0, 4.0]), memory.array([0.5, 0.25, 8.0]), value


def _scalars() -> Iterator[Row]:
    for name, value in SCALARS.items():
        yield Row(name, partial(_scaled, value), False)


def _typed(dtype: Any, values: tuple[Any, Any], memory: Memory) -> tuple[Any, ...]:
    return tuple(memory.array([value], dtype) for value in values)


def _dtypes() -> Iterator[Row]:
    for dtype in DTYPES:
        most = np.iinfo(dtype).max if np.dtype(dtype).kind in "iu" else 2**11
        for one in EXTREMES:
            for two in (1, 3, most):
                if one <= most:
                    make = partial(_typed, dtype, (one, two))
                    yield Row(f"{dtype} {one} {two}", make, None)
    days = (np.datetime64("2020-01-01"), np.datetime64("NaT"))
    for left in days:
        for right in days:
            yield Row(f"{left} {right}", partial(_typed, "M8[D]", (left, right)), False)
    spans = (np.timedelta64(3, "h"), np.timedelta64("NaT"))
    for left in spans:
        make = partial(_typed, "m8[h]", (left, spans[0]))
        yield Row(f"{left!r}", make, False)
    yield Row("text", partial(_typed, "U3", ("abc", "de")), False)
    yield Row("void", partial(_typed, "V4", (b"abcd", b"efgh")), False)


def _mixtures() -> Iterator[Row]:
    """One kernel, called with types that take turns: none may use another's version."""
    turns = ("uint8", "bool", "int8", "uint8", "int64", "uint64", "longlong", "int64")
    turns += ("float64", "complex128", "float64", "int32", "uint32", "intc", "bool")
    for number, dtype in enumerate(turns):
        make = partial(_typed, dtype, (1, 1))
        yield Row(f"turn {number}: {dtype} 1 1", make, None)


MATRICES: dict[str, Maker] = {
    "matrix": lambda memory: memory.array([[1.0, 2.0], [3.0, 4.0]]).view(np.matrix),
    "array": lambda memory: memory.array([[1.0, 2.0], [3.0, 4.0]]),
    "one axis": lambda memory: memory.array([1.0, 2.0]),
    "three axes": lambda memory: memory.array(np.ones((2, 2, 2))),
    "structured": lambda memory: np.ones((2, 2), "f8,i4"),
    "a field": lambda memory: np.ones((2, 2), "i4,f8")["f1"],
    "masked": lambda memory: np.ma.masked_less(memory.array([[1.0, 2.0]]), 5.0),
    "no columns": lambda memory: memory.array(np.ones((2, 0))),
    "no rows": lambda memory: memory.array(np.ones((0, 2))),
}


def _matrices() -> Iterator[Row]:
    for name, make in MATRICES.items():
        yield Row(name, partial(_alone, make), None)


def _alone(make: Maker, memory: Memory) -> tuple[Any, ...]:
    return (make(memory),)


TABLES = (
    Table(update, tuple(_updates())),
    Table(update_shape, tuple(_scalars())),
    Table(operate, (*_dtypes(), *_mixtures())),
    Table(read, tuple(_matrices())),
)
