"""Time lu: ``python -m examples.lu.timing``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from examples.harness import Problem, report

Array = NDArray[np.float64]


def make(n: int) -> tuple[Array]:
    """A random matrix that needs no pivoting: its diagonal dominates."""
    return (np.random.default_rng(0).random((n, n)) + n * np.eye(n),)


def with_numpy(A: Array) -> Array:
    """NumPy has no LU: one outer product for each step."""
    for k in range(len(A) - 1):
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
    return A


PROBLEM = Problem(
    name="lu",
    size=768,
    small=96,
    make=make,
    sizes=lambda A: (len(A),),
    work=lambda n: n**3 / 3,
    numpy=with_numpy,
)

if __name__ == "__main__":
    report([PROBLEM])
