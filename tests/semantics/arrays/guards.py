"""Cells that are only touched where a test says that they are there."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from semantics.table import Make, Row, Table


def next_or_none(a, out):
    n = a.shape[0]
    for i in range(n):
        out[i] = a[i + 1] if i < n - 1 else 0.0


def around(a, out):
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            if i > 0:
                out[i, j] += a[i - 1, j]
            if i + 1 < n:
                out[i, j] += a[i + 1, j]
            if j > 0 and a[i, j - 1] > 1:
                out[i, j] -= a[i, j - 1]
            elif j < m - 1 and a[i, j + 1] != 2:
                out[i, j] = a[i, j + 1]


def toppled(grid):
    """What data decide, and what positions do."""
    n, m = grid.shape
    count = 0
    again = True
    while again:
        again = False
        for i in range(n):
            for j in range(m):
                if grid[i, j] >= 4:
                    grid[i, j] -= 4
                    count += 1
                    again = True
                    if i > 0:
                        grid[i - 1, j] += 1
                    if i < n - 1:
                        grid[i + 1, j] += 1
                    if j > 0:
                        grid[i, j - 1] += 1
                    if j < m - 1:
                        grid[i, j + 1] += 1
    return count


def within_both(a, b, out, d):
    """Positions beyond either end, and a guard of two comparisons."""
    n, m = a.shape[0], b.shape[0]
    for i in range(n):
        for k in range(-d, d + 1):
            if 0 <= i + k < m:
                out[i] += a[i] * b[i + k]


def held(a, b):
    """A cell of b that may not be there, beside one that is."""
    n = b.shape[0]
    for i in range(n):
        for j in range(a.shape[1]):
            b[i] += (b[i + 1] if i + 1 < n else 0.5) * a[i, j]


def not_guarded(a, out, k):
    """The other branch is outside: it raises where it runs."""
    n = a.shape[0]
    for i in range(n):
        out[i] = a[i + 1] if i < n - k else a[i]


def wrong_way(a, out):
    """Counts from the end where the guard is too wide."""
    n = a.shape[0]
    for i in range(n):
        if i >= 0:
            out[i] = a[i - 1]


def by_data(a, flags, out):
    """Only data know that the next one is there."""
    for i in range(a.shape[0]):
        if flags[i]:
            out[i] = a[i + 1]


def wrapped(a, out, at, n):
    """A place that is what it was in front of the loop, or one of the loop's."""
    for k in range(len(out)):
        out[k] = at
        place = (at + 1) % n
        for i in range(n):
            if (a[place] - a[at]) * (a[i] + 1) < 0:
                place = i
        at = place
    return at


def selected(a, n):
    """One that each round begins anew, and where the cells change places."""
    for i in range(n):
        best = i
        for j in range(i + 1, n):
            if a[j] < a[best]:
                best = j
        a[best], a[i] = a[i], a[best]


def found_before(a, out, best, n):
    """One that is looked at around another axis in each round."""
    for i in range(n):
        out[i] = a[best % (n - i)] + a[best - 1]
        if a[i] > 0:
            best = n - 1 - i
    return best


def found_last(a, out):
    """One that has no value until there is one."""
    for k in range(len(out)):
        for i in range(len(a)):
            if a[i] == out[k]:
                at = i
        out[k] = a[at]


def _arrays(*shapes: tuple[int, ...], after: tuple[object, ...] = ()) -> Make:
    def make(memory):
        found = []
        for at, shape in enumerate(shapes):
            size = int(np.prod(shape))
            values = (np.arange(size) * 7 + at) % 5 - 1.0
            found.append(memory.array(values.reshape(shape), "float64"))
        return (*found, *after)

    return make


SIZES = (0, 1, 2, 3, 7)


def _lines(*after: object) -> Iterator[Row]:
    for n in SIZES:
        yield Row(f"{n}", _arrays((n,), (n,), after=after))


def _grids() -> Iterator[Row]:
    for n, m in itertools.product(SIZES, repeat=2):
        yield Row(f"{n} x {m}", _arrays((n, m), (n, m)))


def _piles() -> Iterator[Row]:
    for n, m in itertools.product((0, 1, 2, 5), repeat=2):
        yield Row(
            f"{n} x {m}",
            lambda memory, n=n, m=m: (
                memory.array((np.arange(n * m) * 5 % 9).reshape(n, m), "int64"),
            ),
        )


def _both() -> Iterator[Row]:
    for n, m, d in itertools.product((0, 1, 4), (0, 1, 3, 6), (0, 1, 5)):
        yield Row(f"{n}, {m}, {d}", _arrays((n,), (m,), (n,), after=(d,)))


def _held() -> Iterator[Row]:
    for n, m in itertools.product((0, 1, 2, 5), (0, 1, 3)):
        yield Row(f"{n}, {m}", _arrays((n, m), (n,)))


def _by_data() -> Iterator[Row]:
    for flags in ([1, 1, 0], [1, 0, 1], [0, 0, 0], [1]):
        yield Row(
            f"{flags}",
            lambda memory, flags=flags: (
                memory.array(np.arange(3.0)[: len(flags)], "float64"),
                memory.array(flags, "int64"),
                memory.array([9.0] * len(flags), "float64"),
            ),
            None,
        )


def _places() -> Iterator[Row]:
    for n, at, more in itertools.product(
        SIZES, (0, 1, -1, 6, 7, -8, 2**62), (-1, 0, 1)
    ):
        after = (at, n + more)
        yield Row(f"{n}, {after}", _arrays((n,), (n,), after=after), None)


TABLES = (
    Table(next_or_none, tuple(_lines())),
    Table(around, tuple(_grids())),
    Table(toppled, tuple(_piles())),
    Table(within_both, tuple(_both())),
    Table(held, tuple(_held())),
    Table(
        not_guarded,
        tuple(
            Row(f"{n}, {k}", _arrays((n,), (n,), after=(k,)), None)
            for n, k in itertools.product(SIZES, (-1, 0, 1, 2, 9))
        ),
    ),
    Table(wrong_way, tuple(_lines())),
    Table(by_data, tuple(_by_data())),
    *(Table(function, tuple(_places())) for function in (wrapped, found_before)),
    Table(
        selected,
        tuple(
            Row(f"{n}, {more}", _arrays((n,), after=(n + more,)), None)
            for n, more in itertools.product(SIZES, (-1, 0, 1))
        ),
    ),
    Table(
        found_last,
        tuple(
            Row(f"{n}, {m}", _arrays((n,), (m,)), None)
            for n, m in itertools.product(SIZES, SIZES)
        ),
    ),
)
