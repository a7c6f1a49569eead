"""Names that are read behind loops, which may not have given them a value."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from semantics.table import Make, Row, Table


def left_early(a, limit):
    for i in range(a.shape[0]):
        if a[i] > limit:
            break
    return i


def swept(a, b, rounds):
    """The last round, which may be none."""
    for it in range(rounds):
        change = 0.0
        for i in range(len(a)):
            new = 0.5 * (a[i] + b[i])
            change = max(change, abs(new - a[i]))
            a[i] = new
        if change < 0.1:
            break
    return it, a[:1]


def late(a, limit):
    """What has a value from some round on."""
    for i in range(a.shape[0]):
        if i == 0:  # noqa: SIM108
            z = a[i] * 2
        else:
            z = z - a[i]
        if a[i] > limit:
            big = a[i]
        elif i > 1:
            a[i] = big
        a[i] += z
    return z


def later(a, rounds):
    """What has one from some round of an inner loop on, of one of two types."""
    for i in range(len(a)):
        for k in range(rounds):
            if a[i] > k:
                kept = k
            elif a[i] < 0:
                kept = a[i]
            a[i] = kept * 0.5 + 1
        a[i] -= 2
    return kept


def drained(a):
    """What is first assigned in a while."""
    k = 0
    while k < len(a) and a[k] > 0:
        last = a[k]
        a[k] -= 1
        k += 1
    return last, k


def above(a, limit):
    for i in range(a.shape[0]):
        if a[i] > limit:
            found = a[i]
            at = i
    return found, at


def either_type(a, limit):
    for i in range(a.shape[0]):
        if a[i] > limit:
            found = a[i]
        elif a[i] < -limit:
            found = i
    return found


def known_or_not(a, limit, flag):
    """Has a value before, or not."""
    if flag:
        t = -1.0
    for i in range(a.shape[0]):
        if a[i] > limit:
            t = float(a[i])
    return t


def nested(a, m):
    for i in range(a.shape[0]):
        for j in range(m):
            a[i] += j
    return i, j


def unused_before(a, limit):
    """Read only where it has a value."""
    any_found = False
    for i in range(a.shape[0]):
        if a[i] > limit:
            at = i
            any_found = True
    if any_found:
        return at
    return -1


def read_by_the_next(a, b, limit):
    """The next loops read what these leave."""
    for i in range(a.shape[0]):
        if a[i] > limit:
            t = float(a[i])
    for i in range(b.shape[0]):
        b[i] += t
    return i


def in_a_while_and_out(a, n):
    while n > 0:
        for i in range(len(a)):
            if a[i] == n:
                hit = i
        n -= 1
    return hit, n, i


def flagged(a, limit):
    """Of no number of floats."""
    for i in range(a.shape[0]):
        if a[i] > limit:
            even = i % 2 == 0
            z = complex(a[i], 1.0)
    return even, z


VALUES = ([], [1.0], [3.0, -3.0, 1.0], [-9.0, 0.5, 7.0, 8.0, 2.0])


def _of(values: list[float], *after: Any) -> Make:
    return lambda memory: (memory.array(values, "float64"), *after)


def _limits(*after: Any, native: bool | None = True) -> Iterator[Row]:
    for values, limit in itertools.product(VALUES, (0.75, 2.5, 99.0)):
        yield Row(f"{values}, {limit}", _of(values, limit, *after), native)


def _swept() -> Iterator[Row]:
    for values, rounds in itertools.product(VALUES, (0, 1, 3, 20)):
        yield Row(
            f"{values}, {rounds}",
            lambda memory, v=values, r=rounds: (
                memory.array(v, "float64"),
                memory.array(np.ones(len(v)), "float64"),
                r,
            ),
        )


def _next() -> Iterator[Row]:
    for values, limit in itertools.product(VALUES, (0.75, 99.0)):
        yield Row(
            f"{values}, {limit}",
            lambda memory, v=values, x=limit: (
                memory.array(v, "float64"),
                memory.array(np.ones(2), "float64"),
                x,
            ),
            None,
        )


TABLES = (
    Table(left_early, tuple(_limits())),
    Table(swept, tuple(_swept())),
    Table(
        late, tuple(Row(f"{v}, {x}", _of(v, x), None) for v in VALUES for x in (0.5, 9))
    ),
    Table(
        later,
        tuple(Row(f"{v}, {n}", _of(v, n), None) for v in VALUES for n in (0, 1, 4)),
    ),
    Table(drained, tuple(Row(f"{v}", _of(v)) for v in VALUES)),
    Table(above, tuple(_limits())),
    Table(either_type, tuple(_limits())),
    Table(known_or_not, (*_limits(True), *_limits(False))),
    Table(
        nested,
        tuple(
            Row(f"{v}, {m}", _of(v, m)) for v, m in itertools.product(VALUES, (0, 1, 3))
        ),
    ),
    Table(unused_before, tuple(_limits())),
    Table(read_by_the_next, tuple(_next())),
    Table(
        in_a_while_and_out,
        tuple(
            Row(f"{v}, {n}", _of(v, n)) for v, n in itertools.product(VALUES, (0, 1, 4))
        ),
    ),
    Table(flagged, tuple(_limits())),
)
