"""Subscripts of what a ``while`` counts need no look until it is counted on."""

from __future__ import annotations

import shutil
from collections.abc import Callable
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
def inserted(a: Any) -> None:
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key


@looptx.kernel
def upwards(a: Any, out: Any) -> None:
    """The other way, and what tests it stands on the other side."""
    for i in range(len(a)):
        j = i
        while len(a) - 1 > j and a[j + 1] > a[j]:
            j += 1
        out[i] = a[j]


@looptx.kernel
def by_twos(a: Any, out: Any) -> None:
    """Beyond the end behind the loop, where a subscript goes around."""
    for i in range(len(a)):
        j = i
        while j > 0:
            out[i] += a[j] - a[j - 1]
            j -= 2
        out[i] += a[j]


@looptx.kernel
def counted_first(a: Any, out: Any) -> None:
    """What is read behind the count may be one before the first."""
    for i in range(len(a)):
        j = i
        while j >= 0:
            j -= 1
            out[i] += a[j]


@looptx.kernel
def counted_perhaps(a: Any, out: Any) -> None:
    """On one way, which ``continue`` goes around."""
    for i in range(len(a)):
        j, turns = i, 0
        while j >= 0 and turns < 9:
            turns += 1
            if a[j] < 0.3:
                continue
            if a[j] > 0.6:
                j -= 1
            out[i] += a[j - 1]
            if a[i] < a[j]:
                break
        out[i] += a[j]


@looptx.kernel
def kept(a: Any, out: Any) -> None:
    """What was made of a count stays where that goes on."""
    for i in range(len(a) - 1):
        j = i
        while j > 0:
            k = j + 1
            out[i] += a[k]
            j -= 1
            out[i] += a[k - j - 1] + a[k - 2]


@looptx.kernel
def never(a: Any, start: int, out: Any) -> None:
    """Where it begins beyond its end the loop does not run."""
    for i in range(len(a)):
        j = start - i
        while j >= 2:
            j -= 1
        out[i] = a[j]
        k = start + i
        while k < 2:
            k += 1
        out[i] += a[k - 2]


@looptx.kernel
def both_ways(a: Any, out: Any) -> None:
    """What is counted up and down is anywhere."""
    for i in range(len(a)):
        j, turns = i, 0
        while j >= 0 and turns < 7:
            out[i] += a[j]
            turns += 1
            if a[j] > 0.5:
                j += 1
            else:
                j -= 1
        else:
            j = -1
        out[i] += a[j]


@looptx.kernel
def nested(a: Any, out: Any) -> None:
    """One counts in the other, and what a loop goes to is counted in it."""
    for i in range(len(a)):
        j = i
        while j > 0:
            k = j
            while k > 0 and a[k - 1] < a[j]:
                out[k] += a[k] - a[k - 1]
                k -= 1
            out[i] += a[k]
            for t in range(j):
                out[t] += a[j - 1 - t]
                if a[t] > 2:
                    j -= 1
            j -= 1


@looptx.kernel
def often(a: Any, out: Any) -> None:
    """A round counts more than once."""
    for i in range(len(a)):
        j = k = i
        while j >= 0:
            if a[j] > 0.5:
                j -= 1
            j -= 1
        while k >= 0:
            for t in range(3):
                k -= t
            k -= 1
        out[i] += a[j + 1] + a[k + 1]


@looptx.kernel
def of_numpy(a: Any, out: Any) -> None:
    """Integers of NumPy, which might wrap around."""
    for i in range(len(a)):
        j = np.int64(i)
        while j >= 0 and a[j] < 0.9:
            out[i] += a[j]
            j -= 1


KERNELS = (
    *(inserted, upwards, by_twos, counted_first, counted_perhaps, kept),
    *(both_ways, nested, often, of_numpy),
)


@pytest.mark.parametrize("kernel", KERNELS)
def test_counts(kernel: Callable[..., Any], optimised: None) -> None:
    for n in (0, 1, 2, 3, 7, 23):
        rng = np.random.default_rng(n)
        for a in (rng.random(n), rng.random(2 * n)[::2], np.arange(n) / 8):
            out = () if kernel is inserted else (np.zeros(n),)
            same(kernel, a.copy(), *out)


@pytest.mark.parametrize("start", [-9, -1, 0, 1, 2, 3, 8, 50])
def test_where_it_does_not_run(start: int, optimised: None) -> None:
    for n in (0, 1, 2, 5, 11):
        same(never, np.arange(n) * 0.5, start, np.zeros(n))


def test_what_is_not_looked_at() -> None:
    a = np.arange(5.0)[::-1].copy()
    inserted(a)
    upwards(a, a.copy())
    for kernel in (inserted, upwards):
        assert "lx_at(" not in kernel.inspect_cython().partition("nest_run(")[2]
    counted_first(a, a.copy())
    assert "a[lx_at(j" in counted_first.inspect_cython()
