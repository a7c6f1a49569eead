"""Time dot: ``python -m examples.dot.timing``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from examples.harness import Problem, report

Array = NDArray[np.float64]


def make(n: int) -> tuple[Array, Array, Array]:
    """Two random vectors, and a sum that has begun."""
    rng = np.random.default_rng(0)
    return rng.random(n), rng.random(n), np.full(1, 0.5)


def with_numpy(A: Array, B: Array, s: Array) -> Array:
    """What BLAS makes of it."""
    s += A @ B
    return s


PROBLEM = Problem(
    name="dot",
    size=5_000_011,
    small=100_003,
    make=make,
    sizes=lambda A, B, s: A.shape,
    work=lambda n: n,
    numpy=with_numpy,
)

if __name__ == "__main__":
    report([PROBLEM])
