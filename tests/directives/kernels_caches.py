"""Kernels with caches, for ``test_caches_native``."""

from __future__ import annotations

import looptx


@looptx.kernel(
    "tile i=4 j=6 k=4 | reorder j k i jj kk ii",
    "cache_read B at k packed as Panel | cache_read A at i packed",
    "tile ii=2 jj=3 | reorder jj ii kk jjj iii | cache_write C at ii packed as T",
    "set_buffer T local | set_buffer Panel global | vectorize Panel.ax1 4",
)
def blocks(A, B, C):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


@looptx.kernel("parallel i | cache_read A at i as row | cache_write B at i")
def rows(A, B):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            B[i, j] = A[i, j] + 0.5
        for j in range(1, A.shape[1]):
            B[i, j] += B[i, j - 1] * A[i, A.shape[1] - j]


@looptx.kernel(
    "tile i=3 j=4 | reorder i j ii jj | bind i blockIdx.y | bind j blockIdx.x",
    "bind ii threadIdx.y | bind jj threadIdx.x | cache_write C at jj packed",
)
def grid(A, B, C):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


@looptx.kernel("bind b blockIdx.x | bind t threadIdx.x | sync_threads k")
def waits(A, B):
    for b in range(A.shape[0]):
        for t in range(A.shape[1]):
            A[b, t] = A[b, t] * 2.0
            for k in range(t + 1):
                B[b, t] += A[b, k]


@looptx.kernel("cache_read Z at i packed")
def triangle(Z, Y, n):
    for i in range(n):
        for j in range(i, n):
            Y[i, j] = Z[j, i] + 1


@looptx.kernel("cache_write Y at i packed")
def below(Z, Y, n):
    for i in range(n):
        for j in range(i + 1, n):
            Y[j, i] += Z[i, j]


@looptx.kernel("tile j=2 k=2", "cache_read Z at k packed")
def tiled_triangle(Z, Y, n):
    for i in range(n):
        for j in range(i, n):
            for k in range(n):
                Y[i, j] += Z[j, k]
