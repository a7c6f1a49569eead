"""The matrix product of gemm.py, scheduled by a decorator."""

import looptx


@looptx.kernel(
    "split i 8",
    "split j 24",
    "split k 256",
    "reorder j k i kk ii jj",
    "cache_read B at k as PB",
    "vectorize jj",
)
def gemm(A, B, C):
    """Add the product of ``A`` and ``B`` to ``C``."""
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]
