"""LU factorisation in place, without pivoting.

The source works outwards-in (step k updates all that is left). The schedule finishes
the matrix by blocks of rows: a row k, once read, serves a whole block.
"""


def lu(A):
    """Replace ``A`` by its factors: L below the diagonal, U on and above it."""
    n = A.shape[0]
    # looptx: split i 32
    # looptx: reorder i k ii
    # looptx: vectorize j
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
