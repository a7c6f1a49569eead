"""Reductions in explicit vectors: what any order gives, whatever is left of a loop."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from kit.calls import same
from kit.guarded import Guarded
from kit.samples import crossed
from kit.together import compiled

import looptx
from looptx.native.compile.tuned import tuned

SIZES = (0, 1, 2, 3, 5, 8, 13, 17, 31, 32, 33, 63, 67, 97, 131)


def numbers(*shape: int, dtype: str = "float64") -> np.ndarray:
    """Small whole numbers, of which sums are exact in any order."""
    rng = np.random.default_rng(math.prod(shape))
    return rng.integers(-9, 9, shape).astype(dtype)


@pytest.fixture(scope="module", autouse=True)
def together(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All kernels, compiled together for most of what they are called with."""
    compiled(_calls(), tmp_path_factory.mktemp("sums"))


def _calls() -> Iterator[tuple[Any, ...]]:
    """Kernels, with arguments of the types that tests call them with."""
    x, A, one = numbers(3), numbers(3, 3), np.ones(1)
    for dtype in ("float64", "float32", "int64", "int32"):
        given = numbers(3, dtype=dtype)
        yield total, given
        if dtype.startswith("float"):
            yield from ((kernel, given) for kernel in EXTREMES)
        else:
            yield whole, given
            yield ends, given, np.zeros(2, dtype)
    for kernel in (zeros, steps, tens, least_of_two_types):
        yield kernel, x
    yield both, A, x, x, x, x
    yield two, A, A, x, x, x
    yield triangle, A, x, x
    yield rows, A
    yield only, A, x, x
    yield moving, numbers(4), x
    yield pairs, x, x
    yield least_in_threads, x, one
    yield some, x, x, numbers(2)
    yield mixed, numbers(3, dtype="float32"), x, np.arange(3)[::-1].copy(), 3
    yield beside, x, x, one
    yield halves, numbers(3, dtype="float16")
    yield skewed, A, A, A
    yield copies, A, x, x


def vectors(kernel: Any, text: str = "_lanes") -> None:
    """Check that a kernel has vectors."""
    assert text in kernel.inspect_cython()
    assert "runs without explicit vectors" not in str(kernel.report())


@looptx.kernel("reassociate s", "vectorize i", strict=True)
def total(x):
    s = 0.5
    for i in range(x.shape[0]):
        s += x[i]
    return s


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32"])
def test_totals(n: int, dtype: str) -> None:
    same(total, numbers(n, dtype=dtype), native=1)


def test_a_sum_has_four_vectors_that_are_folded() -> None:
    total(numbers(9))
    vectors(total, "s_lanes_4 += ")
    vectors(total, "s_lanes = s_lanes + s_lanes_3")


@pytest.mark.parametrize("n", SIZES)
def test_a_sum_of_any_numbers_is_as_exact_as_one_in_order(n: int) -> None:
    x = np.random.default_rng(n).random(n)
    assert math.isclose(total(x), math.fsum(x) + 0.5, rel_tol=1e-14)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("at", [0, 7, 31, 32, 63, 64, 66])
def test_each_number_counts_once(at: int, odd: float) -> None:
    x = numbers(67)
    x[at] = odd
    same(total, x, native=1)


def test_a_sum_of_zeros_without_a_sign_has_none() -> None:
    same(zeros, np.full(67, -0.0), native=1)
    x = np.full(67, -0.0)
    x[40] = 0.0
    same(zeros, x, native=1)


@looptx.kernel("reassociate s", "vectorize i", strict=True)
def zeros(x):
    s = -0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


@looptx.kernel("vectorize i", strict=True)
def whole(k):
    s, p, a, o, e = 1, 1, -1, 0, 5
    for i in range(k.shape[0]):
        s += k[i]
        p *= k[i]
        a &= k[i]
        o |= k[i]
        e ^= k[i]
    return s, p, a, o, e


@looptx.kernel("vectorize i", strict=True)
def ends(k, m):
    for i in range(k.shape[0]):
        m[0] = min(m[0], k[i])
        m[1] = max(k[i], m[1])


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["int64", "int32"])
def test_integers_need_no_permission(n: int, dtype: str) -> None:
    k = np.random.default_rng(n).integers(-(2**31), 2**31, n).astype(dtype)
    same(whole, k, native=1)
    same(ends, k, np.zeros(2, dtype), native=1)


def test_integers_have_vectors() -> None:
    whole(numbers(9, dtype="int64"))
    vectors(whole, "e_lanes ^= ")
    ends(numbers(9, dtype="int32"), np.zeros(2, "int32"))
    vectors(ends, "lx_max_i32x")


@looptx.kernel("vectorize j 4", "reassociate q", strict=True)
def both(A, s, q, p, r):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            s[j] += r[i] * A[i, j]
            q[i] += A[i, j] * p[j]


@looptx.kernel("vectorize j", "reassociate y z", strict=True)
def two(A, B, x, y, z):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            y[i] += A[i, j] * x[j]
            z[i] -= B[i, j] * x[j] * j


@pytest.mark.parametrize("m", SIZES)
def test_two_sums_in_a_loop(m: int) -> None:
    A, B = numbers(5, m), numbers(5, m) + 1
    same(both, A, numbers(m), numbers(5), numbers(m), numbers(5), native=1)
    same(two, A, B, numbers(m), numbers(5), numbers(5), native=1)
    vectors(both, "q_2_lanes_4")
    vectors(two, "z_2_lanes")


@looptx.kernel("vectorize j", "reassociate x", strict=True)
def triangle(L, x, b):
    for i in range(x.shape[0]):
        x[i] = b[i]
        for j in range(i):
            x[i] -= L[i, j] * x[j]


@looptx.kernel("vectorize j", "reassociate A", strict=True)
def rows(A):
    for i in range(A.shape[0]):
        for k in range(i):
            for j in range(k):
                A[i, k] -= A[i, j] * A[k, j]


@pytest.mark.parametrize("n", SIZES[:-1])
def test_cells_of_an_array_that_is_read_too(n: int) -> None:
    L = numbers(n, n)
    L[: n // 2] = 0
    L[:, n // 2 :] = 0
    same(triangle, L, numbers(n), numbers(n), native=1)
    if n < 40:
        same(rows, np.tril(numbers(n, n) > 7) * 1.0, native=1)
    vectors(triangle, "x_2_lanes_4 -= ")
    vectors(rows, "A_2_lanes_4 -= ")


def test_a_cell_that_is_summed_and_read_is_refused() -> None:
    @looptx.kernel("vectorize j", "reassociate x", strict=True)
    def wrapped(L, x):
        for i in range(x.shape[0]):
            for j in range(i):
                x[i] -= L[i, j] * x[j - 1]

    with pytest.raises(looptx.LooptxError, match="LX202"):
        wrapped(numbers(9, 9), numbers(9))


@looptx.kernel("vectorize j", "reassociate x", strict=True)
def only(L, x):
    for i in range(x.shape[0]):
        for j in range(i, min(i + 1, x.shape[0])):
            x[i] -= L[i, j] * x[j]


def test_one_iteration_may_read_what_it_sums() -> None:
    same(only, numbers(9, 9), numbers(9), native=1)


@looptx.kernel("vectorize i", "reassociate x", strict=True)
def moving(x, y):
    for i in range(y.shape[0]):
        x[0] += y[i]
        x[i] += y[i] + y[i]


@looptx.kernel("vectorize i", "reassociate x", strict=True)
def pairs(x, y):
    for i in range(y.shape[0]):
        x[i // 2] += y[i]


@pytest.mark.parametrize("n", SIZES)
def test_cells_that_several_iterations_come_to(n: int) -> None:
    same(moving, numbers(n + 1), numbers(n), native=1)
    same(pairs, numbers(n), numbers(n), native=1)
    if n:
        text = str(pairs.report())
        assert "cells of `x` that move take its results" in text


@looptx.kernel("reassociate s", "vectorize i", strict=True)
def least(x):
    s = x[0]
    for i in range(x.shape[0]):
        s = min(s, x[i])
    return s


@looptx.kernel("reassociate s", "vectorize i", strict=True)
def least_with_nan(x):
    s = x[0]
    for i in range(x.shape[0]):
        s = min(x[i], s)
    return s


@looptx.kernel("reassociate s", "vectorize i", strict=True)
def most(x):
    s = x[0]
    for i in range(x.shape[0]):
        if x[i] > s:
            s = x[i]
    return s


@looptx.kernel("reassociate s", "vectorize i", strict=True)
def most_with_nan(x):
    s = x[0]
    for i in range(x.shape[0]):
        s = s if s > x[i] else x[i]
    return s


@looptx.kernel("reassociate s", "vectorize i", strict=True)
def numpys(x):
    s = x[0]
    for i in range(x.shape[0]):
        s = np.maximum(x[i], s)
    return s


EXTREMES = (least, least_with_nan, most, most_with_nan, numpys)


@crossed(n=SIZES[1:], dtype=["float64", "float32"], kernel=EXTREMES)
def test_extremes(kernel: Any, n: int, dtype: str) -> None:
    x = numbers(n, dtype=dtype)
    x[n // 2] = np.inf
    x[n // 3] = -np.inf
    same(kernel, x, native=1)
    same(kernel, np.full(n, np.inf, dtype), native=1)
    same(kernel, np.full(n, -np.inf, dtype), native=1)
    vectors(kernel)


@pytest.mark.parametrize("n", SIZES[1:])
@pytest.mark.parametrize("kernel", EXTREMES)
def test_extremes_where_any_order_has_the_same_nan(kernel: Any, n: int) -> None:
    same(kernel, np.full(n, np.nan), native=1)
    x = numbers(n)
    x[0] = np.nan
    if kernel in (least, most):
        same(kernel, x, native=1)
    if kernel in (least, most, numpys):
        x[0], x[-1] = -10.0, np.nan
        same(kernel, x, native=1)


@looptx.kernel("reassociate s", "parallel i threads=2", strict=True)
def least_in_threads(x, s):
    for i in range(x.shape[0]):
        s[0] = min(x[i], s[0])


@pytest.mark.parametrize("n", SIZES)
def test_a_nan_that_every_order_ends_with_stays(n: int) -> None:
    same(least_in_threads, np.full(n, np.nan), np.ones(1), native=1)
    same(least_in_threads, np.ones(n), np.full(1, np.nan), native=1)


@looptx.kernel("reassociate s", "vectorize i", strict=True)
def some(x, y, s):
    for i in range(x.shape[0]):
        if x[i] > 2.0:
            s[0] += x[i]
        if x[i] * y[i] < 0.0 or y[i] == x[i]:
            s[1] *= y[i]


@pytest.mark.parametrize("n", SIZES)
def test_conditions_are_masks(n: int) -> None:
    x, y = numbers(n), np.where(numbers(n) > 0, -2.0, 0.5)
    same(some, x, y, np.array([0.25, 3.0]), native=1)
    vectors(some, f"lx_choose_f64x{tuned().vector // 8}")


@looptx.kernel("reassociate s t", "vectorize i 4", strict=True)
def mixed(x, y, k, n):
    s = 0.0
    t = 0.0
    for i in range(n - 1, -1, -1):
        half = x[i] * 0.5
        s += half * y[n - 1 - i]
        t += i * y[k[i]]
    return s, t


@pytest.mark.parametrize("n", SIZES)
def test_terms_of_all_kinds(n: int) -> None:
    x, y = numbers(n, dtype="float32"), numbers(n)
    same(mixed, x, y, np.arange(n)[::-1].copy(), n, native=1)
    if n:
        vectors(mixed, "s_lanes_2")


@looptx.kernel("reassociate s", "vectorize i 3", strict=True)
def steps(x):
    s = 0.0
    for i in range(1, x.shape[0] - 1, 3):
        s += x[i]
    return s


@looptx.kernel("reassociate s", "split i 10", "vectorize ii", strict=True)
def tens(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


@pytest.mark.parametrize("n", SIZES)
def test_steps_and_parts(n: int) -> None:
    same(steps, numbers(n), native=1)
    same(tens, numbers(n), native=1)
    vectors(steps, "f64x2")


@looptx.kernel(
    "assume y.shape[0] == x.shape[0]", "reassociate s", "vectorize i", strict=True
)
def beside(x, y, z):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
        if z[0] > 0:
            y[i] = x[i] * 2
    return s


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("sign", [1, -1])
def test_statements_that_run_in_all_lanes_or_none(n: int, sign: int) -> None:
    same(beside, numbers(n), numbers(n), np.full(1, float(sign)), native=1)
    vectors(beside)


@looptx.kernel("reassociate s", "vectorize i", strict=True)
def halves(x):
    s = np.float16(0)
    for i in range(x.shape[0]):
        s += x[i]
    return s


@looptx.kernel("reassociate s", "vectorize i", strict=True)
def least_of_two_types(x):
    s = 5.0
    for i in range(x.shape[0]):
        s = min(s, x[i])
    return s


@pytest.mark.parametrize("n", SIZES)
def test_what_has_no_vectors(n: int) -> None:
    same(halves, numbers(n, dtype="float16"), native=1)
    same(least_of_two_types, numbers(n), native=1)
    if n:
        text = str(least_of_two_types.report())
        assert "the Python type of a result depends on the data" in text


@pytest.mark.parametrize("end", [True, False])
@pytest.mark.parametrize("n", SIZES)
def test_no_byte_outside_is_touched(n: int, end: bool) -> None:
    def place(array: np.ndarray) -> np.ndarray:
        return Guarded(array.nbytes).array(array, end=end)

    x, y, k = place(numbers(n)), place(numbers(n)), place(np.arange(n)[::-1])
    assert total(x) == total.py_func(x)
    assert mixed(x, y, k, n) == mixed.py_func(x, y, k, n)
    assert steps(x) == steps.py_func(x)


@looptx.kernel("skew j i", "reorder j i", "reassociate C", "vectorize k", strict=True)
def skewed(A, B, C):
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[j, k]


@looptx.kernel("reassociate y", "vectorize j", "unroll i 2", strict=True)
def copies(A, x, y):
    for i in range(A.shape[0]):
        y[i] = 0.0
        for j in range(A.shape[1]):
            y[i] += A[i, j] * x[j]


@pytest.mark.parametrize("m", [0, 1, 17, 33])
@pytest.mark.parametrize("n", [0, 1, 2, 5, 37])
def test_a_cell_is_that_of_the_iteration_as_it_is_placed(n: int, m: int) -> None:
    """And no other cell is touched, inside of the array or behind it."""
    A, B, C = numbers(n, m), numbers(n + 1, m), numbers(n, n + 1)
    behind = Guarded(C.nbytes)
    same(skewed, A, B, C, native=1)
    skewed(A, B, behind.array(C, end=True))
    same(copies, A, numbers(m), numbers(n), native=1)
    vectors(skewed, "C_2_lanes_4 += ")
    vectors(copies)
    assert "for lane in" not in copies.inspect_cython()
