"""Attention: two products, and what is between them joins the rows of the first."""

import numpy as np


# looptx: split scores.i 32 | reorder scores.i scores.ii scores.j scores.k
# looptx: split out.i 32 | reorder out.i out.ii out.k out.j | vectorize out.j
# looptx: vectorize powers.j | fuse_around scores | fuse_around out
# looptx: parallel scores.i | parallel out.i | temp S M E T
# looptx: assume Q.shape[1] > 0 and K.shape[0] > 0
def attention(Q, K, V, P, R):
    """Write the weights of each query into ``P``, and its sum of ``V`` into ``R``."""
    n, m, d, e = Q.shape[0], K.shape[0], Q.shape[1], V.shape[1]
    S = np.empty((n, m))
    M = np.empty(n)
    E = np.empty((n, m))
    T = np.empty(n)
    # looptx: nest scores
    for i in range(n):
        for j in range(m):
            S[i, j] = 0.0
            for k in range(d):
                S[i, j] += Q[i, k] * K[j, k]
    # looptx: nest most
    for i in range(n):
        M[i] = S[i, 0]
        for j in range(m):
            M[i] = max(M[i], S[i, j])
    # looptx: nest powers
    for i in range(n):
        for j in range(m):
            E[i, j] = np.exp(S[i, j] - M[i])
    # looptx: nest total
    for i in range(n):
        T[i] = 0.0
        for j in range(m):
            T[i] += E[i, j]
    # looptx: nest weights
    for i in range(n):
        for j in range(m):
            P[i, j] = E[i, j] / T[i]
    # looptx: nest start
    for i in range(n):
        for j in range(e):
            R[i, j] = 0.0
    # looptx: nest out
    for i in range(n):
        for j in range(e):
            for k in range(m):
                R[i, j] += P[i, k] * V[k, j]
