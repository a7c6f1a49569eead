"""Time layernorm: ``python -m examples.layernorm.timing``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from examples.harness import Problem, report

Array = NDArray[np.float64]


def make(n: int) -> tuple[Array, Array]:
    """Random rows, and a matrix to be filled."""
    return np.random.default_rng(0).random((n, n)), np.zeros((n, n))


def with_numpy(A: Array, B: Array) -> Array:
    """Whole-array operations."""
    away = A - A.mean(axis=1, keepdims=True)
    power = (away * away).mean(axis=1, keepdims=True)
    np.divide(away, np.sqrt(power + 1e-5), out=B)
    return B


PROBLEM = Problem(
    name="layernorm",
    size=3000,
    small=100,
    make=make,
    sizes=lambda A, B: A.shape,
    work=lambda n: 3 * n * n,
    numpy=with_numpy,
)

if __name__ == "__main__":
    report([PROBLEM])
