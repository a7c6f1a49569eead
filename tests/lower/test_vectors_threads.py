"""Loops that threads share, and each of them runs in vectors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from kit.calls import same
from kit.together import compiled

import looptx

SIZES = (0, 1, 2, 7, 8, 9, 31, 37, 64, 1000, 1009)


@looptx.kernel
def static(x, y):
    # looptx: parallel i | vectorize i 8
    for i in range(x.shape[0]):
        y[i] += 2.0 * x[i] - y[i] / -x[i]


@looptx.kernel
def few(x, y):
    # looptx: parallel i threads=3 | vectorize i
    for i in range(x.shape[0]):
        y[i] = 0.0 if x[i] > 0.5 else x[i]


@looptx.kernel
def chunks(x, y):
    # looptx: parallel i chunk=5 | vectorize i 4
    for i in range(x.shape[0]):
        y[i] = y[i] * x[i]


@looptx.kernel
def dynamic(x, y):
    # looptx: parallel i schedule=dynamic | vectorize i 4
    for i in range(min(x.shape[0], 500)):
        twice = x[i] + x[i]
        y[i] = twice * y[i]


@looptx.kernel
def guided(x, y):
    # looptx: parallel i schedule=guided chunk=16 | vectorize i
    for i in range(x.shape[0] - 1, 2, -1):
        y[i] = y[i] * x[i]


@looptx.kernel
def strided(x, y):
    # looptx: vectorize i | parallel i schedule=dynamic chunk=9
    for i in range(x.shape[0] - 1, -1, -3):
        y[i] = y[i] * x[i]


@looptx.kernel
def forward(x, y):
    # looptx: parallel i | vectorize i
    for i in range(1, x.shape[0], 2):
        y[i] = y[i] * x[i]


@looptx.kernel
def enough(x, y):
    # looptx: parallel i least=30 | vectorize i
    for i in range(x.shape[0]):
        y[i] = y[i] - x[i]


@looptx.kernel
def over_time(x, y):
    for t in range(3):
        # looptx: parallel i#1 | vectorize i#1
        for i in range(1, x.shape[0] - 1):
            y[i] = x[i - 1] + x[i + 1]
        # looptx: parallel i#2 | vectorize i#2
        for i in range(1, x.shape[0] - 1):
            x[i] += y[i - 1] * y[i + 1]


@looptx.kernel
def largest(x, y):
    most = -math.inf
    # looptx: parallel i | vectorize i | reassociate most
    for i in range(x.shape[0]):
        most = max(most, x[i])
    return most


@looptx.kernel
def outer(x, y):
    # looptx: parallel i | vectorize i
    for i in range(x.shape[0] - 3):
        for k in range(4):
            y[i] += x[i + k] * x[k]


@looptx.kernel
def blocks(x, y):
    # looptx: split i 16 | parallel i | vectorize i
    for i in range(x.shape[0]):
        y[i] = y[i] - x[i]


EACH = (
    *(static, few, chunks, dynamic, guided, strided),
    *(forward, enough, over_time, outer),
)


@pytest.fixture(scope="module", autouse=True)
def together(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All kernels, compiled together for what they are called with."""
    x = np.ones(9)
    given = [(kernel, x, x) for kernel in (*EACH, largest, blocks)]
    compiled(
        [*given, (counted, x.astype("int64")), (summed, x)],
        tmp_path_factory.mktemp("threads"),
    )


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kernel", [*EACH, largest, blocks])
def test_results_are_those_of_the_loop_as_written(kernel: Any, n: int) -> None:
    rng = np.random.default_rng(n)
    same(kernel, rng.random(n) + 0.1, rng.random(n), native=1)


@pytest.mark.parametrize("kernel", EACH)
def test_such_loops_run_in_vectors_on_threads(kernel: Any) -> None:
    kernel(np.ones(50), np.ones(50))
    text = kernel.inspect_cython()
    assert "lx_prange" in text or "lx_parallel" in text
    assert "in vectors of" in str(kernel.report())
    assert "without explicit vectors" not in str(kernel.report())


def test_a_loop_without_vectors_says_so() -> None:
    largest(np.ones(50), np.ones(50))
    assert "runs without explicit vectors: line" in str(largest.report())


@looptx.kernel
def counted(x):
    s = 0
    # looptx: parallel i | vectorize i
    for i in range(x.shape[0]):
        s += x[i]
    return s


@looptx.kernel
def summed(x):
    s = 0.0
    # looptx: parallel i | vectorize i | reassociate s
    for i in range(x.shape[0]):
        s += x[i]
    return s


@pytest.mark.parametrize("n", SIZES)
def test_sums_in_vectors_on_threads(n: int) -> None:
    x = np.random.default_rng(n).random(n)
    same(counted, (x * 1e6).astype("int64"), native=1)
    found = summed(x)
    assert math.isclose(found, math.fsum(x), rel_tol=1e-14)
    assert type(found) is type(summed.py_func(x))
    assert "lanes" in summed.inspect_cython()
