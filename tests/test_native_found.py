"""Faults that random programs found in native code."""

from __future__ import annotations

import numpy as np

import looptx


@looptx.kernel
def smallest(A, n):
    for i in range(3):
        s = 1
        for j in range(1, n):
            s = min(A[i, j], s)
        A[i + i, -1] += s


@looptx.kernel(strict=True)
def beside(A, m):
    n = A.shape[0]
    # looptx: assume m > 1
    # looptx: split i 4
    for i in range(n):
        A[i] += 1.0


def test_a_minimum_stored_by_a_short_outer_loop() -> None:
    for n in range(7):
        ours = np.arange(36).reshape(6, 6) - 10
        theirs = ours.copy()
        smallest(ours, n)
        smallest.py_func(theirs, n)
        assert ours.tobytes() == theirs.tobytes(), n


def test_an_assumption_about_what_the_nest_does_not_read() -> None:
    A = np.zeros(7)
    beside(A, 5)
    assert A.tolist() == [1.0] * 7
