"""Functions of constants: compilers round some of them otherwise than the C library."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from kit.calls import imported, same

import looptx

pytestmark = pytest.mark.usefixtures("rehearsed")

_ONE = (
    *("cosh", "sinh", "tanh", "asinh", "atan", "sin", "cos", "tan", "sqrt", "cbrt"),
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p"),
    *("erf", "erfc", "gamma", "lgamma"),
)
_TWO = ("math.atan2({}, {})", "math.hypot({}, {})", "abs(complex({}, {}))", "{} ** {}")
_CALLS = (*(f"math.{name}({{}})" for name in _ONE), *_TWO)
_EACH = 8
"""Constants per function: of those that differ, about one in ten does."""


def _program(first: int) -> tuple[int, str]:
    """How many numbers a function computes of literals, and its module."""
    draw = random.Random(first)
    calls = _CALLS[first : first + 5] * _EACH
    lines = [
        f"        out[i, {k}] = "
        + call.format(repr(draw.uniform(0.05, 3)), repr(draw.uniform(0.05, 3)))
        for k, call in enumerate(calls)
    ]
    head = "import math\n\n\ndef of_literals(out):\n    for i in range(out.shape[0]):\n"
    return len(calls), head + "\n".join(lines) + "\n"


@pytest.mark.usefixtures("optimised")
@pytest.mark.parametrize("first", range(0, len(_CALLS), 5))
def test_functions_of_literals(first: int, tmp_path: Path) -> None:
    many, text = _program(first)
    kernel = looptx.kernel(imported(tmp_path / "of_literals.py", text).of_literals)
    same(kernel, np.zeros((2, many)), native=1)
