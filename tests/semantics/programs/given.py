"""Functions of Python and NumPy that kernels are given, and call in loops."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def of_elements(f, x, out):
    for i in range(len(x)):
        out[i] = f(x[i])
    return out[:2].tolist()


def of_integers(f, n):
    s = 0
    for i in range(n):
        s = s + f(i)
    return s


def of_two(f, x, out):
    for i in range(len(x)):
        out[i] = f(x[i], out[i]) - f(1.5, x[0])


def of_rows(f, A, out):
    for i in range(A.shape[0]):
        out[i] = f(A[i])


def of_two_rows(f, A, out):
    for i in range(A.shape[0]):
        out[i] = f(A[i], A[0])


def integral(f, low, high, n):
    s = 0.0
    for i in range(n):
        s += f(low + (i + 0.5) * (high - low) / n)
    return s * (high - low) / n


def _rows(functions: tuple[Callable[..., Any], ...], *shape: int) -> Iterator[Row]:
    def make(function: Callable[..., Any], size: int) -> Callable[[Memory], Any]:
        def made(memory: Memory) -> tuple[Any, ...]:
            values = np.linspace(-2.0, 3.0, size * math.prod(shape)).reshape(-1, *shape)
            of = memory.array(values, "float64")
            return function, of, memory.array([1.0] * size, "float64")

        return made

    for function in functions:
        for size in (1, 2, 7):
            name = f"{function.__name__} {function.__module__} {size}"
            yield Row(name, make(function, size))


def _numbers() -> Iterator[Row]:
    for f in (math.sin, abs, float, bool, math.floor, np.exp, np.float32):
        for n in (1, 5):
            # What is built together leaves the first call of a kernel to Python.
            native = None if f is math.sin and n == 1 else True
            yield Row(f"{f.__name__} {n}", lambda m, f=f, n=n: (f, n), native=native)
    for f in (str, len, divmod):
        yield Row(f.__name__, lambda m, f=f: (f, 3), native=False)


def _integrals() -> Iterator[Row]:
    for f in (math.exp, np.sin, math.sqrt, abs):
        for n in (1, 7):
            yield Row(f"{f.__name__} {n}", lambda m, f=f, n=n: (f, 0.25, 4.0, n))


_ONE = math.sin, math.fabs, math.isnan, np.exp, np.sqrt, np.floor, np.float32, abs
_TWO = math.hypot, math.atan2, math.copysign, np.maximum, np.hypot, min, max
_WHOLE = np.sum, np.mean, np.median, np.max, np.std, np.ptp

TABLES = (
    Table(of_elements, tuple(_rows(_ONE))),
    Table(of_integers, tuple(_numbers())),
    Table(of_two, tuple(_rows(_TWO))),
    Table(of_rows, tuple(_rows(_WHOLE, 5))),
    Table(of_two_rows, tuple(_rows((np.dot, np.matmul), 5))),
    Table(integral, tuple(_integrals())),
)
