"""Short loops that read one by one what was written just before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from kit.guarded import numbers, same

import looptx

pytestmark = pytest.mark.usefixtures("rehearsed")

SIZES = (0, 1, 2, 11, 12, 13, 40)
TYPES = ("float64", "float32", "int64")


@looptx.kernel
def fed_back(x, a, y):
    for t in range(x.shape[0]):
        s = x[t]
        for k in range(a.shape[0]):
            if t - 1 - k >= 0:
                s -= a[k] * y[t - 1 - k]
        y[t] = s


@looptx.kernel
def scattered(x, h, y):
    for t in range(x.shape[0] - h.shape[0]):
        for k in range(h.shape[0]):
            y[t + k] += x[t] * h[k]


@looptx.kernel
def backwards(x, h, y):
    for t in range(h.shape[0], x.shape[0]):
        for k in range(h.shape[0]):
            y[t - k] -= x[t] * h[k]


@looptx.kernel
def rows(x, h, y):
    """Each of the rows lies beside the one before."""
    for t in range(x.shape[0]):
        for k in range(h.shape[0]):
            y[k] += x[t] * h[k]


def calls(n: int, dtype: str) -> Iterator[tuple[Any, ...]]:
    """Kernels with what they are called with."""
    for seed, kernel in enumerate((fed_back, scattered, backwards, rows)):
        x, h = numbers(50, dtype, seed), numbers(n, dtype, 7)
        yield kernel, x, h, numbers(50, dtype, 8)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", TYPES)
def test_same_as_python(n: int, dtype: str) -> None:
    for kernel, *given in calls(n, dtype):
        same(kernel, *given, native=False)
        assert not any(nest.fallbacks for nest in kernel.report().nests)


@pytest.mark.parametrize(
    ("kernel", "ways"), [(fed_back, 1), (scattered, 1), (backwards, 1), (rows, 0)]
)
def test_loops_that_have_no_vectors(kernel: Any, ways: int) -> None:
    kernel(np.ones(50), np.ones(3), np.ones(50))
    text = kernel.inspect_cython().partition("\n# ")[0]
    assert text.count("lx_kept()\n") == ways
