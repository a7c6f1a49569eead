"""Subscripts looked at once for a loop: the rounds in the middle, and all others."""

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

SIZES = (0, 1, 2, 3, 7, 16, 31)


@looptx.kernel
def ring(x: Any, out: Any, n: int) -> None:
    for i in range(n):
        out[i] = x[i - 1] * 4 + x[i] * 2 + x[(i + 1) % n]


@looptx.kernel
def torus(a: Any, out: Any) -> None:
    rows, cols = a.shape
    for i in range(rows):
        for j in range(cols):
            near = a[(i + 1) % rows, j] + a[i - 1, j] - a[i, (j + 1) % cols]
            out[i, j] = near * 3 - a[i, j - 1]
            a[i, j] += out[i, j]


@looptx.kernel
def halved(fine: Any, coarse: Any, n: int) -> None:
    """Names for what is a multiple of a loop's variable."""
    for i in range(1, n):
        for j in range(1, n):
            fi, fj = 2 * i, 2 * j
            coarse[i, j] = fine[fi - 1, fj] + fine[fi, fj + 1] * 3


@looptx.kernel
def lagged(x: Any, lags: Any, n: int, out: Any) -> None:
    """Where data say where a loop begins, or how far it looks."""
    for k in range(len(lags)):
        lag = lags[k]
        s = 0.0
        for t in range(lag, n):
            s += x[t] * x[t - lag]
        out[k] = s


@looptx.kernel
def backwards(x: Any, out: Any, by: int) -> None:
    for i in range(len(out)):
        k = by - 2 * i
        out[i] = x[k] + x[k + 1]


@looptx.kernel
def turned(x: Any, out: Any) -> None:
    """The variable of the loop is another one from some line on."""
    n = len(x)
    for i in range(n):
        out[i] = x[i - 1]
        i = (i * 7) % n
        out[i] += x[i - 1] + x[(i + 1) % n]


def distance(a: Any, b: Any) -> Any:
    s = 0.0
    for k in range(a.shape[0]):
        s += (a[k] - b[k]) * (a[k] - b[k])
    return s


@looptx.kernel
def pairs(x: Any, y: Any, out: Any) -> None:
    for i in range(len(x)):
        for j in range(len(y)):
            out[i, j] = distance(x[i], y[j])


@looptx.kernel
def guarded(x: Any, out: Any, k: int) -> None:
    """Subscripts that some rounds do not look up."""
    for i in range(len(out)):
        j = i + k
        if j >= 0 and j < len(x):
            out[i] = x[j]
        else:
            out[i] = x[(j * 2) % len(x)] if len(x) > 0 else -1.0


@looptx.kernel
def short(x: Any, out: Any, n: int) -> None:
    """Loops of a few rounds are parts of what is around them."""
    for i in range(1, n):
        for d in range(-1, 2):
            k = i + d
            out[i] += x[k] * (d + 3)


@looptx.kernel
def wrapped(p: Any, out: Any, current: int, n: int) -> int:
    """A place that is what it was in front of the loop, or one of the loop's."""
    count = 0
    while count < len(out):
        out[count] = current
        count += 1
        place = (current + 1) % n
        for i in range(n):
            if (p[place] - p[current]) * (p[i] + 1) < 0:
                place = i
        current = place
    return current


@looptx.kernel
def selected(x: Any, n: int, by: int) -> int:
    """One that each round begins anew, of two loops; what is there may not be."""
    total = 0
    for i in range(n):
        best = i
        for j in range(i + 1, n):
            if x[j] < x[best]:
                best = j
        for j in range(i, n, by):
            if x[j] > x[best]:
                best = j - i
        total += best
        x[best], x[i] = x[i], x[best]
    return total


@looptx.kernel
def held(x: Any, out: Any, best: int, n: int) -> int:
    """One that is looked at around another axis in each round, and one that jumps."""
    jump = best
    for i in range(n):
        if x[best] > x[i]:
            best = i
        out[i] = x[best % (i + 1)] + x[best - 1]
        if out[i] > 3:
            jump = jump * 2
        else:
            out[i] -= 1
            jump = i + 1
        out[i] += x[jump - 1]
    return best


@looptx.kernel
def found(x: Any, keys: Any, out: Any) -> None:
    """One without a value until there is one."""
    for k in range(len(keys)):
        for i in range(len(x)):
            if x[i] == keys[k]:
                at = i
        out[k] = at
        while at > 0 and x[at] > 1:
            at = at - 1
        out[k] += x[at]


@pytest.mark.parametrize("n", SIZES)
def test_around_an_axis(n: int, optimised: None) -> None:
    rng = np.random.default_rng(n)
    x = rng.integers(-9, 9, n)
    same(ring, x, np.zeros(n), n, native=1)
    for less in (1, 2):
        same(ring, x, np.zeros(n), n - less)
        same(ring, x[less:], np.zeros(n), n)
    for rows in SIZES[:5]:
        a = rng.standard_normal((rows, n))
        same(torus, a, np.zeros((rows, n)))
    same(turned, x, np.zeros(n))


@pytest.mark.parametrize("n", SIZES)
def test_multiples(n: int, optimised: None) -> None:
    rng = np.random.default_rng(n)
    for size in (2 * n - 1, 2 * n, 2 * n + 1):
        fine = rng.standard_normal((max(size, 0), max(2 * n, 0)))
        same(halved, fine, np.zeros((n, n)), n)
    x = rng.standard_normal(n)
    for by in (-3, 0, n - 2, n, 2 * n, 2**62, -(2**62), 2**63 - 1):
        same(backwards, x, np.zeros((n + 1) // 2), by)
        same(guarded, x, np.zeros(n), by)


@pytest.mark.parametrize("n", SIZES)
def test_starts_that_data_choose(n: int, optimised: None) -> None:
    x = np.random.default_rng(n).standard_normal(n)
    far = (2**63 - 1, -(2**63), 2**62)
    for lags in (
        [0, 1, 2, n],
        [-1, -2],
        [-n, n + 1],
        [-n - 1],
        *([one] for one in far),
    ):
        for end in (n - 1, n):
            if min(lags) > -(2**20):
                given = np.array(lags, "int64"), end, np.zeros(len(lags))
                same(lagged, x, *given)


@pytest.mark.parametrize("n", SIZES)
def test_rows_of_other_lengths(n: int, optimised: None) -> None:
    rng = np.random.default_rng(n)
    for m in (0, 1, n, n + 1):
        x, y = rng.standard_normal((3, n)), rng.standard_normal((2, m))
        same(pairs, x, y, np.zeros((3, 2)))
    x = rng.standard_normal(n)
    for end in (n - 1, n, n + 1):
        same(short, x, np.zeros(n), end)


def test_rounds_in_the_middle_are_without_tests() -> None:
    x = np.arange(9)
    given = {
        ring: (x, np.zeros(9), 9),
        torus: (np.ones((3, 4)), np.zeros((3, 4))),
        halved: (np.ones((20, 20)), np.zeros((9, 9)), 9),
        pairs: (np.ones((3, 2)), np.ones((4, 2)), np.zeros((3, 4))),
        short: (x, np.zeros(9), 8),
    }
    for kernel, arguments in given.items():
        kernel(*arguments)
        text = kernel.inspect_cython()
        assert any(
            line.strip().startswith(("out[", "coarse[", "near", "s_of"))
            and "lx_at" not in line
            and "lx_wrap" not in line
            and "lx_np_mod" not in line
            for line in text.splitlines()
        )


@pytest.mark.parametrize("n", SIZES)
def test_places_that_were_seen(n: int, optimised: None) -> None:
    rng = np.random.default_rng(n)
    x = rng.standard_normal(n)
    out = np.zeros(5, np.int64)
    for current in (0, n - 1, -1, -n, n, -n - 1, 2**62):
        for end in (n, n - 1, n + 1):
            same(wrapped, x, out, current, end)
            same(held, x, np.zeros(n), current, end)
    for by in (1, 2, -1):
        for end in (n, n - 1, n + 1):
            same(selected, x, end, by)
    small = rng.integers(0, 4, n)
    for keys in (small[:3], np.arange(5), np.arange(-1, 3), small[:0]):
        same(found, small, keys, np.zeros(len(keys), np.int64))


def test_places_that_were_seen_are_not_looked_at() -> None:
    x = np.arange(5.0)
    wrapped(x, np.zeros(3, np.int64), 0, 5)
    text = wrapped.inspect_cython()
    assert "(p[place] - p[current]) * (p[i] + 1.0) < 0.0" in text
    assert "p_shape_0 - n >= 0" in text and "p_shape_0 - place - 1 >= 0" in text
