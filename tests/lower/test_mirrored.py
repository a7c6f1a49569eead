"""Loops that move bits from one integer into another come to one operation."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import looptx

pytestmark = [
    pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc"),
    pytest.mark.usefixtures("rehearsed"),
]


def words(x, out):
    for i in range(len(x)):
        v = int(x[i])
        turned = 0
        for _ in range(32):
            turned = (turned << 1) | (v & 1)
            v >>= 1
        out[i] = turned


def behind(x, out):
    """What was there before, what is left, and what counts the rounds."""
    for i in range(len(x)):
        v = int(x[i])
        turned = i & 7
        for k in range(2, 15):
            turned = (1 & v) | (turned << 1)
            v = v >> 1
        out[i] = 5 * turned + 7 * v + k


def pair(x, out):
    for i in range(len(x)):
        v = int(x[i])
        turned = 3
        for _ in range(2):
            turned = turned << 1 | v & 1
            v >>= 1
        out[i] = turned - v


def double(x, out):
    for i in range(len(x)):
        v = int(x[i])
        turned = 0
        for _ in range(61):
            turned = (turned << 1) | (v & 1)
            v >>= 1
        out[i] = turned ^ v


def between(x, out):
    """The bits are shifted before they are taken."""
    for i in range(len(x)):
        v = int(x[i])
        turned = 0
        for _ in range(32):
            v >>= 1
            turned = (turned << 1) | (v & 1)
        out[i] = turned


def itself(x, out):
    for i in range(len(x)):
        v = int(x[i]) & 63
        for _ in range(16):
            v = (v << 1) | (v & 1)
            v >>= 1
        out[i] = v


def given(x: np.ndarray, n: int) -> list[Any]:
    """Numbers of a type, its ends among them."""
    ends = np.iinfo(x.dtype)
    some = np.random.default_rng(n).integers(ends.min, ends.max, n, x.dtype, True)
    some[:2] = np.array([ends.min, ends.max], x.dtype)[: len(some)]
    return [some, np.zeros(n, np.int64)]


@pytest.mark.parametrize("function", [words, behind, pair, double])
def test_all_rounds_at_once(function: Callable[..., None]) -> None:
    kernel = looptx.kernel(function)
    for dtype in ("uint32", "int64", "uint8", "int16"):
        for n in (0, 1, 2, 13, 67):
            x, out = given(np.empty(0, dtype), n)
            expected = out.copy()
            kernel(x, out)
            function(x, expected)
            assert out.tobytes() == expected.tobytes(), (dtype, n)
        assert "lx_mirrored(" in kernel.inspect_cython()
    assert not any(nest.fallbacks for nest in kernel.report().nests)


@pytest.mark.parametrize("function", [between, itself])
def test_others_are_as_written(function: Callable[..., None]) -> None:
    kernel = looptx.kernel(function)
    x, out = given(np.empty(0, "uint32"), 31)
    expected = out.copy()
    kernel(x, out)
    function(x, expected)
    assert out.tobytes() == expected.tobytes()
    assert "lx_mirrored(" not in kernel.inspect_cython()
