"""Wavefronts of time tiles: large tiles are as quickly written as small ones."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest
from kit.carried import same

from looptx.cli.text import transform_text
from looptx.poly.budget import spent

JACOBI = """
def kernel(A, B, n: int, steps: int):
    # looptx: pad back.i 1 | pad back.j 1 | fuse there back as i j f | skew i t by 2
    # looptx: tile t={t} i={i} | reorder t i tt f ii j | skew t i | parallel i
    for t in range(steps):
        # looptx: nest there
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i - 1, j])
        # looptx: nest back
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i + 1, j] + B[i - 1, j])
"""

FDTD = """
def kernel(ex, ey, hz, fict, steps: int, nx: int, ny: int):
    # looptx: assume ny <= 100000 | split edge.j 100000 as eb j
    # looptx: pad hzn.i 1 | pad hzn.j 1 | fuse edge eyn exn hzn as i j2 f
    # looptx: skew i t by 2 | tile t={t} i={i} | reorder t i tt f ii j2
    # looptx: skew t i | parallel i
    for t in range(steps):
        # looptx: nest edge
        for j in range(ny):
            ey[0, j] = fict[t]
        # looptx: nest eyn
        for i in range(1, nx):
            for j in range(ny):
                ey[i, j] = ey[i, j] - 0.5 * (hz[i, j] - hz[i - 1, j])
        # looptx: nest exn
        for i in range(nx):
            for j in range(1, ny):
                ex[i, j] = ex[i, j] - 0.5 * (hz[i, j] - hz[i, j - 1])
        # looptx: nest hzn
        for i in range(nx - 1):
            for j in range(ny - 1):
                hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
"""


@pytest.mark.parametrize(("t", "i"), [(2, 4), (8, 16), (16, 64)])
def test_two_sweeps(t: int, i: int) -> None:
    rng = np.random.default_rng(3)
    calls = [
        [rng.standard_normal((n, n)), rng.standard_normal((n, n)), n, steps]
        for n, steps in ((0, 0), (1, 3), (3, 1), (5, 4), (70, 5), (13, 37))
    ]
    same(JACOBI.format(t=t, i=i), *calls, function="kernel")


@pytest.mark.parametrize(("t", "i"), [(2, 4), (16, 64)])
def test_four_sweeps(t: int, i: int) -> None:
    rng = np.random.default_rng(4)
    calls = [
        [*(rng.standard_normal((nx, ny)) for _ in range(3)), rng.random(steps), *sizes]
        for sizes in ((0, 0, 0), (3, 1, 1), (2, 3, 2), (5, 71, 3), (35, 7, 5))
        for steps, nx, ny in (sizes,)
    ]
    same(FDTD.format(t=t, i=i), *calls, function="kernel")


@pytest.mark.parametrize(("text", "most"), [(JACOBI, 2_000_000), (FDTD, 4_000_000)])
def test_large_tiles_take_few_operations(text: str, most: int) -> None:
    result = transform_text(textwrap.dedent(text).format(t=16, i=64), "f.py")
    assert not result.errors
    assert spent() < most
