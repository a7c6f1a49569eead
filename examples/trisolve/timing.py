"""Time trisolve: ``python -m examples.trisolve.timing``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from examples.harness import Problem, report

Array = NDArray[np.float64]


def make(n: int) -> tuple[Array, Array]:
    """A lower triangle whose diagonal dominates, and n right-hand sides."""
    rng = np.random.default_rng(0)
    return np.tril(rng.random((n, n))) + n * np.eye(n), rng.random((n, n))


def with_numpy(L: Array, X: Array) -> Array:
    """NumPy has no triangular solve: its general one."""
    X[:] = np.linalg.solve(L, X)
    return X


PROBLEM = Problem(
    name="trisolve",
    size=512,
    small=96,
    make=make,
    sizes=lambda L, X: X.shape,
    work=lambda n: n**3 / 2,
    numpy=with_numpy,
)

if __name__ == "__main__":
    report([PROBLEM])
