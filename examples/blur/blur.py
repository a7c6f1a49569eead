"""A 3 x 3 blur in two stages: of the sums of rows only three are kept at a time."""

import numpy as np


def blur(A, B):
    """Write the mean of each 3 x 3 square of ``A`` into the middle cell of ``B``."""
    n, m = A.shape
    T = np.empty((n, m))
    # looptx: nest rows
    for i in range(n):
        for j in range(1, m - 1):
            T[i, j] = A[i, j - 1] + A[i, j] + A[i, j + 1]
    # looptx: nest square
    # looptx: split square.i 64 | parallel square.i
    # looptx: compute_at rows square.i | compute_at rows square.ii sliding | temp T
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            B[i, j] = (T[i - 1, j] + T[i, j] + T[i + 1, j]) / 9.0
