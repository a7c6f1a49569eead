"""Triangular solve with many right-hand sides, L X = B, in place.

One column at a time walks through ``X`` against the grain. The schedule takes 64
columns together and moves them innermost; the division moves behind its own loop.
"""


def trisolve(L, X):
    """Replace the right-hand sides in ``X`` by the solutions of ``L X = B``."""
    n, m = X.shape
    # looptx: split c 64 | parallel c | vectorize cc
    # looptx: reorder c i j cc
    for c in range(m):
        for i in range(n):
            for j in range(i):
                X[i, c] -= L[i, j] * X[j, c]
            # every earlier unknown has been taken out
            X[i, c] /= L[i, i]
