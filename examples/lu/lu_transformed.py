"""LU factorisation in place, without pivoting.

The source works outwards-in (step k updates all that is left). The schedule finishes
the matrix by blocks of rows: a row k, once read, serves a whole block.
"""


def lu(A):
    """Replace ``A`` by its factors: L below the diagonal, U on and above it."""
    n = A.shape[0]
    # looptx: applied split i 32 | reorder i k ii | vectorize j [sha256 d8de1b6f3b73]
    for i in range(1, n - 31, 32):
        for k in range(i):
            for ii in range(i, i + 32):
                A[ii, k] /= A[k, k]
                for j in range(k + 1, n):
                    A[ii, j] -= A[ii, k] * A[k, j]
        for k in range(i, i + 31):
            for ii in range(k + 1, i + 32):
                A[ii, k] /= A[k, k]
                for j in range(k + 1, n):
                    A[ii, j] -= A[ii, k] * A[k, j]
    for k in range(n - 1):
        for ii in range(max(k + 1, n - (n + 31) % 32), n):
            A[ii, k] /= A[k, k]
            for j in range(k + 1, n):
                A[ii, j] -= A[ii, k] * A[k, j]
