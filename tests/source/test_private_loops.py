"""Loops that depend on data, over a variable that loops of the nest have, too."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kit.calls import imported, same

from looptx.cli.text import transform_text

SIZES = ((0, 0), (1, 1), (5, 0), (0, 5), (3, 7), (7, 4), (8, 8))

BESIDE = """
def f(A, B, n, m):
    # looptx: {}
    for t in range(m):
        if A[t] > 0.5:
            for i in range(n):  # twice
                B[i] = B[i] * 2.0 + B[n - 1 - i]
        for i in range(n):
            B[i] = B[i] - 1.0
"""

BEFORE_AND_BEHIND = """
def f(A, B, n, m):
    i_2 = 3.0
    # looptx: {}
    for t in range(m):
        if A[t] > 0.5:
            for i in range(1, n):
                for k in range(i):
                    B[i] = B[i] - B[k]
        for i in range(n):
            B[i] = B[i] * 0.5
        if A[t] < 0.8:
            for i in range(n - 1, -1, -1):
                B[i] += A[t] + i_2 + i
            for i in range(0, n, 2):
                B[i] -= i
    return i_2
"""

READ_AFTER = """
def f(A, B, n, m):
    i = -1
    # looptx: {}
    for t in range(m):
        if A[t] > 0.5:
            for i in range(n):
                B[i] = B[i] * 2.0
        for i in range(n):
            B[i] = B[i] - 1.0
    return i
"""

FUSED = """
# looptx: fuse n0 n1 | {}
def f(A, B, n, m):
    for t in range(m):
        if A[t] > 0.5:
            for i in range(n):
                B[i] = B[i] * 2.0
    for t in range(m):
        for i in range(n):
            A[t] += 0.25
"""

DIRECTIVES = ("unroll i 2", "split i 3 | unroll ii", "vectorize i", "parallel i")
TEXTS = [BESIDE, BEFORE_AND_BEHIND, READ_AFTER]
CASES = [*((text, one) for text in TEXTS for one in DIRECTIVES), (FUSED, "unroll i 2")]


def inputs(n: int, m: int) -> tuple[Any, ...]:
    """Arguments of the functions."""
    values = np.random.default_rng(n + 10 * m)
    return values.random(m), values.random(n), n, m


@pytest.mark.parametrize(("text", "directives"), CASES)
def test_rewritten_results_are_those_of_the_source(text: str, directives: str) -> None:
    result = transform_text(text.format(directives), "f.py", validate=True)
    assert not result.errors, str(result.errors[0])
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    exec(text, before)
    exec(result.text, after)
    for n, m in SIZES:
        expected, found = inputs(n, m), inputs(n, m)
        assert repr(before["f"](*expected)) == repr(after["f"](*found))
        assert [x.tobytes() for x in found[:2]] == [x.tobytes() for x in expected[:2]]


@pytest.mark.parametrize(("text", "directives"), [*CASES, (BESIDE, "nest all")])
def test_native_results_are_those_of_the_source(
    tmp_path: Path, text: str, directives: str
) -> None:
    text = text.format(directives).replace("def f", "@looptx.kernel\ndef f")
    kernel = imported(tmp_path / "private.py", f"import looptx\n{text}").f
    for n, m in SIZES:
        same(kernel, *inputs(n, m), native=1)


def test_the_loop_in_the_statement_has_another_name() -> None:
    result = transform_text(BESIDE.format("unroll i 2"), "f.py")
    assert "for i_2 in range(n):  # twice\n" in result.text
    assert "B[i_2] = B[i_2] * 2.0 + B[n - 1 - i_2]" in result.text
    result = transform_text(BEFORE_AND_BEHIND.format("unroll i 2"), "f.py")
    assert "for i_3 in range(1, n):" in result.text


def test_a_number_behind_the_name_of_the_one_loop() -> None:
    (error,) = transform_text(BESIDE.format("unroll i#2 2"), "f.py").errors
    assert error.code == "LX104" and "write `i`" in error.hint


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        # The value behind the loop is read in its statement, or in another.
        ("B[n - 1 - i]", "B[n - 1 - i]\n            B[0] = i", "LX301"),
        (
            "    for i in range(n):\n            B[i] = B[i] - 1.0",
            "    B[0] = i",
            "LX301",
        ),
        # It is assigned beside its loops.
        (
            "        for i in range(n):\n            B[i] = B[i] - 1.0",
            "        i = 2\n        for i in range(n):\n            B[i] = 1.0",
            "LX301",
        ),
        # The last loop to run depends on data.
        (
            "B[i] - 1.0",
            "B[i] - 1.0\n        if A[t] < 0.1:\n            for i in range(n):"
            "\n                B[i] = 1.0\n    return i",
            "LX203",
        ),
        # It is read after an exception.
        (
            "    # looptx: unroll i 2\n    for t",
            "    try:\n      # looptx: unroll i 2\n      for t",
            "LX301",
        ),
    ],
)
def test_what_is_no_loop_of_its_own(old: str, new: str, code: str) -> None:
    text = BESIDE.format("unroll i 2")
    assert old in text
    text = text.replace(old, new)
    if "try:" in text:
        text += "    except IndexError:\n        return i\n"
    errors = transform_text(textwrap.dedent(text), "f.py").errors
    assert [error.code for error in errors] == [code], errors
