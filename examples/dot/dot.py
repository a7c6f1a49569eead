"""A dot product whose sum is cut twice: blocks for threads, lanes within a block."""


def dot(A, B, s):
    """Add the product of ``A`` and ``B`` to ``s[0]``."""
    # looptx: reassociate s | split k 4096 32 as k row lane
    # looptx: rfactor k as block | parallel block.k
    # looptx: rfactor block.lane as lanes | compute_at lanes block.k
    # looptx: reorder lanes.row lanes.lane | vectorize lanes.lane
    for k in range(len(A)):
        s[0] += A[k] * B[k]
