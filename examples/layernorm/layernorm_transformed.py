"""Rows of mean 0 and variance 1: the sums of each row move to where they are used."""

import numpy as np


def layernorm(A, B):
    """Write the rows of ``A``, each with its mean and scale taken out, into ``B``."""
    n, m = A.shape
    if m > 0:
        # looptx: applied compute_at powers out.i | compute_at means out.i |
        # looptx: applied temp mean power | parallel out.i [sha256 c66df2c217b7]
        # looptx: applied temp mean: 8 * n bytes -> 8 bytes per thread
        # looptx: applied temp power: 8 * n bytes -> 8 bytes per thread
        for i in range(n):
            mean = np.float64(0.0)
            for j in range(m):
                mean += A[i, j] / m
            power = np.float64(0.0)
            for j in range(m):
                power += (A[i, j] - mean) * (A[i, j] - mean)
            for j in range(m):
                B[i, j] = (A[i, j] - mean) / np.sqrt(power / m + 1e-5)
