"""Kernels of nests that run in loops of others."""

from __future__ import annotations

import numpy as np

import looptx


@looptx.kernel("compute_at across down.i", "temp T", "parallel down.i")
def again(A, B):
    n, m = A.shape
    T = np.empty((n, m))
    # looptx: nest across
    for i in range(n):
        for j in range(1, m - 1):
            T[i, j] = A[i, j - 1] + A[i, j] + A[i, j + 1]
    # looptx: nest down
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            B[i, j] = T[i - 1, j] + T[i, j] + T[i + 1, j]


@looptx.kernel("compute_at across down.i sliding", "temp T")
def sliding(A, B):
    n, m = A.shape
    T = np.empty((n, m))
    # looptx: nest across
    for i in range(n):
        for j in range(1, m - 1):
            T[i, j] = A[i, j - 1] + A[i, j] + A[i, j + 1]
    # looptx: nest down
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            B[i, j] = T[i - 1, j] + T[i, j] + T[i + 1, j]


@looptx.kernel(
    "tile total.i=4 total.j=3 | reorder total.i total.j ii jj",
    "reverse_compute_at clip total.j",
    "parallel total.i",
)
def behind(A, B):
    n, m = A.shape
    # looptx: nest total
    for i in range(n):
        for j in range(m):
            A[i, j] = A[i, j] * 1.5 - 0.5
    # looptx: nest clip
    for i in range(n):
        for j in range(m):
            B[i, j] = max(A[i, j], 0.0)


@looptx.kernel("simple_compute_at twice add.i", "parallel add.i")
def alike(A, B):
    n, m = A.shape
    # looptx: nest add
    for i in range(n):
        for j in range(m):
            B[i, j] = B[i, j] + 1.0
    # looptx: nest twice
    for i in range(n):
        for j in range(m):
            A[i, j] = A[i, j] * 2.0


@looptx.kernel(
    "assume m == 5",
    "collapse down.i down.j as ij | split ij 4 | compute_at across ij | temp T",
    "parallel ij",
)
def blocks(A, B):
    n, m = A.shape
    T = np.empty((n + 1, m))
    # looptx: nest across
    for i in range(n):
        for j in range(m):
            T[i, j] = A[i, j] * 0.3
    # looptx: nest down
    for i in range(1, n):
        for j in range(m):
            B[i, j] = T[i - 1, j] + T[i, m - 1 - j]
