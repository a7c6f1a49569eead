"""Branches that stay, and conditions without any, compute what Python does."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import pytest
from kit.calls import same

import looptx

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)


@looptx.kernel
def selected(a: Any) -> None:
    for i in range(len(a)):
        least = i
        for j in range(i + 1, len(a)):
            if a[j] < a[least]:
                least = j
        t = a[i]
        a[i] = a[least]
        a[least] = t


@looptx.kernel
def counted(x: Any, y: Any, out: Any) -> None:
    for i in range(len(x)):
        u, v = x[i], y[i]
        p, q = u != 0, v > 0.5
        if (v > 0.25 and v <= 0.75) or u > 3:
            out[0] += 1
        if (p or q) and not (p and q):
            out[1] += 1
        out[2] += p and q
        out[3] += p or q


@pytest.mark.parametrize("n", [0, 1, 2, 7, 31, 101])
def test_branches(n: int, optimised: None) -> None:
    rng = np.random.default_rng(n)
    same(selected, rng.random(n), native=None if n < 2 else 1)
    for x in (rng.integers(0, 5, n), rng.random(n) < 0.5, rng.random(n)):
        same(counted, x, rng.random(n), np.zeros(4), native=1)
        same(counted, x, np.where(rng.random(n) < 0.5, np.nan, 0.6), np.zeros(4))


def test_the_branch_is_kept() -> None:
    selected(np.arange(5.0)[::-1].copy())
    counted(np.arange(5), np.arange(5.0), np.zeros(4))
    assert "lx_kept()" in selected.inspect_cython()
    assert " & " in counted.inspect_cython()
