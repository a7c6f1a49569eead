"""Truth values in vectors that are put together lane by lane."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kit.calls import same
from kit.together import compiled

import looptx

SIZES = (0, 1, 2, 3, 7, 8, 13, 17, 37, 67)
EXPLICIT = looptx.kernel("vectorize i", strict=True)


@EXPLICIT
def out_of_a_row(b: Any, x: Any, y: Any) -> None:
    for i in range(x.shape[0]):
        if b[2 * i]:
            y[i] = x[i] * 2


@EXPLICIT
def classified(b: Any, x: Any, y: Any) -> None:
    for i in range(x.shape[0]):
        if np.isnan(x[i]):
            y[i] = 0.0
        elif math.isinf(x[i]):
            y[i] += 1.0
        else:
            y[i] = 2.0 if np.isfinite(y[i]) else x[i]


@EXPLICIT
def kept(b: Any, x: Any, y: Any) -> None:
    for i in range(x.shape[0]):
        b[i] = np.isinf(x[i])


@EXPLICIT
def of_two(b: Any, x: Any, y: Any) -> None:
    for i in range(x.shape[0]):
        y[i] = max(x[i] > 0, y[i] > 0)
        if max(b[2 * i], b[i]):
            y[i] += 1


@EXPLICIT
def beside_numbers(b: Any, x: Any, y: Any) -> None:
    for i in range(x.shape[0]):
        y[i] = x[i] * b[i] + b[2 * i]


@looptx.kernel(strict=True)
def rows(b: Any, x: Any, y: Any) -> None:
    n = x.shape[0] // 4
    for i in range(n):
        s, p, w = 0.0, 1.0, 0.0
        for j in range(4):
            s += x[4 * i + j] * b[4 * i + j]
            p *= 1.0 + 0.5 * b[4 * i + j]
            w = w * 0.9 + (x[4 * i + j] if not b[4 * i + j] else 0.0)
            s += x[4 * i + j] * max(x[4 * i + j] > 0, b[4 * i + j])
        y[i] = s + p + w


@looptx.kernel(strict=True)
def columns(b: Any, x: Any, y: Any) -> None:
    for i in range(b.shape[0]):
        s = 0.0
        for j in range(b.shape[1]):
            s += x[i, j] * b[i, j] + (x[i, j] if b[i, j] else 1.0)
            b[i, j] = s > 0
        y[i] = s


LINES = (out_of_a_row, classified, kept, of_two, beside_numbers, rows)
SPECIAL = (0.0, -0.0, 1.5, -2.5, 1e30, np.inf, -np.inf, np.nan)


def drawn(n: int, dtype: str, kinds: int = len(SPECIAL)) -> tuple[Any, Any, Any]:
    """Truth, and numbers of the first so many kinds.

    Which of several NaN a sum is depends on how C's compiler orders its operands.
    """
    rng = np.random.default_rng(n)
    special = np.array(SPECIAL, dtype)
    x, y = (special[rng.integers(0, kinds, n)] for _ in range(2))
    return rng.integers(0, 2, 2 * n).astype(bool), x, y


@pytest.fixture(scope="module", autouse=True)
def _compiled(tmp_path_factory: pytest.TempPathFactory) -> None:
    calls: list[tuple[Any, ...]] = []
    for dtype in ("float64", "float32"):
        b, x, y = drawn(8, dtype)
        calls += [(one, b, x, y) for one in LINES]
        calls += [(one, b.repeat(2)[::2], x, y) for one in LINES]
        calls.append((columns, b.reshape(2, 8), np.ones((2, 8), dtype), y))
    compiled(calls, Path(tmp_path_factory.mktemp("truth")))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("kernel", LINES, ids=lambda one: one.__name__)
def test_truth_beside_numbers(kernel: Any, step: int, dtype: str, n: int) -> None:
    b, x, y = drawn(n, dtype, 5 if kernel is rows else 8)
    with np.errstate(all="ignore"):
        same(kernel, b.repeat(step)[::step], x, y, native=1)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_rows_beside_each_other(dtype: str, n: int) -> None:
    """The outer loop of two is in vectors by itself."""
    b, x, y = drawn(5 * n, dtype, 5)
    same(columns, b[: 5 * n].reshape(n, 5), x.reshape(n, 5), y, native=1)


def test_they_are_in_vectors() -> None:
    for kernel in (out_of_a_row, classified, kept, beside_numbers):
        assert "in vectors of" in str(kernel.report()), kernel.__name__
