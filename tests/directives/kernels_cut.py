"""Kernels that are cut, compiled when they are first called."""

import looptx


@looptx.kernel
def paths(path, n):
    # looptx: cut j k k+1 | cut i k k+1 | parallel i#1 | parallel i#3
    # looptx: vectorize j#1 | vectorize j#3 | vectorize j#7 | vectorize j#9
    for k in range(n):
        for i in range(n):
            for j in range(n):
                path[i, j] = min(path[i, j], path[i, k] + path[k, j])


@looptx.kernel
def backward(A, x, n, m):
    s = 0.0
    # looptx: cut j i-1 m//3 | cut i n//2 | unroll i#2 2
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -2):
            if j != i:
                x[j] = x[j] * 0.5 + A[i, j]
            s += x[j]
    return s, i
