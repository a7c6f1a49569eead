"""Loops as far as a root or a cell of an array says, while these may change."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from functools import partial

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def until_cells(x, ends, first):
    """Loops whose first rounds change what their ends were read of."""
    t = first
    for _ in range(2):
        for j in range(ends[0], ends[1]):
            ends[1] = 0
            t = t * 2 + x[j]
    for i in range(1, len(ends) - 1):
        for v in x[ends[i] : ends[i + 1]]:
            ends[i + 1] += 1
            t = t * 2 + v
    for j in range(int(x[1])):
        x[1] = 0
        t = t * 2 + j
    return t


def until_folds(x, ends, first):
    t = first
    for j in range(ends.max()):
        ends[:] = 1
        t = t * 2 + x[j]
    t = first
    for j in range(np.sum(ends), 8):
        ends[1] = 7
        t = t * 2 + x[j]
    return t


def is_prime(n):
    if n < 2:
        return False
    i = 2
    while i * i <= n:
        if n % i == 0:
            return False
        i += 1
    return True


def factors(n):
    """What is divided while the loop goes on."""
    found = []
    i = 2
    while i * i <= n:
        while n % i == 0:
            found.append(i)
            n //= i
        i += 1
    if n > 1:
        found.append(n)
    return found


def divided(n, by):
    """Quotients by what may be negative."""
    k = 0
    while n * n > 9 and k < 70:
        n //= by - k % 3
        k += 1
    return n, k


def until_the_largest(n, most):
    """Nothing but time bounds what is below the largest integer."""
    most = max(most, sys.maxsize)
    k = 0
    while k < most:
        k += 1
        if k * 3 > n:
            break
    for _ in range(3):
        least = sys.maxsize
        i = 2
        while i < least:
            if (k + 2) % i == 0:
                least = i
            i += 1
    return k, least


def squared(n, m):
    """A multiple of the square of what the root of a number bounds; a sum of those."""
    s = 0
    if m * m <= n:
        s = m * m * 4
    while m * m < n:
        m += 2**29
    return s, m * m


def turned_about(n, by):
    """Quotients by what may be -1, near what 64 bits hold."""
    s = 0
    for _ in range(3):
        n //= by
        s = n - (2**62 - 4)
    return n, s


def rooted(n):
    i = 1
    while n >= (i + 1) ** 2:
        i += 1
    k = 0
    while k**2 < n:
        k += 3
    return i, k


def _until(*dtypes: str) -> Iterator[Row]:
    def given(dtype: str, first: object, memory: Memory) -> tuple[object, ...]:
        ends = [1, 5, 7, 9]
        held = memory.array(ends, dtype) if dtype != "list" else ends
        return memory.array(np.arange(9) + 3.0), held, first

    for dtype in dtypes:
        for first in (0, 0.5):
            yield Row(f"{dtype}, {first}", partial(given, dtype, first), None)


def _whole() -> Iterator[Row]:
    for number in (-(2**63), -5, 0, 1, 2, 4, 97, 360360, 2**61, 2**70):
        yield Row(f"{number}", partial(_number, number), None)
    for number in (True, 36.0, np.int64(360), np.uint8(210)):
        yield Row(f"{number!r}", partial(_number, number), None)


def _divided() -> Iterator[Row]:
    for number in (-(2**63), -1000, -9, 0, 7, 10**9, 2**61, 2**70):
        for by in (-7, -1, 0, 1, 2, 5):
            make = partial(_both, number, by)
            yield Row(f"{number} by {by}", make, None)


def _largest() -> Iterator[Row]:
    for number in (-4, 0, 1, 100, 1001):
        yield Row(f"{number}", partial(_both, number, 5), True)


def _turned() -> Iterator[Row]:
    for number in (2**62 + 9, 2**62 - 2**54, -(2**62), 2**61, 5):
        for by in (-1, 1, 2, -2):
            yield Row(f"{number} by {by}", partial(_both, number, by), None)


def _squared() -> Iterator[Row]:
    edges = (2**62, 2**61, 2**63 - 1, 2**62 - 2**40, 3037000499**2, -(2**62))
    roots = (
        2**31,
        2**31 - 2**20,
        3 * 2**29,
        -(2**31),
        3037000499,
        3037000500,
        2**30,
        0,
    )
    for number, root in itertools.product(edges, roots):
        yield Row(f"{number}, {root}", partial(_both, number, root), None)


def _both(number: int, by: int, memory: Memory) -> tuple[object, ...]:
    return number, by


def _rooted() -> Iterator[Row]:
    for number in (-4, 0, 1, 8, 9, 10, 10**6, 10**10):
        yield Row(f"{number}", partial(_number, number), True if number > 0 else None)


def _number(number: object, memory: Memory) -> tuple[object, ...]:
    return (number,)


TABLES = (
    *(
        Table(one, (*_whole(), Row("large", partial(_number, 10**12 + 39), True)))
        for one in (is_prime, factors)
    ),
    Table(divided, tuple(_divided())),
    Table(until_the_largest, tuple(_largest())),
    Table(turned_about, tuple(_turned())),
    Table(squared, tuple(_squared())),
    Table(rooted, tuple(_rooted())),
    Table(until_cells, tuple(_until("list", "int8", "int64"))),
    Table(until_folds, tuple(_until("int8", "int64"))),
)
