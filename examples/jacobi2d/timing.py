"""Time jacobi2d: ``python -m examples.jacobi2d.timing``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from examples.harness import Problem, report

Array = NDArray[np.float64]


STEPS = 10


def make(n: int) -> tuple[Array, Array, int]:
    """A random square and its copy."""
    grid = np.random.default_rng(0).random((n, n))
    return grid, grid.copy(), STEPS


def with_numpy(A: Array, B: Array, steps: int) -> Array:
    """Whole-array slices."""
    for _ in range(steps):
        for old, new in ((A, B), (B, A)):
            new[1:-1, 1:-1] = 0.2 * (
                old[1:-1, 1:-1]
                + old[1:-1, :-2]
                + old[1:-1, 2:]
                + old[2:, 1:-1]
                + old[:-2, 1:-1]
            )
    return A


PROBLEM = Problem(
    name="jacobi2d",
    size=1000,
    small=100,
    make=make,
    sizes=lambda A, B, steps: A.shape,
    work=lambda n: 2 * STEPS * (n - 2) ** 2,
    numpy=with_numpy,
    result=0,
)

if __name__ == "__main__":
    report([PROBLEM])
