"""The product of matmul.py, scheduled by a decorator."""

import looptx


@looptx.kernel(
    "tile i=32 j=256 k=64",
    "reorder i j k ii kk jj",
    "vectorize jj",
    "parallel i",
)
def matmul(A, B, C):
    """Add the product of ``A`` and ``B`` to ``C``."""
    n, m = C.shape
    p = A.shape[1]
    for i in range(n):
        for j in range(m):
            for k in range(p):
                # one multiplication and one addition
                C[i, j] += A[i, k] * B[k, j]
