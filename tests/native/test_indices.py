"""Subscripts from data: their range is tested once, as far as 64 bits hold it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kit.calls import same

import looptx
from looptx.errors import LooptxError

pytestmark = pytest.mark.usefixtures("rehearsed")

AS_WRITTEN = "ran in the order as written"


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
    B = np.arange(1023 * 1023 * 3).astype(np.int8)
    at = np.array([first, 1, 2])
    for kernel in (far, near):
        error = same(kernel, np.zeros(3), B, at, n) != "None"
        # NumPy wraps 2000 * 2**61 around to 0, which is inside.
        outside = abs(first) >= 2**40 and n and (kernel is far or first == 2**40)
        assert error == bool(outside)
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
    error = same(wrapping, np.zeros(3), np.arange(1e5), at) != "None"
    assert error == (value == 5 or (value > 5 and dtype is np.int64))


@looptx.kernel
def scattered(A, at, k):
    for i in range(at.shape[0]):
        A[at[i] + 1, i * k] = 2.0


@pytest.mark.parametrize("values, k", [([0, 1], 1), ([-2, 3], 2), ([], 0), ([9], 1)])
def test_a_subscript_of_a_cell_that_is_written(values: list[int], k: int) -> None:
    for given in ([1], values):
        same(scattered, np.zeros((4, 3)), np.array(given, int), k)
    (nest,) = scattered.report().nests
    assert nest.calls


@looptx.kernel("parallel i")
def gathered(x, col, y):
    for i in range(y.shape[0]):
        y[i] = x[4 * col[i]]


@looptx.kernel("parallel i")
def apart(x, a, b, y):
    for i in range(y.shape[0]):
        y[i] = x[a[i] - b[i]]


@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("large", [2**60, 2**62, -(2**60), -(2**62)])
def test_the_range_of_data_wraps_around_where_the_data_does_not(step, large) -> None:
    # 4 * 2**62 is 0 in 64 bits; 4 * 2**60 is far outside.
    col = np.repeat(np.array([0, large // 4, large, 0]), step)[::step]
    same(gathered, np.arange(9.0), col, np.zeros(4))


HUGE = 2**50


def test_the_difference_of_large_data() -> None:
    a, b = np.array([HUGE + 8, HUGE + 7]), np.array([HUGE, HUGE + 5])
    same(apart, np.arange(9.0), a, b, np.zeros(2))
    same(apart, np.arange(9.0), a + np.array([0, 900]), b, np.zeros(2))


@looptx.kernel
def compressed(row, col, x, y):
    n = y.shape[0]
    for i in range(n):
        for p in range(row[i], row[i + 1]):
            y[i] += x[col[p] + 1] * (p + 1) + x[p - 1]


def test_arithmetic_on_positions_that_an_array_holds():
    """Elements of int64 could be anything; one pass tells that they are not."""
    x = np.random.default_rng(0).random(29)
    for n in (0, 1, 7):
        row = np.arange(0, 4 * n + 1, 4)
        col = np.arange(4 * n)[::-1] % max(n, 1)
        same(compressed, row, col, x, np.zeros(n), native=1)
    with pytest.warns(RuntimeWarning, match="row holds integers too large"):
        compressed(np.array([2**62, 2**62]), np.zeros(4, int), x, np.zeros(1))


@looptx.kernel(strict=True)
def beside(A, m):
    n = A.shape[0]
    # looptx: assume m > 1
    # looptx: split i 4
    for i in range(n):
        A[i] += 1.0


def test_an_assumption_about_what_the_nest_does_not_read() -> None:
    A = np.zeros(7)
    beside(A, 5)
    assert A.tolist() == [1.0] * 7


@looptx.kernel
def counted_twice(x, y, n):
    for g in range(-1, 2):
        x[g] += y[0]
    for (g, h), w in np.ndenumerate(y):
        for h in range(n):
            x[h] += w


@looptx.kernel
def given_twice(x, y, k):
    for i in range(3):
        x[i + k] += y[0]
    for (k, h), w in np.ndenumerate(y):
        for h in range(3):
            x[h] += w


@pytest.mark.parametrize("kernel", [counted_twice, given_twice])
@pytest.mark.parametrize("size", [0, 1, 2, 3, 7])
def test_a_subscript_whose_name_may_elsewhere_be_an_array(
    kernel: Any, size: int
) -> None:
    """``h`` is given twice, so that it is not known what these loops go through."""
    for k in (-1, 0, 2):
        found = []
        for function in (kernel.py_func, kernel):
            x = np.arange(size + 8.0)
            error = outcome(function, x[4 : 4 + size], np.ones(3), k)
            found.append((error, x.tolist()))
        assert found[0] == found[1], (k, found)
    assert sum(nest.calls for nest in kernel.report().nests) > 0 or size < 3


def outcome(function: Any, *given: Any) -> str:
    """The class of what it raises."""
    try:
        function(*given)
    except Exception as error:
        return type(error).__name__
    return ""


@looptx.kernel
def second_last(x, y):
    for i in range(y.shape[0]):
        y[i] += x[-2]


@looptx.kernel
def third_last_of_rows(x, y):
    for i in range(x.shape[0]):
        x[i, -3] = x[i, x.shape[1] - 2] + y[i - 1]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
def test_what_counts_from_the_end_stays_inside(n: int) -> None:
    """In front of what is given there is memory, too."""
    around = np.arange(60.0)
    same(second_last, around[20 : 20 + n], np.ones(3), native=int(n > 1))
    rows = around[20 : 20 + 3 * n].reshape(3, n)
    same(third_last_of_rows, rows, np.ones(3), native=int(n > 2))


def tallied(b, c):
    for i in range(len(b)):
        c[int(b[i])] += 1


def named(b, c):
    t = 0
    for i in range(len(b)):
        k = int(b[i])
        t = c[k]
    return t


def sliced(b, c):
    t = 0
    for i in range(len(b)):
        t += len(c[: int(b[i])])
    return t


def least(b, c):
    t = 0
    for i in range(len(b)):
        t += min(int(b[i]), 5)
    return t


def kept(b, c):
    for i in range(len(b)):
        k = int(b[i] >> 1)
        c[k % 4] += len(c[: int(b[i])])
        b[i] += 1


def hashed(b, c):
    for i in range(len(b)):
        c[int((b[i] * 3) % 4)] += 1


@pytest.mark.parametrize("function", [tallied, named, sliced, least, kept, hashed])
@pytest.mark.parametrize("large", [2, 2**63 - 1, 2**63, 2**64 - 1])
@pytest.mark.filterwarnings("ignore:looptx. .* runs as plain Python:RuntimeWarning")
def test_ints_of_what_has_no_sign_do_not_wrap_around(function, large) -> None:
    """C's conversion makes -1 of 2**64 - 1, which is the last element of an array."""
    kernel = looptx.kernel(function)
    for values in ([], [large], [1, 2, large, 0, 3]):
        b = np.array(values, np.uint64)
        same(kernel, b, np.arange(4), native=1 if large == 2 else None)


@looptx.kernel("parallel i", strict=True)
def without(b, y):
    for i in range(len(y)):
        k = int(b[i])
        y[i] = 2 * k


def test_ints_of_what_has_no_sign_in_parallel() -> None:
    for n in (0, 1, 97):
        b = np.arange(n, dtype=np.uint64)[::-1].copy()
        same(without, b, np.zeros(n, int), native=1)
    with pytest.raises(LooptxError, match="b holds integers too large"):
        without(b + np.uint64(2**63), np.zeros(n, int))
