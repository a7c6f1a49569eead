"""Cells that short loops store under conditions are stored once, behind them."""

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

DI = np.array([-1, -1, 0, 1, 1, 1, 0, -1])
DJ = np.array([0, 1, 1, 1, 0, -1, -1, -1])


@looptx.kernel
def steepest(z: Any, out: Any) -> None:
    for i in range(1, z.shape[0] - 1):
        for j in range(1, z.shape[1] - 1):
            most = 0.0
            for k in range(8):
                drop = z[i, j] - z[i + DI[k], j + DJ[k]]
                if drop > most:
                    most = drop
                    out[i, j] = k


@looptx.kernel
def around(z: Any, out: Any, low: Any) -> None:
    for i in range(1, z.shape[0] - 1):
        for j in range(1, z.shape[1] - 1):
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if z[i + di, j + dj] > z[i, j]:
                        out[i, j] = 3 * di + dj
                    elif z[i + di, j + dj] < z[i, j]:
                        low[i, j] = z[i + di, j + dj] * 0.5
                        out[i, j] = 100


@looptx.kernel
def marked(z: Any, more: Any, one: Any) -> None:
    for i in range(1, z.shape[0] - 1):
        for di in range(-1, 2):
            if z[i + di, 0] > z[i, 0]:
                more[i] = z[i + di, 1] > 0
                one[i] = 1
            elif z[i, 1] > 2:
                more[i] = True
                one[i] = 0


@looptx.kernel
def read_again(z: Any, out: Any) -> None:
    for i in range(z.shape[0]):
        for k in range(4):
            if z[i, k] > out[i]:
                out[i] = z[i, k]


@looptx.kernel
def counted(z: Any, out: Any) -> None:
    for i in range(z.shape[0]):
        for k in range(4):
            if z[i, k] > 0:
                out[i] += 1


@looptx.kernel
def elsewhere(z: Any, out: Any) -> None:
    for i in range(z.shape[0]):
        for k in range(4):
            if z[i, k] > 0:
                out[i] = k
            else:
                out[0] = -k


@looptx.kernel
def moved(z: Any, at: Any, out: Any) -> None:
    for i in range(z.shape[0]):
        for k in range(4):
            if z[i, k] > 0:
                out[at[0]] = z[i, k]
                at[0] = k


@looptx.kernel
def raised(z: Any, out: Any) -> None:
    for i in range(z.shape[0]):
        for k in range(4):
            if z[i, k] > 0:
                out[i] = k // int(z[i, k] - 3)


def drawn(n: int, m: int, dtype: str) -> Any:
    found = np.random.default_rng(n + m).integers(-4, 5, (n, m)).astype(dtype)
    if dtype.startswith("float") and n > 3:
        found[2, 2] = np.nan
    return found


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "uint8"])
@pytest.mark.parametrize("shape", [(0, 0), (1, 5), (3, 3), (7, 13), (19, 11)])
def test_the_last_round_counts(shape: tuple[int, int], dtype: str) -> None:
    z = drawn(*shape, dtype)
    for out in (np.full(shape, -9), np.full(shape, -9.5), np.full(shape, 7, "i4")):
        same(steepest, z, out)
        same(around, z, out, np.full(shape, 0.25, "f4"))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "uint16", "uint32", "u8"])
@pytest.mark.parametrize("n", [0, 3, 40])
def test_small_cells_are_kept_too(n: int, dtype: str) -> None:
    z, more = drawn(n, 4, "float64"), np.zeros(n, bool)
    more.view(np.uint8)[:] = np.arange(n) % 2
    same(marked, z, more, np.full(n, 1, dtype), native=1)
    assert "more_last" in marked.inspect_cython()


@looptx.kernel
def folded(x: Any, s: Any) -> float:
    t = 0.0
    for i in range(4):
        if x[i] > 0:
            s[0] = x[i]
        t = t * 0.5 + s.sum()
    for i in range(4):
        if x[i] < s.max():
            s[1] = x[i]
            x[i] = np.linalg.norm(s)
        t = t + x[i]
    return t


def test_what_calls_read_is_stored_at_once() -> None:
    x, s = np.array([1.0, 2.0, -1.0, 4.0]), np.array([-1.0, 1.0, 0.25])
    same(folded, x, s, native=2)
    assert "_last" not in folded.inspect_cython()


def test_it_is_kept_in_a_variable() -> None:
    steepest(np.ones((5, 5)), np.zeros((5, 5), int))
    around(np.ones((5, 5)), np.zeros((5, 5), int), np.ones((5, 5)))
    text = steepest.inspect_cython()
    assert "out_last = k" in text and "out[i * out_0 + j] = out_last" in text
    assert "low_last" in around.inspect_cython()


@pytest.mark.parametrize("n", [0, 1, 5, 17])
def test_what_is_read_or_moves_is_stored_at_once(n: int) -> None:
    z = drawn(n, 4, "float64")
    calls = (read_again, z, np.zeros(n)), (counted, z, np.zeros(n, int))
    others = (elsewhere, z, np.zeros(n)), (moved, z, np.zeros(1, int), np.zeros(4))
    for kernel, *given in (*calls, *others, (raised, z, np.zeros(n))):
        said = same(kernel, *given)
        assert kernel is not raised or n < 5 or "ZeroDivisionError" in said
        assert "_last" not in kernel.inspect_cython()


def test_cells_of_the_same_memory_are_stored_at_once() -> None:
    z = drawn(7, 9, "float64")
    for given in ((z, z), (z[1:], z[:-1]), (z.view(np.int64), z.view(np.int64))):
        both = z.copy(), z.copy()
        kernels = steepest, steepest.py_func
        for kernel, own in zip(kernels, both, strict=True):
            if given[0] is given[1]:
                kernel(own, own)
            else:
                kernel(own[1:], own[:-1])
        assert both[0].tobytes() == both[1].tobytes()
