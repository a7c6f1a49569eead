"""Searches keep the schedules around them where the entry bounds their subscripts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kit.calls import same

import looptx
from native.kernels_jumps import insertion_sort

pytestmark = pytest.mark.usefixtures("rehearsed")

AS_WRITTEN = "ran in the order as written"


def lower_bound(A, keys, out):
    for i in range(keys.shape[0]):
        lo = 0
        hi = A.shape[0]
        while lo < hi:
            mid = (lo + hi) // 2
            if A[mid] < keys[i]:
                lo = mid + 1
            else:
                hi = mid
        out[i] = lo


def binary_search(A, keys, out):
    n = len(A)
    for i in range(keys.shape[0]):
        lo, hi = 0, n - 1
        at = -1
        while lo <= hi:
            mid = lo + (hi - lo >> 1)
            if A[mid] == keys[i]:
                at = mid
                break
            if A[mid] < keys[i]:
                lo = mid + 1
            else:
                hi = mid - 1
        out[i] = at


def two_sum(A, goals, out):
    n = A.shape[0]
    for g in range(goals.shape[0]):
        i = 0
        j = n - 1
        found = 0
        while i < j:
            total = A[i] + A[j]
            if total == goals[g]:
                found += 1
                i += 1
            elif total < goals[g]:
                i += 1
            else:
                j -= 1
        out[g] = found


def chained(head, after, keys, out):
    """Lists in arrays: -1 ends them."""
    for i in range(head.shape[0]):
        p = head[i]
        s = 0
        while p >= 0 and s < 100:
            s += keys[p]
            p = after[p]
        out[i] = s


def scanned(A, out, n: int):
    """Where the first negative number is, from the front and from the back."""
    for i in range(A.shape[0]):
        j = 0
        while j < n and A[i, j] >= 0:
            j += 1
        k = n
        while k > 0 and not A[i, k - 1] < 0:
            k -= 1
        out[i] = 100 * j + k


def binned(at, counts):
    """A subscript that a test bounds, and not all that its array holds."""
    for i in range(at.shape[0]):
        for j in range(at.shape[1]):
            k = at[i, j]
            if k >= 0 and k < counts.shape[1]:
                counts[i, k] += 1


def probed(keys, table, out):
    m = table.shape[0]
    for i in range(keys.shape[0]):
        h = keys[i] % m
        tried = 0
        while tried < m and table[h] != keys[i]:
            h = (h + 1) % m
            tried += 1
        out[i] = h


def _sorted(n):
    return np.sort(np.random.default_rng(n).integers(0, 2 * n + 1, n))


CASES = {
    insertion_sort: (
        lambda n: (np.random.default_rng(n).random((n, n)),),
        ("parallel r", "split r 2"),
    ),
    lower_bound: (
        lambda n: (_sorted(n), np.arange(-1, n), np.zeros(n + 1, int)),
        ("parallel i", "split i 2"),
    ),
    binary_search: (
        lambda n: (_sorted(n), np.arange(-1, n), np.zeros(n + 1, int)),
        ("parallel i",),
    ),
    two_sum: (
        lambda n: (_sorted(n), np.arange(n), np.zeros(n, int)),
        ("parallel g", "split g 2"),
    ),
    chained: (
        lambda n: (
            np.arange(n) // 2 - 1,
            np.arange(n) - 1,
            np.arange(n) % 5,
            np.zeros(n, int),
        ),
        ("parallel i",),
    ),
    scanned: (
        lambda n: (
            np.random.default_rng(n).integers(-1, 9, (n, n)),
            np.zeros(n, int),
            n,
        ),
        ("parallel i", "split i 2"),
    ),
    binned: (
        lambda n: (np.arange(n * n).reshape(n, n) - 4, np.zeros((n, 8), int)),
        ("parallel i", "split i 2"),
    ),
    probed: (
        lambda n: (np.arange(n) * 3, np.arange(n), np.zeros(n, int)),
        ("parallel i",),
    ),
}


@pytest.mark.parametrize(
    ("function", "text"),
    [(function, text) for function, (_, texts) in CASES.items() for text in texts],
    ids=lambda x: getattr(x, "__name__", x),
)
def test_schedules_around_searches_are_carried_out(function: Any, text: str) -> None:
    kernel = looptx.kernel(text)(function)
    for n in (0, 1, 2, 7, 13):
        assert same(kernel, *CASES[function][0](n)) == "None"
    assert AS_WRITTEN not in str(kernel.report())
    assert sum(nest.calls for nest in kernel.report().nests)


@looptx.kernel("parallel i")
def moved(A, at, out):
    """Tests that say nothing any more of what is read."""
    for i in range(out.shape[0]):
        j = at[i]
        if j < 3:
            j += 2
            out[i] = A[j]
        else:
            out[i] = A[0]


@looptx.kernel("parallel i")
def behind(A, out):
    """The same subscript where a test holds, and where it does not."""
    n = A.shape[0]
    for i in range(out.shape[0]):
        j = i
        while j < n and A[j] > 0:
            j += 1
        else:
            out[i] = A[j]


@looptx.kernel("parallel i")
def small(A, at, out):
    """A sum of NumPy's small integers that wraps around."""
    for i in range(out.shape[0]):
        j = at[i]
        if j > 90:
            out[i] = A[j + at[0]]


@looptx.kernel("parallel i")
def longer(A, n: int, out):
    """A search that its array is too short for."""
    for i in range(out.shape[0]):
        j = 0
        while j < n and A[j] >= i:
            j += 1
        out[i] = j


@pytest.mark.parametrize("first", [0, 1, 2, -3, -9, 5])
def test_what_tests_do_not_bound_raises_as_in_python(first: int) -> None:
    at = np.array([1, first, 0])
    same(moved, np.arange(4.0), at, np.zeros(3))
    same(behind, np.array([1, 0, first, 2, 1]), np.zeros(3))
    for n in (0, 3, 4, 5):
        same(longer, np.array([3, first, 2, 1]), n, np.zeros(3))


@pytest.mark.parametrize("first", [0, 5, 28, 36, 37, 120])
def test_small_integers_wrap_around(first: int) -> None:
    at = np.array([first, 91, 100], np.int8)
    with np.errstate(over="ignore"):
        same(small, np.arange(130.0), at, np.zeros(3))
