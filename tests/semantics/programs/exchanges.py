"""Arrays that exchange their names in a loop, and what the names are behind it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def swept(u, v, steps):
    for t in range(steps):
        for i in range(1, len(u) - 1):
            v[i] = u[i - 1] / 2 + u[i + 1] / 4 + t
        u, v = v, u
    return u, v, u[0]


def own_other(u, v, steps):
    new = u.copy()
    for t in range(steps):
        for i in range(1, len(u) - 1):
            new[i] = u[i - 1] / 2 + u[i + 1] / 4 + t
        u, new = new, u
    return u


def first_of_all(u, v, steps):
    n = len(u)
    for t in range(steps):
        v, u = u, v
        for i in range(n):
            u[i] = v[n - 1 - i] + t
    return u[0], v[0], v


def within_another(u, v, steps):
    s = 0.0
    for k in range(3):
        for t in range(steps):
            for i in range(len(u)):
                s = s / 2 + u[i]
                v[i] = s
            u, v = v, u
        u[0] = k
    return s, u


def by_data(u, v, steps):
    k = 0
    while k < steps:
        for i in range(len(u)):
            v[i] = u[i] * 0.75 + k
        if v[0] > 1:
            u, v = v, u
        k += 1
    for i in range(len(u)):
        u[i] += 1
    return k, u, v


def until(u, v, steps):
    far = 0.0
    for t in range(steps):
        far = 0.0
        for i in range(len(u)):
            v[i] = u[i] / 2
            far = max(far, abs(v[i] - u[i]))
        u, v = v, u
        if far < 0.5:
            break
    return u, far


def slowly(u, v, steps):
    """What is computed ahead for several iterations is of what is read in its own."""
    for i in range(len(u)):
        v[i] = np.exp(-u[i] / 9) + u[i] ** 2
        u, v = v, u
    return u, v


def returned(u, v, steps):
    for t in range(steps):
        for i in range(len(u)):
            v[i] = u[i] + 1
        u, v = v, u
        if t == 2:
            return t
    return -1


def outside_later(u, v, steps):
    for t in range(steps):
        for i in range(len(u)):
            v[i] = u[i + t - 1] + 1
        u, v = v, u
    return u


def caught(u, v, steps):
    try:
        for t in range(steps):
            for i in range(len(u)):
                v[i] = u[i + t - 1] + 1
            u, v = v, u
    except IndexError:
        pass
    return u, v


def a_third(u, v, steps):
    w = u
    for t in range(steps):
        for i in range(len(u)):
            v[i] = u[i] + w[0]
        u, v = v, u
    return u, w


def rounds(u, v, steps):
    w = u.copy()
    for t in range(steps):
        for i in range(len(u)):
            w[i] = u[i] + v[i] / 2
        u, v, w = v, w, u
    return u, v, w


def numbers_too(u, v, steps):
    a, b = 1.0, 2.0
    for t in range(steps):
        for i in range(len(u)):
            v[i] = u[i] * a - b
        u, v = v, u
        a, b = b, a
    return u, v, a, b


def seen_inside(u, v, steps):
    def first():
        return u[0]

    for t in range(steps):
        for i in range(len(u)):
            v[i] = u[i] + 1
        u, v = v, u
    return first() if len(u) else 0.0


def tables(u, v, steps):
    n, m = u.shape
    for t in range(steps):
        for i in range(1, n):
            for j in range(m - 1):
                v[i, j] = u[i - 1, j + 1] / 2 + u[i, j]
        u, v = v, u
    return u


def two_pairs(u, v, steps):
    a, b = u + 1, v + 2
    for t in range(steps):
        for i in range(len(u)):
            v[i] = u[i] + a[i]
            b[i] = a[i] / 2 + v[i]
        u, v = v, u
        if t % 2 == 0:
            a, b = b, a
    return u, v, a, b


def _vectors(name: str):
    def make(steps: int, n: int, memory: Memory):
        if name == "plain":
            return memory.array(np.arange(n) + 0.5), memory.array(np.zeros(n)), steps
        if name == "one array":
            one = memory.array(np.arange(n) + 0.5)
            return one, one, steps
        if name == "overlapping":
            one = memory.array(np.arange(n + 1) + 0.5)
            return one[1:], one[:-1], steps
        if name == "strided":
            two = memory.array(np.arange(4.0 * n)).reshape(2, -1)
            return two[0, ::2], two[1, ::2], steps
        if name == "other sizes":
            return (
                memory.array(np.arange(n) + 0.5),
                memory.array(np.zeros(n + 1)),
                steps,
            )
        if name == "other types":
            return (
                memory.array(np.arange(n) + 0.5),
                memory.array(np.zeros(n), dtype="float32"),
                steps,
            )
        if name == "integers":
            return (
                memory.array(np.arange(n)),
                memory.array(np.zeros(n, np.int64)),
                steps,
            )
        if name == "read-only":
            one = memory.array(np.arange(n) + 0.5)
            one.setflags(write=False)
            return one, memory.array(np.zeros(n)), steps
        return [1.5] * n, [0.0] * n, steps

    return make


KINDS = (
    "plain",
    "one array",
    "overlapping",
    "strided",
    "other sizes",
    "other types",
    "integers",
    "read-only",
    "lists",
)
NATIVE = (swept, own_other, first_of_all, within_another, until, numbers_too)


def _rows(function) -> Iterator[Row]:
    for kind in KINDS:
        for steps in (0, 1, 2, 5) if kind == "plain" else (2, 3):
            for n in (0, 1, 7) if kind == "plain" else (5,):
                sure = kind == "plain" and function in NATIVE and n > 1 and steps > 0
                make = partial(_vectors(kind), steps, n)
                yield Row(f"{kind} {n} {steps}", make, True if sure else None)


def _table_rows() -> Iterator[Row]:
    def make(shapes, order, steps, memory: Memory):
        one, two = (
            memory.array(np.arange(a * b).reshape(a, b) / 3, layout=order)
            for a, b in shapes
        )
        return one, two, steps

    for steps in (0, 1, 4):
        for shape in ((0, 3), (1, 1), (5, 7)):
            for order in "CF":
                given = partial(make, (shape, shape), order, steps)
                yield Row(f"{shape} {order} {steps}", given)
        yield Row(f"unlike {steps}", partial(make, ((5, 7), (7, 5)), "C", steps), None)
        yield Row(f"wider {steps}", partial(make, ((5, 7), (5, 8)), "C", steps), None)


TABLES = (
    *(
        Table(function, tuple(_rows(function)))
        for function in (
            *NATIVE,
            by_data,
            slowly,
            returned,
            outside_later,
            caught,
            a_third,
            rounds,
            seen_inside,
            two_pairs,
        )
    ),
    Table(tables, tuple(_table_rows())),
)
