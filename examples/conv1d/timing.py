"""Time conv1d: ``python -m examples.conv1d.timing``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from examples.harness import Problem, report

Array = NDArray[np.float64]


TAPS = 64


def make(n: int) -> tuple[Array, Array, Array]:
    """A random signal, 64 coefficients, and room for the result."""
    rng = np.random.default_rng(0)
    return rng.random(n), rng.random(TAPS), np.zeros(n + TAPS - 1)


def with_numpy(signal: Array, coefficients: Array, out: Array) -> Array:
    """NumPy has this very function."""
    out += np.convolve(signal, coefficients)
    return out


PROBLEM = Problem(
    name="conv1d",
    size=1_000_000,
    small=10_000,
    make=make,
    sizes=lambda signal, coefficients, out: (len(signal), len(coefficients)),
    work=lambda n: n * TAPS,
    numpy=with_numpy,
)

if __name__ == "__main__":
    report([PROBLEM])
