"""Faults that random programs found in native code."""

from __future__ import annotations

import math
import warnings
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import looptx


@looptx.kernel
def smallest(A, n):
    for i in range(3):
        s = 1
        for j in range(1, n):
            s = min(A[i, j], s)
        A[i + i, -1] += s


@looptx.kernel(strict=True)
def beside(A, m):
    n = A.shape[0]
    # looptx: assume m > 1
    # looptx: split i 4
    for i in range(n):
        A[i] += 1.0


@looptx.kernel
def between(y, C, n):
    # looptx: fuse n0 n1
    for i in range(n):
        y[i] += 1.0
    t = C[1, 2]
    for i in range(n):
        y[i] *= C[1, 1]
    return t


@looptx.kernel
def behind(y, x, C, n):
    # looptx: fuse n0 n1
    for i in range(n):
        y[i] += 1.0
    t = C[1, 1] + y[n - 4]
    for i in range(n):
        x[i] *= C[0, 0]
    return t


@looptx.kernel("parallel i")
def gathered(x, col, y):
    for i in range(y.shape[0]):
        y[i] = x[4 * col[i]]


@looptx.kernel("parallel i")
def apart(x, a, b, y):
    for i in range(y.shape[0]):
        y[i] = x[a[i] - b[i]]


@looptx.kernel
def truths(A, B, C, D, n):
    for i in range(n):
        C[i] = A[i]
        D[i] += (A[i] & B[i]) + 2 * (A[i] | B[i]) + (A[i] < B[i])
        if A[i] == True:  # noqa: E712
            D[i] += A[i]
        A[i] |= B[i]
        C[i] ^= True


@looptx.kernel("reassociate A", "parallel i")
def columns(A, B, n, m):
    for i in range(n):
        for j in range(m):
            A[j] &= B[i, j]


@looptx.kernel
def floors(x, y):
    for i in range(y.shape[0]):
        y[i] = math.floor(x[i]) // 2 + math.ceil(x[i])


@looptx.kernel
def deep(x, y):
    for i in range(y.shape[0]):
        y[i] = x[0, 0, 0, 0, 0, 0, 0, 0, i] + 1.0


def outcome(function: Any, *given: Any) -> tuple[Any, ...]:
    """What a function returns or raises, and what it leaves in its arrays."""
    args = [a.copy() if isinstance(a, np.ndarray) else a for a in given]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = repr(function(*args))
        except IndexError as error:
            result = str(error)
    return result, *(a.tobytes() for a in args if isinstance(a, np.ndarray))


def same(kernel: Any, *given: Any) -> None:
    assert outcome(kernel, *given) == outcome(kernel.py_func, *given)


@looptx.kernel("parallel i", "reassociate A")
def least(A, B):
    for i in range(B.shape[0]):
        A[0] = min(A[0], B[i])


@looptx.kernel("parallel i", "reassociate A")
def most(A, B):
    for i in range(B.shape[0]):
        A[0] = max(A[0], B[i])


@looptx.kernel("vectorize i", "reassociate A")
def greatest(A, B):
    for i in range(B.shape[0]):
        A[0] = max(A[0], B[i])


HUGE = 2**50


@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("large", [2**60, 2**62, -(2**60), -(2**62)])
def test_the_range_of_data_wraps_around_where_the_data_does_not(step, large) -> None:
    # 4 * 2**62 is 0 in 64 bits; 4 * 2**60 is far outside.
    col = np.repeat(np.array([0, large // 4, large, 0]), step)[::step]
    same(gathered, np.arange(9.0), col, np.zeros(4))


def test_the_difference_of_large_data() -> None:
    a, b = np.array([HUGE + 8, HUGE + 7]), np.array([HUGE, HUGE + 5])
    same(apart, np.arange(9.0), a, b, np.zeros(2))
    same(apart, np.arange(9.0), a + np.array([0, 900]), b, np.zeros(2))


def test_any_byte_but_zero_is_true() -> None:
    A = np.array([2, 1, 0, 255], np.uint8).view(bool)
    B = np.array([1, 0, 4, 1], np.uint8).view(bool)
    same(truths, A, B, B, np.zeros(4), 4)
    assert truths.report().nests[0].calls == 1
    same(columns, A, np.array([[8, 1, 4, 0], [1, 2, 4, 1]], np.uint8) != 0, 2, 4)
    assert columns.report().nests[0].calls == 1


@pytest.mark.parametrize("kernel", [least, greatest], ids=["least", "greatest"])
@pytest.mark.parametrize("first", [0, 1, 2])
@pytest.mark.parametrize("other", [0, 1, 4])
def test_the_least_of_any_bytes_is_a_bool(kernel, first, other) -> None:
    given = (np.array([value], np.uint8).view(bool) for value in (first, other))
    A, B = (np.repeat(array, 40) for array in given)
    same(kernel, A, B)
    assert kernel.report().nests[0].calls
    most(A, B)
    assert A.tolist() == [bool(first or other)] + [bool(first)] * 39
    assert set(A[1:].view(np.uint8)) == {first}


def test_the_floor_of_a_numpy_integer_is_that_of_a_float() -> None:
    same(floors, np.array([2**53 + 1, -(2**53) - 1, 2**62 + 1]), np.zeros(3, int))
    same(floors, np.array([5, -3, 2**31 - 1], np.int32), np.zeros(3, int))
    assert floors.report().nests[0].calls == 1


def test_more_axes_than_a_memoryview_has() -> None:
    same(deep, np.ones((1,) * 8 + (3,)), np.zeros(3))
    assert "LX504" in str(deep.report())


def test_a_minimum_stored_by_a_short_outer_loop() -> None:
    for n in range(7):
        ours = np.arange(36).reshape(6, 6) - 10
        theirs = ours.copy()
        smallest(ours, n)
        smallest.py_func(theirs, n)
        assert ours.tobytes() == theirs.tobytes(), n


def test_an_assumption_about_what_the_nest_does_not_read() -> None:
    A = np.zeros(7)
    beside(A, 5)
    assert A.tolist() == [1.0] * 7


def test_what_moves_in_front_of_fused_nests_raises_in_its_own_place() -> None:
    for width in (3, 2):
        ours, theirs = np.zeros(4), np.zeros(4)
        C = np.full((2, width), 3.0)
        for function, y in ((between, ours), (between.py_func, theirs)):
            with pytest.raises(IndexError) if width == 2 else nullcontext():
                function(y, C, 4)
        assert ours.tobytes() == theirs.tobytes()
    assert between.report().nests[0].calls == 1


def test_what_moves_behind_fused_nests_raises_in_its_own_place() -> None:
    for height in (2, 1):
        kept = []
        for function in (behind, behind.py_func):
            y, x, C = np.zeros(4), np.ones(4), np.full((height, 5), 3.0)
            with pytest.raises(IndexError) if height == 1 else nullcontext():
                function(y, x, C, 4)
            kept.append(y.tobytes() + x.tobytes())
        assert kept[0] == kept[1]
    assert behind.report().nests[0].calls == 1


@looptx.kernel
def compressed(row, col, x, y):
    n = y.shape[0]
    for i in range(n):
        for p in range(row[i], row[i + 1]):
            y[i] += x[col[p] + 1] * (p + 1) + x[p - 1]


def test_arithmetic_on_positions_that_an_array_holds():
    """Elements of int64 could be anything; one pass tells that they are not."""
    x = np.random.default_rng(0).random(29)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in (0, 1, 7):
            row = np.arange(0, 4 * n + 1, 4)
            col = np.arange(4 * n)[::-1] % max(n, 1)
            ours, theirs = np.zeros(n), np.zeros(n)
            compressed(row, col, x, ours)
            compressed.py_func(row, col, x, theirs)
            assert ours.tobytes() == theirs.tobytes()
    with pytest.warns(RuntimeWarning, match="row holds integers too large"):
        compressed(np.array([2**62, 2**62]), np.zeros(4, int), x, np.zeros(1))


@looptx.kernel(strict=True)
def signs(x, y):
    for i in range(x.shape[0]):
        y[i, 0] = 0 - abs(x[i])
        y[i, 1] = 0.0 - i
        y[i, 2] = -abs(x[i]) + 0
        y[i, 3] = 0.0 + -abs(x[i])
        y[i, 4] = (0.5 - 0.5) - i
        y[i, 5] = 0 - (abs(x[i]) if i != 1 else abs(x[3]))
        y[i, 6] = 0 - (x[i] > 0) * 1.0


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_constant_zero_has_a_sign(dtype) -> None:
    x = np.array([0.0, -0.0, 1.0, -2.0, np.inf], dtype)
    same(signs, x, np.ones((5, 7), dtype))
    y = np.ones((5, 7), dtype)
    signs(x, y)
    assert not np.signbit(y[0]).any()


@looptx.kernel("reassociate s", "parallel i", strict=True)
def least_of_numpy(x):
    s = 1
    for i in range(x.shape[0]):
        s = np.minimum(s, x[i])
    return s


@looptx.kernel("reassociate s", "parallel i", strict=True)
def least_of_python(x):
    s = 1
    for i in range(x.shape[0]):
        s = min(s, x[i])
    return s


@pytest.mark.parametrize("kernel", [least_of_numpy, least_of_python])
@pytest.mark.parametrize("values", [[], [1], [2], [0], [2, 1, 3], [1, 0]])
def test_the_least_of_equal_numbers_has_the_type_of_one(kernel, values) -> None:
    same(kernel, np.array(values, float))


@looptx.kernel("reassociate s", "parallel i", strict=True)
def both_minima(x, y):
    s = 5.0
    for i in range(x.shape[0]):
        s = np.minimum(s, x[i])
        s = min(s, y[i])
    return s


@looptx.kernel("reassociate z", "parallel i", strict=True)
def both_minima_in_a_cell(x, y, z):
    for i in range(x.shape[0]):
        z[0] = np.minimum(z[0], x[i])
        z[0] = min(z[0], y[i])


@looptx.kernel("reassociate z", "vectorize i", strict=True)
def both_minima_in_lanes(x, y, z):
    for i in range(x.shape[0]):
        z[0] = np.minimum(z[0], x[i])
        z[0] = min(z[0], y[i])


@pytest.mark.parametrize("at", [0, 8, 10])
def test_the_nan_of_one_function_is_no_less_than_a_number_of_another(at) -> None:
    x, y = np.ones(11), np.ones(11)
    x[at] = np.nan
    for kernel in (both_minima_in_a_cell, both_minima_in_lanes):
        same(kernel, x, y, np.full(1, 5.0))
        same(kernel, y, x, np.full(1, 5.0))


def test_the_type_of_the_least_of_two_functions_depends_on_the_data() -> None:
    """A loser among partial results still says whether NumPy's function ran."""
    with pytest.raises(looptx.LooptxError, match="depends on the data"):
        both_minima(np.ones(11), np.ones(11))


@looptx.kernel("split i 4", "temp T")
def sized_by_another(B, x):
    n, m = B.shape
    T = np.ones((n + 2, m + 4))
    for i in range(m):
        T[i + 1, i] += B[1, i + 1]
        x[i] = T[i, i]


def test_the_size_of_a_temporary_is_read_even_if_no_loop_needs_it() -> None:
    """Where only an empty loop stays inside ``B``, nothing else names ``n``."""
    same(sized_by_another, np.ones((2, 0)), np.ones(3))
    same(sized_by_another, np.ones((2, 3)), np.ones(3))
    assert sized_by_another.report().nests[0].calls == 1


@looptx.kernel("reassociate x", "parallel i", strict=True)
def into_one_cell(x, y):
    for i in range(y.shape[0]):
        x[0] -= y[i]


@looptx.kernel("reassociate x", "vectorize i", strict=True)
def into_one_cell_in_lanes(x, y):
    for i in range(y.shape[0]):
        x[0] = x[0] * y[i]


@pytest.mark.parametrize("kernel", [into_one_cell, into_one_cell_in_lanes])
@pytest.mark.parametrize(("cells", "terms"), [(bool, "int64"), (bool, "float64")])
def test_cells_that_drop_a_part_at_every_step_are_not_reduced_in_parts(
    kernel, cells, terms
) -> None:
    with pytest.raises(looptx.LooptxError, match=r"LX504.* a reduction of"):
        kernel(np.ones(1, cells), np.arange(5).astype(terms))


@pytest.mark.parametrize("kernel", [into_one_cell, into_one_cell_in_lanes])
@pytest.mark.parametrize(
    ("cells", "terms"), [("float32", "float64"), ("float64", "int64"), ("int64", bool)]
)
def test_cells_that_only_round_are(kernel, cells, terms) -> None:
    same(kernel, np.ones(1, cells), np.arange(5).astype(terms))
