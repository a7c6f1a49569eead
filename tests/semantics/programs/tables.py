"""Lists of rows that loops make and append; rows of loops."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from semantics.memory import Memory
from semantics.table import Row, Table


def triangle(p, q, k):
    """Each row is made of the one before."""
    table = []
    for i in range(len(p)):
        row = [1] * (i + 1)
        for j in range(1, i):
            row[j] = table[i - 1][j - 1] + table[-1][j]
        table.append(row)
    return table


def products(p, q, k):
    table = []
    for x in p:
        row = []
        for y in q:
            if y > k:
                row.append(x * y)
            row.append(x)
        table.append(row)
    return table, len(table)


def comprehended(p, q, k):
    table = []
    for i in range(len(p)):
        table.append([p[i] - y for y in q if y >= k])
        table.append([any(p[j] < y for y in q) for j in range(i)])
    return table


def pairs(p, q, k):
    """Rows of a few numbers, of several types; some of them are looked at again."""
    table, others = [], []
    for i in range(len(p)):
        if p[i] > k:
            table.append([i, p[i] * 0.5])
            continue
        row = [i > 1, p[i]]
        if len(table) > 1 and i % 2:
            row.append(table[-1][1] + table[len(table) - 2][-2])
            row.append(len(table[-1]))
        others.append(row)
    return table, others


def looked_up(p, q, k):
    """A row that is not there, or is too short, raises; so may one from behind."""
    table = []
    last = 0
    for i in range(len(p)):
        row = [q[i % len(q)]] * (i % 3)
        if i > 2:
            last = table[i - k][k - 2]
        table.append(row)
        for j in range(len(table[-1])):
            last += table[i][j]
    return table, last


def ended(p, q, k):
    table = []
    i = 0
    while len(table) < len(p) + k:
        row = []
        for j in range(i % 4):
            row.append(p[j])
        i += 1
        if i == 3:
            continue
        if i > 9:
            break
        table.append(row)
    return table, i


def gone_through(p, q, k):
    """What a loop has appended others go through, and so do those behind it."""
    found, several = [], []
    total = 0
    for i in range(len(p)):
        row = []
        for x in q:
            if x >= k - i:
                row.append(x * p[i])
        for n, v in enumerate(row):
            total += v * n
        if row:
            found.append(total)
            several.append((i, p[i]))
    for v in found:
        if v > 9:
            total -= v
            break
    else:
        total = 0.5
    for j, (i, v) in enumerate(several):
        total += j * v + i + len(several)
    return found, several, total, sum(1 for v in found if v > k), v


def grown_by_another_name(p, q, k):
    found = []
    for x in p:
        found.append(x)
    other = found
    n = 0
    for x in found:
        n += 1
        if n < 9:
            other.append(x + 0.5)
    return found, n


def grown_meanwhile(p, q, k):
    """A loop goes through what it appends, too."""
    found = []
    for i in range(len(p)):
        found.append(p[i])
    for v in found:
        if len(found) < k + 6:
            found.append(v + 1)
    for v in found:
        if found[-1] == v:
            found[0] = k
    return found


def grouped(p, q, k):
    """A row goes on until it is appended; what is left of it is one, too."""
    table = []
    part = []
    for x in p:
        part.append(x)
        if len(part) > k or (part and x < part[0]):
            table.append(part)
            part = []
    if part:
        table.append(part)
    sizes = []
    run = [0]
    for i in range(len(q)):
        if q[i] < run[-1]:
            sizes.append(run)
            run = [q[i], i]
        else:
            run.append(q[i])
    return table, sizes, run


def seldom_renewed(p, q, k):
    """A row that may go on behind `append` is one of Python."""
    table = []
    part = []
    for x in p:
        part.append(x)
        if len(part) > k:
            table.append(part)
            if x > 2:
                part = []
        for j in range(k):
            k += 1 if k < 3 else 0
    return table


def shared_before(p, q, k):
    """The first row has another name."""
    table = []
    part = [0]
    first = part
    for x in p:
        part.append(x)
        table.append(part)
        part = [k]
        for j in range(k):
            k += 1 if k < 3 else 0
    first[0] = 7
    return table


def kept(p, q, k):
    """Rows that others have, too, stay what they are: lists of Python."""
    table, others = [], []
    last = [0]
    for i in range(len(p)):
        row = [p[i]] * 2
        table.append(row)
        others.append(row)
        row[0] = k
        last[0] += 1
        last = row
        for j in range(k):
            k += j
    return table, others, table[0] is others[0], last


def handed_on(p, q, k):
    """What a row is called otherwise changes it."""
    table = []
    last = [0.5, 1]
    for i in range(len(p)):
        row = [p[i], k]
        last[0] = i
        last = row
        table.append(row)
        for j in range(k):
            k += j
    return table


def one_row(p, q, k):
    """All rows are one."""
    table, row = [], [k]
    for i in range(len(p)):
        table.append(row)
        row.append(p[i])
        for j in range(k):
            k += j
    return table, row is table[0]


def seldom_new(p, q, k):
    table = []
    row = []
    for i in range(len(p)):
        if i % 2 == 0:
            row = [p[i]]
        table.append(row)
        for j in range(k):
            k += j
    row.append(7)
    return table


def queued(p, q, k):
    """A deque is no list, whatever it has."""
    table = deque()
    for i in range(len(p)):
        row = []
        for x in q:
            row.append(x * p[i])
        table.append(row)
    return table, type(table)


def rows_queued(p, q, k):
    table = []
    for i in range(len(p)):
        row = deque()
        for x in q:
            row.append(x * p[i])
        for j in range(k):
            row.append(j)
        table.append(row)
    return table, [type(row) for row in table]


LISTS = (
    *(([1, 2, 3, 4, 5], [4, 0]), ([0.5, -0.0, 2.5, 1.0, 3.0], [1.0, 0.25, 2.0])),
    *(([True, False, True], [1, 2]), ([3], [0.5]), ([2**40, 2**60, 1], [2**31, 5])),
    *(([], [1]), ([1, 2, 3, 4], []), ([1, None, 2], [1, 2]), ((1.0, 2.0), (3, 4, 5))),
)


def _given(p: Any, q: Any, k: int, memory: Memory) -> tuple[Any, ...]:
    copies = (list(x) if isinstance(x, list) else x for x in (p, q))
    return *copies, k


def _rows(native: bool | None) -> Iterator[Row]:
    for number, (p, q) in enumerate(LISTS):
        for k in (0, 2, 4):
            plain = native if number < 2 else None
            yield Row(f"{p!r}, {q!r}, {k}", partial(_given, p, q, k), plain)


def _table(function: Callable[..., Any], native: bool | None) -> Table:
    return Table(function, tuple(_rows(native)))


TABLES = (
    *(_table(function, True) for function in (products, comprehended, pairs, ended)),
    *(_table(function, None) for function in (triangle, looked_up, gone_through)),
    *(_table(function, None) for function in (grouped, seldom_renewed, shared_before)),
    _table(grown_by_another_name, None),
    *(_table(function, None) for function in (grown_meanwhile, queued, rows_queued)),
    *(_table(function, None) for function in (kept, handed_on, one_row, seldom_new)),
)
