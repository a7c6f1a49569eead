"""Cells that data choose are read before, where they are there, and never elsewhere."""

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


@looptx.kernel
def upwind(h: Any, u: Any, new: Any) -> None:
    """Either neighbour; ``new`` may be ``h``."""
    for i in range(1, h.shape[0] - 1):
        for j in range(1, h.shape[1] - 1):
            right = h[i, j] if u[i, j] > 0 else h[i, j + 1]
            left = h[i, j - 1] if u[i, j - 1] > 0 else h[i, j]
            new[i, j] -= 0.1 * (right * u[i, j] - left * u[i, j - 1])


@looptx.kernel
def peaks(x: Any, out: Any) -> int:
    """Conditions on neighbours, as a value and of a branch."""
    found = 0
    for i in range(1, len(x) - 1):
        out[i] = x[i] > x[i - 1] and x[i] >= x[i + 1]
        if x[i] < x[i - 1] and x[i] <= x[i + 1]:
            found += 1
    return found


@looptx.kernel
def at_ends(x: Any, u: Any, out: Any) -> None:
    """What positions keep from the ends stays there."""
    for i in range(len(x)):
        out[i] = x[i] + (x[i + 1] if i + 1 < len(x) and u[i] > 0 else x[0])
        if u[i] < 0.5 and (i == 0 or x[i - 1] < x[i]):
            out[i] += x[i - 1] if i > 0 else -x[i]


@looptx.kernel
def too_far(x: Any, u: Any, out: Any) -> None:
    """Data choose what is not there: only where they do so Python raises."""
    for i in range(len(x)):
        out[i] = x[i] if u[i] < 0.5 else x[i + 1] + x[i]


@looptx.kernel
def swept(x: Any, u: Any) -> None:
    """What is chosen was written in the iteration before."""
    for i in range(1, len(x) - 1):
        x[i] = x[i - 1] + x[i] if u[i] < 0.5 else x[i + 1]


@looptx.kernel
def last_of(x: Any, u: Any) -> float:
    """What is chosen is chosen again."""
    last = 0.0
    for i in range(1, len(x)):
        last = last + x[i] if x[i - 1] < u[i] else x[i - 1] * 0.5
    return last


@looptx.kernel
def sides(x: Any, y: Any) -> tuple[int, int]:
    """Conditions that are joined are counted, of numbers that are none, too."""
    outside = inside = 0
    for i in range(len(x)):
        u, v = x[i], y[i]
        if u < 0.25 or v > 0.75:
            outside += 1
        if u > 0.25 and v < 0.75:
            inside += 1
    return outside, inside


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 17, 64])
def test_read_sooner(n: int, optimised: None) -> None:
    rng = np.random.default_rng(n)
    h, u = rng.random((n, n + 3)), rng.random((n, n + 3)) - 0.5
    u[rng.random(u.shape) < 0.2] = np.nan
    ran = None if n < 3 else 1
    same(upwind, h, u, h.copy(), native=ran)
    same(upwind, h, u, h)
    same(upwind, h.astype("float32"), u, h.copy(), native=ran)
    for x in (rng.random(n), rng.integers(0, 3, n), rng.integers(0, 3, n, "uint8")):
        same(peaks, x, np.zeros(n, bool), native=ran)
        same(at_ends, x, rng.random(n) - 0.2, np.zeros(n), native=1 if n else None)
        same(sides, x, rng.random(n), native=1 if n else None)
    x = np.where(rng.random(n) < 0.3, np.nan, rng.random(n))
    same(peaks, x, np.zeros(n, bool), native=ran)
    same(sides, x, rng.random(n))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 17, 64])
def test_what_is_not_there_or_not_known_yet(n: int, optimised: None) -> None:
    rng = np.random.default_rng(n)
    x, u = rng.random(n), rng.random(n)
    same(too_far, x, u, np.zeros(n))
    same(too_far, x, np.zeros(n), np.zeros(n))
    same(too_far, x, np.arange(n) / max(n - 1, 1), np.zeros(n))
    same(swept, x, u, native=None if n < 3 else 1)
    same(last_of, x, u, native=None if n < 2 else 1)


def test_the_text() -> None:
    a = np.ones((4, 5))
    upwind(a, a, a.copy())
    text = upwind.inspect_cython()
    assert "right = h_read if u[" in text and "h_read_2 = h[" in text
    peaks(np.ones(5), np.zeros(5, bool))
    assert "x_read" in peaks.inspect_cython()
    sides(np.ones(3), np.ones(3))
    assert "inside += (u > 0.25) & (v < 0.75)" in sides.inspect_cython()
    for kernel in (swept, last_of):
        kernel(np.ones(5), np.ones(5))
        assert "_read" not in kernel.inspect_cython()
