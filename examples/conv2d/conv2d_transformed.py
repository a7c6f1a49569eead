"""A convolution in blocks of an image; bias and relu join each block."""

import numpy as np


def conv2d(A, W, bias, B):
    """Write ``A`` under the filter ``W``, plus a bias and at least 0, into ``B``."""
    n, m = B.shape
    if W.shape[0] > 0 and W.shape[1] > 0 and W.shape[2] > 0:
        S = np.empty((16, 64))
        T = np.empty((16, 64))
        # looptx: applied tile conv.i=16 conv.j=64 |
        # looptx: applied reorder conv.i conv.j conv.c conv.a conv.b conv.ii conv.jj |
        # looptx: applied compute_at start conv.j | reverse_compute_at shift conv.j |
        # looptx: applied reverse_compute_at relu conv.j | parallel conv.i | temp S T |
        # looptx: applied vectorize conv.jj |
        # looptx: applied assume W.shape[0] > 0 and W.shape[1] > 0 and W.shape[2] > 0
        # looptx: applied [sha256 8142da4df76a]
        # looptx: applied fuse_around conv: start is in conv.j: 8192 bytes, runs once
        # looptx: applied fuse_around conv: shift is in conv.j: 8192 bytes, runs once
        # looptx: applied fuse_around conv: relu is in conv.j: 8192 bytes, runs once
        # looptx: applied temp S: 8 * n * m bytes -> 8192 bytes per thread
        # looptx: applied temp T: 8 * n * m bytes -> 8192 bytes per thread
        for i in range(0, n, 16):
            for j in range(0, m, 64):
                for i2 in range(i, min(i + 16, n)):
                    for j2 in range(j, min(j + 64, m)):
                        S[i2 - i, j2 - j] = 0.0
                for c in range(W.shape[0]):
                    for a in range(W.shape[1]):
                        for b in range(W.shape[2]):
                            for ii in range(i, min(i + 16, n)):
                                for jj in range(j, min(j + 64, m)):
                                    S[ii - i, jj - j] += (
                                        A[c, ii + a, jj + b] * W[c, a, b]
                                    )
                for i3 in range(i, min(i + 16, n)):
                    for j3 in range(j, min(j + 64, m)):
                        T[i3 - i, j3 - j] = S[i3 - i, j3 - j] + bias[0]
                for i4 in range(i, min(i + 16, n)):
                    for j4 in range(j, min(j + 64, m)):
                        B[i4, j4] = max(T[i4 - i, j4 - j], 0.0)
    else:
        S = np.empty((n, m))
        T = np.empty((n, m))
        for i in range(n):
            for j in range(m):
                S[i, j] = 0.0
        for i in range(n):
            for j in range(m):
                for c in range(W.shape[0]):
                    for a in range(W.shape[1]):
                        for b in range(W.shape[2]):
                            S[i, j] += A[c, i + a, j + b] * W[c, a, b]
        for i in range(n):
            for j in range(m):
                T[i, j] = S[i, j] + bias[0]
        for i in range(n):
            for j in range(m):
                B[i, j] = max(T[i, j], 0.0)
