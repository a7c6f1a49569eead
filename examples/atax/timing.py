"""Time atax: ``python -m examples.atax.timing``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from examples.harness import Problem, report

Array = NDArray[np.float64]


def make(n: int) -> tuple[Array, Array, Array, Array]:
    """A random square matrix, a random vector and two zero ones."""
    rng = np.random.default_rng(0)
    return rng.random((n, n)), rng.random(n), np.zeros(n), np.zeros(n)


def with_numpy(A: Array, x: Array, t: Array, y: Array) -> Array:
    """Two products."""
    t += A @ x
    y += A.T @ t
    return y


PROBLEM = Problem(
    name="atax",
    size=2000,
    small=200,
    make=make,
    sizes=lambda A, x, t, y: A.shape,
    work=lambda n: 2 * n**2,
    numpy=with_numpy,
)

if __name__ == "__main__":
    report([PROBLEM])
