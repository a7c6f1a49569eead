"""Statements on complex arrays, which loops of NumPy round in a way of their own."""

from __future__ import annotations

import itertools
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


def first(a, b, c, r):
    c[:, 0] = a[:, 0] * b[:, 0] + c[:, 0] ** 2
    r[:, 0] = abs(a[:, 0]) + r[:, 0]


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


def added(a, b, c, r):
    n, m = a.shape
    for i in range(n):
        c[i, 0] = np.sum(a[i]) - b[i].mean()
        c[i, 1:] = a[i, ::2].sum() + b[i, 1:]
        r[i, 0] = np.any(a[i]) + b[i].all() * 2 + np.count_nonzero(a[i, 1:])
    s = t = 0
    for j in range(m):
        s += np.sum(a[:, j]) * np.mean(b[::-1, j])
        t += np.sum(a[: j + 1, j:]) + b[1:, j:].mean()
    return s, t


def conjugates(a, b, c, r):
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            v = a[i, j]
            c[i, j] = v.conjugate() * b[i, j] + np.conj(v * 1j) / (b[i, j] + 2).conj()
            r[i, j] = np.angle(v) + np.real(b[i, j]) - np.imag(v.conj())


def computed(a, b, c, r):
    """Of each operation NumPy makes an array, which its loops round."""
    for i in range(a.shape[0]):
        c[i, 0] = np.sum(a[i] * b[i] * 2 - a[i] / b[i])
        c[i, -1] = np.sum(np.conj(a[i]) * b[i]) + np.mean(a[i] * r[i])
        r[i, 0] += np.sum(a[i].real * r[i]) - np.max(a[i].imag ** 2)
        r[i, -1] = np.sum(np.abs(a[i] * 1.5j)) + np.sum(np.square(b[i])).real
    for j in range(a.shape[1]):
        c[0, j] = np.sum(a[:, j] * b[: a.shape[0], 0] * c[:1, 0])
        r[0, j] = np.max(abs(a[:, j] ** 2)) + np.any(b[:, j] * a[:, 0] == 0)


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
NARROW: Kinds = ("complex64", "complex64", "complex64", "float32")


def _given(n: int, m: int, kinds: Kinds, memory: Memory) -> tuple[Any, ...]:
    pairs = enumerate(kinds)
    return (*(memory.array(_filled(n, m, at, kind)) for at, kind in pairs),)


def _changed(
    which: int, change: Callable[[Any], Any], kinds: Kinds, memory: Memory
) -> Any:
    given = [*_given(5, 5, kinds, memory)]
    given[which] = change(given[which])
    return (*given,)


def _single(kinds: Kinds, signs: tuple[int, int], seed: int, memory: Memory) -> Any:
    """One element, of which NumPy's loops see where the next one would be."""
    given = []
    for kind in kinds:
        parts = np.sin(np.arange(1, 10) * seed), np.cos(np.arange(1, 10) * seed)
        made = parts[0] + 1j * parts[1] * seed
        made = made if np.dtype(kind).kind == "c" else made.real
        given.append(memory.array(made.astype(kind).reshape(3, 3)))
        seed += 1
    pairs = zip(given, (*signs, 1, 1), strict=True)
    return (*(x[1:2, :1][::sign, ::sign] for x, sign in pairs),)


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
    ("complex64", "complex128", "complex128", "float64"),
    ("float64", "float64", "float64", "float64"),
)
SIZES = ((0, 0), (1, 1), (2, 2), (1, 6), (6, 1), (7, 3), (13, 17), (0, 3))


def _table(at: int, function: Callable[..., Any], sure: bool) -> Table:
    """The rows of the function of that number: types and layouts go by turns."""
    rows = [Row("5 natively", partial(_given, 5, 5, KINDS), sure or None)]
    for n, m in SIZES:
        rows.append(Row(f"{n} x {m}", partial(_given, n, m, KINDS), None))
    for kinds in (NARROW, *TYPES[at % 2 :: 2]):
        rows.append(Row(", ".join(kinds), partial(_given, 4, 4, kinds), None))
    for number, (name, change) in enumerate(CHANGES.items(), at):
        for which, kinds in zip((0, 2, 1 + 2 * (at % 2)), _turns(number), strict=True):
            row = f"{'abcr'[which]} {name}, {kinds[0]}"
            rows.append(Row(row, partial(_changed, which, change, kinds), None))
    for kinds, signs in itertools.product(
        (KINDS, NARROW), ((1, -1), (-1, 1), (-1, -1))
    ):
        for seed in range(1, 30, 7):
            row = f"one element, {kinds[0]}, {signs}, {seed}"
            rows.append(Row(row, partial(_single, kinds, signs, seed), None))
    return Table(function, (*rows,))


def _turns(number: int) -> tuple[Kinds, ...]:
    """Each of both widths, and one of them again."""
    return ((KINDS, NARROW) * 2)[number % 2 :][:3]


SURE = (
    *(mixed, sizes, squares, in_place, functions, columns, solved),
    *(first, added, computed, conjugates),
)
OTHERS = (turned, looped, joined, told, reduced)

TABLES = tuple(
    _table(at, function, function in SURE)
    for at, function in enumerate((*SURE, *OTHERS))
)
