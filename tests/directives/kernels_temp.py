"""Kernels with temporaries, for the tests of native code."""

from __future__ import annotations

import numpy as np

import looptx


@looptx.kernel(strict=True)
def number(A, B):
    n, m = A.shape
    T = np.zeros((n, m))
    # looptx: temp T
    for i in range(n):
        for j in range(m):
            T[i, j] = A[i, j] * 2
            B[i, j] += T[i, j]


@looptx.kernel(strict=True)
def single(A, B):
    n, m = A.shape
    T = np.empty((n, m), dtype=np.float32)
    # looptx: vectorize j | temp T
    for i in range(n):
        for j in range(m):
            T[i, j] = A[i, j] / 3
            B[i, j] += T[i, j] * 2


@looptx.kernel(strict=True)
def rows(A, B):
    n, m = A.shape
    T = np.empty(m)
    # looptx: parallel i | temp T
    for i in range(n):
        for j in range(m):
            T[j] = A[i, j] * 2
        for j in range(m):
            B[i, j] += T[j] + T[m - 1 - j]


@looptx.kernel(strict=True)
def sums(A, B):
    n, m = A.shape
    T = np.full((m, n + 2), 0.25)
    # looptx: temp T
    for i in range(n - 1, -1, -1):
        for j in range(m):
            for k in range(m):
                T[j, i] += A[i, k] * B[i, j]
        for j in range(m):
            B[i, j] = T[j, i] + T[m - 1 - j, i + 1] + T[j, i + 2]


@looptx.kernel(strict=True)
def tiles(A, B, C):
    n, m = A.shape
    p = B.shape[1]
    T = np.full((n, p), 0.5)
    # looptx: tile i=2 j=3 | reorder i j k ii jj | parallel i | temp T
    for i in range(n):
        for j in range(p):
            for k in range(m):
                T[i, j] += A[i, k] * B[k, j]
            C[i, j] = T[i, j]


@looptx.kernel(strict=True)
def turns(A, B):
    n, m = A.shape
    T = np.ones((n + 1, m), dtype=np.int64)
    # looptx: temp T
    for i in range(n):
        for j in range(m):
            T[i + 1, j] = T[i, m - 1 - j] + j
        for j in range(m):
            B[i, j] += T[i + 1, j]


@looptx.kernel(strict=True)
def recurrence(A, B):
    n, m = A.shape
    T = np.zeros((m, n + 1))
    # looptx: parallel j | temp T
    for j in range(m):
        for i in range(n):
            T[j, i + 1] = T[j, i] * 0.5 + A[i, j]
            B[i, j] = T[j, i + 1]


@looptx.kernel(strict=True)
def edges(A, B):
    n, m = A.shape
    T = np.zeros((n, m), dtype=bool)
    # looptx: parallel i schedule=dynamic chunk=1 | temp T
    for i in range(n):
        for j in range(1, m):
            T[i, j] = A[i, j] > 0.5
        for j in range(1, m):
            if T[i, j] and not T[i, j - 1]:
                B[i, j] += 1


@looptx.kernel(strict=True)
def waves(A, B):
    n, m = A.shape
    T = np.zeros((n, m), dtype=complex)
    # looptx: parallel i | temp T
    for i in range(n):
        for j in range(m):
            T[i, j] = A[i, j] * 1j
        for j in range(m):
            B[i, j] += T[i, j].imag


@looptx.kernel(strict=True)
def strips(A, B):
    n, m = A.shape
    # looptx: split j 4 | reorder j i jj | parallel j
    for i in range(n):
        for j in range(m):
            s = A[i, j] * 2
            B[i, j] += s * s


@looptx.kernel(strict=True)
def shared(A, B):
    n, m = A.shape
    T = np.zeros((n, m))
    # looptx: parallel j | temp T
    for i in range(n):
        for j in range(m):
            T[i, j] = A[i, j] * 2
        for k in range(m):
            B[i, k] += T[i, m - 1 - k]


@looptx.kernel(strict=True)
def alone(A, B):
    """The parallel loop has one iteration and is none in C."""
    n, m = A.shape
    T = np.empty(m)
    # looptx: split i 1 | reorder ii i | parallel ii | temp T
    for i in range(n):
        for j in range(m):
            T[j] = A[i, j] * 2
        for j in range(m):
            B[i, j] += T[m - 1 - j]


@looptx.kernel("fuse first second partial=2 | parallel i | temp T", strict=True)
def chain(A, B, D):
    n, m = A.shape
    p = B.shape[1]
    q = D.shape[1]
    T = np.zeros((n, p))
    E = np.zeros((n, q))
    # looptx: nest first
    for i in range(n):
        for j in range(p):
            for k in range(m):
                T[i, j] += A[i, k] * B[k, j]
    # looptx: nest second
    for i in range(n):
        for j in range(p):
            for k in range(q):
                E[i, k] += T[i, j] * D[j, k]
    return E
