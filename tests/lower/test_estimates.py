"""Sums of squares are made of powers only where a comparison with them may hold."""

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

SIZES = (0, 1, 2, 7, 8, 9, 31)


@looptx.kernel
def nearest(x, y, u, v, out):
    """Of so many as are worth it, and of fewer."""
    for i in range(len(u)):
        best = np.inf
        where = -1
        for j in range(len(x)):
            d = (x[j] - u[i]) ** 2 + (y[j] - v[i]) ** 2
            if d < best:
                best = d
                where = j
        out[i, 0] = best
        out[i, 1] = where


@looptx.kernel
def farthest(a, b, out):
    """The sum and its root are of a loop, and left on the way."""
    for i in range(a.shape[0]):
        most = -1.0
        least = np.inf
        for j in range(b.shape[0]):
            s = 0.0
            for k in range(a.shape[1]):
                s += (a[i, k] - b[j, k]) ** 2
            if most >= s:
                continue
            most = s
        for j in range(b.shape[0]):
            s = 0.25
            for k in range(a.shape[1]):
                s = s + (a[i, k] - b[j, k]) ** 2
            d = np.sqrt(s)
            if d <= least:
                out[i, 2] += 1.0
                least = d
        out[i, 0] = most
        out[i, 1] = least


@looptx.kernel
def within(x, y, limits, out):
    """Not all that a limit lets pass; the last two are used behind the branch."""
    total = 0.0
    for i in range(len(x)):
        for j in range(len(y)):
            d = (x[i] - y[j]) ** 2
            if i != j and limits[j] > d and d > 0.01:
                out[i] += d
            e = (x[i] - y[j]) ** 2 + limits[j] ** 2
            if not e < limits[j]:
                out[j % len(x)] -= e
            f = (x[i] + y[j]) ** 2
            if f < limits[j]:
                out[i] += f
            total += f
            g = (x[i] + y[j]) ** 2 - y[j]
            if g < limits[j]:
                out[i] += g
    return total


@looptx.kernel
def grown(x, limits, out):
    """What goes on with what was there."""
    d = 0.0
    for i in range(len(x)):
        d = x[i] ** 2
        if d < limits[i]:
            out[i] += d
        d = d + (x[i] - 1.0) ** 2
        if d < limits[i]:
            out[i] -= d
        s = x[i] ** 2 + (x[i] - 1.0) ** 2
        s = np.sqrt(s)
        if s < limits[i]:
            out[i] += s


def numbers(n: int, seed: int) -> list[np.ndarray]:
    """Some near each other, some alike, too large or too small, and none.

    Which of two NaNs is passed on C may choose, so no two that differ meet.
    """
    rng = np.random.default_rng([n, seed])
    wild = rng.integers(0, 2**64, n, "u8").view("f8")
    special = np.array(
        [0.0, -0.0, np.inf, 5e-324, 1e-160, 1e154, 1.3407807929942596e154]
    )
    near = 1 + rng.integers(-3, 4, n) * 2.0 ** -rng.integers(3, 52, n)
    return [
        rng.standard_normal(n),
        rng.integers(-2, 3, n).astype(float),
        near,
        near * 2.0**511,
        rng.standard_normal(n) * 1e-160,
        rng.choice(special, n),
        wild,
        np.full(n, np.nan),
    ]


@pytest.mark.parametrize("n", SIZES)
def test_nearest(n: int, optimised: None) -> None:
    with np.errstate(all="ignore"):
        for x, u in zip(numbers(n, 1), numbers(5, 2), strict=True):
            for shift in (0.0, 1.0):
                given = x, np.roll(x, 1), u, np.roll(u, 2) * shift
                same(nearest, *given, np.zeros((5, 2)), native=1)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("axes", [0, 1, 3, 17])
def test_farthest(n: int, axes: int, optimised: None) -> None:
    with np.errstate(all="ignore"):
        for one, two in zip(numbers(n * axes, 3), numbers(4 * axes, 4), strict=True):
            a, b = two.reshape(4, axes), one.reshape(n, axes)
            same(farthest, a, b, np.zeros((4, 3)), native=1)


@pytest.mark.parametrize("n", SIZES)
def test_limits(n: int, optimised: None) -> None:
    with np.errstate(all="ignore"):
        for x, y in zip(numbers(3, 5), numbers(n, 6), strict=True):
            for limits in (abs(y) ** 2, y, np.full(n, np.inf), np.zeros(n)):
                same(grown, y, limits, np.zeros(n), native=1)
                same(within, x, y, limits, np.zeros(3), native=1)


@pytest.mark.parametrize(
    ("kernel", "given", "found"),
    [
        (nearest, (np.ones(2),) * 4 + (np.zeros((2, 2)),), ["d_near"]),
        (farthest, (np.ones((2, 2)),) * 2 + (np.zeros((2, 3)),), ["d_near", "s_near"]),
        (within, (np.ones(2),) * 3 + (np.zeros(2),), ["d_near", "e_near"]),
        (grown, (np.ones(2),) * 2 + (np.zeros(2),), ["s_near"]),
    ],
)
def test_estimates(kernel: Any, given: tuple[Any, ...], found: list[str]) -> None:
    """What is used elsewhere, or may be negative, is computed."""
    kernel(*given)
    text = kernel.inspect_cython()
    assert [name for name in ("d_near", "e_near", "f_near", "g_near", "s_near")
            if f" {name} = " in text] == found  # fmt: skip
