"""Functions that raise, and loops that call them: tests cannot have an ``assert``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any


def root(x: float) -> float:
    if x < 0:
        raise ValueError(f"{x} has no root")
    return math.sqrt(x)


def chosen(x: float, kind: int) -> float:
    if kind == 0:
        found = x + 1.0
    elif kind == 1:
        found = 2.0 * x
        if x > 8.0:
            return -1.0
    else:
        raise KeyError(kind)
    return found


def ranked(x: float) -> int:
    if x < 1.0:
        return 1
    if x < 4.0:
        if x < 2.0:
            return 2
        return 3
    elif x < 9.0:
        return 4
    raise ValueError("too large", x)


def unless(x: float) -> float:
    if x != 5.0:
        if x > 2.0:
            x = x - 1.0
            return x * x
        x = x + 1.0
    else:
        x = 3.0
        raise ArithmeticError(x)
    return x


def position(A: Any, x: float) -> int:
    for k in range(A.shape[0]):
        if A[k] == x:
            return k
    x = 0.0
    raise LookupError(x)


def settled(x: float) -> float:
    for k in range(20):
        x = 0.5 * (x + 2.0 / x)
        if x > 1e3:
            raise OverflowError(k)
        if abs(x * x - 2.0) < 1e-9:
            break
    else:
        raise RuntimeError("no convergence")
    return x


def endless(x: float) -> int:
    k = 0
    while True:
        assert k < 9, "too many rounds"
        if x < 1.0:
            return k
        x = x / 2.0
        k += 1


def checked(x: float, most: float) -> None:
    if x > most:
        raise ValueError(x)


def moved(A: Any, i: int, by: float) -> None:
    if by == 7.0:
        raise ValueError(i)
    A[i] += by
    if A[i] > 30.0:
        raise OverflowError(i)


def both(x: float, y: float) -> tuple[float, float]:
    assert x <= y
    return y - x, root(y - x - 1.0)


def roots(A: Any, B: Any) -> None:
    for i in range(A.shape[0]):
        B[i] = root(A[i]) + 1.0


def kinds(A: Any, B: Any) -> None:
    for i in range(A.shape[0]):
        A[i] = chosen(A[i], int(B[i]) % 3 if B[i] > 3.0 else 1)


def ranks(A: Any, B: Any) -> int:
    total = 0
    for i in range(A.shape[0]):
        if A[i] < 6.0 or ranked(A[i]) == 4:
            total += ranked(B[i]) if B[i] < 9.5 else 0
    return total


def others(A: Any, B: Any) -> None:
    for i in range(A.shape[0]):
        B[i] = A[i]
        A[i] = unless(B[i]) - unless(A[i] + 1.0)


def places(A: Any, B: Any) -> None:
    for i in range(B.shape[0]):
        B[i] = A[position(A, B[i])] + 1.0


def limits(A: Any, B: Any) -> None:
    for i in range(A.shape[0]):
        A[i] += settled(B[i] + 1.0)


def counts(A: Any, B: Any) -> int:
    k = 0
    while k < A.shape[0] and endless(A[k]) < 4:
        for _ in range(endless(B[k])):
            A[k] += 1.0
        k += 1
    return k


def checks(A: Any, B: Any) -> None:
    for i in range(A.shape[0]):
        A[i] += 1.0
        checked(A[i], 9.0)
        B[i] = A[i]


def moves(A: Any, B: Any) -> None:
    for i in range(A.shape[0]):
        moved(A, i, B[i])
        moved(B, A.shape[0] - 1 - i, A[i])


def pairs(A: Any, B: Any) -> None:
    for i in range(A.shape[0]):
        A[i], B[i] = both(A[i], B[i] + 2.0)


def caught(A: Any, B: Any) -> int:
    try:
        for i in range(A.shape[0]):
            B[i] = root(A[i] - 3.0)
            A[i] = -1.0
    except ValueError:
        return -1
    return 0


FUNCTIONS: tuple[Callable[..., Any], ...] = (
    *(roots, kinds, ranks, others, places, limits, counts, checks, moves, pairs),
    caught,
)
