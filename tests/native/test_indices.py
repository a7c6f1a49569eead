"""Subscripts from data: their range is tested once, as far as 64 bits hold it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import looptx

AS_WRITTEN = "ran in the order as written"


def outcome(function: Any, args: list[Any]) -> tuple[Any, ...]:
    """What a function raises, and what it leaves in its arrays."""
    given = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    error = ""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            function(*given)
        except (ArithmeticError, LookupError) as raised:
            error = f"{type(raised).__name__}: {raised}"
    return error, *(a.tobytes() for a in given if isinstance(a, np.ndarray))


def same(kernel: Any, *args: Any) -> str:
    """Compare a kernel with its function; what both raise."""
    ours, theirs = outcome(kernel, list(args)), outcome(kernel.py_func, list(args))
    assert ours == theirs
    return str(ours[0])


@looptx.kernel("parallel i")
def far(A, B, at, n):
    for i in range(n):
        for j in range(1023 * i, 1023 * i + 2):
            for k in range(1023 * j, 1023 * j + 2):
                A[i] = A[i] + B[at[i] + 1023 * k - 1070599167 * i]


@looptx.kernel("parallel i")
def near(A, B, at, n):
    for i in range(n):
        for j in range(1023 * i, 1023 * i + 2):
            A[i] = A[i] + B[2000 * at[i] + 1023 * j - 1046529 * i]


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("first", [0, 1, -1, 2**40, 2**61, -(2**61)])
def test_a_range_beyond_64_bits_is_tested_in_the_loops(n: int, first: int) -> None:
    """Below 2**40 iterations three such factors multiply to more than 64 bits."""
    B = np.arange(1023.0 * 1023 * 3)
    at = np.array([first, 1, 2])
    for kernel in (far, near):
        error = same(kernel, np.zeros(3), B, at, n)
        # NumPy wraps 2000 * 2**61 around to 0, which is inside.
        outside = abs(first) >= 2**40 and n and (kernel is far or first == 2**40)
        assert bool(error) == bool(outside)
    assert AS_WRITTEN in str(far.report())
    assert AS_WRITTEN not in str(near.report())
    assert sum(nest.calls for nest in near.report().nests) > 0


@looptx.kernel("parallel i")
def wrapping(A, B, at):
    for i in range(A.shape[0]):
        A[i] = B[20000 * at[i]]


@pytest.mark.parametrize("value", [0, 2, 5, 2**31 - 1, 214749])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_a_large_factor(value: int, dtype: Any) -> None:
    """20000 * 214749 is 12704 in 32 bits, and out of bounds in 64."""
    at = np.array([1, value, 0], dtype)
    error = same(wrapping, np.zeros(3), np.arange(1e5), at)
    assert bool(error) == (value == 5 or (value > 5 and dtype is np.int64))


@looptx.kernel
def scattered(A, at, k):
    for i in range(at.shape[0]):
        A[at[i] + 1, i * k] = 2.0


@pytest.mark.parametrize("values, k", [([0, 1], 1), ([-2, 3], 2), ([], 0), ([9], 1)])
def test_a_subscript_of_a_cell_that_is_written(values: list[int], k: int) -> None:
    same(scattered, np.zeros((4, 3)), np.array(values, int), k)
    (nest,) = scattered.report().nests
    assert nest.calls
