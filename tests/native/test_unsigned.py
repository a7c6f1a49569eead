"""Ints of Python up to 2**64: which version takes them, and what is said of others."""

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

MASK = (1 << 64) - 1


def hashed(n, x, k):
    for i in range(n):
        x = ((x ^ i) * 0x9E3779B97F4A7C15 + (k >> 1)) & MASK
        x ^= x >> 7 if k > x else x >> 9
    return x


def listed(n, x):
    out = []
    for i in range(n):
        x = (x * 31 + i) & MASK
        out.append(x)
    return out


def small(n, x, out):
    for i in range(n):
        x = (x * 31 + i) & MASK
        out[i] = x
    return x


def unmasked(n, x):
    for i in range(n):
        x = (x * 31 + i) & MASK
        x *= 3
    return x


class Generator:
    """Has its state in an attribute."""

    def __init__(self, state: int) -> None:
        self.state = state

    @looptx.kernel
    def run(self, n):
        total = 0
        for _ in range(n):
            self.state = (self.state * 6364136223846793005 + 1) & MASK
            total += self.state >> 40
        return total


def test_each_call_finds_a_version_that_takes_it():
    """What is given decides which version is asked, whichever was made first."""
    kernel = looptx.kernel(hashed)
    for k in (2**63, 7, 2**64 - 1, 5, 2**63, -1, 2**62):
        for x in (1, 2**63 - 1, 2**63, 2**64 - 1):
            same(kernel, 5, x, k, native=1)
    assert not kernel.report().nests[0].fallbacks


@pytest.mark.parametrize("first", [2**63, -1])
def test_neither_version_is_the_last_for_good(first):
    kernel = looptx.kernel(hashed)
    for k in (first, -1, 2**63, -1, -5, 2**64 - 1, first):
        same(kernel, 5, 1, k, native=1)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_has_no_place_in_64_bits_is_pythons():
    kernel = looptx.kernel(hashed)
    for k, x in ((2**64, 1), (7, -1), (7, 2**64), (2**80, 2**80)):
        same(kernel, 5, x, k, native=0)
    same(kernel, 5, 7, 7, native=1)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["uint64", "float64", "int64", "uint8", "bool"])
def test_arrays_take_them_or_the_nest_is_pythons(dtype):
    fits = dtype in ("uint64", "float64")
    same(looptx.kernel(small), 3, 5, np.zeros(5, dtype), native=int(fits))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_state_of_a_generator_goes_on_from_call_to_call():
    ours, theirs = Generator(1), Generator(1)
    plain: Any = Generator.run.py_func
    for n in (0, 1, 13, 13):
        assert ours.run(n) == plain(theirs, n)
        assert ours.state == theirs.state
    assert ours.state > 2**62
    assert Generator.run.report().nests[0].calls == 4


@pytest.mark.parametrize(
    ("function", "said", "hint"),
    [
        (listed, "beyond 63 bits, stored in a list", "make it smaller before"),
        (unmasked, "`*` of an integer", "mask what sums and products give"),
    ],
)
def test_why_they_are_not_native_is_said_with_a_hint(function, said, hint):
    kernel = looptx.kernel(function)
    with pytest.warns(RuntimeWarning, match="beyond 63 bits") as told:
        assert kernel(3, 5) == function(3, 5)
    assert said in str(told[0].message)
    assert hint in str(told[0].message)
