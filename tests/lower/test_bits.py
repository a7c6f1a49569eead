"""Bit operations of Python ints that fit into 64 bits: their results do, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kit.calls import imported, same

pytestmark = pytest.mark.usefixtures("rehearsed")

MOST = 2**63 - 1
NUMBERS = (0, 1, -1, 5, -7, 2**40, -(2**62), 2**62 + 3, MOST, -MOST - 1)

TEXT = """
import looptx


@looptx.kernel
def f(a, b, n):
    k = {start}
    l = b
    for i in range(n, -n, -2):
        {line}
    return k, l
"""

FITTING = [
    "k ^= i",
    "k |= i",
    "k &= i",
    "k ^= b",
    "k = a & k",
    "k, l = l ^ i, k | b",
    "k = k ^ i if i > 2 else k & l",
    "k = ~(k ^ i)",
]


@pytest.mark.parametrize("start", ["0", "a"])
@pytest.mark.parametrize("line", FITTING)
def test_bits_of_what_fits(tmp_path: Path, start: str, line: str) -> None:
    kernel = imported(tmp_path / "bits.py", TEXT.format(start=start, line=line)).f
    for a in NUMBERS:
        for n in (0, 1, 5, 8):
            # What is inverted is tested to be less than half of what fits.
            native = None if "~" in line or a == -MOST - 1 else 1
            same(kernel, a, NUMBERS[n], n, native=native)


@pytest.mark.parametrize(
    "line",
    ["k = (k ^ i) + i", "k ^= i; k = k * 2", "k ^= i << k", "k = -(k & l); l = k ^ a"],
)
def test_bits_of_what_may_outgrow(tmp_path: Path, line: str) -> None:
    kernel: Any = imported(tmp_path / "bits.py", TEXT.format(start="a", line=line)).f
    for a in NUMBERS:
        for n in (1, 4):
            same(kernel, a, NUMBERS[n], n)


def test_a_sum_of_bits_has_a_bound(tmp_path: Path) -> None:
    text = TEXT.format(start="0", line="k ^= i; l = l + (k & 255)")
    kernel = imported(tmp_path / "bits.py", text).f
    same(kernel, 0, 3, 50, native=1)
    same(kernel, 0, MOST - 1, 50, native=0)


MOVED = """
import looptx


@looptx.kernel
def f(x, out):
    for i in range(x.shape[0]):
        bits = 0
        for b in range({bits}):
            bits ^= (x[i] >> b & 1) << (b & 15)
            bits ^= {mask} & x[i] >> b
        out[i] = bits ^ (x[i] >> 5 & 7) ^ (x[i] >> {last} & 7)
"""


@pytest.mark.parametrize("dtype", ["int64", "int32"])
def test_bits_that_are_moved_and_masked(tmp_path: Path, dtype: str) -> None:
    """Of the last of 64 bits the mask takes copies of the sign, too."""
    bits = np.dtype(dtype).itemsize * 8
    limits = np.iinfo(dtype)
    x = np.array([limits.min, limits.max, 0, 1, 77, limits.max // 3], dtype)
    x = np.concatenate([x, ~x])
    for mask in (1, 3, 6, -2):
        names = {"bits": bits, "mask": mask, "last": bits - 2}
        text = MOVED.format(**names)
        called = imported(tmp_path / f"{dtype}{mask + 9}.py", text).f
        found, expected = np.zeros(x.size, dtype), np.zeros(x.size, dtype)
        called(x, found)
        called.py_func(x, expected)
        assert found.tolist() == expected.tolist()
        assert not any(nest.fallbacks for nest in called.report().nests)
        if dtype == "int64":
            text = called.inspect_cython()
            assert text.count("<uint64_t>x[i] >> b") == (2 if mask == 1 else 1)
            assert text.count("<uint64_t><int64_t>x[i] >> 5") == 1
            assert "<int64_t>x[i] >> 62" in text
            assert "<uint64_t><int64_t>x[i] >> 62" not in text
