"""Caches of cells that branches on data use, against CPython."""

from __future__ import annotations

import numpy as np
import pytest
from kit.carried import refusal, same

SIZES = (0, 1, 2, 3, 5, 7)
BRANCHES = """
import numpy as np
# looptx: {}
def f(A, D, n):
    for i in range(n):
        for j in range(n):
            if A[i, j] > 0.0:
                D[i, j] = A[i, j]
            else:
                D[i, j] = {}
    return D
"""
NESTED = """
import numpy as np
# looptx: {}
def f(A, D, n):
    for i in range(n):
        for j in range(1, n):
            if A[i, j] > 0.0 and i > 2:
                D[i, j] = A[i, j]
                x = 1.0
            elif A[i, j] < -1.0:
                D[i, j] *= 2.0
                {}
            else:
                D[i, j] = D[i, j] + 1.0
                D[i, j - 1] = 3.0
"""
CACHED = (
    "cache_write D",
    "cache_write D at i",
    "cache_write D at j",
    "split j 3 | cache_write D at j packed",
    "tile i=2 j=3 | cache_write D at j | cache_write D_cache at jj",
    "cache_write D at i | parallel i",
)


def calls() -> list[list[object]]:
    chance = np.random.default_rng(3)
    return [[*chance.standard_normal((2, 8, 8)), n] for n in SIZES]


@pytest.mark.parametrize("directives", CACHED)
@pytest.mark.parametrize("value", ["-A[i, j]", "D[i, j]", "D[i, j] * 0.5"])
def test_one_cell_that_every_branch_writes(directives: str, value: str) -> None:
    new = same(BRANCHES.format(directives, value), *calls())
    assert "D_cache" in new


def test_what_one_branch_writes_is_not_known() -> None:
    source = NESTED.format("cache_write D at i", "pass")
    wrong = refusal(source)
    assert "whether line 15 writes `D[i, j - 1]` depends on data" in wrong
    assert "hint: write `D[i, j - 1]` in every branch" in wrong
    kept = "D[i, j - 1] = D[i, j - 1]"
    source = source.replace("x = 1.0", kept).replace("pass", kept)
    same(source, *calls())


def test_what_one_branch_reads_is_not_known() -> None:
    source = BRANCHES.format("cache_read D at i", "1.0").replace(
        "D[i, j] =", "A[i, j] ="
    )
    same(source.replace("0.0:", "D[i, j]:"), *calls())
    wrong = refusal(source.replace("= A[i, j]", "= D[i, j]"))
    assert "whether line 8 reads `D[i, j]` depends on data" in wrong


SUM = """
# looptx: {}
def f(A, D, n):
    for i in range(n):
        for j in range(n):
            D[i, 0] = D[i, 0] + A[i, j]
"""
SCALED = f"{SUM}            A[i, j] = A[i, j] * D[i, 0]\n"


@pytest.mark.parametrize("loop", ["i", "j"])
def test_a_buffer_that_is_written_where_it_is_read(loop: str) -> None:
    text = f"cache_write D at i | cache_read D_cache at {loop}"
    wrong = refusal(SUM.format(text))
    assert "LX104 what reads `D_cache` there writes the same cell, too" in wrong
    assert f"hint: `cache_write D_cache at {loop}` keeps both" in wrong
    same(SUM.format(text.replace("cache_read", "cache_write")), *calls())


def test_what_is_written_may_be_in_the_buffer_too() -> None:
    """A change that is not understood is no hint, and does not hide what is wrong."""
    text = "cache_write D at i | cache_read D_cache at j"
    wrong = refusal(SCALED.format(text))
    assert "LX201 refused: cache_read D_cache at j" in wrong
    assert "hint: `cache_write D_cache at j` is legal: what is written goes" in wrong
    same(SCALED.format(text.replace("cache_read", "cache_write")), *calls())


SOMETIMES = """
import numpy as np
def f(A, C, n: int):
    # looptx: {}
    for i in range(n):
        {}
        for k in range(n):
            {}
        {}
    return C
"""
PERHAPS = (
    "if A[k] > 0.0: C[i] = C[i] + A[k]",
    "if A[k] > C[i]: C[i] = A[k]",
    "if A[k] > 0.5: C[i] = A[k]",
    "A[k] = A[k] + 1.0 if A[k] > 0.0 else C[i]",
)
AROUND = (
    ("C[i] = 0.0", "pass"),
    ("A[i] = C[i] * 0.5", "C[i] = A[i]"),
    # The value that the array had goes through the buffer, if no branch writes.
    ("pass", "A[i] = C[i]; C[i] = 2.0"),
)


@pytest.mark.parametrize("directive", ["cache_write C", "cache_write C at i"])
@pytest.mark.parametrize("code", PERHAPS)
@pytest.mark.parametrize("around", AROUND)
def test_what_need_not_happen_to_a_cell_that_is_written(
    directive: str, code: str, around: tuple[str, str]
) -> None:
    calls = ([a[0], a[1], n] for a, _, n in small())
    first, last = around
    new = same(SOMETIMES.format(directive, first, code, last), *calls)
    assert "C_cache" in new


def test_a_cell_that_is_only_read_is_not_stored() -> None:
    """The array may be read-only."""
    text = SOMETIMES.format("cache_write C at i", "pass", PERHAPS[1], "pass")
    assert "whether line 8 writes `C[i]` depends on data" in refusal(text)


def small() -> list[list[object]]:
    chance = np.random.default_rng(5)
    return [[*chance.standard_normal((2, 2, 8)), n] for n in SIZES]
