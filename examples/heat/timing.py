"""Time heat: ``python -m examples.heat.timing``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from examples.harness import Problem, report

Array = NDArray[np.float64]


STEPS = 64


def make(n: int) -> tuple[Array, Array, int]:
    """A random rod and its copy."""
    rod = np.random.default_rng(0).random(n)
    return rod, rod.copy(), STEPS


def with_numpy(A: Array, B: Array, steps: int) -> Array:
    """Whole-array slices."""
    for _ in range(steps):
        for old, new in ((A, B), (B, A)):
            new[1:-1] = 0.25 * (old[:-2] + 2.0 * old[1:-1] + old[2:])
    return A


PROBLEM = Problem(
    name="heat",
    size=4_000_000,
    small=2000,
    make=make,
    sizes=lambda A, B, steps: A.shape,
    work=lambda n: 2 * STEPS * (n - 2),
    numpy=with_numpy,
    result=0,
)

if __name__ == "__main__":
    report([PROBLEM])
