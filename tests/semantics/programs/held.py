"""Lists of numbers of Python, and lists of lists, of which loops take and store."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def stored(p, q, x, k):
    """Elements are told from either end, and may be outside."""
    for i in range(len(p)):
        p[i] = p[i] * 2 - q[i % 2]
        q[k - i % 2] += 1
    return p, q


def marked(p, q, x, k):
    """What NumPy computes is stored beside what Python does."""
    s = 0
    for i in range(len(x)):
        s += x[i]
        p[i] = s
        if p[i] > 2:
            q[k] = p[i] / q[0]
    return s, p[-1]


def looked_up(p, q, x, k):
    for i in range(len(x)):
        p[int(x[i] * k)] += q[k]
        x[i] = p[k] // 2


def counted(p, q, x, k):
    """Each round doubles what is left, until it outgrows 64 bits."""
    for i in range(40 * k):
        p[i % len(p)] += p[0] * 3
        q[0] = i
    return len(q)


def through(p, q, x, k):
    s = 0
    for i, (a, b) in enumerate(zip(p, q, strict=False)):
        s += a * (b - i)
        p[k] = s
    for v in reversed(p):
        s = s - v
    return s, p.index(p[0])


def sorted_in(p, q, x, k):
    for i in range(1, len(p)):
        held = p[i]
        j = i - 1
        while j >= 0 and p[j] > held:
            p[j + 1] = p[j]
            j -= 1
        p[j + 1] = held
    for i in range(len(p) // 2):
        p[i], p[-1 - i] = p[-1 - i], p[i]
    return q


def made(p, q, x, k):
    whole = [0] * len(x)
    truths = [True] * (k + 1)
    rows = [[0.5] * (k + 1) for _ in range(len(x))]
    for i in range(len(x)):
        whole[i] = i * k
        truths[whole[i] % (k + 1)] = i > k
        rows[i][whole[i] % (k + 1)] += p[0]
    return whole, truths, rows, sum(whole)


def _double(values, at):
    values[at] = values[at] * 2
    return values[at]


def _first(rows, at):
    return rows[at][0] + len(rows)


def handed(p, q, x, k):
    s = 0
    for i in range(len(p)):
        s += _double(p, i) + q[-1]
    return s


def folded(p, q, x, k):
    """Sums and extremes of lists and of parts of them, which may be empty."""
    s = 0
    for i in range(len(p)):
        s += sum(p[i:]) * 2 - min(q)
        p[i] = max(p[: i + k]) - sum(q)
        q[0] = min(p[::-2]) + k
        q[-1] = max(p[-2:])
    return s, q


def sought(p, q, x, k):
    """An object is found where it is, also where it is no number."""
    s = 0
    for i in range(len(q)):
        if q[i] in p:
            s += 1
        elif k in p and k > i:
            s += 10
        if p[i] not in p[i + 1 :]:
            s -= k
        found = p[-1] in p
        if x[i] not in q[k:]:
            s += 100 * found
    return s, found


def appended(p, q, x, k):
    """Folds are appended as they are computed; of an empty part there may be none."""
    ends, rows = [], []
    for i in range(len(p)):
        ends.append(sum(p[: i + 1]) - k)
        if i < len(q):
            ends.append(max(q[i:k]) * 2)
    for i in range(len(q)):
        row = []
        for v in x:
            row.append(sum(p[j] * q[i] + v for j in range(i)))
        rows.append(row)
    return ends, rows


SIMPLE = (
    *(stored, marked, looked_up, counted, through, sorted_in, made, handed),
    *(folded, sought, appended),
)

LISTS: tuple[tuple[Any, Any], ...] = (
    *(([1, 2, 3, 4, 5], [4, 0]), ([0.5, -0.0, 2.5, 1.0, 3.0], [1.0, 0.25])),
    *(([True, False, True, True, False], [False, True]), ([7, 1, 3, 2, 2], [0.5, 2.0])),
    *(([2.5, 1.5, 0.5, 4.0, 1.0], [3, 1]), ([1, 2, 3, 4, 5], (4, 0, 2))),
    *(([float("nan"), 1.0, float("inf"), 0.0, 2.0], [1.0, 2.0]), ([], [1, 2])),
    *(([1, 2.5, 3, 4, 5], [4, 0]), ([1, None, 3, 4, 5], [4, 0]), ([2**31, 1], [1, 1])),
    *(([2**31 + 1, 1], [1, 1]), ([2**70, 1], [1, 1])),
    *(
        ([np.float64(1), 2.0], [1.0, 2.0]),
        ([np.int64(1), 2], [1, 2]),
        ([1j, 2j], [1, 2]),
    ),
)


def _pair(p: Any, q: Any, dtype: str, k: int, memory: Memory) -> tuple[Any, ...]:
    given = copy.deepcopy((p, q))
    return *given, memory.array(np.arange(5) - 1.5, dtype), k


def _same(p: Any, dtype: str, k: int, memory: Memory) -> tuple[Any, ...]:
    given = copy.deepcopy(p)
    return given, given, memory.array(np.arange(5) - 1.5, dtype), k


def _pairs() -> Iterator[Row]:
    for p, q in LISTS:
        for dtype in ("float64", "float32", "int64"):
            for k in (0, 1, 3):
                name = f"{p!r}, {q!r}, {dtype}, {k}"
                yield Row(name, partial(_pair, p, q, dtype, k), None)
    for p in ([1, 2, 3, 4, 5], [0.5, 1.5, 2.5, 1.0, 4.0]):
        for k in (0, 2):
            yield Row(f"{p} twice, {k}", partial(_same, p, "float64", k), None)


MIXED = ([1, 2.5, 3, 0.5, 4], [True, 0, 2.0, -0.0, 5], [False, 3, True, 2, 7])
"""Numbers of several types in one list."""


def added(p, q, x, k):
    """What is stored goes through both lists, with its type."""
    s = 0
    for i in range(len(p)):
        s = p[i] if p[i] > q[i % 2] else q[-1]
        p[i] = s if k else p[-1 - i]
        q[i % 2] = p[i] * 0.5
    return s, p[k], q[0]


def _several() -> Iterator[Row]:
    for p in (*MIXED, [2**31 + 1, 0.5], [1, 0.5, None]):
        for q in ([1.5, 2], [0, True], [3.0, 0.25]):
            for k in (0, 1):
                make = partial(_pair, p, q, "float64", k)
                yield Row(f"{p!r}, {q!r}, {k}", make, None)


def moved(t, p, k):
    """Each row takes of the one above."""
    for i in range(1, len(t)):
        for j in range(len(t[0])):
            t[i][j] += t[i - 1][j - k] * 2
            p[0] = t[i][0]
    return t


def rows(t, p, k):
    s = 0
    for row in t:
        for j in range(len(row)):
            s += row[j] - p[0]
            row[j] = row[-1 - j]
    return s, t


def apart(t, p, k):
    """Rows of two numbers."""
    s = 0
    for a, b in t:
        s += a * b
    for i, (a, b) in enumerate(t):
        s -= a - b * i
    for (a, b), v in zip(t, p, strict=False):
        s = s + v * (a + b)
    c, d = t[k]
    for i in range(len(t)):
        c, d = t[i]
        p[0] += c - d
    return s, c, d


def folded_rows(t, p, k):
    s = 0
    for i in range(len(t)):
        s += sum(t[i]) + max(t[i][k:])
        if p[k] not in t[i]:
            p[0] = min(t[i - 1])
    for row in t:
        if k in row:
            s -= min(row)
    return s


def grown(t, p, k):
    """Each round makes all rows anew."""
    s = 0
    for i in range(len(p)):
        new = [[0] * len(t[0]) for _ in range(len(t))]
        for j in range(len(t)):
            for h in range(len(t[0])):
                new[j][h] = t[j - 1][h] + t[j][h - 1] * k
        t = new
        s += t[0][0]
    return t, s


def chosen(t, p, k):
    s = 0
    for i in range(len(p)):
        s += _first(t, i) + t[k][int(p[i] > 1)] * len(t[i])
        t[i][k] = s
    return s


ROWS = (
    *(
        [[1, 2], [3, 4], [5, 6]],
        [[0.5, 1.0], [2.0, -0.0]],
        [[True, False], [True, True]],
    ),
    *([(1, 2), (3, 4)], ((0.5, 2.0), (1.0, 3.0)), [[1, 2, 3], [4, 5, 6]], [[1], [2]]),
    *([], [[]], [[], []], [[1, 2], [3]], [[1, 2], (3, 4)], [[1, 2], [0.5, 1.0]]),
    *([[1, 2], 3], [[[1, 2], [3, 4]]], [1, 2]),
)
VALUES = ([1, 2, 0], [0.5, 1.5], [True, False])


def _table(t: Any, p: Any, k: int, memory: Memory) -> tuple[Any, ...]:
    return *copy.deepcopy((t, p)), k


def _shared(way: str, memory: Memory) -> tuple[Any, ...]:
    """Rows, or a row and the list beside, that are one list."""
    row, other = [1, 2, 3], [4, 5, 6]
    match way:
        case "rows":
            return [row, row, other], [1, 2, 3], 1
        case "row and list":
            return [row, other], row, 1
    return [row, other, [0, 1, 2]], other, 0


def swept(p, q, k):
    """Each sweep goes from one list to the other."""
    for t in range(k):
        for i in range(len(p)):
            q[i] = p[i - 1] + 1 if t % 2 else p[i] * 0.5
        p, q = q, p
    return p, q


def turned(p, q, k):
    """What raises may come behind an exchange; so may the end."""
    s = 0
    for t in range(4):
        p, q = q, p
        for i in range(len(p)):
            s += q[i] + q[k]
            p[i] = s
        if sum(p) > 40:
            return t, p, q
        q[-1 - t] += 1
    return s, p, q


def renewed(p, q, k):
    """Each round makes a list of what the one before made."""
    s = 0
    for t in range(k):
        row = [t] + [0] * (len(p) - 1)
        for j in range(1, len(p)):
            row[j] = max(p[j - 1] + q[j % len(q)], row[j - 1])
        s += sum(row)
        p = row
    return p is q, p, s


def handed_on(p, q, k):
    """The list that was given may have other names, and keeps its elements."""
    last = p
    t = 0
    while t < 2 * k:
        t += 1
        new = last[:]
        for j in range(len(q)):
            new[j] += last[j - 1]
            q[j] = new[-1]
        if new[0] > 9:
            break
        last = new
        last[0] += 1
    return last, p is last


def doubled(p, q, k):
    """Two lists take turns that both are made; others are not handed on."""
    s = 0
    for t in range(k):
        row = [0] * 3
        other = 0
        half = [0.5 for _ in range(len(q))]
        for j in range(len(q)):
            half[j] -= p[j]
            other += half[j - 1] in p
        row[other % 3] = t
        s += min(half) + other
        p, half = half, p
    return p, s


def set_to(p, q, k):
    for t in range(k):
        for j in range(1, len(p) - 1):
            q[j] = p[j - 1] + p[j + 1]
        p[:] = q
    return p, p is q


def filled_by_a_number(p, q, k):
    """An array is filled with a number; a list gets what one has that goes round."""
    s = 0
    for i in range(len(p)):
        s += q[i]
        if i == k:
            p[:] = s
    return p, s


def computed_with(p, q, k):
    """Arrays are added to element by element; a list grows, or is repeated."""
    for i in range(len(q)):
        q[i] += 0.5
        p *= k
    return p, q


def one_row_filled(t, s, k):
    for i in range(len(t)):
        row = t[i]
        if i == k:
            row[:] = k
        t[0][0] += s[0]
    return t


def apart_together(t, p, k):
    """Tuples of tuples get what was there before any of their names was assigned."""
    s = 0
    a = k
    for i in range(len(t)):
        (a, b), c = t[i - 1], p[i]
        s += a * c - b
        (x, y), (b, a) = (a, b), (p[0], i)
        s += x - y * b + a
    return s


EXCHANGED: tuple[tuple[Any, Any], ...] = (
    *(([1, 2, 3], [4, 5, 6]), ([0.5, -0.0, 2.0], [1.0, 2.0, 3.0])),
    *(([1, 2, 3], [0.5, 1.5, -0.0]), ([True, 2, 0.5], [1, False, True])),
    *(([1, 2], [3, 4, 5]), ((1, 2, 3), [4, 5, 6]), ([1, 2, 3], (4, 5, 6))),
    *(([], []), ([2**62, 1, 2], [2**31, 0, 1]), ([1, None, 3], [4, 5, 6])),
)


TURNS = (swept, turned, renewed, handed_on, doubled, set_to)
WHOLE = filled_by_a_number, computed_with


def _exchanged() -> Iterator[Row]:
    for p, q in EXCHANGED:
        for k in (0, 1, 2, 3):
            yield Row(f"{p!r}, {q!r}, {k}", partial(_table, p, q, k), None)
    for k in (1, 2):
        yield Row(f"one, {k}", partial(_one, k), None)


def _one(k: int, memory: Memory) -> tuple[Any, ...]:
    """One list by two names."""
    one = [1, 2, 3]
    return one, one, k


def _tables() -> Iterator[Row]:
    for t in ROWS:
        for p in VALUES:
            for k in (0, 1):
                yield Row(f"{t!r}, {p!r}, {k}", partial(_table, t, p, k), None)
    for way in ("rows", "row and list", "list and row"):
        yield Row(way, partial(_shared, way), None)


TABLES = (
    *(Table(function, (*_pairs(),)) for function in SIMPLE),
    *(Table(function, (*_several(),)) for function in (added, *SIMPLE)),
    *(Table(function, (*_tables(),)) for function in (moved, rows, apart, chosen)),
    *(Table(function, (*_tables(),)) for function in (folded_rows, grown)),
    *(Table(function, (*_exchanged(),)) for function in (*TURNS, *WHOLE)),
    *(Table(function, (*_tables(),)) for function in (one_row_filled, apart_together)),
)
