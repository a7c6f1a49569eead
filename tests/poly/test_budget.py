"""What a nest may take: isl's operations, counted alike on every machine."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

import islpy as isl
import pytest

from looptx import plan, proof
from looptx.attach import assign
from looptx.cli.text import transform_text
from looptx.poly import budget
from looptx.poly.analysis import Analysis
from looptx.poly.budget import Exceeded, named_space, spent
from looptx.proof import schedules
from looptx.source import read, survey
from looptx.source.spelling.whole.reading.axes import Ranks


def work(count: int = 1) -> None:
    """So many operations, or a few more."""
    before = spent()
    while spent() < before + count:
        isl.Set.universe(named_space(["p0"], ["i0"])).complement()


def test_a_budget_inside_another_is_a_part_of_it() -> None:
    with budget.budget(100_000):
        work(20_000)
        with pytest.raises(Exceeded), budget.budget(10_000):
            work(20_000)
        assert 30_000 <= spent() < 40_000
        with budget.budget():
            work(20_000)
        with pytest.raises(Exceeded), budget.budget(10**9):
            work(10**6)
        assert 100_000 <= spent() < 101_000
    with budget.budget():
        assert spent() < 100


def test_the_rest_of_a_budget_is_left_after_a_part_is_exceeded() -> None:
    with budget.budget(100_000):
        found = budget.first_within_budget(lambda: "fine", lambda: "plain")
        assert found == "fine"
        budget_before = spent()

        def endless() -> str:
            work(10**9)
            return "fine"

        with pytest.raises(Exceeded), budget.budget(5_000):
            endless()
        assert spent() < budget_before + 6_000
        work(1_000)


def test_an_error_of_isl_that_is_no_budget_is_told() -> None:
    one = isl.Set.universe(named_space(["p0"], ["i0"]))
    other = isl.Set.universe(named_space(["p0"], ["i0", "i1"]))
    with pytest.raises(Exceeded, match="isl failed in"), budget.budget():
        one.intersect(other)


REFUSED = """\
def f(A, n, m):
    # looptx: split i 4 | split j 4 | reorder jj ii | parallel i
    for i in range(1, n):
        for j in range(m - 1):
            A[i, j] = A[i - 1, j + 1] + 1.0
"""


@pytest.mark.parametrize("most", [20_000, 60_000, 100_000, 200_000])
def test_all_steps_for_a_nest_share_one_budget(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "MAX_OPERATIONS", most)
    (error,) = transform_text(REFUSED, "f.py").errors
    assert error.code in ("LX201", "LX204")
    assert spent() <= most + 1000


def test_a_refusal_is_shown_however_long_its_proof_took(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(proof, "FACT_OPERATIONS", 1)
    monkeypatch.setattr(plan, "HINT_OPERATIONS", 1)
    (error,) = transform_text(REFUSED, "f.py").errors
    assert error.code == "LX201"
    assert error.detail[0].startswith("at n=")


HARD = {
    "blocks of a triangle in steps, collapsed": (
        """\
        # looptx: split j 3 as j x1 | split i 3 as i x2 | split i 4 as i x3
        # looptx: collapse j x1 as x4
        def f(A, C, n, m):
            for i in range(m):
                for j in range(n // 2 - 1, 0, -2):
                    for k in range((j + n) // 2):
                        C[k] = C[k] * 0.5 + 0.5 * A[k + 2, i] - 0.25 * C[j] + i
                        C[i] += 0.5 * C[k + 1] + i
        """,
        1_600_000,
    ),
    "a band in steps, collapsed": (
        """\
        def f(n, m, p):
            cnt = 0
            # looptx: collapse i j
            for i in range(p, -1, -2):
                for j in range(i, min(m, i + 3)):
                    for k in range(i // 2, m - i):
                        cnt &= j + 6
                        cnt -= j
            return cnt
        """,
        600_000,
    ),
    "a part of a collapsed loop": (
        """\
        def f(A, B, C, n, m):
            # looptx: collapse i j | split ij 4 | skew k ij | split k 3
            for i in range(n, -1, -2):
                for j in range(i, min(m, i + 3)):
                    for k in range(i // 2, m - i):
                        A[i, k] = A[i, k] * B[j, k] + C[i, j]
        """,
        3_000_000,
    ),
}
"""Programs that took 20 s and more, and isl operations that are enough for each."""


@pytest.mark.parametrize("name", HARD)
def test_hard_programs_take_few_operations(name: str) -> None:
    text, most = HARD[name]
    result = transform_text(textwrap.dedent(text), "f.py")
    assert not result.errors
    assert spent() < most


UNKNOWN = {
    "sets with many divisions": (
        """\
        # looptx: tile k=3
        # looptx: skew j i by 2
        def f(A, B, C, y, n, m):
            for i in range(m // 2 - 1, 0, -2):
                for j in range(i % 3, n, 2):
                    y[0] += j
                    for k in range(j // 2, m - j):
                        for l in range(j, j + 3):
                            B[n - 1 - i, k] = C[l, k] - A[i, j]
        """,
        "writing the loops of this schedule",
        1_000_000,
    ),
    "the rows of a collapsed loop": (
        """\
        # looptx: collapse j k as z | skew z i by 2 | reorder z i
        def f(A, B, D, n, m):
            for i in range(n // 2 - 1, 0, -2):
                for j in range(i % 3, m, 2):
                    for k in range(n):
                        D[k, i, j] = A[j, i]
        """,
        "counting the iterations of z",
        700_000,
    ),
}
"""Programs for which isl's operations take long each, what exceeds its budget, and how
many operations are enough to say so."""


@pytest.mark.parametrize("name", UNKNOWN)
def test_slow_operations_have_smaller_budgets(name: str) -> None:
    text, what, most = UNKNOWN[name]
    (error,) = transform_text(textwrap.dedent(text), "f.py").errors
    assert error.code == "LX204"
    assert f"{what} exceeded its budget" in error.message
    assert spent() < most


def test_what_does_not_move_stays_small() -> None:
    """The dependences of a sum over three loops, while nests move around it."""
    text = """
# looptx: compute_at start conv.j | reverse_compute_at shift conv.j
# looptx: reverse_compute_at relu conv.j
def f(A, W, S, T, B, n, p, q, r):
    # looptx: nest start
    for i in range(n):
        for j in range(n):
            S[i, j] = 0.0
    # looptx: nest conv
    for i in range(n):
        for j in range(n):
            for c in range(p):
                for a in range(q):
                    for b in range(r):
                        S[i, j] += A[c, i + a, j + b] * W[c, a, b]
    # looptx: nest shift
    for i in range(n):
        for j in range(n):
            T[i, j] = S[i, j] + 1.0
    # looptx: nest relu
    for i in range(n):
        for j in range(n):
            B[i, j] = max(T[i, j], 0.0)
"""
    (kernel,) = read(text, "f.py").kernels
    ((nest, verbs),) = assign(kernel)
    final = schedules(nest, verbs, kernel.names)[-1]
    with budget.budget():
        analysis = Analysis.under(nest, final)
        moved = analysis.program(final).dependences
        before = analysis.source.dependences
        parts = [
            max(one.relation.n_basic_map() for one in known if one.reduction)
            for known in (before, moved)
        ]
        assert parts[0] == parts[1] > 1


def _planned(text: str, axes: Mapping[str, int], most: int) -> None:
    """Plan the nests of a text in a number of operations, each as one nest."""
    module = survey(textwrap.dedent(text), "f.py", axes=Ranks(axes), plain=True)
    for kernel in module.kernels:
        for nest in kernel.nests:
            assert len(nest.statements) > 8
            with budget.budget(most):
                plan.plan_nest(nest, (), kernel.names, {})


def test_many_sizes_take_no_longer_than_their_number() -> None:
    """A loop around loops over sizes of their own, of which each may be 0."""
    names = [f"A{at}" for at in range(10)]
    lines = "".join(f"        {x}[:, :] = {x}[:, :] * 2.0 + k\n" for x in names)
    text = f"def f(n, {', '.join(names)}):\n    for k in range(n):\n{lines}"
    _planned(text, {}, 400_000)


def test_arrays_that_are_made_like_others_have_no_sizes_of_their_own() -> None:
    text = """\
    import numpy as np

    def f(A, B, c, n):
        for k in range(1, n):
            p = A[1:, :, k] + A[:-1, :, k]
            q = A[1:, :, k - 1] - A[:-1, :, k - 1]
            r = p * 0.5
            s = q * 0.25
            t = r * c
            u = c - t - s
            v = -r * (B[:, :, k - 1] - B[:, :, k]) - s * B[:, :, k]
            w = 1.0 / (u - s * t)
            B[:, :, k] = (v - B[:, :, k - 1] * t) * w
    """
    _planned(text, {"A": 3, "B": 3}, 600_000)
