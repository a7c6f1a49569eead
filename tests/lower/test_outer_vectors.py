"""Vectors of an outer loop: each lane runs the loops inside with its own values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from kit.calls import same
from kit.together import compiled

import looptx

SIZES = (0, 1, 2, 7, 8, 16, 17, 37)


@looptx.kernel
def product(A, B, C):
    # looptx: vectorize j 8
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[i, j] *= 0.5
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


@looptx.kernel
def filtered(x, y):
    # looptx: vectorize i 8
    for i in range(x.shape[0]):
        before = two = x[i, 0]
        for j in range(1, x.shape[1]):
            y[i, j] = before * 0.5 - two * 0.25 + x[i, j]
            two = before
            before = y[i, j]
        for j in range(x.shape[1] - 1, 0, -1):
            before = before * 0.25 + y[i, j]
            x[i, j] = before


@looptx.kernel
def deep(A, s):
    n = s.shape[0]
    # looptx: vectorize i 4
    for i in range(n - 1, -1, -1):
        for j in range(A.shape[0]):
            for k in range(j, A.shape[1]):
                s[i] += A[j, k] * s[i] - k
            if j > 1:
                s[i] *= A[j, 0]


@looptx.kernel
def triangle(A, s):
    # looptx: vectorize i 8
    for i in range(s.shape[0]):
        for k in range(i):
            s[i] += A[k, i]


@looptx.kernel
def few(A, C):
    # looptx: vectorize j 8
    for i in range(C.shape[0]):
        for j in range(13):
            for k in range(A.shape[0]):
                C[i, j] = max(C[i, j], A[k, j] - C[i, j])


@looptx.kernel
def nested(A, s):
    # looptx: vectorize i 8 | vectorize k 4
    for i in range(s.shape[0]):
        for k in range(A.shape[0]):
            A[k, i] += s[i]


def drawn(*shape: int, dtype: str = "float64") -> np.ndarray:
    rng = np.random.default_rng(sum(shape))
    return (rng.random(shape) * 100 - 50).astype(dtype)


@pytest.fixture(scope="module", autouse=True)
def together(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All kernels, compiled together for what they are called with."""
    compiled(_calls(), tmp_path_factory.mktemp("outer"))


def _calls() -> Iterator[tuple[Any, ...]]:
    """Kernels, with arguments of the types that tests call them with."""
    for dtype in ("float64", "float32", "int64", "int32"):
        row, square = drawn(5, dtype=dtype), drawn(5, 5, dtype=dtype)
        if dtype.startswith("float"):
            yield product, square, square, square
            yield filtered, square, square
        if dtype != "int32":
            yield deep, square, row
        if dtype in ("float64", "int32"):
            yield few, drawn(5, 13, dtype=dtype), drawn(2, 13, dtype=dtype)
    row, square = drawn(5), drawn(5, 5)
    yield from ((of, square, row) for of in (triangle, nested))
    yield last, row, 3
    yield sometimes, row, np.zeros(1), 3
    yield again, row, row


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("k", [0, 1, 5])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sums_of_all_columns(n: int, k: int, dtype: str) -> None:
    same(product, *(drawn(*s, dtype=dtype) for s in ((3, k), (k, n), (3, n))), native=1)
    if n:
        assert "lx_f" in product.inspect_cython()
        assert "without explicit vectors" not in str(product.report())


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("m", [1, 2, 9])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_recurrences_of_all_rows(n: int, m: int, dtype: str) -> None:
    same(filtered, drawn(n, m, dtype=dtype), drawn(n, m, dtype=dtype), native=1)
    assert "without explicit vectors" not in str(filtered.report())


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_loops_in_loops_and_conditions(n: int, dtype: str) -> None:
    for rows in (0, 1, 4):
        same(deep, drawn(rows, 5, dtype=dtype), drawn(n, dtype=dtype), native=1)
    if n:
        assert "without explicit vectors" not in str(deep.report())


@pytest.mark.parametrize("n", SIZES)
def test_a_loop_that_ends_elsewhere_in_each_lane(n: int) -> None:
    same(triangle, drawn(n, n), drawn(n), native=1)
    if n:
        assert "a loop in it is another one in each iteration" in str(triangle.report())


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("dtype", ["float64", "int32"])
def test_a_constant_count(n: int, dtype: str) -> None:
    same(few, drawn(n, 13, dtype=dtype), drawn(2, 13, dtype=dtype), native=1)
    assert "without explicit vectors" not in str(few.report())


@pytest.mark.parametrize("n", SIZES)
def test_vectors_in_vectors(n: int) -> None:
    same(nested, drawn(5, n), drawn(n), native=1)
    if n:
        assert "there are vectors in it" in str(nested.report())


@looptx.kernel
def last(x, m: int):
    # looptx: vectorize j 8
    for j in range(x.shape[0]):
        at = j
        for k in range(m):
            x[j] += at
            at = k


@looptx.kernel
def sometimes(x, y, m: int):
    # looptx: vectorize j 8
    for j in range(x.shape[0]):
        at = j
        if y[0] > 0:
            at = m + j
        x[j] += at


@looptx.kernel
def again(x, y):
    # looptx: vectorize j 8
    for j in range(x.shape[0]):
        at = j
        x[j] += at
        at = j * j
        x[j] -= at * y[j]


@pytest.mark.parametrize("n", SIZES)
def test_integers_that_are_given_other_values(n: int) -> None:
    for m in (0, 1, 2, 5):
        same(last, drawn(n), m, native=1)
        same(sometimes, drawn(n), np.zeros(1), m, native=1)
        same(sometimes, drawn(n), np.ones(1), m, native=1)
    same(again, drawn(n), drawn(n), native=1)
    assert "without explicit vectors" not in str(again.report())
