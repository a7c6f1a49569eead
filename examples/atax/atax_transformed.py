"""A chain of two matrix-vector products, y = A' (A x)."""


def atax(A, x, t, y):
    """Add ``A x`` to ``t`` and then ``A' t`` to ``y``."""
    n, m = A.shape
    # four rows at a time: four sums run side by side
    # looptx: applied split i 4 | reorder i j ii | unroll ii | parallel i
    # looptx: applied [sha256 2faccb46b916]
    for i in range(0, n - 3, 4):
        for j in range(m):
            t[i] += A[i, j] * x[j]
            t[i + 1] += A[i + 1, j] * x[j]
            t[i + 2] += A[i + 2, j] * x[j]
            t[i + 3] += A[i + 3, j] * x[j]
    for j in range(m):
        for ii in range(n - n % 4, n):
            t[ii] += A[ii, j] * x[j]
    # looptx: applied split j 128 | reorder j i jj | vectorize jj | parallel j
    # looptx: applied [sha256 ad4ce430f03a]
    for j in range(0, m - 127, 128):
        for i in range(n):
            for jj in range(j, j + 128):
                y[jj] += A[i, jj] * t[i]
    for i in range(n):
        for jj in range(m - m % 128, m):
            y[jj] += A[i, jj] * t[i]
