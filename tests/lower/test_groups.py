"""Loops that run in groups of iterations compute what Python does, and leave as it."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import pytest
from kit.calls import same

import looptx

pytestmark = [
    pytest.mark.skipif(
        not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
    ),
    pytest.mark.usefixtures("rehearsed"),
]

SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 31)


@looptx.kernel
def counts(keys: Any, found: Any) -> None:
    for i in range(len(keys)):
        found[keys[i]] += 1


@looptx.kernel
def degrees(f: Any, dy: Any, dx: Any, found: Any) -> None:
    """Cells that are found in two steps, which takes more."""
    for i in range(1, f.shape[0] - 1):
        for j in range(1, f.shape[1] - 1):
            k = f[i, j]
            if k >= 0:
                found[i + dy[k], j + dx[k]] += 1


@looptx.kernel
def nearest(x: Any, first: int) -> tuple[int, float]:
    """What is carried by a branch, from where data say."""
    where, best = -1, np.inf
    for i in range(first, len(x)):
        if x[i] < best:
            best = x[i]
            where = i
    return where, best


@looptx.kernel
def distances(a: Any, b: Any, row: Any) -> None:
    for i in range(len(a)):
        before = row[0]
        row[0] += 1
        for j in range(len(b)):
            cost = 0 if a[i] == b[j] else 1
            best = min(row[j] + 1, row[j + 1] + 1, before + cost)
            before = row[j + 1]
            row[j + 1] = best


@looptx.kernel
def reached(x: Any, out: Any, most: int) -> tuple[int, int]:
    """A loop that is left, whose variable and whose end are looked at behind it."""
    i = -1
    n = len(x)
    before = 0
    for i in range(n):
        out[i] = before
        if x[i] > most:
            break
        before = before // 2 + x[i]
        n = before
    else:
        n -= 1000
    return i, n


@looptx.kernel
def runs(x: Any, level: float, least: int) -> tuple[int, int]:
    """Integers that C selects, each of which waits for the one before."""
    found = above = 0
    for i in range(len(x)):
        if x[i] > level:
            above += 1
            if above == least:
                found += 1
        else:
            above = 0
    return found, above


@looptx.kernel
def apart(x: Any, level: float) -> tuple[int, int]:
    """Counts, of which C has vectors, though they are chosen."""
    above = below = 0
    for i in range(len(x)):
        if x[i] > level:
            above += 1
        else:
            below += 1
            above += 2
    return above, below


@looptx.kernel
def summed(x: Any, out: Any) -> float:
    """What has vectors, and what is too short for groups, stays as it is."""
    total = 0.0
    for i in range(len(x)):
        out[i] = 2 * x[i]
    for k in range(len(x)):
        total = max(total, x[k])
    for k in range(len(x)):
        if x[k] + 1 > total:
            total = x[k]
    return total


@pytest.mark.parametrize("n", SIZES)
def test_groups(n: int, optimised: None) -> None:
    rng = np.random.default_rng(n)
    same(counts, rng.integers(-5, 5, n), np.zeros(5, "int64"), native=1 if n else None)
    x = rng.choice([np.nan, np.inf, -np.inf, -0.0, 0.0, 1.5], n)
    for first in (0, 1, 3, -2, n, n + 5):
        same(nearest, x, first)
    f, steps = rng.integers(-1, 4, (5, n)), np.array([0, 1, 0, -1])
    same(degrees, f, steps, steps[::-1].copy(), np.zeros((5, n), "int32"))
    same(runs, x, 0.5, 2)
    same(apart, x, 0.5)
    a, b = rng.integers(0, 3, 5), rng.integers(0, 3, n)
    same(distances, a, b, np.arange(n + 1), native=1)


@pytest.mark.parametrize("n", SIZES)
def test_exceptions_leave_groups_where_they_are_raised(n: int, optimised: None) -> None:
    for at in range(n):
        keys = np.arange(n) % 5
        keys[at] = 5 if at % 2 else -6
        same(counts, keys, np.zeros(5, "int64"))
        f, steps = np.arange(3 * n).reshape(3, n) % 4, np.array([0, 1, 0, -1])
        f[1, at] = 4 if at % 2 else 3
        same(degrees, f, steps, steps * 2, np.zeros((3, n), "int32"))


@pytest.mark.parametrize("n", SIZES)
def test_groups_are_left_where_loops_are(n: int, optimised: None) -> None:
    for at in range(n + 1):
        x = np.arange(n)
        x[at:] += 100
        same(reached, x, np.zeros(n, "int64"), 50)


def test_only_what_has_no_vectors_runs_in_groups() -> None:
    x = np.arange(5)
    counts(x, x.copy())
    nearest(x * 0.5, 0)
    reached(x, x.copy(), 50)
    distances(x, x, np.arange(6))
    runs(x * 0.5, 0.5, 2)
    steps = np.array([0, 1])
    degrees(np.ones((3, 5), "int64"), steps, steps, np.zeros((3, 5), "int32"))
    for kernel in (counts, nearest, reached, runs, degrees):
        assert "lx_whole(" in kernel.inspect_cython()
    summed(x * 0.5, x * 0.5)
    apart(x * 0.5, 0.5)
    for kernel in (summed, apart):
        assert "lx_whole(" not in kernel.inspect_cython()
