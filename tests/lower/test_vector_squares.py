"""Squares in vectors: products, but for those of which C's library gives others."""

from __future__ import annotations

import shutil
import sys
from typing import Any

import numpy as np
import pytest
from kit.calls import same

import looptx

pytestmark = [
    pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc"),
    pytest.mark.filterwarnings("ignore:looptx"),
    pytest.mark.usefixtures("rehearsed"),
]

SIZES = (0, 1, 2, 3, 7, 8, 13, 31, 67)


@looptx.kernel("vectorize i")
def flat(x: Any, out: Any) -> None:
    for i in range(x.shape[0]):
        out[i] = x[i] ** 2


@looptx.kernel("vectorize i")
def some(x: Any, y: Any, out: Any) -> None:
    """Some lanes have none, and others are of something else."""
    for i in range(x.shape[0]):
        out[i] = (x[i] - y[i]) ** 2 + y[i] ** 3
        if x[i] > y[i]:
            out[i] = (x[i] * 3.0) ** 2 - out[i]


@looptx.kernel
def pairs(A: Any, B: Any, out: Any) -> None:
    for i in range(A.shape[0]):
        for j in range(B.shape[0]):
            d = 0.0
            for c in range(A.shape[1]):
                d += (A[i, c] - B[j, c]) ** 2
            out[i, j] = d


@pytest.mark.parametrize("n", SIZES)
def test_squares(n: int, optimised: None) -> None:
    x, y = np.random.default_rng(n).standard_normal((2, n))
    same(flat, x, np.zeros(n), native=1)
    same(some, x, y, np.zeros(n), native=1)
    for columns in (0, 1, 3, 11):
        A, B = np.random.default_rng(n).standard_normal((2, n, columns))
        same(pairs, A, B[: n // 2 + 1], np.zeros((n, n)), native=1)
    assert "lx_square_f64x" in flat.inspect_cython()
    assert "lx_square_f64x" in pairs.inspect_cython()
    assert "lx_pow_f64(y[" in some.inspect_cython()


@pytest.mark.parametrize("scale", [1.0, 1e-3, 2.0**31, 2.0**-32, 1e160, 1e-160])
def test_squares_that_are_hard_to_round(scale: float, optimised: None) -> None:
    """Two in a hundred are so near to the middle of two numbers."""
    x = scale * (1 + np.random.default_rng(5).random(20011))
    out = np.empty_like(x)
    flat(x, out)
    expected = np.array([one**2 if one < 1e154 else np.inf for one in x.tolist()])
    assert out.tobytes() == expected.tobytes()


def test_squares_of_special_numbers(optimised: None) -> None:
    one, least = 1.0, sys.float_info.min
    edges = [np.nextafter(2.0**k, way) for k in (-32, 0, 32, 5) for way in (0, np.inf)]
    x = np.array(
        [
            *(0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, least, one, -one),
            *(2.0**-32, 2.0**32, 2.0**-538, 1.7e308, 3.0, 2.0**0.5),
            *edges,
        ]
    )
    with np.errstate(all="ignore"):
        for at in range(len(x)):
            same(flat, np.roll(x, at), np.zeros(len(x)), native=1)
