"""An orthonormal basis of a matrix's columns, and what is left: A = Q R."""

import numpy as np


# looptx: vectorize j
def gramschmidt(A, R, Q):
    n, m = A.shape
    for k in range(m):
        nrm = 0.0
        for i in range(n):
            nrm += A[i, k] * A[i, k]
        R[k, k] = np.sqrt(nrm)
        for i in range(n):
            Q[i, k] = A[i, k] / R[k, k]
        for j in range(k + 1, m):
            R[k, j] = 0.0
            for i in range(n):
                R[k, j] += Q[i, k] * A[i, j]
            for i in range(n):
                A[i, j] -= Q[i, k] * R[k, j]
