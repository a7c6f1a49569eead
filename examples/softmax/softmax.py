"""Softmax of the rows of a matrix: three loops over rows become one."""

import math

import numpy as np


def softmax(A, B):
    """Write the softmax of each row of ``A`` into ``B``."""
    n, m = A.shape
    top = np.empty(n)
    total = np.empty(n)
    # looptx: nest highest
    for i in range(n):
        top[i] = -math.inf
        for j in range(m):
            top[i] = max(top[i], A[i, j])
    # looptx: nest powers
    for i in range(n):
        for j in range(m):
            B[i, j] = math.exp(A[i, j] - top[i])
    # looptx: nest sums
    for i in range(n):
        total[i] = 0.0
        for j in range(m):
            total[i] += B[i, j]
    # looptx: nest shares
    # looptx: compute_at sums shares.i | compute_at powers shares.i
    # looptx: compute_at highest shares.i | temp top total | parallel shares.i
    for i in range(n):
        for j in range(m):
            B[i, j] = B[i, j] / total[i]
