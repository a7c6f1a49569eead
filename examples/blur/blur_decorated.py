"""The blur of blur.py, scheduled by a decorator; comments name the two stages."""

import numpy as np

import looptx


@looptx.kernel(
    "split square.i 64",
    "parallel square.i",
    "compute_at rows square.i",
    "compute_at rows square.ii sliding",
    "temp T",
)
def blur(A, B):
    """Write the mean of each 3 x 3 square of ``A`` into the middle cell of ``B``."""
    n, m = A.shape
    T = np.empty((n, m))
    # looptx: nest rows
    for i in range(n):
        for j in range(1, m - 1):
            T[i, j] = A[i, j - 1] + A[i, j] + A[i, j + 1]
    # looptx: nest square
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            B[i, j] = (T[i - 1, j] + T[i, j] + T[i + 1, j]) / 9.0
