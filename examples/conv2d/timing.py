"""Time conv2d: ``python -m examples.conv2d.timing``.

Below the table: the same nests one after the other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from examples.harness import Problem, load, report, separate
from looptx import kernel

Array = NDArray[np.float64]
FILTER = (8, 3, 3)
"""Channels, rows and columns."""


def make(n: int) -> tuple[Array, Array, Array, Array]:
    """Random channels, a filter, a bias, and an image to be filled."""
    rng = np.random.default_rng(0)
    A = rng.random((FILTER[0], n + FILTER[1] - 1, n + FILTER[2] - 1)) - 0.5
    return A, rng.random(FILTER) - 0.5, rng.random(1), np.zeros((n, n))


def with_numpy(A: Array, W: Array, bias: Array, B: Array) -> Array:
    """Whole images, one for each number of the filter."""
    n, m = B.shape
    total = np.zeros_like(B)
    for c, a, b in np.ndindex(W.shape):
        total += A[c, a : a + n, b : b + m] * W[c, a, b]
    np.maximum(total + bias[0], 0.0, out=B)
    return B


PROBLEM = Problem(
    name="conv2d",
    size=1024,
    small=48,
    make=make,
    sizes=lambda A, W, bias, B: (*B.shape, *W.shape),
    work=lambda n: n * n * 72,
    numpy=with_numpy,
)

APART = kernel(
    "tile conv.i=16 conv.j=64 | parallel conv.i | vectorize conv.jj",
    "reorder conv.i conv.j conv.c conv.a conv.b conv.ii conv.jj",
    "parallel start.i | parallel shift.i | parallel relu.i",
)

if __name__ == "__main__":
    report([PROBLEM])
    print(separate(PROBLEM, APART(load("conv2d", "decorated"))))
