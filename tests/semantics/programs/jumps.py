"""Loops that end early, or run until data say so."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from semantics.table import Make, Row, Table
from semantics.values import plain


def left_behind(x, a, which):
    """What names hold behind loops, and in what order loops come to their parts."""
    k = -9
    t = 0
    for r in range(1):
        n = len(x)
        if which == 0:
            for k in range(n):
                if x[k] == a:
                    break
        elif which == 1:
            for k in range(n, -2, -2):
                if k <= a:
                    break
                t += 1
        elif which == 2:
            for k in range(a, n):
                t += 1
            else:
                t += 100
        elif which == 3:
            for k in range(n):
                if x[k] == a:
                    continue
                t = (10 * t + k) % 1009
            else:
                k = -5
        elif which == 4:
            k = a
            while k < n:
                k += 1
                if k == 2:
                    continue
                if k > 4:
                    break
                t += k
            else:
                t = -1
        elif which == 5:
            while t < 3:
                for k in range(t % 4, n):
                    if x[k] > a:
                        break
                else:
                    t += 10
                    continue
                t += 1
        elif which == 6:
            # A range is made once, and steps whatever becomes of its variable.
            for k in range(n):
                n = 1
                t += k
                k += a
        elif which == 7:
            k = n - 1
            while k >= 0 and x[k] != a:
                k -= 1
        elif which == 8:
            while not t:
                t = max(a, 1)
            else:
                k = 3
        else:
            for k in range(3):
                while True:
                    t += 1
                    if t % 3 == a % 3:
                        break
                if t > 7:
                    break
    return k, t


def subscripts(x, at, which):
    """Subscripts in loops that end early: they wrap around, or raise."""
    s = 0.0
    for r in range(1):
        j = at
        if which == 0:
            while s < 50.0:
                s += x[j] + 1.0
                j += 1
        elif which == 1:
            while j > at - 3:
                s += x[j]
                j -= 1
        elif which == 2:
            for j in range(at, at + 3):
                if s > 100.0:
                    break
                s += x[j]
        else:
            while x[j] != 3.0 and j < 9:
                x[j] = s
                j += 2
    return s, j


def kinds(x, n, which):
    """The types of what loops give to names."""
    a = 0
    b = 0.0
    c = False
    d = x[0]
    for r in range(1):
        if which == 0:
            while b < n:
                b += 1
        elif which == 1:
            while a < n:
                a += 1
                d = x[0] * a
        elif which == 2:
            for a in range(n):
                c = x[0] > a
                if c:
                    break
        else:
            while a * a <= n and not c:
                a += 1
                c = a == 3
    return a, b, c, d


def wrapping(x, n):
    """NumPy's integers wrap around in a loop, Python's never."""
    for i in range(len(x)):
        v = x[i]
        k = 0
        while k < n:
            v = v * x[i]
            k += 1
        x[i] = v


def growing(n):
    """An int of Python that 64 bits do not hold in the end."""
    v = 1
    for r in range(1):
        k = 0
        while k < n:
            v = v * 3
            k += 1
    return v


def raising(x, y, a, which):
    """What a `raise` or a failed `assert` leaves in arrays, and what is caught."""
    last = -1
    for r in range(1):
        for k in range(len(x)):
            if which == 0 and x[k] == a:
                raise ValueError(f"{x[k]} at {k}", last)
            elif which == 1:
                assert x[k] < a + 3, (k, last)
            elif which == 2 and y[k] > 90:
                raise ZeroDivisionError from None
            y[k] += x[k] * 10
            last = k
    return last


def caught(x, y, a):
    """What goes on behind an exception that the function catches."""
    last, t = -1, 0
    try:
        for k in range(len(x)):
            t += 1
            if x[k] == a:
                raise KeyError(k)
            y[k] += x[k]
            last = k
    except KeyError as error:
        t = -100 * error.args[0]
    return last, t


def _with(values: Any, dtype: str, *others: Any) -> Make:
    """An array, and what is none."""
    return lambda memory: (memory.array(values, dtype), *others)


def _left() -> Iterator[Row]:
    xs = ([], [2], [0, 1, 2, 3, 2], [5, 5, 1])
    for which, a, x in itertools.product(range(10), (-1, 0, 2, 7), xs):
        yield Row(f"{x}, {a}, case {which}", _with(x, "int64", a, which))


def _raising() -> Iterator[Row]:
    xs = ([], [2], [0, 1, 2, 3, 2], [9, 5, 1])
    for which, a, x in itertools.product(range(3), (-1, 0, 2, 7), xs):
        raises = (a in x, any(one >= a + 3 for one in x), False)[which]

        def make(memory: Any, x: Any = x, a: int = a, which: int = which) -> Any:
            return memory.array(x, "int64"), memory.array(x, "float64"), a, which

        yield Row(f"{x}, {a}, case {which}", make, not raises)


def _caught() -> Iterator[Row]:
    for a, x in itertools.product((-1, 0, 2), ([], [2], [0, 1, 2, 3, 2])):

        def make(memory: Any, x: Any = x, a: int = a) -> Any:
            return memory.array(x, "int64"), memory.array(x, "float64"), a

        yield Row(f"{x}, {a}", make, a not in x)


def _subscripts() -> Iterator[Row]:
    for which, at in itertools.product(range(4), (-7, -5, -1, 0, 2, 4, 5)):
        yield Row(f"{at}, case {which}", _with(range(5), "float64", at, which))


def _kinds() -> Iterator[Row]:
    for which, n in itertools.product(range(4), (0, 1, 6)):
        for dtype in ("float64", "float32", "int64"):
            name = f"{dtype}, {n}, case {which}"
            yield Row(name, _with([2], dtype, n, which))


TABLES = (
    Table(left_behind, tuple(_left())),
    Table(raising, tuple(_raising())),
    Table(caught, tuple(_caught())),
    Table(subscripts, tuple(_subscripts())),
    Table(kinds, tuple(_kinds())),
    Table(
        wrapping,
        tuple(
            Row(f"{dtype}, {n}", _with([3, 100, 7], dtype, n))
            for dtype in ("int64", "int32", "uint8")
            for n in (0, 3, 50)
        ),
    ),
    Table(growing, tuple(Row(str(n), plain(n), n < 40) for n in (0, 3, 39, 41, 99))),
)
