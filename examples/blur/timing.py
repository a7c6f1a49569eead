"""Time blur: ``python -m examples.blur.timing``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from examples.harness import Problem, report

Array = NDArray[np.float64]


def make(n: int) -> tuple[Array, Array]:
    """A random picture, and one to be filled."""
    return np.random.default_rng(0).random((n, n)), np.zeros((n, n))


def with_numpy(A: Array, B: Array) -> Array:
    """Whole-array slices."""
    T = A[:, :-2] + A[:, 1:-1] + A[:, 2:]
    B[1:-1, 1:-1] = (T[:-2] + T[1:-1] + T[2:]) / 9.0
    return B


PROBLEM = Problem(
    name="blur",
    size=4096,
    small=100,
    make=make,
    sizes=lambda A, B: A.shape,
    work=lambda n: 2 * n * n,
    numpy=with_numpy,
)

if __name__ == "__main__":
    report([PROBLEM])
