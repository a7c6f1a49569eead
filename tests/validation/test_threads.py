"""Parallel loops are validated with their iterations in another order too."""

from __future__ import annotations

import textwrap

import pytest

from looptx.cli.text import transform_text

RACES = {
    "a recurrence": """
        def run(x, n):
            # looptx: trust order | parallel i
            for i in range(1, n):
                x[i] = x[i - 1] + 1.0
    """,
    "one cell": """
        def run(A, x, n):
            # looptx: trust order | parallel i
            for i in range(n):
                A[0] = x[i]
                x[i] = A[0] * 2.0 + A[1]
                A[1] = x[i]
    """,
    "an inner loop": """
        def run(A, n, m):
            # looptx: trust order | parallel j
            for i in range(n):
                for j in range(1, m):
                    A[i, j] = A[i, j - 1] + 1.0
    """,
    "a loop of another name": """
        def run(A, n, m):
            # looptx: skew j i | reorder j i | trust order | parallel j
            for i in range(n):
                for j in range(1, m):
                    A[i, j] = A[i, j - 1] + 1.0
            return j
    """,
    "repeated indices": """
        def run(A, x, idx, n):
            # looptx: trust order | parallel i
            for i in range(n):
                A[idx[i]] = x[i]
    """,
    "the second nest": """
        def run(A, B, n):
            # looptx: parallel i
            for i in range(n):
                A[i] = A[i] + 1.0
            # looptx: trust order | parallel i
            for i in range(1, n):
                B[i] = B[i - 1] + A[i]
    """,
}
SAFE = {
    "a loop of another name": """
        def run(A, n, m):
            # looptx: skew j i | reorder j i | parallel j
            for i in range(n):
                for j in range(m):
                    A[i, j] = A[i, j] + 1.0
            return j
    """,
    "a scalar of each iteration": """
        def run(A, B, n):
            # looptx: parallel i
            for i in range(n):
                t = A[i] * 2.0
                B[i] = t + t
            return B
    """,
    "a sum in any order": """
        def run(A, n, m):
            s = 0.0
            # looptx: reassociate s | parallel i
            for i in range(n):
                for j in range(m):
                    s += A[i, j]
            return s
    """,
    "what is left behind": """
        def run(A, n):
            # looptx: parallel i
            for i in range(n):
                for j in range(i):
                    A[i, j] = A[i, j] * 2.0
            return i
    """,
    "a loop in order before and behind": """
        def run(A, n):
            for i in range(1, n):
                A[i] = A[i - 1] + 1.0
            # looptx: parallel i
            for i in range(n):
                A[i] = A[i] * 2.0
            for i in range(1, n):
                A[i] = A[i - 1] + 1.0
    """,
    "a branch for what is not assumed": """
        def run(A, n, m):
            # looptx: assume n <= m | parallel i
            for i in range(n):
                A[i] = A[i + m] + 1.0
    """,
    "in blocks": """
        def run(A, n):
            # looptx: split i 4 | parallel i
            for i in range(n):
                A[i] = A[i] + 1.0
    """,
}


@pytest.mark.parametrize("text", RACES.values(), ids=RACES)
def test_a_race_is_found(text: str) -> None:
    text = textwrap.dedent(text)
    (error,) = transform_text(text, "kernel.py", validate=True).errors
    assert error.code == "LX208"
    assert error.detail[2].endswith("as threads may take the iterations.")
    assert "trust order" in error.source
    assert "`trust order` vouches for what does not hold" in error.hint


@pytest.mark.parametrize("text", SAFE.values(), ids=SAFE)
def test_no_race_is_found_where_there_is_none(text: str) -> None:
    result = transform_text(textwrap.dedent(text), "kernel.py", validate=True)
    assert not result.errors, result.errors[0]
    (one,) = result.validated
    assert one.ok
    assert not one.parallel
    assert "threads" not in one.summary


def test_loops_that_hardly_ran_are_named() -> None:
    text = SAFE["in blocks"].replace("split i 4", "split i 3000")
    (one,) = transform_text(textwrap.dedent(text), "kernel.py", validate=True).validated
    assert one.parallel == ("i",)
    assert one.summary.endswith("NOT compared: the threads of `parallel i`")
