"""Reductions of rows and slices are NumPy's to the bit, at all lengths and steps."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from kit.calls import same

import looptx

pytestmark = [
    pytest.mark.usefixtures("rehearsed"),
    pytest.mark.skipif(
        not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
    ),
]

LENGTHS = (*range(1, 40), 63, 127, 128, 129, 136, 255, 257, 300, 1000, 8193, 20001)


@looptx.kernel
def sums(A, at, y):
    for i in range(at.shape[0]):
        y[i] = np.sum(A[: at[i]])


@looptx.kernel
def means(A, at, y):
    for i in range(at.shape[0]):
        y[i] = np.mean(A[: at[i]])


@looptx.kernel
def extremes(A, at, y):
    for i in range(at.shape[0]):
        y[i] = A[: at[i]].min()
        y[i + at.shape[0]] = np.max(A[: at[i]])


@looptx.kernel
def others(A, at, y):
    for i in range(at.shape[0]):
        y[i] = A[: at[i]].prod()
        y[i + at.shape[0]] = A[: at[i]].argmin() * 3 + A[: at[i]].argmax()


@looptx.kernel
def spreads(A, at, y):
    for i in range(at.shape[0]):
        y[i] = A[: at[i]].std()
        y[i + at.shape[0]] = np.var(A[: at[i]], ddof=1)


@looptx.kernel
def rows(A, y):
    # looptx: parallel i
    for i in range(A.shape[0]):
        A[i, 0] = np.sum(A[i])
        y[i] = A[i].mean()


@looptx.kernel
def below(A, y):
    for i in range(1, A.shape[0]):
        A[i, 0] = A[i - 1, :].sum()
        y[i] = A[:i, 0].max()


@looptx.kernel
def smallest(A, y):
    for i in range(A.shape[0]):
        y[i] = 1.0
        y[i] = A[i].min()


@looptx.kernel
def outside(A, y):
    for i in range(y.shape[0]):
        y[i] = np.sum(A[i])


@looptx.kernel
def distances(A, B, y):
    # looptx: parallel i
    for i in range(A.shape[0]):
        for j in range(B.shape[0]):
            y[i, j] = np.sqrt(np.sum((A[i] - B[j]) ** 2)) / np.max(np.abs(A[i] * 2))


@looptx.kernel
def searched(A, y):
    for i in range(A.shape[0]):
        while y[i] < np.sum(A[i] * A[i]):
            y[i] += 1.0


@looptx.kernel
def chosen(A, B, y):
    for i in range(A.shape[0]):
        y[i] = np.sum(A[i] * B[i]) if y[i] > 0 else 0.5


@looptx.kernel
def conditional(A, B, y):
    for i in range(A.shape[0]):
        if y[i] > 0 and np.sum(A[i] * A[i]) > 1:
            y[i] = 0.25
        elif np.any(A[i] < B[i]):
            y[i] = 3.0


@pytest.mark.parametrize("step", [1, 2, -1, -3])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int16", "uint8"])
def test_every_length_and_step(dtype: str, step: int) -> None:
    rng = np.random.default_rng(step + 5)
    A = rng.standard_normal(LENGTHS[-1] * abs(step)) * 10.0 ** rng.integers(-3, 4)
    A = (abs(A) * 9 if dtype == "uint8" else A * 9).astype(dtype)
    if step < 0 and A.dtype.kind == "f":
        A[rng.integers(0, A.size, A.size // 2)] = 0.0
        A[rng.integers(0, A.size, A.size // 2)] = -0.0
    at, y = np.array(LENGTHS), np.zeros(2 * len(LENGTHS))
    for kernel in (sums, means, extremes, others, spreads):
        with np.errstate(all="ignore"):
            same(kernel, A[::step], at, y, native=1)


@looptx.kernel
def special(A, y):
    for i in range(A.shape[0]):
        y[i, 0] = A[i].sum()
        y[i, 1] = A[i].mean()
        y[i, 2] = A[i].std()
        y[i, 3] = A[i].argmax() * 1000 + A[i].argmin()
        y[i, 4] = A[i : i + 2, :3].sum()


@pytest.mark.parametrize("n", [1, 2, 5, 7, 8, 31, 32, 50, 64])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_values_that_are_no_numbers_go_through(dtype: str, n: int) -> None:
    nans = np.array([0x7FF8 << 48 | 1, 0xFFF8 << 48 | 2], np.uint64).view(float)
    values = np.array([0.0, -0.0, 1.5, 1e17, -1e17, np.inf, -np.inf, *nans])
    rng = np.random.default_rng(n)
    odd = rng.random((60, n)) < 2 / n
    A = np.where(odd, rng.choice(values, (60, n)), rng.integers(-3, 4, (60, n)) / 7)
    with np.errstate(all="ignore"):
        for given in (A, A[:, ::-1]):
            same(special, given.astype(dtype), np.zeros((60, 5), dtype), native=1)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 130])
def test_rows_in_parallel_and_rows_that_change(n: int) -> None:
    A = np.random.default_rng(n).standard_normal((n, 9)) * 1e3
    for given in (A, np.asfortranarray(A), np.repeat(A, 2, 1)[:, ::2]):
        same(rows, given, np.zeros(n), native=1)
        same(below, given, np.zeros(n), native=1)


def test_an_order_that_a_row_forbids_is_refused() -> None:
    kernel = looptx.schedule(below.py_func).parallel("i").kernel()
    with pytest.raises(looptx.LooptxError, match="LX203"):
        kernel(np.ones((5, 5)), np.ones(5))


@pytest.mark.parametrize("shape", [(3, 0), (0, 0), (0, 3)])
def test_what_has_no_elements_raises_as_in_python(shape: tuple[int, int]) -> None:
    said = same(smallest, np.zeros(shape), np.zeros(3))
    assert said.startswith("ValueError: zero-size array") == (shape == (3, 0))


def test_a_row_outside_raises_as_in_python() -> None:
    assert same(outside, np.ones((3, 4)), np.zeros(5)).startswith("IndexError")


@pytest.mark.parametrize("n", [0, 1, 3, 8])
@pytest.mark.parametrize("m", [1, 2, 7, 8, 129, 1000])
def test_what_is_computed_of_rows(n: int, m: int) -> None:
    rng = np.random.default_rng(n + m)
    A, B = rng.standard_normal((n, m)), rng.standard_normal((5, m)) * 1e3
    for make in (np.ascontiguousarray, np.asfortranarray, lambda x: x[::-1, ::-1]):
        same(distances, make(A), make(B), np.zeros((n, 5)), native=1)
        same(distances, make(A.astype("f4")), make(B), np.zeros((n, 5)), native=1)
    y = rng.standard_normal(n)
    same(conditional, A, rng.standard_normal((n, m)), y)
    same(searched, A[:, :3], y)


def test_rows_of_other_lengths_raise_as_in_python() -> None:
    A, y = np.arange(12.0).reshape(3, 4), np.zeros(3)
    assert "(4,) (5,)" in same(chosen, A, np.ones((3, 5)), y + 1)
    assert "None" in same(chosen, A, np.ones((3, 5)), y)
    assert "None" in same(chosen, A, np.ones((3, 1)), y + 1)
    assert "(4,) (2,)" in same(distances, A, np.ones((3, 2)), np.zeros((3, 3)))


@looptx.kernel
def beyond(A, y):
    for i in range(A.shape[0]):
        y[i] = A[i].std(ddof=9223372036854775808)


@pytest.mark.filterwarnings("ignore")
def test_a_freedom_that_no_integer_has_raises_as_in_numpy() -> None:
    assert "OverflowError" in same(beyond, np.ones((2, 3)), np.zeros(2))


@looptx.kernel
def parts_of_planes(A, h, w, out):
    for i in range(A.shape[0] - h + 1):
        for j in range(A.shape[1] - w + 1):
            out[i, j, 0] = np.mean(A[i : i + h, j : j + w])
            out[i, j, 1] = np.sum(A[i : i + h, j : j + w])


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
@pytest.mark.parametrize("h, w", [(1, 1), (1, 7), (2, 2), (7, 1), (2, 4), (3, 3)])
def test_small_parts_of_planes(dtype: str, h: int, w: int, optimised: None) -> None:
    rng = np.random.default_rng(h * 8 + w)
    kinds = [-0.0, 0.0, np.nan, -np.nan, np.inf, -np.inf, -1.0, 1e300, 0.1, 3.0]
    some = [-0.0, 0.0, -1.0, 1.0, 0.1, 1e17, -1e17]
    with np.errstate(all="ignore"):
        for values in (kinds, some, [-0.0], [-1.0]):
            A = rng.choice(values, (9, 11)).astype(dtype)
            for B in (A, A[::-1, ::2], np.asfortranarray(A)):
                same(parts_of_planes, B, h, w, np.zeros((9, 11, 2), dtype), native=1)
