"""Cells that an iteration writes and the next one reads are kept in variables."""

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
def sorted_(a: Any) -> int:
    """Both cells are written, on one way of two."""
    turns = 0
    for i in range(len(a)):
        for j in range(len(a) - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                turns += 1
    return turns


@looptx.kernel
def common(x: Any, y: Any, table: Any) -> None:
    """One cell is written on both ways, and the other is read on one."""
    for i in range(1, table.shape[0]):
        for j in range(1, table.shape[1]):
            if x[i - 1] == y[j - 1]:
                table[i, j] = table[i - 1, j - 1] + 1
            else:
                table[i, j] = max(table[i, j - 1], table[i - 1, j])


@looptx.kernel
def swept(u: Any, rounds: int) -> None:
    """Along both axes, what is behind and what is ahead."""
    for _ in range(rounds):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] = (u[i, j - 1] + u[i, j + 1] + u[i - 1, j] + u[i + 1, j]) * 0.25
        for j in range(u.shape[1]):
            for i in range(1, u.shape[0]):
                u[i, j] += u[i - 1, j]


@looptx.kernel
def written_otherwise(a: Any, b: Any) -> None:
    """One cell by two names, a third one, and one that is read on a way only."""
    for j in range(1, len(a) - 2):
        k = j + 1
        a[j] = a[j - 1] * 2 - b[j]
        if b[j] > 0:
            a[k - 1] = b[j]
        if b[j] > 1:
            a[j + 2] = a[j - 1]
        b[j] = b[j - 1] + a[j] if a[j] > 3 else b[j]


@looptx.kernel
def guarded(a: Any, b: Any) -> None:
    """Cells that are not there in all iterations."""
    for j in range(len(b)):
        if j > 0:
            a[j] = a[j - 1] + b[j]
    for j in range(len(b)):
        b[j] = b[j - 1] + 1


@looptx.kernel
def turned(a: Any) -> None:
    """A cell that is read, and then written in any case."""
    for j in range(len(a) - 1):
        a[j], a[j + 1] = a[j + 1], a[j]


@looptx.kernel
def raising(a: Any, at: Any) -> None:
    """What is there because nothing was raised before."""
    for j in range(1, len(at)):
        a[at[j]] = a[j - 1] * 2
        a[j] = a[j - 1] + a[at[j]]


@looptx.kernel
def shared(a: Any, b: Any) -> None:
    for j in range(1, len(a)):
        a[j] = a[j - 1] + b[j]
        b[j] = a[j]


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "uint8"])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 17, 101])
def test_carried(n: int, dtype: str, optimised: None) -> None:
    rng = np.random.default_rng(n)
    a, b = (rng.integers(0, 9, n).astype(dtype) for _ in range(2))
    same(sorted_, a)
    same(sorted_, a[::-1])
    table = np.zeros((n + 1, n + 1), dtype)
    same(common, a, b, table)
    same(common, a, b, np.asfortranarray(table)[::-1])
    same(common, b[:1], b, table[:2])
    same(written_otherwise, a, b)
    same(guarded, a, b)
    same(guarded, a[:-1], b)
    same(shared, a, b)
    same(turned, a)
    at = rng.integers(-3, max(n, 1), n + 1)
    for more in (n - 1, n, n + 1):
        same(raising, a, at[: max(more, 0)])
        same(raising, a, np.arange(max(more, 0)))
    u = rng.standard_normal((n, n + 2)).astype("float32" if "3" in dtype else "float64")
    same(swept, u, 3)
    same(swept, u.T[::-1], 2)


def test_shared_memory(optimised: None) -> None:
    ours, theirs = np.arange(9.0), np.arange(9.0)
    shared(ours[:-1], ours[1:])
    shared.py_func(theirs[:-1], theirs[1:])
    assert ours.tobytes() == theirs.tobytes()


def test_what_is_carried() -> None:
    x = np.arange(5.0)
    given = {
        sorted_: (x.copy(),),
        common: (x, x, np.zeros((6, 6))),
        swept: (np.zeros((5, 5)), 2),
        shared: (x.copy(), x.copy()),
    }
    for kernel, arguments in given.items():
        kernel(*arguments)
        assert "_before = " in kernel.inspect_cython()
    written_otherwise(x.copy(), x.copy())
    assert "a_before = " not in written_otherwise.inspect_cython()
    raising(x.copy(), np.arange(5))
    assert "_before = " not in raising.inspect_cython()
