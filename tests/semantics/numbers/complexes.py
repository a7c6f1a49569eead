"""Complex numbers of two types: stored, made, and in turn with others in a name."""

from __future__ import annotations

import itertools
import math
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
    s = 2j
    t = 0.0
    u = 0
    for i in range(z.shape[0]):
        if which == 0:
            s += z[i] * 0.5
        elif which == 1:
            s = s * 1j if i == 0 else s - z[i]
        elif which == 2:
            t += z[i] * 2
        elif which == 3:
            u += z[i].imag
        else:
            t = t + z[i].real
    return s, t, u, s.real, t.imag


def of_reals(x, y):
    """A number that is not complex is its own real part."""
    s = 0
    for i in range(x.shape[0]):
        a = x[i].real
        y[i] = a * 2
        b = y[i].real / 3
        s += i.real + b.real
    return a, b, s.real, s


def of_truths(x, y):
    """That of a truth is an integer, of NumPy's a truth."""
    t = True
    for i in range(x.shape[0]):
        t = t.real + (x[i] > 0).real
        y[i] = (y[i] == t).real
    return t


def powers(z, w, x):
    for i in range(z.shape[0]):
        square = z[i] ** 2
        cube = np.power(z[i], 3)
        root = z[i] ** 0.5
        inverse = z[i] ** -1 + z[i] ** 0
        far = z[i] ** 150
        both = z[i] ** w[i]
        real = x[i] ** z[i] - np.power(z[i], x[i])
        pythons = 2 ** z[i] + np.power(2j, x[i]) + (0.5 + 1j) ** z[i]
    return square, cube, root, inverse, far, both, real, pythons


def smooth(z, x):
    for i in range(z.shape[0]):
        a = np.exp(z[i]), np.log(z[i]), np.sqrt(z[i]), np.sin(z[i]), np.cos(z[i])
        b = np.tan(z[i]), np.sinh(z[i]), np.cosh(z[i]), np.tanh(z[i]), np.exp2(z[i])
        c = np.log2(z[i]), np.log10(z[i]), np.log1p(z[i]), np.expm1(z[i])
        d = np.arcsin(z[i]), np.arccos(z[i]), np.arctan(z[i]), np.arctanh(z[i])
        e = np.exp(-2j * np.pi * x[i]), np.exp(1j), np.angle(z[i]), z[i].conjugate()
    return a, b, c, d, e


def held(z, r):
    """A number of Python in the C type of what is added to it."""
    s = 2j
    for i in range(z.shape[0]):
        r[i] = abs(s)
        r[i] -= (-s).imag
        s += z[i]
    return s, -s


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
        finite = np.array([value for value in EDGES[kind] if np.isfinite(value)])
        for count in (0, 1, 2, 5):
            values = finite[np.arange(count) * 7 % len(finite)]
            name = f"{count} of {kind}, case {which}"
            yield Row(name, partial(_turned, values, which), None)


def _values(kind: str) -> list[Any]:
    """Numbers as they occur, and those at the edges."""
    parts = [(math.sin(at), math.exp(at / 3) * math.cos(at)) for at in range(-20, 20)]
    return [*EDGES[kind], *map(np.dtype(kind).type, (complex(*one) for one in parts))]


def _smooth() -> Iterator[Row]:
    for kind, real in itertools.product(COMPLEX, ("float32", "float64")):
        for at, value in enumerate(_values(kind)):
            x = np.dtype(real).type(math.sin(at) * 3)
            yield Row(f"{value!r} and {x!r}", cells(value, x))


def _powers() -> Iterator[Row]:
    reals = ("float64", "float32", "int64", "uint8")
    for kind, other in (
        ("complex64", "complex128"),
        *zip(COMPLEX, COMPLEX, strict=True),
    ):
        others = _values(other)
        for at, value in enumerate(_values(kind)):
            x = np.dtype(reals[at % 4]).type(math.sin(at) * 3 + 3)
            two = others[(at * 7 + 5) % len(others)]
            yield Row(f"{value!r} ** {two!r}, {x!r}", cells(value, two, x))


def _held() -> Iterator[Row]:
    for kind, count in itertools.product(COMPLEX, (0, 1, 2, 5)):
        values = np.arange(count).astype(kind) * (0.1 + 1j)
        yield Row(f"{count} of {kind}", partial(_sized, values), bool(count) or None)


def _real(*, sure: bool) -> Iterator[Row]:
    kinds = ("float64", "float32", "float16", "int64", "uint8", "bool", "complex64")
    for kind, count in itertools.product((*kinds, "longdouble"), (0, 1, 5)):
        values = (np.arange(count) - 0.5).astype(kind)
        native = sure and kind == "float64" and count == 5
        yield Row(f"{count} of {kind}", partial(_sized, values), native or None)


def _sized(values: Any, memory: Memory) -> tuple[Any, ...]:
    return memory.array(values), memory.array(np.zeros(len(values)))


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
    Table(of_reals, tuple(_real(sure=True))),
    Table(of_truths, tuple(_real(sure=False))),
    Table(powers, tuple(_powers())),
    Table(smooth, tuple(_smooth())),
    Table(held, tuple(_held())),
    Table(begun, tuple(_begun())),
)
