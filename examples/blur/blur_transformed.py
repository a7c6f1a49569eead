"""A 3 x 3 blur in two stages: of the sums of rows only three are kept at a time."""

import numpy as np


def blur(A, B):
    """Write the mean of each 3 x 3 square of ``A`` into the middle cell of ``B``."""
    n, m = A.shape
    T = np.empty((3, max(m - 2, 0)))
    # looptx: applied split square.i 64 | parallel square.i | compute_at rows square.i |
    # looptx: applied compute_at rows square.ii sliding | temp T [sha256 a16967d4b8d6]
    # looptx: applied temp T: 8 * n * m bytes -> 24 * max(m - 2, 0) bytes per thread
    for i in range(1, n - 1, 64):
        for ii in range(i, min(i + 64, n - 1)):
            if ii == i:
                for i3 in range(i - 1, ii + 1):
                    for j in range(1, m - 1):
                        T[i3 % 3, j - 1] = A[i3, j - 1] + A[i3, j] + A[i3, j + 1]
            for j in range(1, m - 1):
                T[(ii + 1) % 3, j - 1] = (
                    A[ii + 1, j - 1] + A[ii + 1, j] + A[ii + 1, j + 1]
                )
            for j in range(1, m - 1):
                B[ii, j] = (
                    T[(ii + 2) % 3, j - 1] + T[ii % 3, j - 1] + T[(ii + 1) % 3, j - 1]
                ) / 9.0
