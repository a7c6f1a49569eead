"""The layer of layer.py, scheduled by a decorator; comments name the nests."""

import numpy as np

import looptx


@looptx.kernel(
    "tile mm.i=64 mm.j=96 mm.k=256 | split mm.ii 8 | split mm.jj 24",
    "reorder mm.i mm.j mm.k mm.ii mm.jj mm.kk mm.iii mm.jjj",
    "parallel mm.i",
    looptx.fuse_around("mm"),
    "cache_read B at mm.k",
    "vectorize mm.jjj | vectorize start.j | vectorize relu.j",
    "temp C S W",
    "assume A.shape[1] > 0",
)
def layer(A, B, b, D):
    """Write the product of ``A`` and ``B``, plus ``b`` and at least 0, into ``D``."""
    n, m, p = D.shape[0], D.shape[1], A.shape[1]
    C = np.empty((n, m), A.dtype)
    W = np.empty((n, m), A.dtype)
    S = np.empty((n, m), A.dtype)
    # looptx: nest start
    for i in range(n):
        for j in range(m):
            C[i, j] = 0.0
    # looptx: nest mm
    for i in range(n):
        for j in range(m):
            for k in range(p):
                C[i, j] += A[i, k] * B[k, j]
    # looptx: nest wide
    for i in range(n):
        for j in range(m):
            W[i, j] = b[j]
    # looptx: nest add
    for i in range(n):
        for j in range(m):
            S[i, j] = C[i, j] + W[i, j]
    # looptx: nest relu
    for i in range(n):
        for j in range(m):
            D[i, j] = max(S[i, j], 0.0)
