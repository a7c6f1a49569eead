"""A matrix product in blocks: a packed panel of B, and a tile of C in registers."""


def gemm(A, B, C):
    """Add the product of ``A`` and ``B`` to ``C``."""
    import numpy

    PB = numpy.empty((256, 24), B.dtype)
    if C.shape[0] > 0:
        # looptx: applied split i 8 | split j 24 | split k 256 |
        # looptx: applied reorder j k i kk ii jj | cache_read B at k as PB |
        # looptx: applied vectorize jj [sha256 a0a03803c1ba]
        # looptx: applied cache PB: 6144 elements
        for j in range(0, C.shape[1], 24):
            for k in range(0, A.shape[1], 256):
                for ax0 in range(k, min(k + 256, A.shape[1])):
                    for ax1 in range(j, min(j + 24, C.shape[1])):
                        PB[ax0 - k, ax1 - j] = B[ax0, ax1]
                for i in range(0, C.shape[0], 8):
                    for kk in range(k, min(k + 256, A.shape[1])):
                        for ii in range(i, min(i + 8, C.shape[0])):
                            for jj in range(j, min(j + 24, C.shape[1])):
                                C[ii, jj] += A[ii, kk] * PB[kk - k, jj - j]
