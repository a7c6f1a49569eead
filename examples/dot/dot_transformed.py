"""A dot product whose sum is cut twice: blocks for threads, lanes within a block."""


def dot(A, B, s):
    """Add the product of ``A`` and ``B`` to ``s[0]``."""
    import numpy

    block = numpy.empty((len(A) + 4095) // 4096, s.dtype)
    lanes = numpy.empty(32, s.dtype)
    # looptx: applied reassociate s | split k 4096 32 as k row lane |
    # looptx: applied rfactor k as block | parallel block.k |
    # looptx: applied rfactor block.lane as lanes | compute_at lanes block.k |
    # looptx: applied reorder lanes.row lanes.lane | vectorize lanes.lane
    # looptx: applied [sha256 08cd049b1aa7]
    # looptx: applied cache block: (A.shape[0] + 4095) // 4096 elements
    # looptx: applied cache lanes: 32 elements per thread
    for k in range((len(A) + 4095) // 4096):
        for lane in range(min(len(A) - 4096 * k, 32)):
            lanes[lane] = -0.0
        for row in range(0, min(len(A) - 4096 * k, 4096), 32):
            for lane in range(4096 * k + row, min(4096 * k + row + 32, len(A))):
                lanes[lane - 4096 * k - row] += A[lane] * B[lane]
        block[k] = -0.0
        for lane in range(min(len(A) - 4096 * k, 32)):
            block[k] += lanes[lane]
    for k in range((len(A) + 4095) // 4096):
        s[0] += block[k]
