"""Powers are what ``pow`` gives, where products of floats round elsewhere, too."""

from __future__ import annotations

import math
import shutil

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
def squares(x, y):
    for i in range(x.shape[0]):
        y[i] = x[i] ** 2


def near_halves(n: int) -> np.ndarray:
    """Numbers whose squares lie nearly in the middle between two floats."""
    rng = np.random.default_rng(n)
    x = 1 + rng.random(40 * n)
    scale = 2.0 ** np.floor(np.log2(x * x))
    exact = [int(math.ldexp(a, 52)) ** 2 for a in x]
    shift = [52 if s == 1 else 53 for s in scale]
    rest = [e % (1 << k) / (1 << k) for e, k in zip(exact, shift, strict=True)]
    return x[np.argsort(abs(np.array(rest) - 0.5))[:n]]


@pytest.mark.parametrize("n", [0, 1, 7, 10007])
def test_squares_are_those_of_pow(n: int, optimised: None) -> None:
    rng = np.random.default_rng(n)
    wild = rng.integers(0, 2**64, n, "u8").view("f8")
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -2.0, 5e-324, 1e308])
    with np.errstate(all="ignore"):
        for x in (wild, special, near_halves(n), rng.standard_normal(n)):
            same(squares, x, np.zeros(x.size), native=1)
            same(squares, x.astype("f4"), np.zeros(x.size), native=1)


@looptx.kernel
def powers(x, out):
    for i in range(x.shape[0]):
        out[0] += x[i] ** 2
        out[1] += x[i] ** 3
        out[2] += x[i] ** 4
        out[3] += x[i] ** 0.5
        out[4] += x[i] ** 2.5
        out[5] += x[i] ** -1.0


@pytest.mark.parametrize("n", [0, 1, 8, 15, 16, 17, 63, 64, 65, 128, 1009])
def test_powers_in_strips_are_those_of_pow(n: int, optimised: None) -> None:
    """Sums of them: one that is rounded elsewhere shows in some sum."""
    rng = np.random.default_rng(n)
    near = near_halves(n)
    roots = near_halves(n) ** 2
    zeros = np.where(rng.random(n) < 0.5, -0.0, rng.standard_normal(n))
    with np.errstate(all="ignore"):
        for x in (
            near,
            roots,
            zeros,
            abs(rng.standard_normal(n)) * 1e-30,
            zeros * 1e30,
        ):
            for start in range(0, n, 7):
                same(powers, x[start : start + 64], np.zeros(6), native=1)
            same(powers, x, np.zeros(6), native=1)


@looptx.kernel
def climbing(bases, e, n, out):
    """Powers of Python's floats and of NumPy's, whose exponents are iterations."""
    for k in range(len(bases)):
        b = float(bases[k])
        for t in range(n):
            out[0, t] = b ** (e + t)
            out[1, t] = bases[k] ** (n - t - e)
        for t in range(n):
            out[2, t] += (out[0, t] - 1.0 / b ** (t - e)) * k


def bases_of(n: int) -> np.ndarray:
    """Numbers of which many powers are near 1, and others."""
    rng = np.random.default_rng(n)
    some = np.exp(rng.standard_normal(12) * np.repeat([1e-4, 0.02, 0.5], 4))
    some *= np.where(rng.random(12) < 0.2, -1, 1)
    return np.array([*some, 1.0, -1.0, 2.0, 0.1, 1 + 2**-52, 1 - 2**-53])


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 127, 128, 129, 300])
def test_powers_of_one_number_are_those_of_pow(n: int, optimised: None) -> None:
    for e in (0, 1, -1, 17, -n // 2, -n, 1000, -(2**24) - 5, 2**25):
        with np.errstate(all="ignore"):
            for b in bases_of(n + e % 97):
                if abs(math.log2(abs(b)) * (abs(e) + n)) < 900:
                    same(climbing, np.full(2, b), e, n, np.zeros((3, n)), native=1)
    assert "lx_strip_climb_f64(" in climbing.inspect_cython()


@pytest.mark.parametrize("level", ["reassociate", "contract", "functions"])
def test_powers_with_fastmath_are_as_near(level: str, optimised: None) -> None:
    """What sums in another order lose is not what products are off by."""
    kernel = looptx.kernel(fastmath=level)(climbing.py_func)
    for b, e in ((1.05, 10), (-0.9951, 13_000), (1.0000123, 10**7)):
        ours, theirs = np.zeros((3, 200)), np.zeros((3, 200))
        kernel(np.full(2, b), e, 200, ours)
        climbing.py_func(np.full(2, b), e, 200, theirs)
        np.testing.assert_array_max_ulp(ours[:2], theirs[:2], 2)


@pytest.mark.parametrize("n", [9, 128, 300])
@pytest.mark.parametrize("base", [0.0, -0.0, np.inf, -np.inf, 1e300, 3.5, 5e-324])
def test_powers_of_one_number_that_are_none(
    n: int, base: float, optimised: None
) -> None:
    """Those that Python raises at keep what was written before them."""
    for e in (0, -5, 3, 600, -1200):
        with np.errstate(all="ignore"):
            same(climbing, np.array([1.5, base, 2.0]), e, n, np.zeros((3, n)))
            same(climbing, np.array([base]), e, n, np.zeros((3, n)))


@looptx.kernel
def lengths(x, y, out):
    for i in range(x.shape[0]):
        out[i] = math.hypot(x[i], y[i])


@pytest.mark.parametrize("n", [0, 1, 7, 20011])
def test_lengths_are_those_of_python(n: int, optimised: None) -> None:
    rng = np.random.default_rng(n)
    wild = rng.integers(0, 2**64, (2, n), "u8").view("f8")
    whole = rng.integers(-(2**26), 2**26, (2, n)).astype(float)
    far = rng.standard_normal((2, n)) * 2.0 ** rng.integers(-400, 400, (2, n))
    near = rng.standard_normal(n) * (1 + np.zeros((2, 1)))
    near[1] *= 1 + rng.integers(0, 9, n) * 2.0 ** -rng.integers(0, 52, n)
    zero = whole * rng.integers(0, 2, (2, n)) * -0.0
    with np.errstate(all="ignore"):
        for x, y in (wild, whole, far, near, zero, zero + near):
            same(lengths, x, y, np.zeros(n), native=1)
