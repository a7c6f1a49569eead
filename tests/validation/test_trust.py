"""What validation compares where the user vouches for something, and what it says."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from looptx import LooptxError, kernel
from looptx.cli.text import transform_text
from looptx.validation import Validation

SCATTER = """
    def scatter(A, x, idx, n):
        # looptx: TRUST | split i 4 | reorder ii i
        for i in range(n):
            A[idx[i]] = x[i]
"""
INDEPENDENT = {
    "a permutation": SCATTER.replace("TRUST", "trust independent A"),
    "both words": SCATTER.replace("TRUST", "trust independent A | trust order"),
    "the extent is asked for": """
        def scatter(A, x, idx):
            n = A.shape[0]
            # looptx: trust independent A | split i 4 | reorder ii i
            for i in range(n):
                A[idx[i]] = x[i]
    """,
    "the ends of edges": """
        def edges(A, x, one, two, n):
            # looptx: trust independent A | split i 4 | reorder ii i
            for i in range(n):
                A[one[i]] = x[i]
                A[two[i]] = A[one[i]] * 2.0
    """,
    "the ends of edges in an array that is as large as need be": """
        def edges(A, x, one, two):
            n = len(x)
            m = len(A)
            # looptx: trust independent A | split i 4 | reorder ii i
            for i in range(n):
                A[one[i]] = x[i] + m
                A[two[i]] = A[one[i]] * 2.0
    """,
    "by way of a scalar": """
        def scatter(A, x, idx, n):
            # looptx: trust independent A | split i 4 | reorder ii i
            for i in range(n):
                at = idx[i]
                A[at] = x[i]
    """,
    "two subscripts": """
        def fill(A, x, row, column, n):
            # looptx: trust independent A | split i 4 | reorder ii i
            for i in range(n):
                A[row[i], column[i]] = x[i]
    """,
}


def compared(text: str) -> Validation:
    result = transform_text(textwrap.dedent(text), "kernel.py", validate=True)
    assert not result.errors, result.errors[0]
    (one,) = result.validated
    return one


def refused(text: str) -> LooptxError:
    result = transform_text(textwrap.dedent(text), "kernel.py", validate=True)
    (error,) = result.errors
    assert error.code == "LX208"
    return error


def test_an_order_that_is_wrong_only_for_repeated_indices_is_found() -> None:
    error = refused(SCATTER.replace("TRUST", "trust order"))
    assert "idx with repetitions: A[" in error.detail[0]
    assert error.hint == (
        "`trust order` vouches for what does not hold: remove it, or write "
        "`trust independent A` if `idx` never repeats"
    )


@pytest.mark.parametrize("text", INDEPENDENT.values(), ids=INDEPENDENT)
def test_independence_is_taken_at_its_word_and_said(text: str) -> None:
    one = compared(text)
    assert len(one.compared) > 4
    assert not any(each.repeated for each in one.compared)
    assert all("names each position once" in phrase for phrase in one.assumed)
    assert f"provided that {', '.join(one.assumed)}; on trust: " in one.summary
    assert "independent A" in one.trusted


def test_independence_of_one_array_says_nothing_of_others() -> None:
    text = """
        def scatter(A, B, x, idx, jdx, n):
            # looptx: TRUST | split i 4 | reorder ii i
            for i in range(n):
                A[idx[i]] = x[i]
                B[jdx[i]] = x[i]
    """
    error = refused(text.replace("TRUST", "trust independent A | trust order"))
    assert "jdx with repetitions: B[" in error.detail[0]
    assert "idx with" not in error.detail[0].replace("jdx", "")
    assert "`trust independent B` if `jdx` never repeats" in error.hint
    one = compared(text.replace("TRUST", "trust independent A B"))
    assert set(one.assumed) == {
        "`idx` names each position once",
        "`jdx` names each position once",
    }


def test_an_independence_that_does_not_hold_is_found() -> None:
    error = refused(
        """
        def scatter(A, x, idx, n, m):
            # looptx: trust independent A | reorder j i
            for i in range(n):
                for j in range(m):
                    A[idx[j]] = x[i, j] + A[idx[j]]
                    A[idx[i]] = x[i, j]
        """
    )
    assert "`trust independent A` vouches for what does not hold" in error.hint


def test_a_difference_is_shown_where_its_order_is_vouched_for() -> None:
    error = refused(SCATTER.replace("TRUST", "split i 4 as i ii | trust order"))
    line = error.source[error.place.column - 1 :] if error.place else ""
    assert line.startswith("trust order")


def test_disjoint_segments_are_what_independence_says_of_bounds() -> None:
    one = compared(
        """
        def scale(values, rows, x, n):
            # looptx: trust independent values | split i 4 | reorder ii i
            for i in range(n):
                for k in range(rows[i], rows[i + 1]):
                    values[k] = x[i]
        """
    )
    assert one.assumed == ("`rows` ascends",)


def test_indices_repeat_where_nobody_vouches_for_them() -> None:
    one = compared(
        """
        def gather(A, x, idx, n):
            # looptx: split i 4
            for i in range(n):
                A[i] = x[idx[i]]
        """
    )
    assert {each.repeated for each in one.compared} == {(), ("idx",)}
    assert not (one.assumed or one.trusted)
    assert "idx with repetitions: " in str(one)
    sizes = {tuple(each.sizes.items()) for each in one.compared}
    assert one.summary.startswith(f"kernel gather: {len(sizes)} sizes, ")


def test_inputs_that_break_the_word_of_the_user_are_not_compared() -> None:
    @kernel("trust independent A | split i 4 | reorder ii i")
    def scatter(A: np.ndarray, x: np.ndarray, idx: np.ndarray) -> None:
        n, m = len(x), len(A)
        for i in range(n):
            A[idx[i]] = x[i] + m

    one = scatter.validate(n=5, m=3)
    assert not one.ok
    assert one.skipped == (("n=5, m=3", "no place is free for what is trusted"),)
    assert scatter.validate(n=5, m=5).ok


def test_the_record_says_what_was_trusted() -> None:
    one = compared(INDEPENDENT["a permutation"])
    record = one.record()
    assert record["trusted"] == ["independent A"]
    assert record["assumed"] == ["`idx` names each position once"]
