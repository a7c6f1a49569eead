"""A matrix product in blocks: a packed panel of B, and a tile of C in registers."""


def gemm(A, B, C):
    """Add the product of ``A`` and ``B`` to ``C``."""
    # looptx: split i 8 | split j 24 | split k 256 | reorder j k i kk ii jj
    # looptx: cache_read B at k as PB | vectorize jj
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]
