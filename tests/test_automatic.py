"""Nests without directives in vectors of an outer loop: where, and with every bit."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from kit.calls import same
from kit.together import compiled

import looptx

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)

SIZES = (0, 1, 2, 7, 8, 9, 16, 31, 37)


@looptx.kernel
def product(A, B, C):
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[i, j] = 0.0
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


@looptx.kernel
def rows(A, x, y):
    for i in range(y.shape[0]):
        for j in range(x.shape[0]):
            y[i] += A[i, j] * x[j]


@looptx.kernel
def smoothed(x, y, a):
    for i in range(x.shape[0]):
        before = x[i, 0] * a
        for j in range(1, x.shape[1]):
            y[i, j] = before * a + x[i, j]
            before = min(y[i, j], 4.0)


@looptx.kernel
def left(A, y):
    s = 0.0
    for i in range(y.shape[0]):
        s = y[i]
        for j in range(A.shape[0]):
            s += A[j, i]
        y[i] = s
    return s


@looptx.kernel
def backward(A, y):
    for i in range(y.shape[0] - 1, -1, -2):
        for j in range(A.shape[0] - 1, -1, -1):
            y[i] = y[i] * A[j, i] + 1.0


@looptx.kernel
def independent(A, B):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] += B[i, j]


@looptx.kernel
def sweep(A):
    for i in range(1, A.shape[0]):
        for j in range(1, A.shape[1]):
            A[i, j] += A[i - 1, j] * A[i, j - 1]


@looptx.kernel
def whole(A, y):
    for i in range(y.shape[0]):
        for j in range(A.shape[0]):
            y[i] += A[j, i]


@looptx.kernel
def scattered(A, B, C, y):
    for i in range(y.shape[0]):
        for j in range(A.shape[1]):
            y[i] += A[i, j] * B[i, j] * C[i, j]


@looptx.kernel
def triangle(A, y):
    for i in range(y.shape[0]):
        for j in range(i):
            y[i] += A[j, i]


@looptx.kernel
def roots(A, y):
    for i in range(y.shape[0]):
        for j in range(A.shape[0]):
            y[i] += math.sqrt(A[j, i])


@looptx.kernel
def picked(A, at, y):
    for i in range(y.shape[0]):
        for j in range(A.shape[0]):
            y[i] += A[j, at[i]]


@looptx.kernel
def quotient(A, n, y):
    for i in range(y.shape[0]):
        for j in range(A.shape[0]):
            y[i] += A[j, i] * (1 // (n - j))


@pytest.fixture(scope="module", autouse=True)
def together(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All kernels, compiled together for most of what they are called with."""
    compiled(_calls(), tmp_path_factory.mktemp("automatic"))


def _calls() -> Iterator[tuple[Any, ...]]:
    """Kernels, with arguments of the types that tests call them with."""
    A, B, C, y, z = (numbers(*shape) for shape in (*[(3, 3)] * 3, (3,), (3,)))
    for dtype in ("float64", "float32"):
        D, E, F, u, v = (one.astype(dtype) for one in (A, B, C, y, z))
        apart = numbers(6, 6, dtype=dtype)[::2, ::-2]
        yield product, D, E, F
        for order in (D, np.asfortranarray(D)):
            yield rows, order, u, v
        yield rows, apart, u, v[::-1]
        yield smoothed, D, E, np.dtype(dtype).type(0.25)
        yield logistic, u, v
        yield grown, D, u
        yield seldom, D, u
        yield logistic, u[::-1], v[::-1]
        yield in_place, D
        yield ahead, u
        yield some, u, v
    for kernel in (backward, left, triangle):
        yield kernel, A, y
    yield roots, abs(A), y
    yield independent, A, B
    yield sweep, A
    yield whole, A.astype("int32"), y.astype("int32")
    yield scattered, A, B, C, y
    yield picked, A, np.arange(3), y
    yield quotient, A, 7, y
    yield weighted, y, z
    yield bits_set, np.arange(3), np.arange(3)
    yield equal, np.ones((3, 3), dtype="int64"), 2, np.arange(3)


def numbers(*shape: int, dtype: str = "float64") -> np.ndarray:
    rng = np.random.default_rng(sum(shape))
    return (rng.random(shape) * 100 - 50).astype(dtype)


def has_vectors(kernel: Any) -> bool:
    """Whether a kernel that was called has vectors; it never says that it has none."""
    assert "without explicit vectors" not in str(kernel.report())
    text = kernel.inspect_cython()
    return any(f"lx_{kind}x" in text for kind in ("f64", "f32", "i64", "i32"))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("k", [0, 1, 5])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sums_of_neighbours(n: int, k: int, dtype: str) -> None:
    same(product, *(numbers(*x, dtype=dtype) for x in ((3, k), (k, n), (3, n))))
    assert has_vectors(product)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sums_along_rows(n: int, dtype: str) -> None:
    A, x, y = (numbers(*shape, dtype=dtype) for shape in ((n, 5), (5,), (n,)))
    same(rows, A, x, y, native=1)
    same(rows, np.asfortranarray(A), x, y, native=1)
    same(rows, numbers(2 * n, 10, dtype=dtype)[::2, ::-2], x, y[::-1], native=1)
    assert has_vectors(rows)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("m", [1, 2, 9])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_recurrences(n: int, m: int, dtype: str) -> None:
    a = np.dtype(dtype).type(0.25)
    same(smoothed, *(numbers(n, m, dtype=dtype) for _ in range(2)), a, native=1)
    assert has_vectors(smoothed)


@pytest.mark.parametrize("n", SIZES)
def test_loops_that_run_backward(n: int) -> None:
    same(backward, numbers(6, n), numbers(n), native=1)
    assert has_vectors(backward)


@pytest.mark.parametrize("n", SIZES)
def test_a_scalar_that_is_returned_is_the_last(n: int) -> None:
    same(left, numbers(6, n), numbers(n), native=1)
    assert not has_vectors(left)


@pytest.mark.parametrize("n", [1, 8, 17])
def test_loops_that_gain_nothing_stay_as_they_are(n: int) -> None:
    for kernel, given in (
        (independent, (numbers(n, n), numbers(n, n))),
        (sweep, (numbers(n, n) / 50,)),
        (whole, (numbers(5, n, dtype="int32"), numbers(n, dtype="int32"))),
        (scattered, (*(numbers(n, k) for k in (9, 9, 9)), numbers(n))),
        (triangle, (numbers(n, n), numbers(n))),
    ):
        same(kernel, *given, native=1)
        assert not has_vectors(kernel)


@pytest.mark.parametrize("n", [1, 8, 17])
def test_what_may_raise_runs_in_its_order(n: int) -> None:
    A, y = abs(numbers(6, n)), numbers(n)
    same(roots, A, y)
    A[2, n // 2] = -1.0
    assert same(roots, A, y).startswith("ValueError")
    at = np.arange(n)
    same(picked, A, at, y)
    at[n // 2] = n
    assert same(picked, A, at, y).startswith("IndexError")
    same(quotient, A, 7, y)
    assert same(quotient, A, 4, y).startswith("ZeroDivisionError")
    assert not any(map(has_vectors, (roots, picked)))


def test_arrays_in_each_other_run_as_written() -> None:
    alone, B = looptx.kernel(product.py_func), numbers(9, 9)
    same(alone, numbers(9, 9), B, B[:, :])
    held = numbers(9, 9)
    ours, theirs = held.copy(), held.copy()
    with pytest.warns(RuntimeWarning, match="overlap"):
        alone(ours, ours[::-1], ours)
    alone.py_func(theirs, theirs[::-1], theirs)
    assert ours.tobytes() == theirs.tobytes()


@looptx.kernel
def weighted(x, y):
    for i in range(x.shape[0]):
        s = 0.0
        at = i
        for j in range(y.shape[0]):
            s = s * 0.5 + y[j] * at
            at = j
        x[i] = s


@pytest.mark.parametrize("n", SIZES)
def test_an_integer_that_an_inner_loop_gives_another_value(n: int) -> None:
    for m in (0, 1, 2, 5):
        same(weighted, np.ones(n), np.random.default_rng(m).random(m), native=1)


@looptx.kernel
def logistic(x, y):
    for i in range(x.shape[0]):
        e = np.exp(-x[i])
        y[i] = 1.0 / (1.0 + e) + np.arctan2(x[i], y[i])


@looptx.kernel
def in_place(x):
    for i in range(1, x.shape[0]):
        for j in range(x.shape[1]):
            x[i, j] = np.tanh(x[i, j] - x[0, j])


@looptx.kernel
def ahead(x):
    for i in range(1, x.shape[0]):
        x[i] = np.exp(-x[i - 1])


@looptx.kernel
def some(x, y):
    for i in range(x.shape[0]):
        if x[i] > 0:
            y[i] = np.log(x[i])


@looptx.kernel
def grown(A, y):
    for i in range(y.shape[0]):
        s = 0.0
        for j in range(A.shape[0] - 1):
            if A[j + 1, i] > A[j, i]:
                s += A[j + 1, i] - A[j, i]
            elif A[j, i] > 40.0:
                s = 1.0
        y[i] = s


@looptx.kernel
def seldom(A, y):
    for i in range(y.shape[0]):
        for j in range(A.shape[0]):
            if A[j, i] > 40.0:
                y[i] += np.exp(A[j, i])


@looptx.kernel
def bits_set(x, y):
    for i in range(len(x)):
        v = x[i]
        count = 0
        while v:
            v &= v - 1
            count += 1
        y[i] = count


@looptx.kernel
def equal(A, k, y):
    for i in range(y.shape[0]):
        count = 0
        for j in range(A.shape[1]):
            if A[i, j] == k:
                count += 1
        y[i] = count


@pytest.mark.parametrize("n", SIZES)
def test_integers_that_wait_for_each_other_have_no_lanes(n: int) -> None:
    A = np.random.default_rng(n).integers(0, 4, (n, 9))
    y = np.zeros(n, dtype="int64")
    same(bits_set, A[:, 0].copy(), y, native=1)
    same(equal, A, 2, y, native=1)
    assert not has_vectors(bits_set) and not has_vectors(equal)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("m", [0, 1, 2, 9])
def test_branches_are_run_by_all_lanes_where_they_are_short(n: int, m: int) -> None:
    A, y = numbers(m, n), numbers(n)
    A[m // 2 :, : n // 2], A[: m // 3] = np.nan, np.inf
    with np.errstate(all="ignore"):
        same(grown, A, y, native=1)
        same(seldom, numbers(m, n), y, native=1)
    assert has_vectors(grown) and not has_vectors(seldom)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_functions_of_numpy_take_several_numbers(n: int, dtype: str) -> None:
    x, y = numbers(n, dtype=dtype) / 9, numbers(n + 1, dtype=dtype)
    x[: n // 3], y[: n // 4] = np.nan, -0.0
    same(logistic, x, y, native=1)
    same(logistic, np.repeat(x, 2)[::-2], y[::-1], native=1)
    same(in_place, numbers(n, 9, dtype=dtype), native=1)
    assert has_vectors(logistic) and has_vectors(in_place)
    for kernel, given in ((ahead, (x,)), (some, (x, y))):
        same(kernel, *given, native=1)
        assert not has_vectors(kernel)
    assert same(logistic, x, y[: max(n - 1, 0)]).startswith("IndexError") == (n > 0)
