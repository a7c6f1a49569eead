"""A chain of two matrix-vector products, y = A' (A x)."""


def atax(A, x, t, y):
    """Add ``A x`` to ``t`` and then ``A' t`` to ``y``."""
    n, m = A.shape
    # four rows at a time: four sums run side by side
    # looptx: split i 4
    # looptx: reorder i j ii
    # looptx: unroll ii
    # looptx: parallel i
    for i in range(n):
        for j in range(m):
            t[i] += A[i, j] * x[j]
    # looptx: split j 128
    # looptx: reorder j i jj
    # looptx: vectorize jj
    # looptx: parallel j
    for i in range(n):
        for j in range(m):
            y[j] += A[i, j] * t[i]
