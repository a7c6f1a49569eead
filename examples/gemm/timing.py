"""Time gemm: ``python -m examples.gemm.timing``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from examples.harness import Problem, report

Array = NDArray[np.float64]


def make(n: int) -> tuple[Array, Array, Array]:
    """Two random square matrices and a zero one."""
    rng = np.random.default_rng(0)
    return rng.random((n, n)), rng.random((n, n)), np.zeros((n, n))


def with_numpy(A: Array, B: Array, C: Array) -> Array:
    """What BLAS makes of it."""
    C += A @ B
    return C


PROBLEM = Problem(
    name="gemm",
    size=1024,
    small=96,
    make=make,
    sizes=lambda A, B, C: (*C.shape, A.shape[1]),
    work=lambda n: n**3,
    numpy=with_numpy,
)

if __name__ == "__main__":
    report([PROBLEM])
