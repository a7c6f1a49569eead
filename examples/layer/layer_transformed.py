"""A layer of a perceptron: what starts and ends the product joins its tiles."""

import numpy as np


def layer(A, B, b, D):
    """Write the product of ``A`` and ``B``, plus ``b`` and at least 0, into ``D``."""
    n, m, p = D.shape[0], D.shape[1], A.shape[1]
    if p > 0:
        C = np.empty((64, 96), A.dtype)
        W = np.empty((64, 96), A.dtype)
        S = np.empty((64, 96), A.dtype)
        B_cache = np.empty((256, 96), B.dtype)
        # looptx: applied tile mm.i=64 mm.j=96 mm.k=256 | split mm.ii 8 |
        # looptx: applied split mm.jj 24 |
        # looptx: applied reorder mm.i mm.j mm.k mm.ii mm.jj mm.kk mm.iii mm.jjj |
        # looptx: applied parallel mm.i | compute_at start mm.j |
        # looptx: applied reverse_compute_at add mm.j | compute_at wide mm.j |
        # looptx: applied reverse_compute_at relu mm.j | cache_read B at mm.k |
        # looptx: applied vectorize mm.jjj | vectorize start.j | vectorize relu.j |
        # looptx: applied temp C S W | assume A.shape[1] > 0 [sha256 d4d19aa6a89a]
        # looptx: applied fuse_around mm: start is in mm.j: 49152 bytes, runs once
        # looptx: applied fuse_around mm: wide is in mm.j: 49152 bytes, runs once
        # looptx: applied fuse_around mm: add is in mm.j: 49152 bytes, runs once
        # looptx: applied fuse_around mm: relu is in mm.j: 49152 bytes, runs once
        # looptx: applied temp C: n * m elements -> 6144 elements per thread
        # looptx: applied temp W: n * m elements -> 6144 elements per thread
        # looptx: applied temp S: n * m elements -> 6144 elements per thread
        # looptx: applied cache B_cache: 24576 elements per thread
        for i in range(0, n, 64):
            for j in range(0, m, 96):
                for i2 in range(i, min(i + 64, n)):
                    for j2 in range(j, min(j + 96, m)):
                        W[i2 - i, j2 - j] = b[j2]
                for i3 in range(i, min(i + 64, n)):
                    for j3 in range(j, min(j + 96, m)):
                        C[i3 - i, j3 - j] = 0.0
                for k in range(0, p, 256):
                    for ax0 in range(k, min(k + 256, p)):
                        for ax1 in range(j, min(j + 96, m)):
                            B_cache[ax0 - k, ax1 - j] = B[ax0, ax1]
                    for ii in range(i, min(i + 64, n), 8):
                        for jj in range(j, min(j + 96, m), 24):
                            for kk in range(k, min(k + 256, p)):
                                for iii in range(ii, min(ii + 8, n)):
                                    for jjj in range(jj, min(jj + 24, m)):
                                        C[iii - i, jjj - j] += (
                                            A[iii, kk] * B_cache[kk - k, jjj - j]
                                        )
                for i4 in range(i, min(i + 64, n)):
                    for j4 in range(j, min(j + 96, m)):
                        S[i4 - i, j4 - j] = C[i4 - i, j4 - j] + W[i4 - i, j4 - j]
                for i5 in range(i, min(i + 64, n)):
                    for j5 in range(j, min(j + 96, m)):
                        D[i5, j5] = max(S[i5 - i, j5 - j], 0.0)
    else:
        C = np.empty((n, m), A.dtype)
        W = np.empty((n, m), A.dtype)
        S = np.empty((n, m), A.dtype)
        for i in range(n):
            for j in range(m):
                C[i, j] = 0.0
        for i in range(n):
            for j in range(m):
                for k in range(p):
                    C[i, j] += A[i, k] * B[k, j]
        for i in range(n):
            for j in range(m):
                W[i, j] = b[j]
        for i in range(n):
            for j in range(m):
                S[i, j] = C[i, j] + W[i, j]
        for i in range(n):
            for j in range(m):
                D[i, j] = max(S[i, j], 0.0)
