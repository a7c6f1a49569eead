"""Sums of powers: the floats that C's own powers add up to, hardly ever asked for."""

from __future__ import annotations

import math
import platform
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

SIZES = (0, 1, 2, 15, 16, 17, 127, 128, 129, 257, 1009)


@looptx.kernel
def norms(x: Any, y: Any, s: Any, t: Any) -> Any:
    """Sums of squares beside others, up and down."""
    dot, n = 0.0, 0
    for i in range(x.shape[0]):
        dot += x[i] * y[i]
        s += x[i] ** 2
        t = t - (x[i] - y[i]) ** 2
        n += i
    return dot, s, t, n


@looptx.kernel
def weighted(x: Any, w: Any, s: Any, t: Any) -> Any:
    """Powers times what is the same for both numbers, and over it."""
    u = 0.0
    for i in range(x.shape[0]):
        s += w[i] * x[i] ** 2
        t -= -(x[i] ** 2) / w[i] + 1.0
        u = (x[i] - w[i]) ** 2 * 0.5 + u
    return s, t, u


@looptx.kernel
def higher(x: Any, m: Any, s: Any, t: Any) -> Any:
    """Cubes, whose sums may come back to zero, and fourth powers."""
    u = 0.0
    for i in range(x.shape[0]):
        d = x[i] - m
        u += d**2
        s += d**3
        t += d**4
    return s, t, u, d if x.shape[0] else 0.0


@looptx.kernel
def entangled(x: Any, y: Any, s: Any) -> Any:
    """What may not be taken so: more depends on the powers, or on the order."""
    t = u = v = last = o = p = q = r = 0.0
    for i in range(x.shape[0]):
        s += x[i] ** 2 if x[i] > 0.5 else y[i] ** 2
    for i in range(x.shape[0]):
        u += (x[i] - last) ** 2
        last = y[i]
    for i in range(x.shape[0]):
        r += x[i] ** 2
        o += x[i] - last
        last = x[i]
    for i in range(x.shape[0]):
        p = x[i] ** 2
        t += p
    for i in range(x.shape[0]):
        v += x[i] ** 2
        v += y[i] ** 2
    for i in range(x.shape[0]):
        y[i] = v
        v += x[i] ** 2 * y[i] ** 2
    for i in range(x.shape[0]):
        q += 1.0 / x[i] ** 2
    return s, t, u, v, last, o, p, q, r


def halves(n: int, scale: float, low: int) -> np.ndarray:
    """Numbers whose squares lie nearly in the middle between two floats.

    Args:
        n: how many. scale: what they are times numbers from sqrt(2) to 2.
        low: how many bits of the squares of these times 2**52 are rounded away.
    """
    rng = np.random.default_rng(n)
    x = math.sqrt(2) + rng.random(60 * n) * (2 - math.sqrt(2))
    rest = [int(math.ldexp(a, 52)) ** 2 % (1 << low) / (1 << low) for a in x]
    return x[np.argsort(abs(np.array(rest) - 0.5))[:n]] * scale


def data(n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(n)
    usual = rng.standard_normal(n)
    rare = usual.copy()
    for at, value in enumerate((np.inf, -0.0, np.nan, 1e200, 5e-324)):
        rare[at * n // 7 : at * n // 7 + 1] = value
    wild = rng.integers(0, 2**64, n, "u8").view("f8")
    whole = np.round(usual * 9)
    return [usual, rare, wild, whole, np.zeros(n), -np.zeros(n), usual * 1e-160]


STARTS = (0.0, -0.0, 3.0, -3.0, 1e-300, -1e-300, np.inf, np.nan)


@pytest.mark.parametrize("n", SIZES)
def test_sums_of_powers_are_those_of_c(n: int) -> None:
    sets = data(n)
    with np.errstate(all="ignore"):
        for number, x in enumerate(sets):
            y = sets[number - 1]
            s, t = STARTS[number], STARTS[-number]
            same(norms, x, y, s, t)
            same(weighted, x, y, s, t)
            same(higher, x, 0.25, s, t)
            same(entangled, x, y.copy(), s)


@pytest.mark.parametrize("kernel", [norms, weighted, higher])
def test_they_are_taken_of_what_is_near(kernel: Any) -> None:
    x = np.ones(100)
    kernel(x, x if kernel is not higher else 0.25, 1.0, 1.0)
    assert "lx_pow_near" in kernel.inspect_cython()


def test_entangled_sums_are_taken_of_powers() -> None:
    x = np.ones(100)
    entangled(x, x.copy(), 1.0)
    assert "lx_pow_near" not in entangled.inspect_cython()


@looptx.kernel
def squares(x: Any, s: Any) -> Any:
    for i in range(x.shape[0]):
        s += x[i] ** 2
    return s


@looptx.kernel
def times(x: Any, w: Any, s: Any) -> Any:
    for i in range(x.shape[0]):
        s += w * x[i] ** 2
    return s


def test_squares_in_the_middle_are_asked_for(optimised: None) -> None:
    """Of such numbers C's square often is another one than the nearest."""
    x = halves(2000, 1.0, 53)
    products = sum(float(a * a != math.pow(a, 2)) for a in x)
    same(squares, x, 2.0, native=1)
    for k in range(0, x.size, 16):
        same(squares, x[k : k + 16], 2.0, native=1)
        same(times, x[k : k + 16], 3.0, 9.0, native=1)
    assert products or platform.libc_ver()[0] != "glibc"


def test_squares_that_are_no_normal_numbers_are_asked_for(optimised: None) -> None:
    """How far their products are off cannot be told."""
    x = halves(2000, 2.0**-512, 54)
    for k in range(0, x.size, 16):
        same(squares, x[k : k + 16], 2.0**-1021, native=1)
        same(times, x[k : k + 16], 2.0**1000, 2.0**-20, native=1)


@looptx.kernel
def rooted(x: Any, c: Any, s: Any) -> Any:
    t = 0.0
    for i in range(x.shape[0]):
        s += x[i] ** 2
        t += math.sqrt(s - c)
    return s, t


@looptx.kernel
def placed(x: Any, y: Any, s: Any) -> Any:
    t = 0.0
    for i in range(x.shape[0]):
        s += x[i] ** 2
        t += y[int(s)]
    return s, t


def test_what_is_not_looked_at_yet_is_read_by_nothing() -> None:
    """A sum that is a little less has no root, or is no place in an array."""
    values = np.random.default_rng(1).uniform(2.0, 2.23, 100_000).tolist()
    seen = 0
    for a in (a for a in values if math.pow(a, 2) > a * a):
        seen += 1
        s = 5.0 - a * a
        x = np.zeros(32)
        x[0] = a
        same(rooted, x, s + math.pow(a, 2), s, native=1)
        same(placed, x, np.arange(6.0), s, native=1)
    assert seen or platform.libc_ver()[0] != "glibc"
    for kernel in (rooted, placed):
        assert "lx_pow_near" not in kernel.inspect_cython()


def test_sums_that_are_looked_at_in_vain_are_looked_at_no_more() -> None:
    squares(np.ones(100), 1.0)
    assert "doubts" in squares.inspect_cython()
    x = np.tile(halves(500, 1.0, 53), 8)
    signs = np.where(np.arange(x.size) % 2, -1.0, 1.0)
    same(weighted, x, signs, 1.0, -1.0, native=1)
