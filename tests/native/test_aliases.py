"""Loops over what is ``range`` by another name, as Numba's ``prange`` is in Python."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

import looptx

pytestmark = pytest.mark.filterwarnings("ignore:looptx:RuntimeWarning")

numba: Any = types.ModuleType("numba")


class Made:
    """What Numba's is: a class whose calls give a range."""

    def __new__(cls, *args: int) -> Any:
        return range(*args)


Made.__module__, Made.__qualname__ = "numba.misc.special", "prange"


def backwards(*args: int) -> Any:
    return reversed(range(*args))


def run(prange: Any) -> tuple[list[float], str]:
    """What a loop leaves whose ``numba.prange`` is something, and what is told."""
    numba.prange = prange

    @looptx.kernel
    def kernel(A):
        last = -1
        for i in numba.prange(1, len(A), 2):
            A[i] += A[i - 1] * 2 + last
            last = i
        return last

    A = np.arange(7.0)
    assert kernel(A) == kernel.py_func(np.arange(7.0))
    return A.tolist(), str(kernel.report())


@pytest.mark.parametrize("prange", [range, Made])
def test_a_range_has_another_name(prange):
    cells, told = run(prange)
    assert cells == [0.0, 0.0, 2.0, 8.0, 4.0, 16.0, 6.0]
    assert "1 native call" in told


def test_inner_loops_have_ends_in_data():
    numba.prange = Made

    def total(row):
        s = 0.0
        for k in numba.prange(len(row)):
            s += row[k]
        return s

    @looptx.kernel
    def kernel(A, ends):
        out = np.zeros(len(ends))
        for i in numba.prange(len(ends)):
            for j in numba.prange(ends[i]):
                out[i] += A[j, i] * total(A[j])
        return out

    A, ends = np.arange(35.0).reshape(7, 5), np.array([0, 1, 7, 3, 2])
    assert kernel(A, ends).tolist() == kernel.py_func(A, ends).tolist()
    assert "1 native call" in str(kernel.report())


def test_another_function_is_what_it_is():
    cells, told = run(backwards)
    assert cells == [0.0, 4.0, 2.0, 12.0, 4.0, 12.0, 6.0]
    assert "1 native call" not in told


def test_a_name_of_the_function_is_no_module():
    @looptx.kernel
    def kernel(A, numba):
        for i in numba.prange(len(A)):
            A[i] = i

    A = np.zeros(3)
    kernel(A, types.SimpleNamespace(prange=backwards))
    assert A.tolist() == [0.0, 1.0, 2.0]
