"""The rows of layernorm.py, scheduled by a decorator; comments name the nests."""

import numpy as np

import looptx


@looptx.kernel(
    "compute_at powers out.i",
    "compute_at means out.i",
    "temp mean power",
    "parallel out.i",
)
def layernorm(A, B):
    """Write the rows of ``A``, each with its mean and scale taken out, into ``B``."""
    n, m = A.shape
    mean = np.empty(n)
    power = np.empty(n)
    # looptx: nest means
    for i in range(n):
        mean[i] = 0.0
        for j in range(m):
            mean[i] += A[i, j] / m
    # looptx: nest powers
    for i in range(n):
        power[i] = 0.0
        for j in range(m):
            power[i] += (A[i, j] - mean[i]) * (A[i, j] - mean[i])
    # looptx: nest out
    for i in range(n):
        for j in range(m):
            B[i, j] = (A[i, j] - mean[i]) / np.sqrt(power[i] / m + 1e-5)
