"""The dot product of dot.py, scheduled by a decorator."""

import looptx


@looptx.kernel(
    "reassociate s",
    "split k 4096 32 as k row lane",
    "rfactor k as block",
    "parallel block.k",
    "rfactor block.lane as lanes",
    "compute_at lanes block.k",
    "reorder lanes.row lanes.lane",
    "vectorize lanes.lane",
)
def dot(A, B, s):
    """Add the product of ``A`` and ``B`` to ``s[0]``."""
    for k in range(len(A)):
        s[0] += A[k] * B[k]
