"""Inner loops that may be short compute what Python does, however often they run."""

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

SIZES = (0, 1, 2, 3, 4, 5, 7, 11)


@looptx.kernel
def largest(x: Any, y: Any, out: Any) -> None:
    """Distances of points with as many coordinates as there are."""
    for i in range(x.shape[0]):
        for j in range(i + 1, y.shape[0]):
            best = 0.0
            for c in range(x.shape[1]):
                best = max(best, abs(x[i, c] - y[j, c]))
            out[i, j] = best


@looptx.kernel
def ranked(x: Any, out: Any) -> None:
    """A count: C has vectors for it, and branches were it written out."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            rank = 0
            for k in range(x.shape[1]):
                if x[i, k] < x[i, j]:
                    rank += 1
            out[i, j] = rank


@looptx.kernel
def filtered(x: Any, taps: Any, out: Any) -> None:
    """As many taps as there are cells in front."""
    for i in range(len(x)):
        value = -0.0
        for k in range(len(taps)):
            if i >= k:
                value += taps[k] * x[i - k]
        out[i] = value


@looptx.kernel
def between(x: Any, first: int, stop: int, out: Any) -> int:
    """A loop that changes where it ends, and whose variable is read behind it."""
    k = -7
    for i in range(len(x)):
        end = stop
        for k in range(first, end):
            out[i] = out[i] * 3 + k
            end = 0
        out[i] += k + end
    return k


@looptx.kernel
def once(x: Any) -> float:
    """There is no loop around it."""
    total = 0.0
    for i in range(len(x)):
        total = max(total, x[i])
    return total


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("size", SIZES)
def test_short_loops(n: int, size: int, optimised: None) -> None:
    rng = np.random.default_rng(10 * n + size)
    # Of NaN of two signs the compiler takes one.
    for odd in ([np.nan], [np.inf, -np.inf, 1e308]):
        values = [-0.0, 0.0, 1.5, -2.25, *odd]
        x, y = rng.choice(values, (n, size)), rng.choice(values, (n + 1, size))
        same(largest, x, y, np.full((n, n + 1), 7.0), native=1)
        row, taps = rng.choice(values, n), rng.choice(values, size)
        same(filtered, row, taps, np.empty(n), native=1)


@pytest.mark.parametrize("size", SIZES)
def test_short_loops_from_anywhere(size: int, optimised: None) -> None:
    x = np.arange(3)
    for first in (-2, 0, 1, 5):
        same(between, x, first, first + size, x.copy())
        same(between, x, first, first - size, x.copy())


def test_only_inner_loops_may_be_short() -> None:
    x = np.ones((2, 3))
    largest(x, x, np.zeros((2, 2)))
    assert "c_stop <= 4" in largest.inspect_cython()
    once(x[0])
    assert "_stop" not in once.inspect_cython()


@pytest.mark.parametrize("size", SIZES)
def test_what_c_selects_stays_a_loop(size: int) -> None:
    x = np.arange(3.0 * size).reshape(3, size) % 5
    same(ranked, x, np.zeros((3, size)), native=1)
    assert "<= 4" not in ranked.inspect_cython()
