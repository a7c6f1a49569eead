"""A matrix product in three levels of blocks: packed operands, C in a small block."""


def gemm(A, B, C):
    """Add the product of ``A`` and ``B`` to ``C``."""
    import numpy

    PB = numpy.empty((256, 2048), B.dtype)
    PA = numpy.empty((256, 96), A.dtype)
    C_cache = numpy.empty((4, 16), C.dtype)
    if C.shape[0] > 0:
        # looptx: applied tile i=96 j=2048 k=256 | reorder j k i kk jj ii |
        # looptx: applied cache_read B at k packed as PB |
        # looptx: applied cache_read A at i packed as PA | tile ii=4 jj=16 |
        # looptx: applied reorder jj ii kk iii jjj | cache_write C at ii
        # looptx: applied [sha256 3a52a8112295]
        # looptx: applied cache PB: 524288 elements
        # looptx: applied cache PA: 24576 elements
        # looptx: applied cache C_cache: 64 elements
        for j in range(0, C.shape[1], 2048):
            for k in range(0, A.shape[1], 256):
                for ax0 in range(min(A.shape[1] - k, 256)):
                    for ax1 in range(min(C.shape[1] - j, 2048)):
                        PB[ax0, ax1] = B[k + ax0, j + ax1]
                for i in range(0, C.shape[0], 96):
                    for ax0 in range(min(A.shape[1] - k, 256)):
                        for ax1 in range(min(C.shape[0] - i, 96)):
                            PA[ax0, ax1] = A[i + ax1, k + ax0]
                    for jj in range(j, min(j + 2048, C.shape[1]), 16):
                        for ii in range(i, min(i + 96, C.shape[0]), 4):
                            for ax0 in range(ii, min(ii + 4, C.shape[0])):
                                for ax1 in range(jj, min(jj + 16, C.shape[1])):
                                    C_cache[ax0 - ii, ax1 - jj] = C[ax0, ax1]
                            for kk in range(k, min(k + 256, A.shape[1])):
                                for iii in range(ii, min(ii + 4, C.shape[0])):
                                    for jjj in range(jj, min(jj + 16, C.shape[1])):
                                        C_cache[iii - ii, jjj - jj] += (
                                            PA[kk - k, iii - i] * PB[kk - k, jjj - j]
                                        )
                            for ax0 in range(ii, min(ii + 4, C.shape[0])):
                                for ax1 in range(jj, min(jj + 16, C.shape[1])):
                                    C[ax0, ax1] = C_cache[ax0 - ii, ax1 - jj]
