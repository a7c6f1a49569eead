"""Lists that a loop appends to, and looks at by another name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from semantics.memory import Memory
from semantics.table import Row, Table

MOST = 20
"""Elements at which loops end that would go on for ever with one list."""


def copied(a, b):
    for x in b:
        a.append(x)
        if len(a) > MOST:
            break
    return len(a)


def from_behind(a, b):
    for i in range(1, 5):
        a.append(b[-1] + i)
    return a


def until_long(a, b):
    while len(b) < 8:
        a.append(1)
        if len(a) > MOST:
            break
    return a


def folded(a, b):
    for _ in range(5):
        a.append(sum(b) + max(b))
    return a


def searched(a, b):
    for k in range(9):
        if k not in b:
            a.append(k * 2)
    return a


def comprehended(a, b):
    for _ in range(5):
        a.append(sum([v for v in b]))
    return a


def both_grow(a, b):
    for k in range(3):
        b.append(k)
        a.append(len(b))
    return a


def of_rows(a, b):
    for i in range(len(b)):
        for x in b[i]:
            a.append(x)
            if len(a) > MOST:
                break
    return len(a)


def of_named_rows(a, b):
    for row in b:
        for x in row:
            a.append(x)
            if len(a) > MOST:
                break
    return len(a)


def of_lengths(a, b):
    for row in b:
        a.append(len(row))
        a.append(len(row))
    return a


def of_deep_rows(a, b):
    for i in range(len(b)):
        for j in range(len(b[i])):
            a.append(len(b[i][j]) + b[0][0][-1])
    return a


class Keeper:
    """Keeps a list."""

    def __init__(self, held: list[int]) -> None:
        self.held = held


def of_an_object(a, b):
    one = Keeper(b)
    for x in one.held:
        a.append(x)
        if len(a) > MOST:
            break
    return a


def by_a_lambda(a, b):
    last = lambda j: b[j]  # noqa: E731
    for i in range(3):
        a.append(last(-1) + i)
    return a


def by_an_inner_function(a, b):
    def last(j):
        return b[j]

    for i in range(3):
        a.append(last(-1) + i)
    return a


class Looking(Keeper):
    """Looks at the list that it keeps."""

    def at(self, j: int) -> int:
        return self.held[j]

    __call__ = at


def by_a_method(a, b):
    one = Looking(b)
    for i in range(3):
        a.append(one.at(-1) + i)
    return a


def by_an_object(a, b):
    last = Looking(b)
    for i in range(3):
        a.append(last(-1) + i)
    return a


def by_a_bound_method(a, b):
    last = Looking(b).at
    for i in range(3):
        a.append(last(-1) + i)
    return a


def doubled(v):
    return v * 2


def with_functions(a, b):
    half = lambda v: v // 2  # noqa: E731
    for x in b:
        a.append(doubled(x) + half(x))
        if len(a) > MOST:
            break
    return a


def _given(same: bool, deep: int, memory: Memory) -> tuple[Any, ...]:
    a = [1, 2, 3]
    b: list[Any] = a if same else [1, 2, 3]
    if deep > 1:
        return a, [[b, [4, 5, 6]], [[7, 8, 9], [1, 2, 3]]]
    return a, ([b, [4, 5, 6]] if deep else b)


def _table(
    function: Callable[..., Any], deep: int = 0, native: bool | None = True
) -> Table:
    def rows() -> Iterator[Row]:
        yield Row("one list", partial(_given, True, deep), None)
        yield Row("two lists", partial(_given, False, deep), native)

    return Table(function, tuple(rows()))


TABLES = (
    *(
        _table(function)
        for function in (
            *(copied, from_behind, until_long, folded, searched, comprehended),
            *(both_grow, of_an_object, by_a_lambda, by_an_inner_function),
            with_functions,
        )
    ),
    *(_table(function, 1) for function in (of_rows, of_named_rows, of_lengths)),
    _table(of_deep_rows, 2),
    *(
        _table(function, native=None)
        for function in (by_a_method, by_an_object, by_a_bound_method)
    ),
)
