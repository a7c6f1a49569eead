"""The factorisation of lu.py, scheduled by a decorator."""

import looptx


@looptx.kernel("split i 32", "reorder i k ii", "vectorize j")
def lu(A):
    """Replace ``A`` by its factors: L below the diagonal, U on and above it."""
    n = A.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
