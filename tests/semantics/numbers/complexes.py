"""Complex numbers of two types: stored, made, and in turn with others in a name."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table
from semantics.values import EDGES, PYTHON, cells


def kept(z, c, x):
    for i in range(z.shape[0]):
        z[i] = x[i]
        c[i] = x[i]
        z[i] += x[i]
        c[i] -= z[i]


def kept_number(z, c, p):
    for i in range(z.shape[0]):
        z[i] = p
        c[i] = p
        z[i] *= p
        c[i] += z[i]


def made(x):
    for i in range(x.shape[0]):
        narrow = np.complex64(x[i])
        wide = np.complex128(x[i])
        pythons = complex(x[i])
        both = narrow * wide, np.csingle(pythons) + 1.1, complex(narrow) * 0.1
    return narrow, wide, pythons, *both


def in_turn(z, which):
    s = 0.5 - 2j
    t = 0.0
    u = 0
    for i in range(z.shape[0]):
        if which == 0:
            s = s * 0.1j + z[i] / s
        elif which == 1:
            s = s * 1j if i == 0 else s - z[i]
        elif which == 2:
            t += z[i] * 2
        elif which == 3:
            u += z[i].imag
        else:
            t = t + z[i].real
    return s, t, u, s.real, t.imag


def begun(z, s):
    a = s
    for i in range(z.shape[0]):
        a = a * 0.1 + z[i]
        b = a == z[i]
    return a, b, a.real


def _into(kind: str) -> Iterator[Row]:
    for value in EDGES[kind][:: 3 if kind.startswith("complex") else 1]:
        yield Row(f"{kind} {value!r}", partial(_stored, value))


def _stored(value: Any, memory: Memory) -> tuple[Any, ...]:
    targets = ("complex64", "complex128")
    return (*(memory.array([1], kind) for kind in targets), memory.array([value]))


def _stored_number(value: Any, memory: Memory) -> tuple[Any, ...]:
    return (*(memory.array([1], kind) for kind in ("complex64", "complex128")), value)


def _numbers() -> Iterator[Row]:
    for kind, values in PYTHON.items():
        for value in values:
            if value == value:  # Which of two NaN is kept is up to the C compiler.
                yield Row(f"{kind} {value!r}", partial(_stored_number, value), None)


def _turns() -> Iterator[Row]:
    for kind, which in itertools.product(COMPLEX, range(5)):
        for count in (0, 1, 2, 5):
            values = np.array(EDGES[kind])[np.arange(count) * 7 % 31]
            name = f"{count} of {kind}, case {which}"
            yield Row(name, partial(_turned, values, which), None)


def _turned(values: Any, which: int, memory: Memory) -> tuple[Any, ...]:
    return memory.array(values), which


def _begun() -> Iterator[Row]:
    firsts = (0, 1.1, 0.1 + 7j, np.float32(0.3), np.complex64(0.1), np.complex128(0.1))
    for kind, first in itertools.product(COMPLEX, firsts):
        for value in EDGES[kind][::5]:
            yield Row(f"{value!r} behind {first!r}", cells(value, after=(first,)), None)


COMPLEX = ("complex64", "complex128")
REAL = ("bool", "uint8", "int32", "int64", "float32", "float64")

TABLES = (
    Table(kept, tuple(row for kind in (*REAL, *COMPLEX) for row in _into(kind))),
    Table(kept_number, tuple(_numbers())),
    Table(
        made,
        tuple(
            Row(f"{value!r}", cells(value))
            for kind in (*REAL, *COMPLEX)
            for value in EDGES[kind]
        ),
    ),
    Table(in_turn, tuple(_turns())),
    Table(begun, tuple(_begun())),
)
