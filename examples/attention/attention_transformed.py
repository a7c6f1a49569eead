"""Attention: two products, and what is between them joins the rows of the first."""

import numpy as np


def attention(Q, K, V, P, R):
    """Write the weights of each query into ``P``, and its sum of ``V`` into ``R``."""
    n, m, d, e = Q.shape[0], K.shape[0], Q.shape[1], V.shape[1]
    if d > 0 and m > 0:
        S = np.empty(m)
        E = np.empty(m)
        # looptx: applied split scores.i 32 |
        # looptx: applied reorder scores.i scores.ii scores.j scores.k |
        # looptx: applied vectorize powers.j | reverse_compute_at most scores.ii |
        # looptx: applied reverse_compute_at powers scores.ii |
        # looptx: applied reverse_compute_at total scores.ii |
        # looptx: applied reverse_compute_at weights scores.ii | parallel scores.i |
        # looptx: applied temp S | temp M | temp E | temp T |
        # looptx: applied assume Q.shape[1] > 0 and K.shape[0] > 0 [sha256 b064c79e6d49]
        # looptx: applied fuse_around scores: most is in scores.ii: 8200 bytes, runs
        # looptx: applied once
        # looptx: applied fuse_around scores: powers is in scores.ii: 8200 bytes, runs
        # looptx: applied once
        # looptx: applied fuse_around scores: total is in scores.ii: 8200 bytes, runs
        # looptx: applied once
        # looptx: applied fuse_around scores: weights is in scores.ii: 8200 bytes, runs
        # looptx: applied once
        # looptx: applied fuse_around scores: start stays: it exchanges nothing with
        # looptx: applied what has joined
        # looptx: applied fuse_around scores: out stays: it is a contraction
        # looptx: applied temp S: 8 * n * m bytes -> 8 * m bytes per thread
        # looptx: applied temp M: 8 * n bytes -> 8 bytes per thread
        # looptx: applied temp E: 8 * n * m bytes -> 8 * m bytes per thread
        # looptx: applied temp T: 8 * n bytes -> 8 bytes per thread
        for i in range(0, n, 32):
            for ii in range(i, min(i + 32, n)):
                for j in range(m):
                    S[j] = 0.0
                    for k in range(d):
                        S[j] += Q[ii, k] * K[j, k]
                M = np.float64(S[0])
                for j in range(m):
                    M = np.float64(max(M, S[j]))
                for j in range(m):
                    E[j] = np.exp(S[j] - M)
                T = np.float64(0.0)
                for j in range(m):
                    T += E[j]
                for j in range(m):
                    P[ii, j] = E[j] / T
    else:
        S = np.empty((n, m))
        M = np.empty(n)
        E = np.empty((n, m))
        T = np.empty(n)
        for i in range(n):
            for j in range(m):
                S[i, j] = 0.0
                for k in range(d):
                    S[i, j] += Q[i, k] * K[j, k]
        for i in range(n):
            M[i] = S[i, 0]
            for j in range(m):
                M[i] = max(M[i], S[i, j])
        for i in range(n):
            for j in range(m):
                E[i, j] = np.exp(S[i, j] - M[i])
        for i in range(n):
            T[i] = 0.0
            for j in range(m):
                T[i] += E[i, j]
        for i in range(n):
            for j in range(m):
                P[i, j] = E[i, j] / T[i]
    if m == 0:
        # looptx: applied split out.i 32 | reorder out.i out.ii out.k out.j |
        # looptx: applied vectorize out.j | compute_at start out.ii | parallel out.i
        # looptx: applied [sha256 6844f39661e1]
        # looptx: applied fuse_around out: scores stays: it is a contraction
        # looptx: applied fuse_around out: start is in out.ii: 8192 bytes, runs once
        for i in range(n):
            for j in range(e):
                R[i, j] = 0.0
    else:
        for i in range(0, n, 32):
            for ii in range(i, min(i + 32, n)):
                for j in range(e):
                    R[ii, j] = 0.0
                for k in range(m):
                    for j in range(e):
                        R[ii, j] += P[ii, k] * V[k, j]
