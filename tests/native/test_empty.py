"""What Python would not come to is no reason to leave native code.

The entry of a nest tries operations before the loops run. Where their statement does
not run, whatever they would raise is nobody's business: a strict kernel goes on. Where
it does, the exception and what was written before it are those of Python.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kit.calls import outcome

import looptx
from looptx.errors import LooptxError

pytestmark = pytest.mark.usefixtures("rehearsed")

Function = Callable[..., Any]


def root(A, x, n):
    for i in range(n):
        A[i] = math.sqrt(x)


def inverse(A, n):
    for i in range(n):
        A[i] = A[i] * (1.0 / float(n))


def guarded(A, x, m):
    for i in range(A.shape[0]):
        if i > m:
            A[i] = A[i] + 1.0 / x


def inner(A, k, n, m):
    for i in range(n):
        for j in range(m):
            A[i, j] = float(i + 1) % float(k)


def bound(A, k, n, m):
    for i in range(n):
        for j in range(m // k):
            A[i, j] = A[i, j] + 1.0


def subscript(A, k, n, m):
    for i in range(n):
        A[i + m // k] = 1.0


def large(A, k, n):
    for i in range(n):
        A[i] = i + k * k * k


def narrow(A, k, n):
    for i in range(n):
        A[i] = 2 * k


def strided(A, x, n):
    for i in range(3, n, 4):
        A[i] = 1.0 / x


def either(A, B, x, n, m):
    # looptx: nest one
    for i in range(n):
        A[i] = 1.0 / x
    # looptx: nest two
    for i in range(m):
        B[i] = B[i] * (1.0 / x)


def often(A, B, x, n, m):
    for i in range(n):
        A[i] = A[i] + 1.0 / x
        for j in range(m):
            B[i, j] = math.log(x) + A[i]


def apart(A, B, x, n, m):
    for _ in range(2):
        for i in range(n):
            A[i] = 1.0 / x
        for j in range(m):
            if B[j] > 0.0:
                B[j] = 1.0 / x


def gathered(A, B, start, n):
    for i in range(n):
        for j in range(n):
            A[i, j] = B[start[i] + 1] * (j + 1)


def summed(A, x, n):
    s = 0.0
    for i in range(n):
        s += A[i] * math.exp(x)
    return s


def zeros(*shape: int, dtype: Any = float) -> np.ndarray:
    return np.zeros(shape, dtype)


Case = tuple[Function, str, list[Any], list[Any]]

CASES: list[Case] = [
    # A function, its schedule, arguments for which nothing is wrong, and others.
    (root, "", [zeros(4), -1.0, 0], [zeros(4), -1.0, 2]),
    (root, "parallel i", [zeros(4), -1.0, -3], [zeros(4), -1.0, 1]),
    (inverse, "", [zeros(4), 0], []),
    (guarded, "", [zeros(4), 0.0, 3], [zeros(4), 0.0, 2]),
    (guarded, "parallel i", [zeros(4), 0.0, 3], [zeros(4), 0.0, 2]),
    (inner, "", [zeros(4, 4), 0, 0, 3], [zeros(4, 4), 0, 1, 1]),
    (inner, "reorder j i", [zeros(4, 4), 0, 3, 0], [zeros(4, 4), 0, 2, 3]),
    (bound, "", [zeros(4, 4), 0, 0, 3], [zeros(4, 4), 0, 3, 3]),
    (subscript, "", [zeros(4), 0, 0, 3], [zeros(4), 0, 1, 3]),
    (large, "", [zeros(4, dtype=np.int64), 2**30, 0], [zeros(4), 2**30, 3]),
    (narrow, "", [zeros(4, dtype=np.uint8), 200, 0], [zeros(4, dtype="u1"), 200, 2]),
    (
        narrow,
        "parallel i",
        [zeros(4, dtype="u1"), 200, 0],
        [zeros(4, dtype="u1"), -1, 2],
    ),
    (strided, "", [zeros(4), 0.0, 3], [zeros(4), 0.0, 4]),
    (either, "", [zeros(4), zeros(4), 0.0, 0, -1], [zeros(4), zeros(4), 0.0, 0, 2]),
    (
        either,
        "fuse one two",
        [zeros(4), zeros(4), 0.0, 0, 0],
        [zeros(4)] * 2 + [0.0, 1, 0],
    ),
    (
        often,
        "",
        [zeros(3), zeros(3, 3), -1.0, 3, 0],
        [zeros(3), zeros(3, 3), 0.0, 3, 0],
    ),
    (
        often,
        "",
        [zeros(3), zeros(3, 3), -1.0, 2, 0],
        [zeros(3), zeros(3, 3), -1.0, 3, 3],
    ),
    (
        gathered,
        "reorder j i",
        [zeros(4, 4), zeros(3), np.array([7, 7]), 0],
        [zeros(4, 4), zeros(3), np.array([1, 7]), 2],
    ),
    (
        gathered,
        "reorder j i",
        [zeros(4, 4), zeros(0), np.array([255], np.uint8), 0],
        [zeros(4, 4), zeros(3), np.array([1, 255], np.uint8), 2],
    ),
    (apart, "", [zeros(3), zeros(3), 0.0, 0, 3], [zeros(3), zeros(3) + 1, 0.0, 0, 3]),
    (apart, "", [zeros(3), zeros(3), 0.0, -1, 3], [zeros(3), zeros(3), 0.0, 1, 3]),
    (summed, "", [zeros(4), 1e6, 0], [zeros(4), 1e6, 1]),
]


def name(case: Any) -> str:
    return getattr(case, "__name__", "")


@pytest.mark.parametrize("function, schedule, right, wrong", CASES, ids=name)
def test_only_what_runs_can_be_wrong(
    function: Function, schedule: str, right: list[Any], wrong: list[Any]
) -> None:
    directives = [schedule] if schedule else []
    strict = looptx.kernel(*directives, strict=True)(function)
    usual = looptx.kernel(*directives)(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kernel in (strict, usual):
            assert outcome(kernel, *right) == outcome(function, *right)
    assert not any(nest.fallbacks for nest in usual.report().nests)
    assert all(nest.calls == 1 for nest in usual.report().nests)
    if wrong:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert outcome(usual, *wrong) == outcome(function, *wrong)


@pytest.mark.parametrize("x, n, m", [(0.0, 3, 0), (-1.0, 3, 1), (-1.0, 1, 3)])
def test_what_is_wrong_is_found_in_its_own_statement(x: float, n: int, m: int) -> None:
    """The arrays hold what was written before; a strict kernel says why it stops."""
    args = [zeros(3), zeros(3, 3), x, n, m]
    kernel, strict = looptx.kernel(often), looptx.kernel(strict=True)(often)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert outcome(kernel, *args) == outcome(often, *args)
        assert "Error" in outcome(kernel, *args)[0]
    with pytest.raises(LooptxError, match="raises an exception"):
        strict(*args)
