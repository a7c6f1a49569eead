"""Jacobi iteration on a square grid: two sweeps in every time step."""


def jacobi2d(A, B, steps):
    """Run ``steps`` double steps; the result is in ``A``, ``B`` is the other buffer."""
    n, m = A.shape
    # looptx: parallel there.i | vectorize there.j
    # looptx: parallel back.i | vectorize back.j
    for _t in range(steps):
        # looptx: nest there
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                B[i, j] = 0.2 * (
                    A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j]
                )
        # looptx: nest back
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                A[i, j] = 0.2 * (
                    B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j]
                )
