"""Statements on complex arrays, which loops of NumPy round in a way of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def mixed(a, b, c, r):
    c[:] = 2.0 * a + b * 1j
    r[:, :] = a.real - np.imag(b) * 2
    c += r
    c -= -a
    Y = r + c * 2 - 1j
    return Y, Y.strides


def sizes(a, b, c, r):
    r[:] = abs(a) + np.abs(b) * 2
    m = np.less(abs(c), 1.0)
    c[m] = 0
    c[np.absolute(a) > 1] = 2.5
    return abs(a - b) - np.abs(a.conj())


def squares(a, b, c, r):
    c[:] = a**2 + np.square(b) - (a - b) ** 2
    m = abs(a) < 1
    c[m] = a[m] ** 2 + c[m] / b[m]
    return np.conj(a) * a - b.conjugate() * 2


def in_place(a, b, c, r):
    a *= b
    b /= 2.0
    a *= b[0]
    c /= a
    c *= c
    c[:, :1] *= b[:, :1]


def functions(a, b, c, r):
    c[:] = np.exp(1j * r) * np.sqrt(a)
    Y = np.exp(-2j * np.pi * a.imag) - np.log(b * b + 99) * np.sin(a)
    return Y


def turned(a, b, c, r):
    """Backwards, and by columns, NumPy's loops may round otherwise."""
    c += a
    r[:] = np.abs(a[::-1])
    c[:, :] = a.T * b.T + np.square(b.T)
    r[0] = np.abs(a[0, ::-1])
    c[:] = a[:, ::-1] * b[::-1]


def columns(a, b, c, r):
    c[:] = a[:, :1] * b[0, 0] + a[:, :1] * b
    r[:, :] = abs(b[:1]) + abs(a[:, 0:1])
    return a[:, :1] * b[:, :1] * 2j


def looped(a, b, c, r):
    z = np.zeros(a.shape, dtype=np.complex128)
    for i in range(a.shape[0]):
        v = a[i] * b[i]
        c[i] += v - np.conj(v)
        z += a * i
        r[i] = abs(v)
        c[i] *= r[i]
    return z


def reduced(a, b, c, r):
    for i in range(a.shape[0]):
        r[i, 0] = np.max(np.abs(a[i] * b[i]))
        r[i, -1] = np.sum(abs(a[i]) ** 2) - np.sum(np.abs(b[i, ::-1]))
    r[:, 0] += np.sum(np.abs(a), axis=1)
    c[0] = np.sum(a * b, axis=0)


def solved(a, b, c, r):
    """What NumPy solves has as many axes as what it is given."""
    for k in range(2):
        X = np.linalg.solve(a + 99 * np.eye(len(a)), b)
        c += X * k
        X = -np.linalg.inv(a - 99 * np.eye(len(a)))
        c -= X * b


def joined(a, b, c, r):
    c[:] = np.concatenate((a[1:], b[:1])) * np.concatenate((b[:1], a[1:]))
    Y = np.hstack((a, r)) * 2
    return Y, Y.dtype


def told(a, b, c, r):
    """Of one element NumPy rounds the product in another way where it is in place."""
    for _ in range(9):
        m = np.abs(c) < 1e9
        c[m] *= a[m]
        c[m] *= b[m] - a[m]
        c[m] -= 0.5j
    return m


def _filled(n: int, m: int, first: int, kind: str) -> Any:
    parts = ((np.arange(2 * n * m) * 7 + first) % 11 - 4.25) / 3
    made = (parts[::2] * 10.0 ** (np.arange(n * m) % 5 - 2)).reshape(n, m)
    if np.dtype(kind).kind == "c":
        made = made + 1j * parts[1::2].reshape(n, m)
        if n * m > 8:
            made[n // 2, m // 2] = complex(-0.0, 0.5)
            made[-1, 0] = complex(1, np.nan if first == 2 else -2)
            made[0, -1] = complex(-3.0, -0.0)
    return made.astype(kind)


Kinds = tuple[str, str, str, str]
KINDS: Kinds = ("complex128", "complex128", "complex128", "float64")


def _given(n: int, m: int, kinds: Kinds, memory: Memory) -> tuple[Any, ...]:
    pairs = enumerate(kinds)
    return (*(memory.array(_filled(n, m, at, kind)) for at, kind in pairs),)


def _changed(which: int, change: Callable[[Any], Any], memory: Memory) -> Any:
    given = [*_given(5, 5, KINDS, memory)]
    given[which] = change(given[which])
    return (*given,)


def _every(array: Any) -> Any:
    return np.repeat(np.repeat(array, 2, 0), 3, 1)[::2, ::3]


CHANGES: dict[str, Callable[[Any], Any]] = {
    "transposed": lambda array: array.T,
    "backwards": lambda array: array[::-1, ::-1],
    "apart": _every,
    "one row": lambda array: array[:1],
    "one column": lambda array: array[:, :1],
    "real": lambda array: array.real,
    "of one axis": lambda array: array[0].copy(),
}
TYPES: tuple[Kinds, ...] = (
    ("float64", "complex128", "complex128", "float64"),
    ("complex128", "float32", "complex128", "float64"),
    ("complex128", "complex128", "complex128", "float32"),
    ("complex128", "int64", "complex128", "float64"),
    ("complex64", "complex64", "complex64", "float32"),
    ("float64", "float64", "float64", "float64"),
)
SIZES = ((0, 0), (1, 1), (2, 2), (1, 6), (6, 1), (7, 3), (13, 17), (0, 3))


def _table(function: Callable[..., Any], sure: bool) -> Table:
    rows = [Row("5 natively", partial(_given, 5, 5, KINDS), sure or None)]
    for n, m in SIZES:
        rows.append(Row(f"{n} x {m}", partial(_given, n, m, KINDS), None))
    for kinds in TYPES:
        rows.append(Row(", ".join(kinds), partial(_given, 4, 4, kinds), None))
    for at, (name, change) in enumerate(CHANGES.items()):
        for which in {0, 2, 1 + at % 3}:
            row = f"{'abcr'[which]} {name}"
            rows.append(Row(row, partial(_changed, which, change), None))
    return Table(function, (*rows,))


TABLES = (
    *(
        _table(function, True)
        for function in (mixed, sizes, squares, in_place, functions, columns, solved)
    ),
    *(_table(function, False) for function in (turned, looped, joined, told, reduced)),
)
