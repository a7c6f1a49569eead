"""The chain of atax.py, scheduled by a decorator; n0 and n1 are its two nests."""

import looptx


@looptx.kernel(
    "split n0.i 4 | reorder n0.i n0.j n0.ii | unroll n0.ii | parallel n0.i",
    "split n1.j 128 | reorder n1.j n1.i n1.jj | vectorize n1.jj | parallel n1.j",
)
def atax(A, x, t, y):
    """Add ``A x`` to ``t`` and then ``A' t`` to ``y``."""
    n, m = A.shape
    # four rows at a time: four sums run side by side
    for i in range(n):
        for j in range(m):
            t[i] += A[i, j] * x[j]
    for i in range(n):
        for j in range(m):
            y[j] += A[i, j] * t[i]
