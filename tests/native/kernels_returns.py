"""Functions that return in the middle of their loops."""

from __future__ import annotations

import numpy as np


def find(A, v):
    for i in range(A.shape[0]):
        if A[i] == v:
            return i
    return -1


def find_with_types(A, v):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            if A[i, j] == v:
                return i, j, A[i, j], None, v, A
            if A[i, j] == 4:
                return "four", True, -2, 0.5 * A[i, j]
    return None


def is_sorted(A):
    n = len(A)
    for i in range(1, n):
        if A[i] < A[i - 1]:
            return np.False_
    return n > 0


def first_above(A, v):
    i = -1
    s = 0.0
    for i in range(len(A)):
        s += A[i]
        if s > v:
            break
    else:
        s = -1.0
    return i, s


def with_else(A, v):
    for i in range(len(A)):
        if A[i] == v:
            break
        A[i] += 1
    else:
        w = v + 5
        return 1.5, w
    return 2


def nested(A, v):
    k = -3
    for i in range(len(A)):
        k = i
        while k < len(A):
            if A[k] > 2 * v:
                return
            k += 2
            for w in range(k):
                if w == v:
                    return w
                if A[w % len(A)] == k:
                    break
            else:
                A[i] = k
                continue
            A[i] = -k
    return k


def twice(A, v):
    """Two nests, each of which may end the function."""
    s = 0
    for i in range(len(A)):
        if A[i] == v:
            return s, i
        s += 1
    for i in range(len(A)):
        A[i] += s
        if A[i] % 5 == 1:
            return A[i]
    return s


def guarded(A, v):
    log = []
    try:
        with np.errstate(all="ignore"):
            for i in range(len(A)):
                if A[i] == v:
                    return i, log
                A[i] *= 2
    finally:
        log.append(int(A.sum()))
    return -1, log


def inside(A, v):
    """Inside a loop that is none of ``range``."""
    for factor in (1, 2, 3):
        for i in range(len(A)):
            if A[i] == factor * v:
                return factor, i
    return 0


def out_of_bounds(A, v):
    for i in range(len(A) + 2):
        if A[i] == v:
            return i


def power_of_two(n):
    for k in range(70):
        if k * k > n:
            return k


def _vector(n):
    return np.random.default_rng(n).integers(0, 9, n), 4


CASES = {
    find: _vector,
    find_with_types: lambda n: (np.random.default_rng(n).integers(0, 40, (n, n)), 3),
    is_sorted: lambda n: (np.sort(np.random.default_rng(n).integers(0, 9, n // 2)),),
    first_above: lambda n: (np.random.default_rng(n).random(n), 2.0),
    with_else: _vector,
    nested: _vector,
    twice: _vector,
    guarded: _vector,
    inside: _vector,
    out_of_bounds: _vector,
    power_of_two: lambda n: (n * n * n,),
}
"""Functions with what makes their arguments."""
