"""The time steps of heat.py, scheduled by a decorator; comments name the two sweeps."""

import looptx


@looptx.kernel(
    "pad back.i 1",
    "fuse there back as i f",
    "skew i t by 2",
    "tile t=32 i=2048",
    "reorder t i tt f ii",
)
def heat(A, B, steps):
    """Run ``steps`` double steps; the result is in ``A``, ``B`` is the other buffer."""
    n = A.shape[0]
    for t in range(steps):
        # looptx: nest there
        for i in range(1, n - 1):
            B[i] = 0.25 * (A[i - 1] + 2.0 * A[i] + A[i + 1])
        # looptx: nest back
        for i in range(1, n - 1):
            A[i] = 0.25 * (B[i - 1] + 2.0 * B[i] + B[i + 1])
