"""The matrix product of gemm.py, scheduled by a decorator."""

import looptx


@looptx.kernel(
    "tile i=96 j=2048 k=256",
    "reorder j k i kk jj ii",
    "cache_read B at k packed as PB",
    "cache_read A at i packed as PA",
    "tile ii=4 jj=16",
    "reorder jj ii kk iii jjj",
    "cache_write C at ii",
)
def gemm(A, B, C):
    """Add the product of ``A`` and ``B`` to ``C``."""
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]
