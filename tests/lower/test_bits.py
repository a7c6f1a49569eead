"""Bit operations of Python ints that fit into 64 bits: their results do, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
