"""Faults that random programs found in native code."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest

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


@looptx.kernel
def between(y, C, n):
    # looptx: fuse n0 n1
    for i in range(n):
        y[i] += 1.0
    t = C[1, 2]
    for i in range(n):
        y[i] *= C[1, 1]
    return t


@looptx.kernel
def behind(y, x, C, n):
    # looptx: fuse n0 n1
    for i in range(n):
        y[i] += 1.0
    t = C[1, 1] + y[n - 4]
    for i in range(n):
        x[i] *= C[0, 0]
    return t


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


def test_what_moves_in_front_of_fused_nests_raises_in_its_own_place() -> None:
    for width in (3, 2):
        ours, theirs = np.zeros(4), np.zeros(4)
        C = np.full((2, width), 3.0)
        for function, y in ((between, ours), (between.py_func, theirs)):
            with pytest.raises(IndexError) if width == 2 else nullcontext():
                function(y, C, 4)
        assert ours.tobytes() == theirs.tobytes()
    assert between.report().nests[0].calls == 1


def test_what_moves_behind_fused_nests_raises_in_its_own_place() -> None:
    for height in (2, 1):
        kept = []
        for function in (behind, behind.py_func):
            y, x, C = np.zeros(4), np.ones(4), np.full((height, 5), 3.0)
            with pytest.raises(IndexError) if height == 1 else nullcontext():
                function(y, x, C, 4)
            kept.append(y.tobytes() + x.tobytes())
        assert kept[0] == kept[1]
    assert behind.report().nests[0].calls == 1
