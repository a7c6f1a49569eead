"""Time attention: ``python -m examples.attention.timing``.

C calls NumPy's loop for ``exp``, a row at a time: the one in its own library rounds in
another way, and would do other work.
Below the table: the same nests one after the other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from examples.harness import Problem, load, loop_of, report, separate
from looptx import kernel

Array = NDArray[np.float64]
DEPTH = 64
"""How long a query is, and a value."""


def make(n: int) -> tuple[Array, Array, Array, Array, Array]:
    """Random queries, keys and values, and matrices to be filled."""
    rng = np.random.default_rng(0)
    Q, K, V = (rng.random((n, DEPTH)) for _ in range(3))
    return Q, K, V, np.zeros((n, n)), np.zeros((n, DEPTH))


def with_numpy(Q: Array, K: Array, V: Array, P: Array, R: Array) -> Array:
    """Whole-array operations."""
    S = Q @ K.T
    E = np.exp(S - S.max(axis=1, keepdims=True))
    np.divide(E, E.sum(axis=1, keepdims=True), out=P)
    np.matmul(P, V, out=R)
    return R


PROBLEM = Problem(
    name="attention",
    size=1024,
    small=48,
    make=make,
    sizes=lambda Q, K, V, P, R: (*P.shape, Q.shape[1], V.shape[1], *loop_of(np.exp)),
    work=lambda n: n * n * (2 * DEPTH + 4),
    numpy=with_numpy,
)

APART = kernel(
    "split scores.i 32 | reorder scores.i scores.ii scores.j scores.k",
    "split out.i 32 | reorder out.i out.ii out.k out.j | vectorize out.j",
    "vectorize powers.j",
    "parallel scores.i | parallel most.i | parallel powers.i | parallel total.i",
    "parallel weights.i | parallel start.i | parallel out.i",
)

if __name__ == "__main__":
    report([PROBLEM])
    print(separate(PROBLEM, APART(load("attention", "decorated"))))
