"""Kernels with arguments that nobody looks at afterwards, for the tests.

The last argument of each is scratch.
"""

from __future__ import annotations

import looptx


@looptx.kernel(strict=True)
def doitgen(A, C, row):
    nr, nq, n = A.shape
    # looptx: trust scratch row | parallel r
    for r in range(nr):
        for q in range(nq):
            for p in range(n):
                row[p] = 0.0
                for s in range(n):
                    row[p] += A[r, q, s] * C[s, p]
            for p in range(n):
                A[r, q, p] = row[p]


@looptx.kernel(strict=True)
def tiles(A, C, row):
    nr, nq, n = A.shape
    # looptx: trust scratch row | split p#1 8 | vectorize pp | reorder p#1 s pp
    for r in range(nr):
        for q in range(nq):
            for p in range(n):
                row[p] = 0.0
                for s in range(n):
                    row[p] += A[r, q, s] * C[s, p]
            for p in range(n):
                A[r, q, p] = row[p]


@looptx.kernel(strict=True)
def number(A, C, T):
    nr, nq, n = A.shape
    # looptx: trust scratch T | reorder q r | vectorize p
    for r in range(nr):
        for q in range(nq):
            for p in range(n):
                T[r, p] = A[r, q, p] * C[p, p]
                A[r, q, p] = T[r, p] + T[r, p]


@looptx.kernel(strict=True)
def chain(A, C, T):
    nr, nq, n = A.shape
    # looptx: compute_at n0 n1.r | trust scratch T | parallel n1.r
    for r in range(nr):
        for q in range(nq):
            for p in range(n):
                T[r, q, p] = 0.0
                for s in range(n):
                    T[r, q, p] += A[r, q, s] * C[s, p]
    for r in range(nr):
        for q in range(nq):
            for p in range(n):
                A[r, q, p] = T[r, q, n - 1 - p] - C[p, p]


@looptx.kernel(strict=True)
def waves(A, C, T):
    nr, nq, n = A.shape
    # looptx: trust scratch T | parallel p
    for p in range(n):
        for r in range(nr):
            for q in range(nq):
                T[q] = A[r, q, p] * 0.5
            for q in range(1, nq):
                A[r, q, p] = T[q - 1] + T[q] * C[p, p]


@looptx.kernel(strict=True)
def twice(A, C, row, T):
    nr, nq, n = A.shape
    # looptx: trust scratch row T | temp T | parallel r
    for r in range(nr):
        for p in range(n):
            row[p] = 1.0
        for q in range(nq):
            for p in range(n):
                T[q, p] = row[p] * A[r, q, p]
                row[p] = T[q, p] + C[q, p]
        for q in range(nq):
            for p in range(n):
                A[r, q, p] = T[q, p]
