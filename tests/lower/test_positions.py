"""Innermost loops cut where conditions on positions change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from kit.guarded import numbers, same

import looptx

pytestmark = pytest.mark.usefixtures("rehearsed")

SIZES = (0, 1, 2, 3, 7, 8, 13, 37)
PLACES = (-(2**62), -9, -1, 0, 1, 5, 12, 13, 40, 2**39)


@looptx.kernel
def others(A, x, out):
    for i in range(x.shape[0]):
        s = 0.0
        for j in range(x.shape[0]):
            if j != i:
                s += A[i, j] * x[j]
        out[i] = s


@looptx.kernel
def passed_over(A, x, out):
    for i in range(x.shape[0]):
        s = 0.0
        for j in range(1, x.shape[0]):
            if i + 1 == j:
                continue
            s -= A[j, i] / (1 + abs(x[j]))
            out[j] = s


@looptx.kernel
def itself(A, x, out):
    for i in range(x.shape[0]):
        s = 0.0
        for j in range(i // 2, x.shape[0] - 2):
            if j == i:
                s = s * 2 - x[i]
            elif j < i - 3:
                s += A[i, j]
            else:
                s -= A[i, j] * x[j]
        out[i] = s


@looptx.kernel
def behind(A, x, out):
    """What counts the rounds is read behind them; one of them does nothing."""
    for i in range(x.shape[0]):
        j = -3
        s = 0.0
        for j in range(i + 1):
            if j != i:
                s += A[i, j] * x[j]
        out[i] = s + 7 * j


@looptx.kernel
def back(A, x, out):
    for i in range(x.shape[0]):
        s = 0.0
        for j in range(x.shape[0] - 1, -1, -1):
            if j != i:
                s += A[i, j] * x[j]
        out[i] = s


@looptx.kernel
def left_early(A, x, out):
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            if j == i:
                continue
            if x[j] > 20.0:
                break
            out[i] += A[i, j]


@looptx.kernel
def at(x, k):
    s = 0.5
    for j in range(x.shape[0]):
        if j != k:
            s = s * 0.5 + x[j]
    return s


@looptx.kernel
def within(x, out, k):
    s = 0
    for j in range(x.shape[0]):
        if j > 0 and j + 1 < x.shape[0] and x[j] < x[j - 1] and x[j] < x[j + 1]:
            s += 1
        elif not (j <= k or x[j] > 0):
            s += 3
        if s % 3 == 1:
            out[j] = s
    return s, j


@looptx.kernel
def raising(x, places, out):
    s = 0.0
    for j in range(x.shape[0]):
        if j != 5:
            s += x[places[j]]
        out[j] = s
    return s


def calls(n: int) -> Iterator[tuple[Any, ...]]:
    """Kernels with what they are called with."""
    A, x = numbers(n * n, "float64", 3).reshape(n, n), numbers(n, "float64", 4)
    for kernel in (others, passed_over, itself, behind, back, left_early):
        yield kernel, A, x, numbers(n, "float64", 5)


@pytest.mark.parametrize("n", SIZES)
def test_same_as_python(n: int) -> None:
    for kernel, *given in calls(n):
        same(kernel, *given, native=False)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("k", PLACES)
def test_places_that_are_given(n: int, k: int) -> None:
    x = numbers(n, "float64", 6)
    assert repr(at(x, k)) == repr(at.py_func(x, k))
    if n:
        out, expected = numbers(n, "float64", 7), numbers(n, "float64", 7)
        ours, theirs = within(x, out, k), within.py_func(x, expected, k)
        assert repr(ours) == repr(theirs)
        assert out.tobytes() == expected.tobytes()


@pytest.mark.parametrize("far", (0, 3, 4, 5, 6, 8))
def test_what_is_left_at_a_raise(far: int) -> None:
    x, places = np.arange(9.0), np.arange(9) % 4
    places[far] = 9
    found = []
    for called in (raising, raising.py_func):
        out = np.full(9, -1.0)
        try:
            result = repr(called(x, places, out))
        except IndexError as error:
            result = repr(error)
        found.append((result, out.tobytes()))
    assert found[0] == found[1]


def test_no_round_asks_where_it_is() -> None:
    n = 8
    others(numbers(n * n, "float64", 3).reshape(n, n), np.ones(n), np.ones(n))
    within(np.ones(n), np.ones(n), 3)
    for kernel, asked in ((others, r"\bi != j"), (within, r"j \+ 1 <|\bj > 0")):
        text = kernel.inspect_cython().partition("\n# ")[0]
        assert re.search(r"\bj_cut\b", text)
        assert not re.search(asked, text)
