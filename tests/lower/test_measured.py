"""Small arrays that say where others are looked up are measured by the entry."""

from __future__ import annotations

import contextlib
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

DOWN = np.array([-1, -1, 0, 1, 1, 1, 0, -1])
RIGHT = np.array([0, 1, 1, 1, 0, -1, -1, -1])


@looptx.kernel
def steepest(a: Any, down: Any, right: Any, out: Any, edge: int) -> None:
    rows, cols = a.shape
    for i in range(edge, rows - edge):
        for j in range(edge, cols - edge):
            most = 0.0
            for k in range(len(down)):
                drop = a[i, j] - a[i + down[k], j + right[k]]
                if drop > most:
                    most = drop
                    out[i, j] = k


@looptx.kernel
def summed(a: Any, near: Any, out: Any) -> None:
    """Places in an array of two axes, and a result that is written before an error."""
    for i in range(1, a.shape[0] - 1):
        for k in range(near.shape[0]):
            out[i] += a[i + near[k, 0], 1 + near[k, 1]]


@looptx.kernel
def gathered(x: Any, at: Any, out: Any) -> None:
    """Each element is looked up once."""
    for k in range(len(at)):
        out[k] = x[at[k]]


@looptx.kernel
def blocks(x: Any, at: Any, out: Any) -> None:
    """The same, in two loops."""
    for b in range(len(out)):
        for k in range(b * 4, b * 4 + 4):
            out[b] += x[at[k]]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 17])
def test_measured(n: int, optimised: None) -> None:
    a = np.random.default_rng(n).standard_normal((n, n + 1))
    out = np.zeros((n, n + 1), "int64")
    for dtype in ("int64", "int8", "uint8", "uint64"):
        down, right = DOWN.astype(dtype), RIGHT.astype(dtype)
        for edge in (0, 1, 2):
            same(steepest, a, down, right, out, edge)
            same(steepest, a, down[::-1], right[::-1], out.astype("float64"), edge)
        near = np.stack((down, right), 1)
        same(summed, a, near, np.zeros(n))
        same(summed, a, np.asfortranarray(near), np.zeros(n))
        same(summed, a, near[:, ::-1], np.zeros(n))
    for far in (2, -2, -n, n, -n - 2, n + 2, 2**62, -(2**63), 2**63 - 1):
        down = DOWN.copy()
        down[5] = far
        same(steepest, a, down, RIGHT, out, 1)
        same(steepest, a, RIGHT, down, out, 1)
        same(summed, a, np.stack((down, RIGHT), 1), np.zeros(n))
    same(steepest, a, DOWN[:0], RIGHT, out, 1)
    same(steepest, a, DOWN, RIGHT[:5], out, 1)
    many = np.zeros(5000, "int64")
    same(steepest, a[:3, :3], many, many, out, 1)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 17])
def test_arrays_of_a_loop(n: int, optimised: None) -> None:
    """What changes as the loops run is not measured before."""
    a = np.random.default_rng(n).standard_normal((n, n))
    held = np.zeros((n + 9) * (n + 9), "int64")
    held[:8] = DOWN
    out = held[: n * n].reshape(n, n)

    @looptx.kernel
    def within(a: Any, held: Any, right: Any, out: Any) -> None:
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                for k in range(8):
                    if a[i, j] > a[i + held[k], j + right[k]]:
                        out[i, j] = k

    same(within, a, held, RIGHT, out)
    left = []
    for function in (within, within.py_func):
        mine = held.copy()
        with contextlib.suppress(IndexError):
            function(a, mine, RIGHT, mine[: n * n].reshape((n, n)))
        left.append(mine.tobytes())
    assert left[0] == left[1]


def test_what_is_measured() -> None:
    a, x, at = np.ones((5, 5)), np.arange(9.0), np.arange(8) % 3
    steepest(a, DOWN, RIGHT, np.zeros((5, 5)), 1)
    text = steepest.inspect_cython()
    assert "if down.shape[0] > 4096:" in text
    assert "- a[(i + down[k]) * a_0 + (j + right[k])]" in text
    summed(a, np.stack((DOWN, RIGHT), 1), np.zeros(5))
    assert "if near.shape[0] * near.shape[1] > 4096:" in summed.inspect_cython()
    gathered(x, at, np.zeros(8))
    blocks(x, at, np.zeros(2))
    for kernel in (gathered, blocks):
        assert "lx_reach " not in kernel.inspect_cython()
