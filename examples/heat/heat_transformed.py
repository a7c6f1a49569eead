"""The heat equation on a rod: many time steps on a piece that stays in the cache."""


def heat(A, B, steps):
    """Run ``steps`` double steps; the result is in ``A``, ``B`` is the other buffer."""
    n = A.shape[0]
    steps = range(steps).stop  # a Python int
    # looptx: applied pad back.i 1 | fuse there back as i f | skew i t by 2 |
    # looptx: applied tile t=32 i=2048 | reorder t i tt f ii [sha256 3055d598017a]
    for t in range(0, steps - 31, 32):
        for tt in range(t, t + 32):
            for ii in range(1, min(2048 * ((t + 31) // 1024) - 2 * tt + 2049, n - 1)):
                B[ii] = 0.25 * (A[ii - 1] + 2.0 * A[ii] + A[ii + 1])
            for ii in range(2, min(2048 * ((t + 31) // 1024) - 2 * tt + 2049, n)):
                A[ii - 1] = 0.25 * (B[ii - 2] + 2.0 * B[ii - 1] + B[ii])
        for i in range(2048 * ((t + 31) // 1024) + 2049, n + 2 * t - 2048, 2048):
            for tt in range(t, t + 32):
                for ii in range(i - 2 * tt, i - 2 * tt + 2048):
                    B[ii] = 0.25 * (A[ii - 1] + 2.0 * A[ii] + A[ii + 1])
                for ii in range(i - 2 * tt, i - 2 * tt + 2048):
                    A[ii - 1] = 0.25 * (B[ii - 2] + 2.0 * B[ii - 1] + B[ii])
        for i in range(
            max(
                2048 * ((t + 31) // 1024) + 2049,
                2048 * ((n + 2 * t + 2046) // 2048) - 2047,
            ),
            n + 2 * t + 62,
            2048,
        ):
            for tt in range(max(t, (n + i) // 2 - n + 1), t + 32):
                for ii in range(i - 2 * tt, min(i - 2 * tt + 2048, n - 1)):
                    B[ii] = 0.25 * (A[ii - 1] + 2.0 * A[ii] + A[ii + 1])
                for ii in range(i - 2 * tt, min(i - 2 * tt + 2048, n)):
                    A[ii - 1] = 0.25 * (B[ii - 2] + 2.0 * B[ii - 1] + B[ii])
    if steps > 0:
        for i in range(2048 * (steps // 1024) + 1, 2 * steps + n - 2, 2048):
            for tt in range(max((n + i) // 2 - n + 1, steps - steps % 32), steps):
                for ii in range(max(1, i - 2 * tt), min(i - 2 * tt + 2048, n - 1)):
                    B[ii] = 0.25 * (A[ii - 1] + 2.0 * A[ii] + A[ii + 1])
                for ii in range(max(2, i - 2 * tt), min(i - 2 * tt + 2048, n)):
                    A[ii - 1] = 0.25 * (B[ii - 2] + 2.0 * B[ii - 1] + B[ii])
