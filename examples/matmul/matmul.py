"""Matrix product, C += A B: 3-D tiling, so that a block of B stays in the cache."""


def matmul(A, B, C):
    """Add the product of ``A`` and ``B`` to ``C``."""
    n, m = C.shape
    p = A.shape[1]
    # looptx: tile i=32 j=256 k=64
    # looptx: reorder i j k ii kk jj
    # looptx: vectorize jj
    # looptx: parallel i
    for i in range(n):
        for j in range(m):
            for k in range(p):
                # one multiplication and one addition
                C[i, j] += A[i, k] * B[k, j]
