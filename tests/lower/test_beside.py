"""Sums of several iterations side by side are those of Python, one after the other."""

from __future__ import annotations

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

SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 13)


@looptx.kernel
def energy(A: Any, p: Any, out: Any) -> tuple[float, float]:
    """A product whose cells sum up, and what the sums are for, in their order."""
    total = s = 0.0
    for i in range(len(p)):
        for j in range(len(p)):
            out[i] += A[i, j] * p[j]
        s = p[i] * out[i]
        total += s
    return total, s


@looptx.kernel
def solved(L: Any, b: Any, x: Any) -> None:
    """Rows of other lengths, each of which reads what those before have written."""
    for i in range(len(b)):
        s = b[i]
        for j in range(i):
            s -= L[i, j] * x[j]
        x[i] = s / L[i, i]


@looptx.kernel
def factored(A: Any) -> None:
    """The same in place: a row reads its own cell, too."""
    for i in range(A.shape[0]):
        for j in range(i + 1):
            s = A[i, j]
            for k in range(j):
                s -= A[i, k] * A[j, k]
            if i == j:
                A[i, j] = np.sqrt(s)
            else:
                A[i, j] = s / A[j, j]


@looptx.kernel
def swept(A: Any, b: Any, x: Any, new: Any) -> None:
    """Two loops for a sum, cut where one row differs from the others."""
    for i in range(len(b)):
        s = 0.0
        for j in range(len(b)):
            if j != i:
                s += A[i, j] * x[j]
        new[i] = (b[i] - s) / A[i, i]


@looptx.kernel
def banded(x: Any, y: Any, out: Any, width: int) -> float:
    """Rows that begin and end elsewhere, and a sum that is looked at behind all."""
    s = -1.0
    for i in range(len(out)):
        s = 0.0
        for j in range(max(i - width, 0), min(i + width, len(x))):
            d = x[j] - y[i]
            s += d * d
        out[i] = s
    return s


@looptx.kernel
def orthogonal(a: Any, Q: Any, v: Any) -> None:
    """A loop behind the sum, over what it is for."""
    for i in range(Q.shape[1]):
        dot = 0.0
        for k in range(Q.shape[0]):
            dot += Q[k, i] * a[k]
        for k in range(Q.shape[0]):
            v[k] -= dot * Q[k, i]


@looptx.kernel
def matched(signal: Any, code: Any, out: Any) -> None:
    for lag in range(len(out)):
        s = np.complex64(0)
        for k in range(len(code)):
            s += signal[lag + k] * code[k].conjugate()
        out[lag] = s.real * s.real + s.imag * s.imag


@looptx.kernel
def smoothed(A: Any, b: Any, x: Any) -> None:
    """Each row reads what the last ones have written."""
    for i in range(len(b)):
        s = 0.0
        for j in range(len(b)):
            s += A[i, j] * x[j]
        x[i] = b[i] - s / 8


@looptx.kernel
def through(L: Any, b: Any, x: Any) -> None:
    """The same of one cell: the last row's own."""
    for i in range(len(b) - 1):
        s = b[i]
        for j in range(i + 1):
            s -= L[i, j] * x[j]
        x[i] = s / 4


@looptx.kernel
def ahead(L: Any, x: Any) -> None:
    """The same of what a sum begins with."""
    for i in range(1, len(x)):
        s = x[i - 1]
        for j in range(i):
            s -= L[i, j] * 0.5
        x[i] = s / 4


@looptx.kernel
def scaled(A: Any, x: Any, f: Any) -> None:
    """The same of a number: a row changes the factor of the next one."""
    for i in range(len(x)):
        s = f[0]
        for j in range(len(x)):
            s += A[i, j] * f[0]
        x[i] = s
        f[0] = s / (1 + abs(s))


@looptx.kernel
def shifted(L: Any, x: Any) -> None:
    """The same by another name for a part of the array."""
    y = x[1:]
    for i in range(len(y)):
        s = 0.0
        for j in range(i):
            s += L[i, j] * y[j]
        x[i] += s


@looptx.kernel
def chosen(A: Any, m: Any, x: Any) -> None:
    """Rows of which the source leaves some out."""
    for i in range(len(x)):
        if m[i] > 0.5:
            s = x[i]
            for j in range(len(x)):
                s += A[i, j]
            x[i] = s


@looptx.kernel
def recounted(A: Any, out: Any) -> int:
    """Another loop counts with a name that a row has already."""
    k = -1
    for i in range(A.shape[0]):
        k = i
        s = 0.0
        for j in range(k):
            s += A[i, j]
        for k in range(2):
            out[i, k] = s + k
    return k


@looptx.kernel
def over(b: Any, out: Any) -> None:
    """Another loop counts with the name of the loop of the rows."""
    for i in range(len(b)):
        s = 0.0
        for j in range(len(b)):
            s += b[j] * 0.5
        for i in range(len(out)):
            out[i] += s + i


@looptx.kernel
def skipped(L: Any, b: Any, x: Any) -> None:
    """What a loop counts with gets another value in it."""
    for i in range(1, len(b)):
        s = b[i]
        for j in range(i):
            j = i - 1
            s -= L[i, j] * x[j]
        x[i] = s / 3


def numbers(rng: Any, special: list[float], *shape: int) -> Any:
    """Numbers, some of which are special."""
    found = rng.normal(size=shape)
    return np.where(rng.random(shape) < 0.05, rng.choice(special, shape), found)


BESIDE = energy, solved, factored, swept, banded, orthogonal, matched
APART = (
    *(smoothed, through, ahead, scaled, shifted),
    *(chosen, recounted, over, skipped),
)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("n", SIZES)
def test_sums_side_by_side(n: int, dtype: str, optimised: None) -> None:
    rng = np.random.default_rng(n)
    with np.errstate(all="ignore"):
        for special in ([1.0], [np.nan, -0.0, 0.0], [np.inf, -np.inf, -0.0, 3e38]):
            shapes = (n, n), (n,), (n,)
            A, b, x = (numbers(rng, special, *s).astype(dtype) for s in shapes)
            same(energy, A, b, x.copy())
            same(solved, A, b, x.copy())
            same(factored, A @ A.T + n * np.eye(n, dtype=dtype))
            same(swept, A, b, x, x.copy())
            for width in (0, 1, 3, n, -1):
                same(banded, b, x, np.zeros(n, dtype), width)
            same(orthogonal, b, A, x.copy())
            real, imag = (numbers(rng, special, 2 * n) for _ in range(2))
            signal = (real + 1j * imag).astype("complex64")
            out = np.zeros(n + 1 if n else 0, "float32")
            same(matched, signal, signal[::-1][:n].copy(), out)


@pytest.mark.parametrize("n", SIZES)
def test_rows_that_need_each_other_stay_in_order(n: int, optimised: None) -> None:
    rng = np.random.default_rng(n)
    A, b, x = rng.random((n, n)), rng.random(n), rng.random(n)
    same(smoothed, A, b, x.copy())
    same(through, A, b, x.copy())
    same(ahead, A, x.copy())
    same(scaled, A, x.copy(), np.ones(1))
    same(shifted, A, x.copy())
    same(chosen, A, b, x.copy())
    same(recounted, A, np.zeros((n, 2)))
    same(over, b, np.zeros(2))
    same(skipped, A, b, x.copy())


@pytest.mark.parametrize("n", SIZES)
def test_arrays_may_share_memory(n: int, optimised: None) -> None:
    rng = np.random.default_rng(n)
    A, b = rng.random((n, n)), rng.random(2 * n)
    for gap in (0, 1, n):
        same(swept, A, b[:n], b[:n], b[gap:][:n])
        same(solved, A, b[:n], b[gap:][:n])
    if n:
        same(energy, A, A[0], A[-1])


def test_which_sums_stand_side_by_side() -> None:
    x = np.arange(5.0)
    A = np.ones((5, 5))
    energy(A, x, x.copy())
    solved(A, x, x.copy())
    factored(A + 5 * np.eye(5))
    swept(A, x, x, x.copy())
    banded(x, x, x.copy(), 2)
    orthogonal(x, A, x.copy())
    matched(x.astype("c8"), x[:2].astype("c8"), np.zeros(3, "f4"))
    smoothed(A, x, x.copy())
    through(A, x, x.copy())
    ahead(A, x.copy())
    scaled(A, x.copy(), np.ones(1))
    shifted(A, x.copy())
    chosen(A, x, x.copy())
    recounted(A, np.zeros((5, 2)))
    over(x, np.zeros(2))
    skipped(A, x, x.copy())
    for kernel in BESIDE:
        assert re.search(r"\b\w+_begin\b", kernel.inspect_cython()), kernel
    for kernel in APART:
        assert not re.search(r"\b\w+_begin\b", kernel.inspect_cython()), kernel
