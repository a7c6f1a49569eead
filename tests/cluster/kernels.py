"""Kernels that tests run as tasks, as users would write them."""

from __future__ import annotations


def jacobi(A, B, steps):
    n, m = A.shape
    # looptx: tile s1.i=7 s1.j=9 | bind s1.i worker.x | bind s1.j worker.y
    # looptx: tile s2.i=7 s2.j=9 | bind s2.i worker.x | bind s2.j worker.y
    for t in range(steps):
        # looptx: nest s1
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                B[i, j] = 0.2 * (
                    A[i, j] + A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1]
                )
        # looptx: nest s2
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                A[i, j] = 0.2 * (
                    B[i, j] + B[i - 1, j] + B[i + 1, j] + B[i, j - 1] + B[i, j + 1]
                )


def heat(u, steps):
    n = u.shape[0]
    new = u.copy()
    # looptx: split step.i 4 | bind step.i worker
    for t in range(steps):
        # looptx: nest step
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    new[i, j, k] = u[i, j, k] + 0.1 * (
                        u[i - 1, j, k]
                        + u[i + 1, j, k]
                        + u[i, j - 1, k]
                        + u[i, j + 1, k]
                        + u[i, j, k - 1]
                        + u[i, j, k + 1]
                        - 6.0 * u[i, j, k]
                    )
        u, new = new, u
    return u


def product(A, B, C):
    n, m = C.shape
    p = A.shape[1]
    # looptx: tile i=8 j=8 k=8 | reorder i j k ii kk jj
    # looptx: bind i worker.x | bind j worker.y | vectorize jj
    for i in range(n):
        for j in range(m):
            for k in range(p):
                C[i, j] += A[i, k] * B[k, j]


def warshall(path):
    n = path.shape[0]
    # looptx: cut j k k+1 | cut i k k+1 | split i#1 6 | split i#3 6
    # looptx: bind i#1 worker | bind i#3 worker
    for k in range(n):
        for i in range(n):
            for j in range(n):
                path[i, j] = min(path[i, j], path[i, k] + path[k, j])


def histogram(image, bins):
    # looptx: split i 16 | bind i worker
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            bins[image[i, j]] += 1


def lu(A):
    """By panels of 8 columns."""
    n = A.shape[0]
    # looptx: split right.j 8 | bind right.j worker
    # looptx: tile rest.i=8 rest.j=8 | bind rest.i worker.x | bind rest.j worker.y
    for p in range(0, n, 8):
        # looptx: nest panel
        for k in range(p, min(p + 8, n)):
            for i in range(k + 1, n):
                A[i, k] /= A[k, k]
                for j in range(k + 1, min(p + 8, n)):
                    A[i, j] -= A[i, k] * A[k, j]
        # looptx: nest right
        for j in range(p + 8, n):
            for k in range(p, min(p + 8, n)):
                for i in range(k + 1, min(p + 8, n)):
                    A[i, j] -= A[i, k] * A[k, j]
        # looptx: nest rest
        for i in range(p + 8, n):
            for j in range(p + 8, n):
                for k in range(p, min(p + 8, n)):
                    A[i, j] -= A[i, k] * A[k, j]
