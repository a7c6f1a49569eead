"""Matrix product, C += A B: 3-D tiling, so that a block of B stays in the cache."""


def matmul(A, B, C):
    """Add the product of ``A`` and ``B`` to ``C``."""
    n, m = C.shape
    p = A.shape[1]
    # looptx: applied tile i=32 j=256 k=64 | reorder i j k ii kk jj | vectorize jj |
    # looptx: applied parallel i [sha256 82097c8f943c]
    for i in range(0, n - 31, 32):
        for j in range(0, m - 255, 256):
            for k in range(0, p - 63, 64):
                for ii in range(i, i + 32):
                    for kk in range(k, k + 64):
                        for jj in range(j, j + 256):
                            # one multiplication and one addition
                            C[ii, jj] += A[ii, kk] * B[kk, jj]
            for ii in range(i, i + 32):
                for kk in range(p - p % 64, p):
                    for jj in range(j, j + 256):
                        C[ii, jj] += A[ii, kk] * B[kk, jj]
        for k in range(0, p, 64):
            for ii in range(i, i + 32):
                for kk in range(k, min(k + 64, p)):
                    for jj in range(m - m % 256, m):
                        C[ii, jj] += A[ii, kk] * B[kk, jj]
    for j in range(0, m, 256):
        for k in range(0, p, 64):
            for ii in range(n - n % 32, n):
                for kk in range(k, min(k + 64, p)):
                    for jj in range(j, min(j + 256, m)):
                        C[ii, jj] += A[ii, kk] * B[kk, jj]
