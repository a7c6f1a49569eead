"""Names and structure: the code, the place, the candidates, and hints that work."""

from __future__ import annotations

import re

import pytest
from kit.nests import nest_of

from directives.test_order import BESIDE, DOWN, FILL, MATMUL, TRIANGLE, apply
from looptx.cli.text import transform_text
from looptx.directives import parse
from looptx.errors import LooptxError, Place
from looptx.model.execution.marks import Marks, Parallel
from looptx.model.expr import Compare, Const, Var, mod
from looptx.model.nests.applied import Applied
from looptx.model.nests.entry import Entry
from looptx.model.program import Asked, Directive
from looptx.model.schedule import Schedule, bands

TWO = """
for i in range(n):
    for j in range(m):
        A[i, j] = 1
    for j in range(m):
        B[i, j] = 1
"""
ROWS = """
for row in range(n):
    for col in range(12):
        A[row, col] = 1
        s += A[row, col]
"""


def names(schedule: Schedule) -> list[str]:
    return [band.dim.name for band in bands(schedule.tree)]


def error(code: str, text: str, taken: frozenset[str] = frozenset()) -> LooptxError:
    with pytest.raises(LooptxError) as caught:
        apply(nest_of(code), text, taken)
    return caught.value


@pytest.mark.parametrize(
    ("code", "text", "expected", "detail"),
    [
        (FILL, "split x 4", "LX104", "loops: i, j"),
        (ROWS, "split rwo 4", "LX104", "loops: row, col"),
        (FILL, "reorder i k", "LX104", "loops: i, j"),
        (FILL, "split i#2 4", "LX104", "loops: i, j"),
        (FILL, "split mm.i 4", "LX104", "nests: n0"),
        (FILL, "split n1.i 4", "LX104", "nests: n0"),
        (FILL, "split i 4 | parallel iii", "LX104", "loops: i, ii, j"),
        (
            TWO,
            "split j 4",
            "LX105",
            "j#1: the loop of line 3, around `A[i, j] = 1` (line 4)",
        ),
        (
            TWO,
            "split n0.j 4",
            "LX105",
            "n0.j#1: the loop of line 3, around `A[i, j] = 1` (line 4)",
        ),
        (TWO, "split j#3 4", "LX104", "loops: i, j#1, j#2"),
        (
            MATMUL,
            "reorder k i j | split i 4",
            "LX105",
            "i#1: the loop of line 2, around `C[i, j] = 0` (line 4)",
        ),
        (TWO, "reorder j#1 j#2", "LX106", ""),
        (TWO, "skew j#1 j#2", "LX106", ""),
        (TWO, "collapse i j#1", "LX106", ""),
        (FILL, "tile i=4 n0.i=4", "LX106", ""),
        (FILL, "reorder i n0.i", "LX106", ""),
        (FILL, "skew i i#1", "LX106", ""),
        (FILL, "collapse j i", "LX106", ""),
        (FILL, "collapse i i#1", "LX106", ""),
        (MATMUL, "collapse j k", "LX106", ""),
        (FILL, "collapse i j | split i 4", "LX106", ""),
        (FILL, "collapse i j | skew ij j", "LX106", ""),
        (FILL, "collapse i j | parallel j", "LX106", ""),
        (FILL, "collapse i j | collapse i j", "LX106", ""),
        (FILL, "vectorize j | collapse i j", "LX106", ""),
        (MATMUL, "split k 2 | collapse i j | reorder kk k", None, ""),
        (FILL, "split i parts=4", "LX106", ""),
        (FILL, "split i 2 2 2 2 2 2 2 2", None, ""),
        (FILL, "split i 2 2 2 2 2 2 2 2 2", "LX106", ""),
        (FILL, "split i 2 2 2 2 2 2 2 2 | split j 2 2 2 2 2 2", None, ""),
        (FILL, "split i 2 2 2 2 2 2 2 2 | split j 2 2 2 2 2 2 2", "LX106", ""),
        (FILL, "unroll i", "LX106", ""),
        (DOWN, "unroll j", "LX106", ""),
        (FILL, "split i 4096 | unroll ii", "LX106", ""),
        (FILL, "parallel i | parallel j", "LX106", ""),
        (FILL, "parallel j | parallel i", "LX106", ""),
        (FILL, "split i 4 as i j", "LX109", ""),
        (FILL, "split i 4 as a n", "LX109", ""),
        (FILL, "split i 4 as a A", "LX109", ""),
        (FILL, "tile i=4 j=4 as i jj", "LX109", ""),
        (FILL, "collapse i j as i", "LX109", ""),
        (FILL, "trust independent B", "LX104", "arrays: A"),
        (ROWS, "reassociate t", "LX104", "reductions: s"),
        (ROWS, "reassociate A", "LX110", "reductions: s"),
        (FILL, "assume k > 0", "LX104", "known: n, m"),
        (FILL, "assume i > 0", "LX104", ""),
        (FILL, "assume B.shape[0] > 0", "LX104", "known: n, m"),
    ],
)
def test_errors_of_names_and_structure(
    code: str, text: str, expected: str | None, detail: str
) -> None:
    if expected is None:
        apply(nest_of(code), text)
        return
    found = error(code, text)
    assert (found.code, found.place) == (expected, Place("t.py", 1)), found
    assert found.hint
    assert not detail or detail in found.detail


OPAQUE = """
def f(P, V, n):
    s = t = 0.0
    for i in range(n):
        {}
            s += V[i]
            {}
    return s, t
"""


@pytest.mark.parametrize(
    ("header", "beside", "reason"),
    [
        ("for k in range(P[i], P[i + 1]):", "", "in the loop `k` of line 5, which"),
        ("for k in range(P[i]):", "t += s", "its bound `P[i]` is not affine"),
        ("if V[i] > 0:", "t += 1", "not alone under the `if` of line 5, which"),
        ("if V[i] > t:", "t = s", "not alone under the `if` of line 5, which"),
        ("if V[i] > s:", "", "`s` is not reduced in the nest"),
    ],
)
def test_a_reduction_inside_what_is_kept_whole(
    header: str, beside: str, reason: str
) -> None:
    found = error(OPAQUE.format(header, beside), "reassociate s")
    assert found.code == "LX110"
    assert reason in found.message
    apart = OPAQUE.format("if V[i] > 0:", f"\n        if V[i] > 0: {beside or 'pass'}")
    apply(nest_of(apart), "reassociate s")


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (ROWS, "split rwo 4"),
        (ROWS, "split n0.rwo 4"),
        (ROWS, "split n00.row 4"),
        (ROWS, "parallel coll"),
        (TWO, "split j 4"),
        (TWO, "split n0.j 4"),
        (MATMUL, "reorder k i j | parallel i"),
        (FILL, "split i 4 as a n"),
        (FILL, "split i 2000 | unroll ii"),
        (FILL, "split j parts=4"),
        (FILL, "collapse j i"),
        (FILL, "collapse i j | parallel j"),
        (ROWS, "reassociate ss"),
        (FILL, "trust independent AA"),
    ],
)
def test_the_hint_works(code: str, text: str) -> None:
    hint = error(code, text).hint
    quoted = re.findall(r"`([^`]*)`", hint)
    assert quoted, hint
    *before, last = text.split(" | ")
    head = last.split()
    word = quoted[0]
    if " " in word:
        last = word
    elif text.endswith("as a n"):
        last = " ".join([*head[:-1], word])
    elif "n00" in text:
        last = last.replace("n00", word)
    else:
        head[2 if head[1] == "independent" else 1] = word
        last = " ".join(head)
    apply(nest_of(code), " | ".join([*before, last]))


def test_generated_names() -> None:
    assert names(apply(nest_of(FILL), "split i 4 | split i 4 | split ii 2")) == [
        "i",
        "iii",
        "ii",
        "iiii",
        "j",
    ]
    assert names(apply(nest_of(FILL), "split j 16 4")) == ["i", "j", "jj", "jjj"]
    assert names(apply(nest_of(FILL), "split j 16 4 as a b c")) == ["i", "a", "b", "c"]
    assert names(apply(nest_of(FILL), "split i 4 as io i")) == ["io", "i", "j"]
    taken = frozenset({"ii", "row_in"})
    assert names(apply(nest_of(FILL), "split i 4", taken)) == ["i", "iii", "j"]
    rows = apply(nest_of(ROWS), "split row 4 | split col 4 2", taken)
    assert names(rows) == ["row", "row_in2", "col", "col_in", "col_in2"]
    both = apply(nest_of(ROWS), "collapse row col")
    assert names(both) == ["row_col"]
    assert names(apply(nest_of(ROWS), "collapse row col | split row_col 4")) == [
        "row_col",
        "row_col_in",
    ]


def test_names_of_nests_and_sub_nests() -> None:
    nest = nest_of(TWO, asked=Asked({"one": "j", "two": "j#2"}))
    schedule = apply(nest, "nest both | split one.j 4 | parallel two.j | pad both.i 1")
    assert schedule.nest.name == "both"
    assert names(schedule) == ["i", "j", "jj", "j"]
    marked = [band.dim.marks.parallel is not None for band in bands(schedule.tree)]
    assert marked == [False, False, False, True]
    with pytest.raises(LooptxError) as caught:
        apply(nest, "split tow.j 4")
    assert caught.value.hint == "did you mean `two`?"


def test_marks() -> None:
    text = "parallel i schedule=guided chunk=3 | vectorize j 8 | unroll j 2"
    schedule = apply(nest_of(FILL), text)
    first, second = [band.dim.marks for band in bands(schedule.tree)]
    assert first == Marks(parallel=Parallel("guided", 3, 0))
    assert second == Marks(vectorize=8, unroll=2)
    split = apply(nest_of(FILL), f"{text} | split i 4 | split j 4")
    marks = [band.dim.marks for band in bands(split.tree)]
    assert marks == [first, Marks(), Marks(), second]
    skewed = apply(nest_of(FILL), "skew i j unroll<3")
    assert [band.dim.marks.unroll_below for band in bands(skewed.tree)] == [3, 3]
    both = apply(nest_of(FILL), "collapse i j | parallel ij")
    assert [bool(band.dim.marks.parallel) for band in bands(both.tree)] == [True]
    both = apply(nest_of(FILL), "parallel i | collapse i j")
    assert [bool(band.dim.marks.parallel) for band in bands(both.tree)] == [True]


def test_fission_copies_marks_and_keeps_comments_once() -> None:
    schedule = apply(nest_of(MATMUL), "parallel i | reorder k i j")
    parallel = [b.dim.name for b in bands(schedule.tree) if b.dim.marks.parallel]
    assert parallel == ["i", "i"]
    assert apply(nest_of(MATMUL), "reorder k i j | parallel i#2 | vectorize j#1")


def test_literal_extents() -> None:
    assert apply(nest_of(ROWS), "split col parts=5 | unroll col_in | unroll col")
    assert apply(nest_of(ROWS), "split row 4 | unroll row_in")
    assert apply(nest_of(ROWS), "pad col 2 | unroll col")
    down = "for i in range(20, 3, -3):\n    for j in range(i):\n        A[i, j] = 1"
    schedule = apply(nest_of(down), "split i parts=2")
    assert sorted(schedule.index["s0", "i"].weights.values()) == [1, 3]
    assert apply(nest_of(down), "unroll i")
    assert error(TRIANGLE, "unroll j").code == "LX106"


def test_facts_are_recorded() -> None:
    nest = nest_of(ROWS, entry=Entry({"A.shape[0]": "n"}), live_in=("A", "n"))
    text = "assume A.shape[0] % 4 == 0 and n > 0 | assume len(A) < 9 | reassociate s"
    schedule = apply(nest, f"{text} | trust order | trust independent A")
    assert schedule.trust_order
    assert schedule.independent == {"A"}
    assert schedule.reassociate == {"s"}
    assert schedule.assumes[1] == Compare("<", Var("n"), Const(9))
    assert Compare("==", mod(Var("n"), 4), Const(0)) in schedule.assumes[0].args
    *others, order, independent = schedule.applied
    assert [each.text for each in others] == text.split(" | ")
    assert not any(each.trusted for each in others)
    assert order == Applied("trust order", trusted="order")
    assert independent == Applied("trust independent A", trusted="independent A")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("split row 8 4", {"row": {8, 4}}),
        ("split row 8 as a b | unroll b 4", {"row": {4}}),
        ("tile row=8 col=4", {"row": {8}, "col": {4}}),
        ("collapse row col as rc | split rc 32", {"row": {32}, "col": {32}}),
        ("skew row col by 5", {"row": {5}, "col": {5}}),
        ("skew row col | skew col row by -1 | split col 16", {"row": {16}}),
        ("parallel col chunk=7 threads=3", {"col": {7, 3}}),
        ("reorder col row", {}),
    ],
)
def test_numbers_are_about_loops_of_the_source(
    text: str, expected: dict[str, set[int]]
) -> None:
    assert apply(nest_of(ROWS), text).applied[-1].thresholds == expected


def test_numbers_are_about_one_of_several_loops() -> None:
    for name in ("j#2", "j#1"):
        [made] = apply(nest_of(TWO), f"split {name} 4").applied
        loop = {"j#1": "j", "j#2": "j#2"}[name]
        assert made.thresholds == {loop: {4}}


def test_reorder_of_one_child_leaves_the_rest_of_the_tree() -> None:
    schedule = apply(nest_of(BESIDE), "split k 2 | reorder kk k")
    assert names(schedule) == ["i", "j", "kk", "k"]


def test_the_place_is_that_of_the_directive() -> None:
    place = Place("mm.py", 7, 15)
    (verb,) = parse(Directive("split x 4", place, "    # looptx: split x 4"))
    with pytest.raises(LooptxError) as caught:
        verb.apply(apply(nest_of(FILL), "nest mm"))
    assert caught.value.place == place
    assert "   7 |     # looptx: split x 4" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "source", "column", "code"),
    [
        ("split i 4 | split x 4", "# looptx: split i 4 | split x 4", 23, "LX104"),
        ("split i 4 | splt i 4", "# looptx: split i 4 | splt i 4", 23, "LX101"),
        ("nest a |split i 4.5", "# looptx: nest a |split i 4.5", 19, "LX103"),
        ("split i 4 | split i", '@looptx.kernel("split i 4 | split i")', 29, "LX103"),
    ],
)
def test_the_place_is_that_of_the_one_of_several(
    text: str, source: str, column: int, code: str
) -> None:
    start = 11 if source.startswith("#") else 16
    with pytest.raises(LooptxError) as caught:
        schedule = apply(nest_of(FILL), "nest mm")
        for verb in parse(Directive(text, Place("mm.py", 7, start), source)):
            schedule = verb.apply(schedule)
    assert caught.value.code == code
    assert caught.value.place == Place("mm.py", 7, column)
    assert not any("in the directive" in line for line in caught.value.detail)


@pytest.mark.parametrize(
    ("text", "named"), [("parallel i | split x 4", "split x 4"), ("splt i 4",) * 2]
)
def test_a_line_that_does_not_show_the_directive(text: str, named: str) -> None:
    with pytest.raises(LooptxError) as caught:
        schedule = apply(nest_of(FILL), "nest mm")
        for verb in parse(Directive(text, Place("mm.py", 7, 1), "def f(A, n, m):")):
            schedule = verb.apply(schedule)
    assert caught.value.place == Place("mm.py", 7, 1)
    assert caught.value.detail[0] == f"in the directive `{named}`"


@pytest.mark.parametrize("text", ["fuse n0 n1", "fuse a b c"])
def test_a_function_without_nests(text: str) -> None:
    source = f"# looptx: {text}\ndef f(n):\n    return n\n"
    (error,) = transform_text(source, "t.py").errors
    assert (error.code, error.place) == ("LX104", Place("t.py", 1, 11))
    assert not error.detail and error.hint.startswith("there is none")
