"""Verdicts and their words: every error of the proof, on real functions."""

from __future__ import annotations

import textwrap
from typing import Any

import islpy as isl
import pytest

from looptx.cli.text import transform_text
from looptx.errors import LooptxError
from looptx.poly import budget


def refusals(body: str) -> list[LooptxError]:
    return list(transform_text(textwrap.dedent(body), "f.py").errors)


def only(body: str) -> LooptxError:
    (error,) = refusals(body)
    return error


def test_a_broken_order_is_shown_by_two_iterations_and_a_hint_that_works() -> None:
    source = """\
    def f(A):
        n = A.shape[0]
        # looptx: reorder j i
        for i in range(1, n):
            for j in range(n - 1):
                A[i, j] = A[i - 1, j + 1] + 1
    """
    error = only(source)
    assert str(error) == textwrap.dedent("""\
        f.py:3:15: LX201 refused: reorder j i
           3 |     # looptx: reorder j i
            at n=3: write A[1, 1] at (i=1, j=1) runs before read A[1, 1] at (i=2, j=0) \
in the source,
            and after it in the new order.
            hint: `skew j i` before this reorder makes it legal.""")
    assert error.exit_status == 1
    assert not refusals(source.replace("reorder j i", "skew j i | reorder j i"))


def test_a_parallel_loop_that_carries_a_dependence_is_shown() -> None:
    source = """\
    def f(A):
        n, m = A.shape
        # looptx: parallel i
        for i in range(1, n):
            for j in range(m):
                A[i, j] += A[i - 1, j]
    """
    error = only(source)
    assert error.code == "LX202"
    assert error.detail[0].startswith("at n=3, m=1: write A[1, 0] at (i=1, j=0)")
    assert error.hint == "no dependence is carried by `j`; try that loop instead"
    assert not refusals(source.replace("parallel i", "parallel j"))


def test_the_first_guilty_directive_is_named() -> None:
    error = only("""\
    def f(A):
        n = A.shape[0]
        # looptx: split i 4
        # looptx: reorder ii i
        # looptx: unroll i 2
        for i in range(1, n):
            A[i] = A[i - 1] + 1
    """)
    assert (error.code, error.place and error.place.line) == ("LX201", 4)
    assert error.message == "refused: reorder ii i"


def test_a_directive_may_mend_what_an_earlier_one_breaks() -> None:
    assert not refusals("""\
    def f(A):
        n, m = A.shape
        # looptx: reorder j i | reorder i j
        for i in range(1, n):
            for j in range(m - 1):
                A[i, j] = A[i - 1, j + 1] + 1
    """)


@pytest.mark.parametrize(
    ("directives", "code", "named"),
    [
        ("reorder j i | reorder i j | parallel i", "LX202", "parallel i"),
        ("reorder j i | vectorize i 4 | reorder i j", "LX202", "vectorize i 4"),
        ("vectorize i 4 | split i 8", "LX202", "vectorize i 4"),
        ("parallel j | reorder j i", "LX201", "reorder j i"),
    ],
)
def test_what_is_mended_is_not_blamed(directives: str, code: str, named: str) -> None:
    error = only(f"""
        def f(x, A, n, m):
            # looptx: {directives}
            for i in range(n):
                for j in range(m):
                    x[i + j] = x[i + j] / 2 + A[i, j]
                    x[0] = A[i, j]
    """)
    assert (error.code, error.message) == (code, f"refused: {named}")


@pytest.mark.parametrize(
    ("update", "operation"),
    [
        ("s += A[i]", "+"),
        ("s = s + A[i]", "+"),
        ("s = A[i] + s", "+"),
        ("s -= A[i]", "-"),
        ("s *= A[i]", "*"),
        ("s = max(s, A[i])", "max"),
        ("s = A[i] * 2 + s", "+"),
    ],
)
def test_reductions_need_reassociate(update: str, operation: str) -> None:
    source = f"""\
    def f(A, s):
        # looptx: parallel i
        for i in range(len(A)):
            {update}
        return s
    """
    error = only(source)
    assert error.code == "LX202", operation
    assert error.hint.startswith("`reassociate s` lets its terms be combined")
    assert not refusals(source.replace("parallel i", "reassociate s | parallel i"))


LAST = """
    def f(A, B, n):
        s = 1.0
        # looptx: {}
        for i in range(n):
            s = {}
            B[i] = s
        return s
"""


@pytest.mark.parametrize("directive", ["distribute i", "parallel i"])
def test_another_name_is_a_hint_where_it_helps(directive: str) -> None:
    """What goes from one iteration to the next needs more than a name of its own."""
    source = LAST.format(directive, "A[i] * 0.5")
    assert "use another name" in (only(source).hint or "")
    inside = source.replace("s = A[i]", "r = A[i]").replace("= s", "= r")
    assert not refusals(inside)
    carried = LAST.format(directive, "s * 0.5 + A[i]")
    assert only(carried).hint == "leave this directive out"
    assert refusals(carried.replace("return s", "return 0"))


def test_integer_sums_may_be_reordered_freely() -> None:
    source = """\
    def f(A: "int64[:]", s: int):
        # looptx: parallel i
        for i in range(len(A)):
            s += A[i]
        return s
    """
    assert not refusals(source)
    assert only(source.replace("int64", "float64")).code == "LX202"


def test_what_is_not_affine_is_unknown_until_trusted() -> None:
    source = """\
    def f(A, index):
        # looptx: parallel i
        for i in range(len(index)):
            A[index[i]] = i
    """
    error = only(source)
    assert error.code == "LX203"
    assert error.detail[0] == "a subscript of A is not affine, so any cell is assumed:"
    assert error.hint.endswith("write `trust independent A`")
    trusted = source.replace("parallel i", "trust independent A | parallel i")
    result = transform_text(textwrap.dedent(trusted), "f.py")
    assert not result.errors
    assert "applied on trust: independent A" in result.text


def test_an_argument_without_a_type_may_be_a_float() -> None:
    source = """\
    def f(A, B, n, m):
        # looptx: parallel i
        for i in range(n):
            if i == m:
                A[0] = B[i]
    """
    error = only(source)
    assert error.code == "LX203"
    assert error.hint.startswith("if `m` is an integer, write `m: int` ")
    assert not refusals(source.replace("m)", "m: int)"))


def test_views_of_one_array_may_share_memory() -> None:
    error = only("""\
    def f(A, n):
        B = A[1:]
        # looptx: parallel i
        for i in range(n):
            B[i] = A[i] + 1
    """)
    assert error.code == "LX203"
    assert error.detail[0] == "B and A may share memory;"


def test_sizes_that_are_hard_to_describe_do_not_stop_a_proof() -> None:
    """Those at which nothing raises take isl longer than the proof has."""
    error = only("""\
    def f(B, y, D, n: int, m: int):
        # looptx: fuse n1 n0
        for i in range(0, m, 2):
            for j in range(max(0, i - 2), min(n, i + 2)):
                y[i] = 0
                D[j, j % 3, j + i] = B[i, i % 3] * y[j - 1]
        for i in range(0, m, 2):
            B[2 * i, 0] = B[i + 2, i % 3] if i % 2 == 1 else D[n - 1 - i, i, i + 2]
    """)
    assert error.code == "LX201"


def test_neither_do_scalars() -> None:
    source = """\
    def f(B, y, D, n: int, m: int):
        # looptx: fuse n1 n0
        for i in range(0, m, 2):
            for j in range(max(0, i - 2), min(n, i + 2)):
                t = y[i] * 2
                y[i] = t
                D[j, j % 3, j + i] = B[i, i % 3] * y[j - 1]
        for i in range(0, m, 2):
            B[2 * i, 0] = B[i + 2, i % 3] if i % 2 == 1 else D[n - 1 - i, i, i + 2]
    """
    assert only(source).code == "LX201"
    assert not refusals(source.replace("fuse", "trust order | fuse"))


def test_sizes_that_cannot_be_described_are_asked_for_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = []

    def failing(*_: object, **__: object) -> isl.Set:
        calls.append(1)
        raise budget.Exceeded("planted", "none")

    monkeypatch.setattr("looptx.poly.bounds.safe_sizes", failing)
    source = """\
    def f(A, B, n: int):
        r = s = t = 0
        # looptx: split i 4
        for i in range(n):
            B[i] = r + s + t + A[i - 1]
            r = A[i]
            s = A[i]
            t = A[i]
    """
    assert not refusals(source)
    assert calls == [1]


def test_a_refusal_is_no_surer_than_the_whole_order() -> None:
    """`skew` alone is wrong for sure, and what the others make of it is not known."""
    error = only("""\
    def f(A, C, idx, n):
        # looptx: skew i row
        # looptx: reorder j row i
        # looptx: collapse row i as z
        for i in range(3):
            for row in range(4, 0, -2):
                for j in range(n):
                    C[1, j - i + 9] = A[i, row] + C[j + 1, idx[i]]
    """)
    assert (error.code, error.message) == ("LX203", "unknown: reorder j row i")


def test_a_loop_that_never_runs_gives_no_value() -> None:
    source = """
    def f(A, m):
        # looptx: split i 4
        for i in range(4):
            A[i] = i
            if i + 1 <= i:
                for row in range(1, m):
                    A[i] = row
        return row
    """
    result = transform_text(textwrap.dedent(source), "f.py")
    assert not result.errors
    scope: dict[str, Any] = {}
    exec(result.text, scope)
    with pytest.raises(UnboundLocalError):
        scope["f"]([0] * 4, 4)


@pytest.mark.parametrize("directive", ["parallel i", "split i 4 | reorder ii i"])
def test_a_proof_is_about_sizes_at_which_nothing_raises(directive: str) -> None:
    """`A[i - n]` counts from the end, which is far away where `A[2 * n - 1]` is."""
    source = f"""\
    def f(A, n: int):
        # looptx: {directive}
        for i in range(n):
            A[i] = A[i - n] + A[2 * n - 1]
    """
    assert not refusals(source)
    near = only(source.replace("2 * n - 1", "n - 1"))
    assert near.code in ("LX201", "LX202")


def test_an_analysis_that_is_too_expensive_is_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(budget, "MAX_OPERATIONS", 10)
    error = only("""\
    def f(A):
        # looptx: split i 4
        for i in range(1, len(A)):
            A[i] = A[i - 1]
    """)
    assert error.code == "LX204"
    assert error.place is not None
    assert error.exit_status == 1


def test_loops_that_take_too_long_to_write_are_unknown() -> None:
    """Without a bound isl works on these for minutes: steps with many phases."""
    error = only("""\
    def f(A, n):
        # looptx: tile k=4 i=3 | skew i kk | tile j=2
        for i in range(0, n, 3):
            for j in range(i, n):
                for k in range(i + 1, 0, -2):
                    A[i, j, k] = 1.0
                    A[i, j, k] = 2.0
                A[i, j, 0] = 3.0
    """)
    assert error.code == "LX204"
    assert error.hint == (
        "use fewer directives, or loops whose bounds do not depend on each other"
    )


def test_a_negative_subscript_counts_from_the_end_in_the_proof() -> None:
    source = """\
    def f(A, low, high):
        # looptx: parallel i
        for i in range(low, high):
            A[i] = 0
    """
    error = only(source)
    assert error.code == "LX202"
    assert error.hint.startswith("`assume low >= 0` makes it legal")
    assert not refusals(source.replace("parallel i", "assume low >= 0 | parallel i"))


def test_comments_and_a_decorator_cannot_both_schedule_a_nest() -> None:
    error = only("""\
    import looptx


    @looptx.kernel("split i 4")
    def f(A):
        # looptx: unroll i 2
        for i in range(len(A)):
            A[i] = 0
    """)
    assert error.code == "LX108"
    assert error.exit_status == 2


def test_a_transformed_nest_is_not_transformed_again() -> None:
    once = transform_text(
        "def f(A):\n    # looptx: split i 4\n"
        "    for i in range(len(A)):\n        A[i] = 0\n",
        "f.py",
    )
    again = transform_text(once.text, "f.py")
    assert (again.text, again.errors, again.changed) == (once.text, (), False)
    more = once.text.replace(
        "    # looptx: applied", "    # looptx: unroll ii 2\n    # looptx: applied", 1
    )
    assert [error.code for error in transform_text(more, "f.py").errors] == ["LX111"]


def test_integers_of_any_size_are_analysed() -> None:
    assert not refusals("""\
    def f(A):
        # looptx: split i 4
        for i in range(3):
            A[i + 99999999999999999999] = 1
    """)
