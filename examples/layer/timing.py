"""Time layer: ``python -m examples.layer.timing``.

Below the table: the same nests one after the other, the product in the same tiles.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import DTypeLike, NDArray

from examples.harness import Problem, load, report, separate
from looptx import kernel

Array = NDArray[np.floating]


def make(n: int, dtype: DTypeLike = np.float64) -> tuple[Array, Array, Array, Array]:
    """Two random square matrices, a row to add, and a matrix to be filled.

    The numbers are eighths, whose sums are exact in any order.
    """
    rng = np.random.default_rng(0)
    A, B, b = (rng.integers(-8, 9, x).astype(dtype) / 8 for x in ((n, n), (n, n), n))
    return A, B, b, np.zeros((n, n), dtype)


def with_numpy(A: Array, B: Array, b: Array, D: Array) -> Array:
    """What BLAS makes of the product, and NumPy of the rest."""
    np.maximum(A @ B + b, 0.0, out=D)
    return D


PROBLEM = Problem(
    name="layer",
    size=1024,
    small=64,
    make=make,
    sizes=lambda A, B, b, D: (*D.shape, A.shape[1], A.itemsize),
    work=lambda n: n**3,
    numpy=with_numpy,
)
SINGLE = replace(PROBLEM, make=partial(make, dtype=np.float32))
APART = kernel(
    "tile mm.i=64 mm.j=96 mm.k=256 | split mm.ii 8 | split mm.jj 24",
    "reorder mm.i mm.j mm.k mm.ii mm.jj mm.kk mm.iii mm.jjj",
    "parallel mm.i | cache_read B at mm.k | vectorize mm.jjj | assume A.shape[1] > 0",
    "parallel start.i | parallel wide.i | parallel add.i | parallel relu.i",
)


if __name__ == "__main__":
    report([PROBLEM, SINGLE])
    apart = APART(load("layer", "decorated"))
    for problem in (PROBLEM, SINGLE):
        print(separate(problem, apart))
