"""The factor L of a positive definite matrix L L', in its lower half."""

import numpy as np


# looptx: cut j i//8*8 as lo mid | cut k#1 lo//16*16 as full rest
# looptx: split i 8 | split lo 16 | split full 32 | reorder i lo full full_in ii lo_in
# looptx: cache_read A[j,k] at full packed | vectorize lo_in#1
def cholesky(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = np.sqrt(A[i, i])
