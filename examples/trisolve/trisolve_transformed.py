"""Triangular solve with many right-hand sides, L X = B, in place.

One column at a time walks through ``X`` against the grain. The schedule takes 64
columns together and moves them innermost; the division moves behind its own loop.
"""


def trisolve(L, X):
    """Replace the right-hand sides in ``X`` by the solutions of ``L X = B``."""
    n, m = X.shape
    # looptx: applied split c 64 | parallel c | vectorize cc | reorder c i j cc
    # looptx: applied [sha256 659c73dbe171]
    for c in range(0, m - 63, 64):
        for i in range(n):
            for j in range(i):
                for cc in range(c, c + 64):
                    X[i, cc] -= L[i, j] * X[j, cc]
            for cc in range(c, c + 64):
                # every earlier unknown has been taken out
                X[i, cc] /= L[i, i]
    for i in range(n):
        for j in range(i):
            for cc in range(m - m % 64, m):
                X[i, cc] -= L[i, j] * X[j, cc]
        for cc in range(m - m % 64, m):
            X[i, cc] /= L[i, i]
