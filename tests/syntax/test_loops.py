"""Nests printed as Python: readable, accepted by black and ruff, the same results."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kit.byhand import (
    Comments,
    call,
    check_style,
    expr,
    function,
    loop,
    loops_only,
    nest_of,
    plan,
    printed,
)

from looptx import source
from looptx.errors import LooptxError
from looptx.looptree.nodes import Block, If, Let
from looptx.looptree.planned import Final, Planned
from looptx.looptree.stored import with_buffers
from looptx.model.execution.marks import Marks
from looptx.model.expr import TRUE, Compare, Const, Mod, Or, Var
from looptx.model.nests.applied import Applied
from looptx.model.program import Nest
from looptx.model.storage import Buffer
from looptx.plan import plan_kernel
from looptx.syntax.header import fitted

MATMUL = """
for i in range(n):
    for j in range(n):
        for k in range(n):
            C[i, j] += A[i, k] * B[k, j]
"""


def dedent(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")


def run(source: str, *args: Any) -> Any:
    """Call the function ``f`` that a source defines."""
    space: dict[str, Callable[..., Any]] = {}
    exec(compile(source, "generated", "exec"), space)
    return space["f"](*args)


def tiles(
    size: int, order: str = "ijk", known: tuple[tuple[str, str], ...] = ()
) -> Block:
    """The full tiles and the remainders, as the analysis hands them over."""
    if len(known) == len(order):
        body: object = call("S0", **{name: name * 2 for name in order})
        for name, (start, stop) in reversed(list(zip(order, known, strict=True))):
            body = loop(name * 2, start, stop, body)
        return (body,)  # type: ignore[return-value]
    name = order[len(known)]
    full = tiles(size, order, (*known, (name, f"{name} + {size}")))
    rest = tiles(size, order, (*known, (name, "n")))
    left = expr(f"-((n + {size}) % {size}) + n")
    return (loop(name, 0, f"n - {size - 1}", *full, step=size), Let(name, left), *rest)


def matmul(size: int = 32, **changes: object) -> Planned:
    comments = {
        "i": Comments(("# The product, row by row.",)),
        "k": Comments(("# the inner product",)),
        "S0": Comments((), "# one step"),
    }
    nest = nest_of(MATMUL, comments=comments, equal={"A.shape[0]": "n"})
    return plan(nest, tiles(size), **changes)


def test_tiled_matmul_reads_as_a_person_would_write_it(tmp_path: Path) -> None:
    planned = matmul()
    assert printed(planned).startswith(
        dedent("""
            # The product, row by row.
            # looptx: applied tile i=32 j=32 [sha256 0123456789ab]
            for i in range(0, n - 31, 32):
                for j in range(0, n - 31, 32):
                    for k in range(0, n - 31, 32):
                        for ii in range(i, i + 32):
                            for jj in range(j, j + 32):
                                for kk in range(k, k + 32):
                                    # the inner product
                                    C[ii, jj] += A[ii, kk] * B[kk, jj]  # one step
                    for ii in range(i, i + 32):
                        for jj in range(j, j + 32):
                            for kk in range(n - n % 32, n):
                                C[ii, jj] += A[ii, kk] * B[kk, jj]  # one step
                j = n - n % 32
                for k in range(0, n - 31, 32):
            """)
    )
    check_style(tmp_path, function("f(A, B, C, n)", planned))


@pytest.mark.parametrize("n", [0, 1, 3, 4, 7, 8, 13])
def test_tiled_matmul_computes_the_same(n: int) -> None:
    source = function("f(A, B, C, n)", matmul(4))
    a, b = np.random.default_rng(n).random((2, n, n))
    c = np.zeros((n, n))
    run(source, a, b, c, n)
    wanted = np.zeros((n, n))
    run("def f(A, B, C, n):" + textwrap.indent(MATMUL, "    "), a, b, wanted, n)
    assert np.array_equal(c, wanted)


def test_a_hundred_lines_take_little_time() -> None:
    planned = matmul()
    printed(planned)
    times = []
    for _ in range(5):
        start = time.process_time()
        printed(planned)
        times.append(time.process_time() - start)
    assert min(times) < 0.25  # about 0.05 s


def stencil(marks: Marks, comments: dict[str, Comments] | None = None) -> Planned:
    nest = nest_of(
        "for i in range(1, n - 1):\n    B[i] = A[i - 1] + A[i] + A[i + 1]\n",
        comments=comments or {},
        equal={"A.shape[0]": "n"},
    )
    body = (loop("i", 1, "n - 1", call("S0", i="i"), marks=marks),)
    return plan(nest, body)


def test_unrolled_subscripts_are_added_up(tmp_path: Path) -> None:
    planned = stencil(Marks(unroll=2))
    assert loops_only(planned) == dedent("""
        for i in range(1, n - 2, 2):
            B[i] = A[i - 1] + A[i] + A[i + 1]
            B[i + 1] = A[i] + A[i + 1] + A[i + 2]
        for i in range(max(1, n - n % 2 - 1), n - 1):
            B[i] = A[i - 1] + A[i] + A[i + 1]
        """)
    check_style(tmp_path, function("f(A, B, n)", planned))


def test_comments_of_an_unrolled_loop_stay() -> None:
    comments = {
        "t": Comments(("# the taps",), "# three of them"),
        "S0": Comments(("# accumulate",), "# fused", ("# done",)),
    }
    nest = nest_of(
        "for i in range(n):\n    for t in range(2):\n        y[i] += w[t] * x[i + t]\n",
        comments=comments,
    )
    taps = loop(
        "t",
        0,
        2,
        call("S0", i="i", t="t"),
        marks=Marks(unroll=0),
        headers=("t",),
    )
    assert loops_only(plan(nest, (loop("i", 0, "n", taps),))) == dedent("""
        for i in range(n):
            # the taps
            # three of them
            # accumulate
            y[i] += w[0] * x[i]  # fused
            # done
            y[i] += w[1] * x[i + 1]  # fused
        """)


def test_comments_are_printed_once_and_those_behind_always() -> None:
    comments = {
        "i": Comments(("# top",), "# rows"),
        "S0": Comments(("# once",), "# each", ("# below",)),
    }
    nest = nest_of("for i in range(n):\n    A[i] = i\n", comments=comments)
    body = (
        loop("i", 0, 4, call("S0", i="i"), headers=("i",)),
        loop("i", 4, "n", call("S0", i="i"), headers=("i",)),
    )
    assert printed(plan(nest, body)) == dedent("""
        # top
        # looptx: applied tile i=32 j=32 [sha256 0123456789ab]
        for i in range(4):  # rows
            # once
            A[i] = i  # each
            # below
        for i in range(4, n):  # rows
            A[i] = i  # each
        """)


def test_comments_that_do_not_fit_are_wrapped_or_put_above(tmp_path: Path) -> None:
    words = " ".join(["word"] * 15)
    comments = {"S0": Comments((f"# {words}",), f"# {words}"), "i": Comments()}
    nest = nest_of("for i in range(n):\n    A[i] = i\n", comments=comments)
    body = call("S0", i="i")
    deep = loop("i", 0, "n", If(Compare(">", Var("n"), Var("i")), (body,)))
    planned = plan(nest, (deep,))
    text = printed(planned, line_length=60)
    assert max(map(len, text.split("\n"))) <= 56
    assert text.count("word") == 30
    pragma = {"S0": Comments((), "# noqa: E501" + " x" * 40)}
    nest = nest_of("for i in range(n):\n    A[i] = i\n", comments=pragma)
    assert "i  # noqa: E501 x" in printed(plan(nest, (loop("i", 0, "n", body),)))
    check_style(tmp_path, function("f(A, n)", planned))


@pytest.mark.parametrize(
    "comment",
    [
        "# https://example.org/an/address/that/fits/nowhere",
        "# ----------------------------------------",
        "# ---------- a title ---------------------",
        "#  === a title ============================",
        "# | a table | of words |   that is wide    |",
        "# +---------+----------+-------------------+",
        "#no blank, so that this is no text to wrap",
    ],
)
def test_comments_that_are_drawn_stay_as_they_are(comment: str) -> None:
    assert list(fitted(["# a", comment], 30)) == ["# a", comment]


def test_a_word_that_fits_nowhere_has_a_line_of_its_own() -> None:
    words = "#  see https://example.org/an/address/that/fits/nowhere - or - not"
    assert list(fitted([words], 30)) == [
        "#  see",
        "# https://example.org/an/address/that/fits/nowhere",
        "# - or - not",
    ]


def test_what_was_applied_and_trusted_is_said(tmp_path: Path) -> None:
    planned = stencil(Marks())
    words = tuple(f"split i {size} as i{size} ii{size}" for size in range(2, 8))
    facts = "order", "independent A"
    applied = [Applied(text) for text in words]
    applied += [Applied(f"trust {fact}", trusted=fact) for fact in facts]
    schedule = replace(planned.schedule, applied=tuple(applied))
    planned = replace(planned, schedule=schedule)
    lines = printed(planned).split("\n")
    marks = [line for line in lines if line.startswith("# looptx: applied ")]
    assert marks[-2:] == [
        "# looptx: applied on trust: order",
        "# looptx: applied on trust: independent A",
    ]
    assert marks[-3].endswith("[sha256 0123456789ab]")
    assert " ".join(line[18:] for line in marks[:-2]) == (
        " | ".join((*words, *(f"trust {fact}" for fact in facts)))
        + " [sha256 0123456789ab]"
    )
    assert all(line.endswith(" |") for line in marks[:-3])
    check_style(tmp_path, function("f(A, B, n)", planned))


def test_a_directive_longer_than_a_line_is_broken() -> None:
    planned = stencil(Marks())
    words = ("unroll k", "reorder " + " ".join(f"loop{k}" for k in range(20)))
    applied = tuple(map(Applied, words))
    planned = replace(planned, schedule=replace(planned.schedule, applied=applied))
    lines = printed(planned).split("\n")
    marks = [line for line in lines if line.startswith("# looptx: applied ")]
    assert len(marks) > 2
    assert max(map(len, marks)) <= 84
    assert " ".join(line[18:] for line in marks) == (
        " | ".join(words) + " [sha256 0123456789ab]"
    )


@pytest.mark.parametrize(
    "words",
    [
        "unroll k 4",
        "parallel i",
        "split i 32",
        "reorder j i",
        "trust order",
        "assume n > 0",
    ],
)
def test_the_mark_is_no_code_to_a_linter(words: str, tmp_path: Path) -> None:
    planned = stencil(Marks())
    schedule = replace(planned.schedule, applied=(Applied(words, trusted=words),))
    planned = replace(planned, schedule=schedule)
    check_style(tmp_path, function("f(A, B, n)", planned))


def test_expanded_scalars_are_dicts(tmp_path: Path) -> None:
    nest = nest_of(
        "for i in range(n):\n    t = A[i] * 2\n    B[i] = t * t\n", scalars=("t",)
    )
    body = (
        loop("i", 0, "n", call("S0", **{"i": "i", "t@0": "i"})),
        loop("i", 0, "n", call("S1", **{"i": "i", "t@0": "i"})),
    )
    buffer = Buffer(
        name="t",
        extents=(Var("n"),),
        whole=True,
        private=False,
        shared=False,
        allocation=None,
        places={("S0", ()): ("t@0",), ("S1", ()): ("t@0",)},
    )
    nest = with_buffers(nest, (buffer,), {})
    planned = plan(nest, body, buffers=(buffer,))
    assert printed(planned) == dedent("""
        t = {}
        # looptx: applied tile i=32 j=32 [sha256 0123456789ab]
        for i in range(n):
            t[i] = A[i] * 2
        for i in range(n):
            B[i] = t[i] * t[i]
        """)
    check_style(tmp_path, function("f(A, B, n)", planned))
    b = np.zeros(5)
    run(function("f(A, B, n)", planned), np.arange(5.0), b, 5)
    assert b.tolist() == [0, 4, 16, 36, 64]


ASSUMED = """\
# Twice.
# looptx: assume n % 4 == 0
# looptx: unroll i
for i in range(n):  # all
    # a comment
    A[i] = '''x
y'''
    # looptx: applied elsewhere
"""


def test_assumptions_choose_between_new_and_original() -> None:
    nest = nest_of(ASSUMED)
    unrolled = loop("i", 0, "n", call("S0", i="i"), headers=("i",))
    assumes = Compare("==", expr("n % 4"), Const(0)), Compare(">", Var("n"), Const(0))
    planned = plan(nest, (unrolled,))
    schedule = replace(planned.schedule, assumes=assumes)
    planned = replace(planned, schedule=schedule)
    source = function("f(A, n)", planned)
    assert source == dedent("""
        def f(A, n):
            # Twice.
            if n % 4 == 0 and n > 0:
                # looptx: applied tile i=32 j=32 [sha256 0123456789ab]
                for i in range(n):  # all
                    # a comment
                    A[i] = '''x
            y'''
            else:
                for i in range(n):  # all
                    # a comment
                    A[i] = '''x
            y'''
        """)
    for n in (0, 3, 4):
        cells = [""] * n
        run(source, cells, n)
        assert cells == ["x\n    y"] * n


def test_values_of_loop_variables_are_restored(tmp_path: Path) -> None:
    nest = nest_of("for i in range(n):\n    A[i] = i\n", live_out=("i",))
    cases = (
        (Compare(">=", Var("n"), Const(1)), expr("n - 1")),
        (Compare("==", Var("n"), Const(-7)), Const(0)),
    )
    body = (loop("i", 0, "n", call("S0", i="i")),)
    planned = plan(nest, body, finals=(Final("i", cases),))
    assert loops_only(planned) == dedent("""
        for i in range(n):
            A[i] = i
        if n > 0:
            i = n - 1
        elif n == -7:
            i = 0
        """)
    always = plan(nest, body, finals=(Final("i", ((TRUE, Const(3)),)),))
    assert loops_only(always).endswith("A[i] = i\ni = 3\n")
    never = plan(nest, body, finals=(Final("i", (*cases[:1], (TRUE, Const(3)))),))
    assert loops_only(never).endswith("else:\n    i = 3\n")
    check_style(tmp_path, function("f(A, n)", planned))


def test_a_restored_variable_is_not_touched_by_other_loops() -> None:
    nest = nest_of(
        "for j in range(m):\n    for i in range(n):\n        A[i, j] = i\n",
        live_out=("i",),
    )
    inner = loop("j", 0, "m", call("S0", i="i", j="j"))
    final = Final("i", ((Compare(">", Var("m"), Const(0)), expr("n - 1")),))
    planned = plan(nest, (loop("i", 0, "n", inner),), finals=(final,))
    assert loops_only(planned) == dedent("""
        for i2 in range(n):
            for j in range(m):
                A[i2, j] = i2
        if m > 0:
            i = n - 1
        """)


def test_unread_variables_get_an_underscore(tmp_path: Path) -> None:
    nest = nest_of(
        "for i in range(n):\n    A[i] = 0\n    for j in range(m):\n        x += B[j]\n"
    )
    body = (
        loop("i", 0, "n", call("S0", i="i")),
        loop("i", 0, "n", loop("j", 0, "m", call("S1", i="i", j="j"))),
    )
    planned = plan(nest, body)
    assert "for _i in range(n):\n    for j in range(m):" in loops_only(planned)
    check_style(tmp_path, function("f(A, B, x, n, m)", planned))
    taken = replace(planned.schedule, taken=frozenset({"_i"}))
    assert "for _i2 in range(n):" in loops_only(replace(planned, schedule=taken))


def test_a_variable_that_was_unread_before_keeps_its_name() -> None:
    nest = nest_of("for t in range(n):\n    for j in range(m):\n        x += B[j]\n")
    inner = loop("j", 0, "m", call("S0", t="t", j="j"))
    planned = plan(nest, (loop("t", 0, "n", inner),))
    assert loops_only(planned).startswith("for t in range(n):")


def test_opposite_conditions_share_an_else(tmp_path: Path) -> None:
    nest = nest_of("for i in range(n):\n    A[i] = 1\n    A[i] = 2\n")
    third = Mod(Var("i"), Const(3))
    first = Compare("==", third, Const(1))
    fifth = Compare("==", Mod(Var("i"), Const(5)), Const(2))
    body = loop(
        "i",
        0,
        "n",
        If(first, (call("S0", i="i"),)),
        If(Compare("!=", third, Const(1)), (call("S1", i="i"),)),
        If(Or((first, fifth)), (call("S0", i="i"),)),
    )
    planned = plan(nest, (body,))
    assert loops_only(planned) == dedent("""
        for i in range(n):
            if i % 3 == 1:
                A[i] = 1
            else:
                A[i] = 2
            if i % 3 == 1 or i % 5 == 2:
                A[i] = 1
        """)
    check_style(tmp_path, function("f(A, n)", planned))


def test_an_else_with_a_lone_if_is_an_elif(tmp_path: Path) -> None:
    nest = nest_of("for i in range(n):\n    A[i] = 1\n    A[i] = 2\n    A[i] = 3\n")
    third = Mod(Var("i"), Const(3))
    fifth = Mod(Var("i"), Const(5))
    body = loop(
        "i",
        0,
        "n",
        If(Compare("==", third, Const(1)), (call("S0", i="i"),)),
        If(
            Compare("!=", third, Const(1)),
            (
                If(Compare("==", fifth, Const(2)), (call("S1", i="i"),)),
                If(Compare("!=", fifth, Const(2)), (call("S2", i="i"),)),
            ),
        ),
    )
    planned = plan(nest, (body,))
    assert loops_only(planned) == dedent("""
        for i in range(n):
            if i % 3 == 1:
                A[i] = 1
            elif i % 5 == 2:
                A[i] = 2
            else:
                A[i] = 3
        """)
    check_style(tmp_path, function("f(A, n)", planned))


def test_a_nest_without_loops_left_is_marked_too() -> None:
    nest = nest_of("for i in range(2):\n    A[i] = i\n")
    body = (loop("i", 0, 2, call("S0", i="i"), marks=Marks(unroll=0)),)
    assert printed(plan(nest, body)) == dedent("""
        # looptx: applied tile i=32 j=32 [sha256 0123456789ab]
        A[0] = 0
        A[1] = 1
        """)


LONG = """
for i in range(n):
    A[i] = (
        alpha * B[i - 1, 0]  # the left one
        + beta * B[i, 0]
        + gamma * B[i + 1, 0]
    )
    C[i] = first_factor * D[i] + second_factor * E[i] + third_factor * F[i]
    if A[i] > 0:
        # keep it
        A[i] = C[i]
"""


def multi_line(indent: str) -> Nest:
    return nest_of(LONG, indent=indent)


def test_statements_of_several_lines(tmp_path: Path) -> None:
    body = loop("ii", "i", "i + 8", *(call(f"S{at}", i="ii + 1") for at in range(3)))
    planned = plan(multi_line("    "), (loop("i", 0, "n", body, step=8),))
    assert loops_only(planned) == dedent("""
        for i in range(0, n, 8):
            for ii in range(i, i + 8):
                A[ii + 1] = (
                    alpha * B[ii, 0]  # the left one
                    + beta * B[ii + 1, 0]
                    + gamma * B[ii + 2, 0]
                )
                C[ii + 1] = (
                    first_factor * D[ii + 1]
                    + second_factor * E[ii + 1]
                    + third_factor * F[ii + 1]
                )
                if A[ii + 1] > 0:
                    # keep it
                    A[ii + 1] = C[ii + 1]
        """)
    given = "alpha, beta, gamma, first_factor, second_factor, third_factor"
    head = f"f(\n    A, B, C, D, E, F, n, {given}\n)"
    check_style(tmp_path, function(head, planned))


@pytest.mark.parametrize("indent", ["\t", "  ", "   ", "\t\t"])
def test_other_indentations_are_kept(indent: str) -> None:
    body = loop("ii", "i", "i + 8", *(call(f"S{at}", i="ii") for at in range(3)))
    planned = plan(multi_line(indent), (loop("i", 0, "n", body, step=8),))
    lines = printed(planned).split("\n")
    unit = "\t" if "\t" in indent else indent
    assert lines[1:4] == [
        "for i in range(0, n, 8):",
        f"{unit}for ii in range(i, i + 8):",
        f"{unit}{unit}A[ii] = (",
    ]
    levels = len(indent) // len(unit)
    heads = [unit * level + "if True:\n" for level in range(levels)]
    compile("".join(heads) + function("f()", planned)[9:], "generated", "exec")


def test_errors_carry_the_place_of_the_nest() -> None:
    text = "def f(A):\n    # looptx: unroll i | unroll ii 999\n"
    text += "    for i in range(999):\n        for ii in range(999):\n"
    text += "            A[i, ii] = i\n"
    kernel = source.read(text, "a.py").kernels[0]
    with pytest.raises(LooptxError, match="makes more than") as caught:
        plan_kernel(kernel)
    assert caught.value.code == "LX106"
    assert caught.value.place == kernel.nests[0].place
