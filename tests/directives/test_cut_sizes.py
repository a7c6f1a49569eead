"""Arguments as sizes of directives where the loops do not use them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kit.calls import imported, same

from looptx.cli.text import transform_text

CUT = """
def f(A, B, n, m: int):
    # looptx: cut i m m+2 | unroll i#2 2
    for i in range(n):
        A[i] = B[i] + i
"""
FUSED = """
# looptx: fuse n0 n1 at j=m
def f(A, B, n, m: int):
    for i in range(n):
        B[i] = B[i] + i
    for i in range(n):
        for j in range(3):
            A[i] += j
"""

SIZES = (-3, 0, 1, 4, 20)
OTHERS = (np.int64(3), np.int8(2), 2.5, None, True, 2**70)


def inputs(n: int) -> tuple[Any, ...]:
    return np.arange(n) * 0.5, np.arange(n) * 1.5, n


@pytest.mark.parametrize("text", [CUT, FUSED])
def test_results_are_those_of_the_source(tmp_path: Path, text: str) -> None:
    result = transform_text(text, "f.py", validate=True)
    assert not result.errors, str(result.errors[0])
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    exec(text, before)
    exec(result.text, after)
    decorated = text.replace("def f", "@looptx.kernel\ndef f")
    kernel = imported(tmp_path / "sizes.py", f"import looptx\n{decorated}").f
    for n in (0, 1, 2, 5, 9):
        for m in SIZES:
            expected, found = inputs(n), inputs(n)
            before["f"](*expected, m)
            after["f"](*found, m)
            assert [x.tobytes() for x in found[:2]] == [
                x.tobytes() for x in expected[:2]
            ]
            same(kernel, *inputs(n), m, native=1)
        for m in OTHERS:
            same(kernel, *inputs(n), m)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("i m m+2", "i k"),
        ("i m m+2", "i A"),
        ("i m m+2", "i range"),
        ("    # loop", "    m = n\n    # loop"),
        ("m: int", "m"),
    ],
)
def test_what_is_no_size(old: str, new: str) -> None:
    (error,) = transform_text(CUT.replace(old, new), "f.py").errors
    assert error.code == "LX104" and "no size of the nest" in error.message
