"""Loops that compute slow functions ahead, in strips: the bits of one at a time."""

from __future__ import annotations

import math
import re
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

SIZES = (0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 67, 1009)


@looptx.kernel
def sums(x: Any, y: Any, out: Any) -> None:
    for i in range(x.shape[0]):
        d = x[i] - y[i]
        e = np.exp(-(d**2))
        out[0] += e
        out[1] += np.log(1.0 + e) * i
        out[2] += d**3 + d**4
        out[3] += abs(d) ** 0.5


@looptx.kernel
def carried(x: Any, out: Any) -> None:
    """What is computed from what the loop changes has to wait for its turn."""
    s = 0.0
    for i in range(x.shape[0]):
        s = np.sin(s + x[i]) + np.cos(x[i])
        out[i] = s
        x[i] = np.exp(out[i])
    for i in range(1, x.shape[0]):
        out[i] = np.tanh(out[i - 1]) + np.tanh(x[i])


@looptx.kernel
def branches(x: Any, out: Any) -> None:
    """What a condition hides is not computed, and what it changes is not known."""
    t = 1.0
    for i in range(x.shape[0]):
        u = x[i]
        if u > 0.5:
            u = 2.0 * u + t
        v = np.exp(u) if x[i] < 0.25 else x[i]
        t = np.sqrt(v) + np.log1p(x[i])
        out[i] = t + np.exp(u) + u**2


@looptx.kernel
def narrow(x: Any, k: Any, out: Any) -> None:
    """Conversions on the way: of float32, and of integers."""
    for i in range(x.shape[0]):
        j = k[i]
        h = i // 2
        out[i] = np.exp(x[i]) + np.log(j + 1.5) + np.cos(x[h]) + x[i] ** 2


@looptx.kernel
def rows(a: Any, out: Any) -> float:
    """Short loops in others, of which the outer changes what the inner reads."""
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[i, j] = np.exp(a[i, j])
            total += out[i, j] + np.log(a[i, 0] + 2.0)
        for j in range(a.shape[1]):
            a[i, j] = (out[i, j] / total) ** 2
    return total


@looptx.kernel
def around(x: Any, w: Any, out: Any) -> float:
    """Loops with others inside: what these change is not known in front of them."""
    total = 0.0
    for i in range(x.shape[0]):
        u = x[i]
        s = 0.0
        for k in range(w.shape[0]):
            s += w[k] * u
            u = u / 2
        total += s + x[i] ** 2 + np.exp(x[i]) + u**2
        out[i] = s**2
    for i in range(x.shape[0]):
        k = -1
        for k in range(w.shape[0]):
            w[k] += x[i]
        total += x[k] ** 2 + w[0] ** 2 + x[i] ** 3
    return total


@looptx.kernel
def once(x: Any, p: Any, out: Any) -> None:
    """What the inner loop does not change is called where it runs, and only there."""
    for i in range(x.shape[0]):
        for j in range(i):
            out[j] += x[i] ** 0.3 + np.log(p[0]) * np.arctan2(x[i], p[0])
            if out[j] > 9.0:
                break
            out[j] += np.exp(out[0]) + x[i] ** 0.3
        for j in range(i):
            if x[j] > 0.5:
                out[j] += np.exp(p[1])


@pytest.mark.parametrize("n", [0, 1, 2, 7, 31])
def test_calls_in_front_of_loops(n: int, optimised: None) -> None:
    x = np.random.default_rng(n).random(n)
    for cells in (0, 1, 2):
        p = np.array([0.7, 0.2])[:cells]
        same(once, x, p, np.zeros(n), native=1 if cells == 2 else None)


def test_calls_in_front_of_loops_are_single() -> None:
    once(np.arange(4.0), np.ones(2), np.zeros(4))
    assert "pow_once = lx_pow_f64(x[i], 0.3)" in once.inspect_cython()
    assert "exp_once" not in once.inspect_cython()


@pytest.mark.parametrize("n", SIZES)
def test_strips(n: int, optimised: None) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.standard_normal(n), rng.standard_normal(n)
    # Of several NaNs C may choose one to pass on, so none meets another here.
    special = np.array([0.0, -0.0, np.inf, 5e-324, 1e308, -1e-200])
    with np.errstate(all="ignore"):
        same(sums, x, y, np.zeros(4), native=1)
        same(carried, x.copy(), np.zeros(n), native=2)
        same(branches, abs(x), np.zeros(n), native=1)
        for kind in ("f4", "f8"):
            k = rng.integers(0, 99, n)
            same(narrow, x.astype(kind), k, np.zeros(n, kind), native=1)
        wild = np.resize(special, n)
        same(sums, wild, np.zeros(n), np.zeros(4), native=1)
        same(branches, wild, np.zeros(n), native=1)
        same(narrow, wild, np.arange(n), np.zeros(n), native=1)


@pytest.mark.parametrize("shape", [(0, 3), (3, 1), (5, 4), (3, 16), (2, 35)])
def test_strips_of_rows(shape: tuple[int, int], optimised: None) -> None:
    a = np.random.default_rng(math.prod(shape)).random(shape)
    with np.errstate(all="ignore"):
        same(rows, a, np.zeros(shape), native=1)


@pytest.mark.parametrize("n", SIZES)
def test_strips_of_loops_around_others(n: int, optimised: None) -> None:
    x = np.random.default_rng(n).standard_normal(n)
    for cells in (0, 1, 2, 5):
        w = np.arange(cells) / 3
        same(around, x, w, np.zeros(n), native=2 if n > cells > 0 else None)
    kernel = looptx.kernel(around.py_func)
    kernel(np.ones(9), np.ones(2), np.zeros(9))
    runs = re.findall(r" lx_strip_(\w+)_f64\(.*end", kernel.inspect_cython())
    assert runs == ["pow", "exp", "pow"]


def test_overlaps(optimised: None) -> None:
    """What is written may lie in what is read: then nothing is computed ahead."""
    x = np.random.default_rng(0).random(100)
    with np.errstate(all="ignore"):
        same(narrow, x[:-1], np.arange(99), x[1:], native=None)


@pytest.mark.parametrize("word", ["sums", "branches", "narrow", "rows"])
def test_calls_take_several_numbers(word: str) -> None:
    """The kernels above show something only where functions take many numbers."""
    x = np.random.default_rng(1).random(40)
    kernel = globals()[word]
    arguments = {
        "sums": (x, x, np.zeros(4)),
        "branches": (x, np.zeros(40)),
        "narrow": (x, np.arange(40), np.zeros(40)),
        "rows": (x.reshape(5, 8), np.zeros((5, 8))),
    }
    with np.errstate(all="ignore"):
        kernel(*arguments[word])
    found = {"sums": "exp log pow", "branches": "log1p", "narrow": "exp log pow"}
    for function in found.get(word, "exp").split():
        assert f"lx_strip_{function}_f64(" in kernel.inspect_cython()
    assert "lx_strip_exp" not in kernel.inspect_cython() or word != "branches"
