"""Kernels of which the tests of ``rfactor`` run native code."""

from typing import Any

import looptx


@looptx.kernel("reassociate s | split k 4 | rfactor k as part | parallel part.k")
def dot(A: Any, B: Any, s: Any, n: int) -> Any:
    for k in range(n):
        s += A[k] * B[k]
    return s


@looptx.kernel(
    "reassociate s | split k 16 4 as block k lane | rfactor block as part",
    "parallel part.block | rfactor part.lane as lanes",
    "reorder lanes.block lanes.k lanes.lane | vectorize lanes.lane",
    "compute_at lanes part.block",
)
def two_levels(A: Any, B: Any, s: Any, n: int) -> Any:
    for k in range(n):
        s += A[k] * B[k]
    return s


@looptx.kernel(
    "split k#1 4 as a b | rfactor a as P | split k 4 | rfactor kk as Q",
    "compute_at Q i | compute_at P i | reassociate s m",
)
def rows(A: Any, C: Any, n: int) -> None:
    for i in range(n):
        m = A[i, 0]
        for k in range(n):
            m = max(m, A[i, k])
        s = 0
        for k in range(n):
            s += A[i, k]
        C[i] = s + m


@looptx.kernel("split k 3 | rfactor k as P | parallel P.k | reassociate C")
def least(A: Any, C: Any, n: int) -> None:
    for i in range(n):
        for k in range(n):
            C[i] = min(C[i], A[i, k])


@looptx.kernel("split k 3 | rfactor k as P | parallel i | reassociate C")
def bits(A: Any, C: Any, n: int) -> None:
    for i in range(n):
        for k in range(n):
            C[i] &= A[i, k]


@looptx.kernel("split k 3 | rfactor kk as P | reassociate C")
def products(A: Any, C: Any, n: int) -> None:
    for i in range(n):
        for k in range(n):
            C[i // 2] *= A[i, k]
