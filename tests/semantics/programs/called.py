"""Calls of functions whose bodies hold statements on arrays, as these statements."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table
from semantics.values import numbers, pair

WEIGHT = 0.5


def step(u, c, first=0):
    u[1:-1] = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2])
    u[first : first + 1] = WEIGHT


def centred(x):
    x -= x.mean()
    low, high = spread(x)
    return high - low


def spread(x):
    """The least and the largest of what is not empty."""
    if len(x) == 0:
        return 0.0, 0.0
    return x.min(), x.max()


def added(x, y):
    x[:] = x + y


def relaxed(x, rounds):
    old = np.empty_like(x)
    old = x.copy()
    for _ in range(rounds):
        old = x.copy()
        x[1:-1] = 0.5 * (old[:-2] + old[2:])


def changed(x):
    x[1:2] = x[1:2] + 1
    return np.sum(x)


def spread_of(x):
    """It makes an array, and changes nothing that others see."""
    apart = x - x.sum() * 0.25
    s = 0.0
    s += np.sum(apart * apart)
    return s / (1 + len(x))


def inner(x):
    """Parts of what it is given, and what they say of themselves."""
    if x.ndim != 1 or x.shape[-1] == 0:
        return 0.0
    after = x[1:]
    after[:] = after - x[:-1]
    after += 0.25
    if after.size > 1:
        after[1:] *= 2.0
    return x.sum() / x.size + len(after) - len(x[:-1])


def block(x):
    n, m = x.shape
    x[1:, :-1] = x[1:, :-1] + n
    return n * x.ndim + m - x.size


def refused(x, at):
    x[:] = x * 2
    if x[0] > 3:
        raise ValueError("too large")
    x[at] = 0.0


def axpy(y, x, a):
    y += a * x


def turned(x, y, c=0.25):
    x *= c
    y -= x
    x += y


def nothing(x, do):
    if do:
        x[:] = 0.0


def in_turn(A, B):
    for t in range(3):
        step(A, 0.1)
        step(first=t, u=B, c=0.2)


def of_rows(A, B):
    total = 0.0
    for i in range(A.shape[0]):
        total += centred(A[i]) - 2.0 * centred(B[i])
        step(A[i], 0.25)
    return total


def of_columns(A, B):
    for j in range(A.shape[1]):
        centred(A[:, j])
        relaxed(B[:, j], j % 3)


def overlapping(A, B):
    for i in range(A.shape[1]):
        added(A[i], A[:, i])
        added(A[i, 1:], A[i, :-1])
        added(B[i], A[0, 0])


def in_order(A, B):
    for i in range(A.shape[0]):
        B[i, 0] = B[i, 1] + changed(B[i]) * B[i, 1] - changed(B[i])
        A[i, 1:2] = changed(A[i])


def above(x, least):
    """It returns out of a loop, in front of which and behind which are statements."""
    x[:1] *= 2.0
    for k in range(len(x)):
        if x[k] > least:
            return x[k], k
        if x[k] < -4:
            break
    else:
        least = 0.5
    x[1:] += least
    return least, -1


def met(x, y):
    """It returns out of two loops, one of which has no other end."""
    x[1:] -= y[1:]
    k = 0
    while True:
        for value in range(3):
            if k == len(x):
                return -1.0
            if x[k] == value:
                break
            if x[k] * value > 2:
                return x[k]
        if x[k] > 1.5:
            return y[k]
        k += 1


def sought(x, y):
    """It returns out of loops in loops, and where their `else` runs."""
    x[1:] += y[:-1]
    for k in range(len(x)):
        if y[k] > 0:
            for j in range(k):
                if x[j] > y[k]:
                    return j
            else:
                if x[k] > 3:
                    return 7
            x[k] = 0.25
        y[k] -= 1
    return k


def left_early(A, B):
    total = 0.0
    for i in range(A.shape[0]):
        value, at = above(A[i], i * 0.5)
        total += value * at + met(B[i], A[i]) - sought(A[i], B[i])
    return total


def gathered(A, B):
    for i in range(A.shape[0]):
        B[i] += spread_of(A[i])
        B[i, 0] -= 2.0 * spread_of(B[i, 1:]) - spread_of(A[0])


def read_before(A, B):
    for i in range(A.shape[0]):
        B[i, 0] += changed(B[i])
        B[i, 1:] *= changed(B[i])


def within(A, B):
    for i in range(A.shape[0]):
        B[i, 0] = inner(A[i]) + inner(A[i, 1:]) - inner(B[i, :-2]) * 0.5
        B[i, 1:2] = inner(A[i, 1:-1]) + inner(B[i, 2:])


def blocks(A, B):
    total = 0
    for _ in range(3):
        total += block(A) - block(B[1:]) + block(A[:, 1:])
    return total


def midway(A, B):
    for i in range(A.shape[0]):
        refused(A[i], i - 4)
    return B


def never(A, B):
    for i in range(A.shape[0] + 1):
        nothing(A[i], len(B) == 99)


def measured(x):
    """Its length is asked for, and no element looked at."""
    n = x.shape[0]
    if n > 99:
        x[:] = 0.0


def counted(x):
    n = len(x)
    for at in range(99, n):
        x[at:] = 0.0


def doubled(x):
    x[:] = x * 2.0


def perhaps(A, j):
    n = A.shape[0]
    if n > 99:
        doubled(A[:, j])
    nothing(A[:, j], n > 99)


def another(A, at):
    k = 0
    doubled(A[:, k])
    k = at
    nothing(A[:, k], A.shape[0] > 99)


def scaled(x):
    return x / 2


def lessened(x, by, limit):
    x -= by
    if limit > 0:
        x *= limit


def given_and_updated(a, b):
    """What a function gives has a name, and others change its rows in place."""
    c = scaled(a)
    for i in range(a.shape[0]):
        lessened(c[i], a[i, 0], b[i, -1])
    return c


def updated(A, B):
    for i in range(A.shape[0]):
        axpy(A[i], B[i], 0.5)
        turned(B[i], A[i])
        axpy(a=0.25, y=A[i, 1:], x=A[i, :-1])


def updated_whole(A, B):
    for i in range(3):
        axpy(A, B, 0.5)
        turned(B, A)
        axpy(A[0, 0], 2.0, i)


def updated_itself(A, B):
    for i in range(A.shape[0]):
        axpy(A[i], A[i], 0.5)
        turned(B[0], B[i], c=i)
        axpy(A[i], A[:, i % 5], 2.0)


def beyond_measured(A, B):
    for j in range(A.shape[1] + 1):
        measured(A[:, j])


def beyond_counted(A, B):
    for j in range(A.shape[1] + 1):
        counted(A[:, j])


def beyond_perhaps(A, B):
    for j in range(A.shape[1] + 1):
        perhaps(A, j)


def beyond_another(A, B):
    for j in range(A.shape[1] + 1):
        another(B, j)


def shadowed(A, B):
    WEIGHT = 4.0
    step = 2
    for i in range(0, A.shape[0], step):
        relaxed(A[i], step)
        added(B, WEIGHT)
    return WEIGHT


SHAPES = {"0": (0, 5), "one": (1, 5), "7": (7, 5), "thin": (7, 1), "no columns": (3, 0)}
KINDS = ("float64", "float32", "int64", "complex128")


def _one(memory: Memory):
    A = memory.array(numbers((7, 5), "float64"))
    return A, A


def _parts(memory: Memory):
    A = memory.array(numbers((8, 5), "float64"))
    return A[1:], A[:-1]


def _strided(memory: Memory):
    A, B = (memory.array(numbers((14, 10), "float64")) for _ in range(2))
    return A[::2, ::-2], B[::-2, 1::2]


def _flat(memory: Memory):
    return memory.array(numbers((7,), "float64")), memory.array(np.ones(7))


def _unlike(memory: Memory):
    return memory.array(numbers((5, 5), "float64")), memory.array(np.ones((5, 4)))


def _rows(function) -> Iterator[Row]:
    for name, shape in SHAPES.items():
        # What is far out of an array is looked at before, and Python raises.
        beyond = function.__name__.startswith("beyond")
        sure = not beyond and function not in (
            *(overlapping, midway, never, updated_whole, updated_itself),
            read_before,
            left_early,  # `sought` assigns a part of a row before it returns in a loop
        )
        yield Row(
            name,
            partial(pair, shape, "float64"),
            True if sure and name == "7" else None,
        )
    for kind in KINDS[1:]:
        yield Row(kind, partial(pair, (7, 5), kind), None)
    for make in (_one, _parts, _strided, _flat, _unlike):
        yield Row(make.__name__.strip("_"), make, None)


TABLES = tuple(
    Table(function, tuple(_rows(function)))
    for function in (
        in_turn,
        of_rows,
        of_columns,
        overlapping,
        in_order,
        left_early,
        gathered,
        read_before,
        within,
        blocks,
        midway,
        never,
        updated,
        updated_whole,
        updated_itself,
        given_and_updated,
        beyond_measured,
        beyond_counted,
        beyond_perhaps,
        beyond_another,
        shadowed,
    )
)
