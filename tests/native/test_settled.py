"""Functions that ask what they are given: one for each answer, and what they see."""

from __future__ import annotations

import math
import types
from typing import Any

import numpy as np
import pytest

import looptx
from looptx.source import read

pytestmark = [
    pytest.mark.usefixtures("rehearsed"),
    pytest.mark.filterwarnings("ignore:looptx:RuntimeWarning"),
]

config: Any = types.ModuleType("config")
config.LIMIT, config.NAME, config.LEAST = 2.5, "other", math.nan


def axes(x):
    return x.ndim


def of(x, at):
    return x.ndim * 10 + (x[at] if x.ndim == 1 else x[at, at])


def limited(x):
    return min(x, config.LIMIT)


def named(x, factor=None, shift=-1.0):
    if factor is None:
        return x - shift
    return x * factor


def halved(x, times):
    if times is None:
        return halved(x, 1)
    return x / 2


def ended(x, stop=True):
    for k in range(int(x)):
        if k > 3:
            return k
    else:
        if stop:
            return -1.0
    return x


def left(x):
    for k in range(3):
        if x > k:
            break
    else:
        return -1.0
    return x + 1


def told(kernel: Any) -> str:
    return str(kernel.report())


def test_each_rank_has_its_own():
    @looptx.kernel
    def kernel(A, out):
        for i in range(len(out)):
            out[i] = of(A, i)

    for A in (np.arange(5.0), np.ones((5, 5)), np.arange(7.0)):
        out, same = np.zeros(len(A)), np.zeros(len(A))
        kernel(A, out)
        kernel.py_func(A, same)
        assert out.tolist() == same.tolist()
    assert "2 native calls" in told(kernel)


def test_an_array_that_is_only_asked_is_looked_at():
    @looptx.kernel
    def kernel(A, out):
        for i in range(len(out)):
            out[i] = axes(A)

    for A in (np.ones(2), np.ones((2, 2)), np.ones((2, 2, 2))):
        out = np.zeros(2)
        kernel(A, out)
        assert out.tolist() == [A.ndim] * 2


def test_settings_of_modules_are_those_of_the_call():
    @looptx.kernel(strict=True)
    def kernel(A):
        for i in range(len(A)):
            A[i] = limited(A[i]) - named(A[i]) + named(A[i], 2.0)

    for limit in (2.5, 1, 7.0):
        config.LIMIT = limit
        A, same = np.arange(5.0), np.arange(5.0)
        kernel(A)
        kernel.py_func(same)
        assert A.tolist() == same.tolist()


@pytest.mark.parametrize("function", [ended, left])
def test_a_loop_may_end_in_its_else(function: Any):
    @looptx.kernel(strict=True)
    def kernel(A):
        for i in range(len(A)):
            A[i] = function(A[i])

    A = np.linspace(-1.5, 7.0, 13)
    kernel(A)
    assert A.tolist() == [function(x) for x in np.linspace(-1.5, 7.0, 13)]


def test_a_function_that_calls_itself_is_left():
    text = """
def halved(x, times):
    if times is None:
        return halved(x, None)
    return x / 2

def kernel(A):
    for i in range(len(A)):
        A[i] = halved(A[i], None)
"""
    read(text, "file.py", plain=True)

    @looptx.kernel
    def kernel(A):
        for i in range(len(A)):
            A[i] = halved(A[i], None)

    A = np.arange(3.0)
    kernel(A)
    assert A.tolist() == [0.0, 0.5, 1.0]
