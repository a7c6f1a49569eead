"""The sweeps of jacobi2d.py, scheduled by a decorator.

A decorator cannot name an inner nest, so ``i#1`` and ``i#2`` tell the loops apart.
"""

import looptx


@looptx.kernel(
    "parallel i#1 | vectorize j#1",
    "parallel i#2 | vectorize j#2",
)
def jacobi2d(A, B, steps):
    """Run ``steps`` double steps; the result is in ``A``, ``B`` is the other buffer."""
    n, m = A.shape
    for _t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                B[i, j] = 0.2 * (
                    A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j]
                )
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                A[i, j] = 0.2 * (
                    B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j]
                )
