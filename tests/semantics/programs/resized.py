"""Lists of another length, and arrays of another shape, than was asked for before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def shrunk(p, q, k):
    n = len(p)
    del p[k:]
    for i in range(len(p)):
        p[i] = n
    return p


def popped(p, q, k):
    n = len(p)
    while len(p) > k:
        p.pop()
    return [v * 2 for v in p], n


def appended(p, q, k):
    n = len(p)
    p.append(k)
    s = 0
    for i in range(len(p)):
        s += i
    for i in range(len(p)):
        s += p[i] * k
    return s, n


def appended_in_loops(p, q, k):
    n = len(p)
    for v in q:
        p.append(v)
    s = 0
    for i in range(len(p)):
        s += i
    for v in p:
        s += v
    return s, n


def repeated(p, q, k):
    n = len(p)
    p *= k
    s = 0
    for v in p:
        s += v
    for _ in p:
        s += 1
    return s, n


def joined(p, q, k):
    n = len(p)
    p += [n for v in p if v > k]
    s = 0
    for i in range(len(p)):
        for j in range(len(p)):
            s += p[i] * p[j]
    return s, [[e for e in p] for v in p]


def by_another_name(p, q, k):
    n = len(p)
    other = p
    other += [k]
    s = 0
    for i in range(len(p)):
        s += 1
    return s, n


def within_another(p, q, k):
    n = len(p)
    [p][0].append(k)
    s = 0
    for i in range(len(p)):
        s += 1
    return s, n


def grow(values):
    values.insert(0, 7)


def by_a_function(p, q, k):
    n = len(p)
    grow(p)
    s = 0
    for i in range(len(p)):
        s += p[i]
    return s, n


def by_what_it_is_given(p, q, k):
    """A function that is not given the list by its name may have it."""
    n = len(p)

    def cut():
        if p:
            p.pop()

    cut()
    s = 0
    for i in range(n - 1):
        s += p[i]
    q += [grow]
    q.pop()(p)
    for i in range(len(p)):
        s += i
    return s, n


def sliced(p, q, k):
    n = len(p)
    p[:] = p * 2
    s = 0
    for i in range(len(p)):
        s += p[i] + n
    p[1:2] = q
    for i in range(len(p)):
        s += 1
    return s


def one_list(p, q, k):
    """The two may be one list."""
    n = len(p)
    q.append(k)
    s = 0
    for i in range(len(p)):
        s += i * n
    return s


def one_list_added_to(p, q, k):
    """As before; what is added has a name."""
    n = len(p)
    own = [k]
    q += own
    s = 0
    for i in range(len(p)):
        s += i + n
    return s


def made_here(p, q, k):
    own = [0] * k
    n = len(own)
    own.append(n)
    s = 0
    for i in range(len(own)):
        s += n
        own[i] = s
    return own, n


def kept_by_another(p, q, k):
    own = [0] * k
    q.append(own)
    n = len(own)
    q[-1].append(n)
    s = 0
    for v in own:
        s += v + n
    return s


def by_its_method(p, q, k):
    own = [1] * k
    longer = own.append
    n = len(own)
    longer(n)
    s = 0
    for i in range(len(own)):
        s += own[i] + n
    return s


def shaped_by_another_name(x):
    y = x
    n, m = x.shape
    z = np.ones((n, m))
    y.shape = (m, n)
    for i in range(n):
        for j in range(x.shape[1]):
            z[i, j] = x[i, j] + 1
    return z


def shaped_as_another_argument(x, y):
    n, m = x.shape
    z = np.ones((n, m))
    y.shape = (m, n)
    for i in range(n):
        for j in range(x.shape[1]):
            z[i, j] = x[i, j] + 1
    return z


def turn(x):
    x.shape = x.shape[::-1]


class Turning:
    """Keeps an array."""

    def __init__(self, x):
        self.x = x

    def turn(self):
        """Give it another shape."""
        turn(self.x)


def shaped_by_a_function(x):
    n, m = x.shape
    z = np.ones((n, m))
    turn(x)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            z[i % n, j % m] = x[i, j] + n
    for i in range(n):
        for j in range(x.shape[1]):
            z[i, j] = x[i, j] + n
    return z


def shaped_by_an_object(x):
    n, m = x.shape
    z = np.ones((n, m))
    Turning(x).turn()
    for i in range(n):
        for j in range(x.shape[1]):
            z[i, j] = x[i, j] + 1
    return z


def of_another_type(x):
    y = x
    n, m = x.shape
    z = np.ones((n, m))
    y.dtype = np.float32
    for i in range(n):
        for j in range(x.shape[1]):
            z[i, j] = x[i, j] + 1
    return z


def resized_by_another_name(x):
    own = np.arange(12.0)
    y = own
    n = len(own)
    z = np.ones(n)
    y.resize(5, refcheck=False)
    for i in range(len(own)):
        z[i] = own[i] + n
    return z, x


LISTS = ([1, 2, 3, 4, 5], [7]), ([2.5, -0.0, 1.0], [1.0, 2.0]), ([3], []), ([], [1, 2])


def _given(p: Any, q: Any, k: int, memory: Memory) -> tuple[Any, ...]:
    return list(p), list(q), k


def _one(k: int, memory: Memory) -> tuple[Any, ...]:
    both = [1, 2, 3]
    return both, both, k


def _rows(function: Callable[..., Any]) -> Iterator[Row]:
    for p, q in LISTS:
        for k in (0, 2, 3):
            yield Row(f"{p!r}, {q!r}, {k}", partial(_given, p, q, k), None)
    if function is not appended_in_loops:  # That would have no end.
        yield Row("one list", partial(_one, 2), None)


def _shapes(times: int = 1) -> Iterator[Row]:
    def given(n: int, m: int, memory: Memory) -> tuple[Any, ...]:
        return (memory.array(np.arange(n * m * 1.0).reshape(n, m)),) * times

    for n, m in ((3, 4), (4, 3), (5, 5), (0, 2), (1, 7)):
        yield Row(f"{n} x {m}", partial(given, n, m), None)


def _table(function: Callable[..., Any]) -> Table:
    return Table(function, tuple(_rows(function)))


TABLES = (
    *(_table(function) for function in (shrunk, popped, appended, appended_in_loops)),
    *(_table(function) for function in (repeated, joined, by_another_name)),
    *(
        _table(function)
        for function in (within_another, by_a_function, by_what_it_is_given, sliced)
    ),
    *(_table(function) for function in (one_list, one_list_added_to, made_here)),
    *(_table(function) for function in (kept_by_another, by_its_method)),
    Table(shaped_as_another_argument, tuple(_shapes(2))),
    *(
        Table(function, tuple(_shapes()))
        for function in (
            shaped_by_another_name,
            shaped_by_a_function,
            shaped_by_an_object,
            of_another_type,
            resized_by_another_name,
        )
    ),
)
