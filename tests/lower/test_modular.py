"""Python's integers modulo 2**64, and what only looks like them."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from kit.calls import imported, outcome, same
from kit.together import together

import looptx
from looptx.lower.values.expressions import Expressions

LOOP = """
def f(X, Y, n):
    for i in range(n):
        Y[i] = {}
"""


def _mixed(deep: int, leaf: str) -> str:
    for _ in range(deep):
        leaf = f"((({leaf}) >> 1) * 33 & 0xFFFFFFFFFF)"
    return leaf


@pytest.mark.parametrize("leaf", ["X[i]", "int(X[i])"])
def test_nothing_is_lowered_twice_at_each_depth(tmp_path: Path, leaf: str) -> None:
    """What masks numbers of NumPy was lowered as one and as the other, all the way."""
    steps = []
    for deep in (5, 15):
        text = LOOP.format(_mixed(deep, leaf))
        kernel = looptx.kernel(imported(tmp_path / f"mixed{deep}.py", text).f)
        lower = mock.patch.object(
            Expressions, "_value", autospec=True, side_effect=Expressions._value
        )
        given = np.arange(5) * 7, np.zeros(5, int), 5
        with lower as counted, together():
            outcome(kernel, *given)
        steps.append(counted.call_count)
    assert steps[0] > 0
    assert steps[1] < 10 * steps[0]


def test_both_are_what_python_computes(tmp_path: Path) -> None:
    large = np.array([0, 1, -1, 2**62, -(2**63), 2**63 - 1, 12345678901234567])
    for leaf in ("X[i]", "int(X[i])"):
        text = LOOP.format(_mixed(6, f"{leaf} ^ ~i"))
        path = tmp_path / f"values{len(leaf)}.py"
        kernel = looptx.kernel(imported(path, text).f)
        for n in (0, 1, 7):
            same(kernel, large, np.zeros(7, int), n, native=1)


@pytest.mark.parametrize(
    "low", ["& 15", "& (16 - 1)", "& ((1 << 32) - 1)", "% 2**4", "% (1 << 4)"]
)
def test_masks_that_are_computed_have_bounds(tmp_path: Path, low: str) -> None:
    """Of ``16 - 1`` nothing but -1 and 16 was known: no such loop was native."""
    text = LOOP.format(f"(int(X[i]) * 7 - 3) {low}")
    kernel = looptx.kernel(imported(tmp_path / "computed.py", text).f)
    for first in (0, 2**62, -(2**63)):
        same(kernel, np.arange(7) + first, np.zeros(7, int), 7, native=1)
