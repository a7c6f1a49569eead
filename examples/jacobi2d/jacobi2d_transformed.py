"""Jacobi iteration on a square grid: two sweeps in every time step."""


def jacobi2d(A, B, steps):
    """Run ``steps`` double steps; the result is in ``A``, ``B`` is the other buffer."""
    n, m = A.shape
    # looptx: applied parallel there.i | vectorize there.j | parallel back.i |
    # looptx: applied vectorize back.j [sha256 364c8053eed0]
    for _t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                B[i, j] = 0.2 * (
                    A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j]
                )
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                A[i, j] = 0.2 * (
                    B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j]
                )
