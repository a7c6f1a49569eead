"""The solve of trisolve.py, scheduled by a decorator."""

import looptx


@looptx.kernel(
    "split c 64 | parallel c | vectorize cc",
    "reorder c i j cc",
)
def trisolve(L, X):
    """Replace the right-hand sides in ``X`` by the solutions of ``L X = B``."""
    n, m = X.shape
    for c in range(m):
        for i in range(n):
            for j in range(i):
                X[i, c] -= L[i, j] * X[j, c]
            # every earlier unknown has been taken out
            X[i, c] /= L[i, i]
