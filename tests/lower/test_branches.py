"""Branches that stay, and conditions without any, compute what Python does."""

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


@looptx.kernel
def runs(x: Any, level: float, least: int, out: Any) -> tuple[int, int]:
    """What counts on one way, and begins anew on the other."""
    found = above = 0
    for i in range(len(x)):
        if x[i] > level:
            above += 1
            if above == least:
                found += 1
        else:
            above = 0
            found -= 3
        out[i] = above * 4 + found
    return found, above


@looptx.kernel
def walked(x: Any, out: Any) -> int:
    """The same with numbers of NumPy, which wrap around, and a loop without a count."""
    k = np.int64(5)
    far = t = 0
    while t < len(x):
        if x[t] % 2 == 0:
            k = k * 1000003 + 1
            far = t
        else:
            k = k ^ 255
            far = far + 1 if k > 0 else far - 2
        out[t] = k
        t += 1
    return far


@looptx.kernel
def votes(x: Any, u: Any) -> tuple[int, int]:
    """Sums that both ways add to, of integers without signs, too."""
    k = m = 0
    for i in range(len(x)):
        step = u[i]
        if x[i] > 0.5:
            k += 3
            m += step
        else:
            k -= 1
            m -= step
    return k, m


@looptx.kernel
def folded(x: Any, u: Any, out: Any) -> None:
    """Choices between two that are computed, by signs and by what compares."""
    last = 0
    for i in range(len(x)):
        d = int(x[i]) - last
        out[i, 0] = 2 * d if d >= 0 else -2 * d - 1
        out[i, 1] = d + 1 if d < 0 else d * 3
        out[i, 2] = (i + d if u[i] < 0.5 else i - d) ^ (d >> 63) ^ (d >> 62)
        out[i, 3] = (d + 1 if u[i] else 2 - d) + ((x[i] >> 15) & 1)
        last = int(x[i])


@looptx.kernel
def shares(x: Any, y: Any, out: Any) -> tuple[float, Any]:
    """Floats, and elements, that count what holds."""
    some = 0.0
    both = np.float32(16777214.0)
    for i in range(len(x)):
        p, q = x[i] != 0, y[i] != 0
        some += p or q
        both += p and q
        out[i % 3] += p
    return some, both


@looptx.kernel
def scored(a: Any, b: Any, x: Any, out: Any) -> float:
    """Floats of which integers, or floats, choose one."""
    total = 0.0
    for i in range(len(a)):
        s = -0.0 if a[i] == b[i] else np.nan
        if a[i] > b[i] and a[i] != 2:  # noqa: SIM108
            t = np.inf
        else:
            t = -5e-324
        u = 0.1 if x[i] < a[i] else 1e300
        total = total * 0.5 + (1.0 if a[i] > 1 else -1.0)
        out[i, 0] = s
        out[i, 1] = t
        out[i, 2] = u
        out[i, 3] = max(total, t)
    return total


@pytest.mark.parametrize("n", [0, 1, 2, 7, 31, 101])
def test_floats_that_integers_choose(n: int, optimised: None) -> None:
    rng = np.random.default_rng(n)
    x = np.where(rng.random(n) < 0.2, np.nan, 4 * rng.random(n))
    for kind in ("int64", "int8", "uint8", "bool"):
        a, b = (rng.integers(0, 2 if kind == "bool" else 4, n) for _ in "ab")
        given = a.astype(kind), b.astype(kind), x, np.zeros((n, 4))
        same(scored, *given, native=1)
    same(scored, x, x[::-1].copy(), x, np.zeros((n, 4)))


def test_only_integers_choose_floats_by_their_bits() -> None:
    a = np.arange(5)
    scored(a, a, np.ones(5), np.zeros((5, 4)))
    text = scored.inspect_cython()
    assert "s = lx_picked_f64(" in text and "t = lx_picked_f64(" in text
    assert "u = 0.1 if " in text and "u = lx_picked_f64(" not in text


@pytest.mark.parametrize("n", [0, 1, 2, 7, 31, 101])
def test_floats_that_count(n: int, optimised: None) -> None:
    rng = np.random.default_rng(n)
    for x in (rng.integers(0, 2, n), rng.random(n) < 0.5, np.full(n, np.nan)):
        same(shares, x, rng.random(n) < 0.7, np.full(3, 0.5), native=1 if n else None)


def test_floats_that_count_have_no_branch() -> None:
    x = np.arange(5) % 2
    shares(x, x, np.zeros(3))
    text = shares.inspect_cython()
    assert "some += lx_bit(" in text and "both += lx_bit(" in text
    assert "] += lx_bit(" not in text


@pytest.mark.parametrize("n", [0, 1, 2, 7, 31, 101])
def test_choices_without_branches(n: int, optimised: None) -> None:
    rng = np.random.default_rng(n)
    for least in (0, 1, 2, -1):
        x = np.where(rng.random(n) < 0.1, np.nan, rng.random(n))
        same(runs, x, 0.4, least, np.zeros(n), native=1)
        same(folded, rng.integers(-99, 99, n, "int16"), x, np.zeros((n, 4), "int32"))
        same(votes, x, rng.integers(0, 2**32, n, "uint32"), native=1)
    same(walked, rng.integers(-9, 9, n), np.zeros(n, "int64"))


def test_branches_that_data_decide_are_choices() -> None:
    runs(np.arange(5.0), 2.0, 1, np.zeros(5))
    assert "chosen = " in runs.inspect_cython()
    x = np.arange(5, dtype="int16")
    folded(x, x, np.zeros((5, 4), "int32"))
    assert "& d >> 63" in folded.inspect_cython()
    assert "lx_py_rshift" not in folded.inspect_cython()


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
