"""Loops with ``continue``: scheduled, it is a condition on what follows."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
import pytest
from kit.calls import outcome
from kit.carried import transformation

from looptx.errors import LooptxError

HEAD = "def f(A, B, n: int, m: int):\n    # looptx: {}\n"


def rewritten(body: str, directives: str) -> str:
    found = transformation(source(body, directives))
    for error in found.errors:
        raise error
    assert found.changed
    return found.text


def source(body: str, directives: str) -> str:
    return HEAD.format(directives) + textwrap.indent(body, "    ")


def run(text: str, *given: Any) -> Any:
    space: dict[str, Any] = {}
    exec(compile(text, "generated", "exec"), space)
    return outcome(space["f"], *given)


DATA = """\
for i in range(n):
    for j in range(m):
        if A[i, j] < 0.5:  # small
            B[i, j] += 0.25
            continue
        # large
        B[i, j] = A[i, j] * 2.0  # twice
        if not A[i, j] > 0.9: continue
        for k in range(3):
            if k == j: continue
            B[i, j] *= A[i, k]
        # done
"""

DATA_AFTER = """\
def f(A, B, n: int, m: int):
    # looptx: applied reorder j i [sha256 DIGEST]
    for j in range(m):
        for i in range(n):
            if A[i, j] < 0.5:  # small
                B[i, j] += 0.25
            else:
                # large
                B[i, j] = A[i, j] * 2.0  # twice
                if A[i, j] > 0.9:
                    for k in range(3):
                        if k == j:
                            continue
                        B[i, j] *= A[i, k]
            # done
"""

AFFINE = """\
for i in range(n):
    if i == 2:
        continue
    # all others
    for j in range(m):
        if j > i:
            continue
        B[i, j] += A[i, j]
"""

AFFINE_AFTER = """\
def f(A, B, n: int, m: int):
    # all others
    # looptx: applied reorder j i [sha256 DIGEST]
    for j in range(min(n, m)):
        for i in range(j, min(n, 2)):
            B[i, j] += A[i, j]
        for i in range(max(3, j), n):
            B[i, j] += A[i, j]
"""

ONE_LINE = """\
for i in range(n):
    A[i, 0] = 1.0; B[i, 0] = 1.0
    if A[i, 1] > 0.5 or B[i, 1]: B[i, 2] = 3.0; continue
    elif A[i, 2] > 0.5: continue
    B[i, 1] = 2.0
"""

CHAIN = """\
for i in range(n):
    if A[i, 0] > 0.7:
        if A[i, 1] > 0.5:
            continue
        else:
            B[i, 0] = 1.0
            continue
    elif A[i, 0] > 0.5:
        B[i, 1] = 1.0
    else:
        if i % 2:
            B[i, 2] = 1.0
        B[i, 0] = 2.0
    B[i, 1] += 3.0
"""

NOTHING = """\
for i in range(n):
    for j in range(i):
        if j > 2:
            continue
    if A[i, 0] > 0.5:
        if A[i, 1] > 0.5:
            continue
        B[i, 0] = 3.0
    elif i > 3:
        continue
"""


def digestless(text: str) -> str:
    head, _, tail = text.partition("[sha256 ")
    return f"{head}[sha256 DIGEST{tail[12:]}" if tail else text


@pytest.mark.parametrize(
    ("body", "after"), [(DATA, DATA_AFTER), (AFFINE, AFFINE_AFTER)]
)
def test_what_follows_stands_under_a_condition(body: str, after: str) -> None:
    assert digestless(rewritten(body, "reorder j i")) == after


@pytest.mark.parametrize("n", [0, 1, 2, 7, 13])
@pytest.mark.parametrize(
    ("body", "directives"),
    [
        (DATA, "reorder j i"),
        (DATA, "split i 4 | split j 3"),
        (AFFINE, "reorder j i"),
        (AFFINE, "tile i=4 j=4"),
        (AFFINE, "unroll j 2"),
        (ONE_LINE, "split i 4"),
        (CHAIN, "split i 4"),
        (CHAIN, "unroll i 3"),
        (NOTHING, "split i 3 | split j 2"),
    ],
)
def test_the_same_results(body: str, directives: str, n: int) -> None:
    A = np.random.default_rng(n).random((n, n + 3))
    given = A, np.zeros_like(A), n, n + 3
    assert run(rewritten(body, directives), *given) == run(source(body, ""), *given)


def test_a_loop_whose_rest_would_stand_twice_is_kept_whole() -> None:
    body = """\
    for i in range(n):
        for j in range(m):
            if A[i, j] > 0.5:
                if A[i, j] > 0.7:
                    continue
                B[i, j] = 1.0
            B[i, j] += 2.0
    """
    text = textwrap.dedent(body)
    assert "continue" in rewritten(text, "split i 4")
    with pytest.raises(LooptxError, match="a `continue` that data decide") as caught:
        rewritten(text, "split j 4")
    assert caught.value.code == "LX104"
