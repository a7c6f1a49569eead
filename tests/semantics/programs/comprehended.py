"""Lists that comprehensions make, outside of loops."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table

scale = 3


def alone(p, q, k):
    return [x * scale - k for x in p if x >= k or x < 0]


def twice(p, q, k):
    """The variables of comprehensions are their own; the list may be what it is of."""
    x = k
    p = [x + y for x in p for y in q if x != y]
    q: list = [x - k for x in p]
    q += [i for i in range(len(p)) if i % 2 and x == k]
    return p, q, x


def rows(p, q, k):
    table = [[x * y for y in q] for x in p]
    other = [[i - j for j in range(i)] for i in range(k)]
    return table, other, [len(row) for row in other]


def several(p, q, k):
    return [x - 1 for x in p], k, [[y] * 3 + [y, k] for y in q]


def pairs(p, q, k):
    found = [(i, x, i % 2 == 0) for i, x in enumerate(p)]
    return found, [(x, y) for x, y in zip(p, q, strict=False)]


def folded(p, q, k):
    sums = [sum(x * y for y in q) for x in p]
    least = [[min(q), max(y + x for y in q)] for x in p]
    return sums, least, [any(x == y for y in q) for x in p]


def displayed(p, q, k):
    return [[x, -x if x > k else k] for x in p], [[x, x * 0.5] for x in p]


def shadowed(p, q, k):
    return [[p + k for p in q] for p in p]


def given_on(p, q, k):
    array = np.array([x + k for x in p], dtype=np.float64)
    whole = tuple([x * 2 for x in q])
    out = [k]
    out.extend([y - 1 for y in q])
    return array, whole, out, sorted([-x for x in p])


def raised(p, q, k):
    """It raises what Python raises, where it does, and the name keeps its list."""
    t = [k]
    try:
        t = [q[x] for x in p]
    except IndexError as error:
        return t, str(error)
    return [x // (k - 2) for x in p], t


def chosen(p, q, k):
    if k:
        return [x for x in p if x > 1]
    elif len(p) > 2:
        t = [-x for x in p]
    else:
        t = [x + 1 for x in q]
    return t


def used(p, q, k):
    """Loops behind it go through the list, and make it longer."""
    t = [x + k for x in p]
    n = 0
    for x in t:
        n += x
    for i in range(len(t)):
        t[i] = t[i] - n
    t.append(n)
    return t, n


def called(p, q, k):
    def shifted(v):
        return v * 2 + k

    return [shifted(x) for x in p], [math.sqrt(abs(x)) for x in q]


def constant(p, q, k):
    t = [0 for _ in p]
    u = [[0.5] * k for _ in range(len(q))]
    return t, u, [k for _ in range(k)]


def stepped(p, q, k):
    """Each round makes a list of the one before; who gave the first one keeps it."""
    first = p
    for i in range(k):
        p = [x + p[j - 1] * i for j, x in enumerate(p)]
    return p, first, p is first


def averaged(p, q, k):
    for _ in range(k):
        p = [0.5 * (p[i - 1] + p[(i + 1) % len(p)]) for i in range(len(p))]
    return p


def weighted(p, q, k):
    total = 0
    for i in range(k):
        both = [x * y + i for x, y in zip(p, q, strict=False)]
        some = [both[0] - j for j in range(2, k + 4)]
        total += sum(both)
        total -= max(some)
    return total


def divided(p, q, k):
    """It may raise in any round, with the list of the round before."""
    for i in range(4):
        p = [x // (k - i + x * 0) for x in p]
    return p


def of_tables(a, b, k):
    product = [
        [sum(a[i][j] * b[j][m] for j in range(len(b))) for m in range(len(b[0]))]
        for i in range(len(a))
    ]
    turned = [[row[j] for row in a] for j in range(len(a[0]))]
    return product, turned, [[x * k for x in row] for row in b]


def of_rows(a, b, k):
    sums = [
        [x + y for x, y in zip(r, s, strict=False)] for r, s in zip(a, b, strict=False)
    ]
    flat = [x for row in a for x in row if x > k]
    return sums, flat, [sum(row) for row in a], [max(row) for row in b]


def columns(a, b, k):
    product = [
        [
            sum(x * y for x, y in zip(row, c, strict=False))
            for c in zip(*b, strict=False)
        ]
        for row in a
    ]
    sums = [sum(column) + len(column) - column[-1] for column in zip(*b, strict=False)]
    return product, sums, [list(column) for column in zip(*a, strict=True)]


def columns_of(a, b, k):
    """More is done to a column than to go through it, or it has another name, too."""
    whole = [column for column in zip(*a, strict=False)]
    ends = [column[1:] for column in zip(*a, strict=False)]
    names = [[x - k for x in x] for x in zip(*b, strict=False)]
    taken = [max(x) + x[k - 3] for x in zip(*b, strict=False)]
    return whole, ends, names, taken


def of_arrays(a, b, k):
    a, b = np.array(a), np.array(b)
    cells = [a[i, 0] + k for i in range(a.shape[0])]
    return cells, [[x > 2 for x in row] for row in b]


LISTS = (
    *(([1, 2, 3, 4, 5], [4, 0]), ([0.5, -0.0, 2.5, 1.0, 3.0], [1.0, 0.25, 2.0])),
    *(([True, False, True], [1, 2]), ([3], [0.5]), ([2**40, 2**62, 1], [2**31, 5])),
    *(([], [1]), ([1, 2, 3, 4], []), ([1, None, 2], [1, 2]), ((1.0, 2.0), (3, 4, 5))),
    *((["a", "b"], [2]), ([math.nan, 2.0], [math.inf]), ([10**30, 1], [1, 2, 3])),
)

GRIDS = (
    ([[1, 2, 3], [4, 5, 6]], [[1, 0], [2, 5], [7, -1]]),
    ([[0.5, -0.0], [1.5, 2.0]], [[1.0, 3.0, 2.5], [0.0, 1.0, 9.0]]),
    ([[2**40, 1]], [[2**40], [3]]),
    ([[1], [2, 3]], [[1, 2], [3, 4]]),
    ([], [[1]]),
    ([[]], [[]]),
    (((1, 2), (3, 4)), [(0.5, 1.0), (2.0, 4.0)]),
)


def _given(p: Any, q: Any, k: int, memory: Memory) -> tuple[Any, ...]:
    copies = (
        [list(y) if isinstance(y, list) else y for y in x] if isinstance(x, list) else x
        for x in (p, q)
    )
    return *copies, k


def _rows(cases: Any, native: int, asked: tuple[int, ...]) -> Iterator[Row]:
    for number, (p, q) in enumerate(cases):
        for k in asked:
            plain = True if number < native else None
            yield Row(f"{p!r}, {q!r}, {k}", partial(_given, p, q, k), plain)


def _table(function: Callable[..., Any], native: int = 2, cases: Any = LISTS) -> Table:
    return Table(function, tuple(_rows(cases, native, (0, 3))))


TABLES = (
    *(_table(function) for function in (alone, twice, rows, several, pairs, folded)),
    *(_table(function) for function in (given_on, chosen, called)),
    *(
        _table(function, 0)
        for function in (shadowed, displayed, raised, used, constant)
    ),
    *(_table(function, 2, GRIDS) for function in (of_tables, of_rows, of_arrays)),
    *(_table(function, 0) for function in (stepped, averaged, weighted, divided)),
    _table(columns, 2, GRIDS),
    _table(columns_of, 0, GRIDS),
)
