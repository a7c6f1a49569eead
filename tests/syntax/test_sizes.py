"""Sizes that are NumPy numbers: loop variables are Python integers all the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from kit.carried import rewritten, same

KINDS = (int, np.int64, np.uint64, np.int32, np.int8, np.uint8)
LINE = " = range({}).stop  # a Python int\n"

Arguments = Callable[[Callable[[int], Any], int], Sequence[Any]]


def calls(arguments: Arguments, *sizes: int) -> list[Sequence[Any]]:
    """Arguments for every size, as a number of every type."""
    return [arguments(kind, n) for kind in KINDS for n in sizes or (0, 1, 2, 5, 7, 25)]


def vector(kind: Callable[[int], Any], n: int) -> Sequence[Any]:
    """An array that is long enough, and a size."""
    return np.zeros(30), kind(n)


def test_a_value_that_stands_for_a_loop_variable() -> None:
    text = """
def f(A, n):
    c = 1
    # looptx: split i 2
    for i in range(n):
        c *= i + 2
    return c
"""
    assert "n" + LINE.format("n") in same(text, *calls(vector))


def test_quotient_and_remainder_of_a_collapsed_loop() -> None:
    text = """
def f(C, n, m):
    # looptx: collapse i j
    for i in range(n):
        for j in range(m):
            C[i, j] = i**30 % 1000003 + j
"""
    new = same(text, *calls(lambda kind, n: (np.zeros((25, 7)), kind(n), kind(7))))
    assert new.count(".stop") == 2


@pytest.mark.parametrize("directive", ["nest q", "reorder j i", "tile i=2 j=3"])
def test_restored_variables(directive: str) -> None:
    text = f"""
def f(A, n, m):
    i = j = -1
    # looptx: {directive}
    for i in range(n):
        for j in range(i, m):
            A[i] += j
    return i, j
"""
    same(text, *calls(lambda kind, n: (np.zeros(30), kind(n), kind(12))))


def test_bounds_of_partial_blocks_do_not_wrap() -> None:
    text = """
def f(A, n):
    # looptx: split i 32
    for i in range(n):
        A[i] += 1
"""
    assert "    n" + LINE.format("n") in same(text, *calls(vector))


def test_sizes_of_all_kinds() -> None:
    """Attributes, expressions, variables of other scopes, and such that are shown."""
    text = """
class C:
    pass


N = 3


def set_N(n):
    global N
    N = n


def f(A, n, m):
    self = C()
    self.k = n
    set_N(n)
    # looptx: split a 3 | unroll aa
    for a in range(self.k):
        A[a] += a**12
    # looptx: split b 3 | unroll bb
    for b in range(n // m):
        A[b] += b**12 + n
    # looptx: split c 2
    for c in range(N):
        A[c] += c**12

    def inner():
        # looptx: split d 2
        for d in range(n):
            A[d] += d**12

    inner()
    return a, b, self.k, n
"""
    arguments = calls(lambda kind, n: (np.zeros(30), kind(n), kind(2)), 2, 3, 7, 25)
    new = same(text, *arguments)
    for name, size in (("k", "self.k"), ("size", "n // m"), ("N", "N"), ("n", "n")):
        assert f"    {name}_int" + LINE.format(size) in new


@pytest.mark.parametrize(
    "shows",
    [
        "return n",
        "A[n - 1] += n",
        "A[int(str(n % 5))] += 1",
        "return [0 for _ in range(len(repr(n)))]",
        "return (lambda: n)()",
        "return locals()['n']",
    ],
)
def test_a_size_that_is_shown_keeps_its_type(shows: str) -> None:
    text = f"""
def f(A, n):
    # looptx: split i 2
    for i in range(n):
        A[i] += i**12
    {shows}
"""
    assert "n_int" + LINE.format("n") in same(text, *calls(vector, 1, 2, 7))


def test_a_size_that_is_not_shown_is_changed() -> None:
    text = """
import numpy as np


def f(A, n):
    T = np.zeros((n, 2))
    # looptx: split i 2
    for i in range(n):
        A[i] += i**12 + A[n - 1 - i] + T[i, 0]
    return A[: min(n, 5)]
"""
    assert "    n" + LINE.format("n") in same(text, *calls(vector, 1, 2, 7))


def test_a_size_changes_between_runs_of_a_nest() -> None:
    text = """
def f(A, n):
    s = 0
    while s < 3:
        # looptx: split i 2
        for i in range(n):
            A[i] += i**12
        s += 1
        if n > 2:
            n = n - 1
    return n
"""
    same(text, *calls(vector))


def test_several_nests_and_what_was_rewritten_before() -> None:
    text = """
def f(A, n):
    # looptx: split i 2
    for i in range(n):
        A[i] += i**12
    for i in range(n):
        A[i] += i**3
"""
    first = same(text, *calls(vector))
    loop = "    for i in range(n):\n"
    again = first.replace(loop, f"    # looptx: split i 3\n{loop}")
    second = same(again, *calls(vector))
    assert second.count(".stop") == 1


def test_sizes_of_buffers() -> None:
    text = """
import numpy as np


def f(A, n, m):
    T = np.zeros((n, 4 * m))
    # looptx: temp T
    for i in range(n):
        for j in range(3, m):
            T[i, j + m] = A[j] + i**2
        for j in range(3, m):
            A[j] += T[i, 2 * m - j + 2] * T[i, j + m]
"""
    arguments = calls(lambda kind, n: (np.ones(30), kind(n), kind(5)), 1, 2, 7)
    assert "np.zeros(max(range(m).stop - 3, 0))" in same(text, *arguments)


@pytest.mark.parametrize("size", [False, True, 0, 1, -1, 5, np.int8(5)])
@pytest.mark.parametrize(
    ("ranges", "directive", "shape"),
    [
        (("n", "3"), "cache_read A at i", "len(range(n))"),
        (("n", "m"), "cache_read A at i", "(len(range(m)), len(range(n)))"),
        (("min(n, m)", "3"), "cache_read A at i", "max(min(range(m).stop, range(n"),
    ],
)
def test_no_size_of_a_buffer_is_a_truth_value(
    ranges: Sequence[str], directive: str, shape: str, size: Any
) -> None:
    """NumPy makes no array of ``True`` elements."""
    text = f"""
def f(A, C, n, m):
    for i in range(9):
        # looptx: {directive}
        for j in range({ranges[0]}):
            for k in range({ranges[1]}):
                C[i] += A[k, j] * 0.5
"""
    new = same(text, *((np.ones((9, 9)), np.ones(9), n, 2) for n in (size, 3)))
    assert shape in new, new


def test_what_surely_is_a_python_integer_stays_as_it_is() -> None:
    text = """
N = 12


def f(A, n):
    n = int(n)
    k, m = A.shape
    h = len(A) // 2 + n
    # looptx: tile i=4 j=4
    for i in range(k):
        for j in range(m - 1):
            A[i, j] += i * 5 + j
    # looptx: split p 8
    for p in range(h):
        A[p % k, 0] += p
    # looptx: split q 8
    for q in range(N + m):
        A[0, q % m] += q
    return i, j, p, q
"""
    arguments = calls(lambda kind, n: (np.zeros((7, 6)), kind(n)), 3, 5)
    assert ".stop" not in same(text, *arguments)


@pytest.mark.parametrize(
    "change",
    [
        "N = 12\nN = f\n",
        "N = 12\nfrom os import *\n",
        "N = 12\n\n\ndef g():\n    global N\n    N = 3\n",
        "import N\n",
    ],
)
def test_a_constant_of_the_module_is_bound_once(change: str) -> None:
    text = """
def f(A):
    # looptx: split i 3
    for i in range(N):
        A[i] += i
"""
    once = same("N = 12\n\n\n" + text, [np.zeros(12)])
    assert ".stop" not in once
    assert ".stop" in rewritten(f"{change}\n\n{text}").text


def test_bounds_of_the_source_stay_its_own() -> None:
    text = """
def f(A, n, m):
    # looptx: reorder j i
    for i in range(1, n - 1):
        for j in range(m):
            if i < m - 2:
                A[i, n - 1 - i] += i - j
"""
    arguments = calls(lambda kind, n: (np.zeros((30, 30)), kind(n), kind(9)), 2, 3, 7)
    assert ".stop" not in same(text, *arguments)


@pytest.mark.parametrize("size", [2.5, "3", None, np.float64(3.0), (1,)])
def test_what_is_no_integer_raises_as_it_did(size: object) -> None:
    text = """
def f(A, n):
    A[0] += 1
    # looptx: split i 2
    for i in range(n):
        A[i] += i
    return n
"""
    same(text, (np.zeros(9), size))


def test_a_size_is_asked_for_where_the_source_asks() -> None:
    text = """
def f(A, n, m):
    for k in range(1):
        if n > 0:
            # looptx: split j 4
            for i in range(n):
                A[i] += 1
                for j in range(m):
                    A[i] += j**12
    return n, m
"""
    same(text, *calls(lambda kind, n: (np.zeros(30), kind(n), kind(5))))
    same(text, (np.zeros(30), 0, None), (np.zeros(30), -1, 2.5))


@pytest.mark.parametrize(
    "before",
    ["n = n - 1", "m = n\n    n = m - 1", "n -= 1", "n = n // 2", "n = len(A)"],
)
def test_sizes_that_are_made_of_what_was_given(before: str) -> None:
    text = f"""
def f(A, n):
    {before}
    c = 1
    # looptx: split i 2
    for i in range(n):
        c *= i + 2
        A[i] = i**3
    return c
"""
    new = same(text, *((np.zeros(60), np.int64(n)) for n in (0, 1, 2, 25, 40)))
    assert ("range(n).stop" in new) == (before != "n = len(A)")
