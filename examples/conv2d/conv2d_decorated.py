"""The nests of conv2d.py, scheduled by a decorator; comments name them."""

import numpy as np

import looptx


@looptx.kernel(
    "tile conv.i=16 conv.j=64",
    "reorder conv.i conv.j conv.c conv.a conv.b conv.ii conv.jj",
    looptx.fuse_around("conv"),
    "parallel conv.i | temp S T | vectorize conv.jj",
    "assume W.shape[0] > 0 and W.shape[1] > 0 and W.shape[2] > 0",
)
def conv2d(A, W, bias, B):
    """Write ``A`` under the filter ``W``, plus a bias and at least 0, into ``B``."""
    n, m = B.shape
    S = np.empty((n, m))
    T = np.empty((n, m))
    # looptx: nest start
    for i in range(n):
        for j in range(m):
            S[i, j] = 0.0
    # looptx: nest conv
    for i in range(n):
        for j in range(m):
            for c in range(W.shape[0]):
                for a in range(W.shape[1]):
                    for b in range(W.shape[2]):
                        S[i, j] += A[c, i + a, j + b] * W[c, a, b]
    # looptx: nest shift
    for i in range(n):
        for j in range(m):
            T[i, j] = S[i, j] + bias[0]
    # looptx: nest relu
    for i in range(n):
        for j in range(m):
            B[i, j] = max(T[i, j], 0.0)
