"""Passes over generated loops: the same calls, in the same order, with less to read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit.byhand import call, expr, loop, nest_of, plan
from kit.carried import same, transformation
from kit.nests import holds, value
from kit.samples import some

from looptx.directives import parse
from looptx.errors import LooptxError, Place
from looptx.looptree.nodes import Block, Call, For, If, Let, LoopTree
from looptx.looptree.passes.bounds import Facts, sizes
from looptx.looptree.passes.merge import Apart, merge
from looptx.looptree.passes.ranges import MOST_CALLS, ranges
from looptx.looptree.passes.redundant import drop_guards
from looptx.looptree.passes.simplify import simplify
from looptx.looptree.passes.unroll import MOST_NODES, unroll
from looptx.looptree.prepare import occurrences, prepare
from looptx.looptree.walk import bound, nodes, reads, rename
from looptx.model.execution.marks import Marks
from looptx.model.expr import (
    TRUE,
    And,
    Compare,
    Cond,
    Const,
    FloorDiv,
    IntExpr,
    Max,
    Min,
    Mod,
    Or,
    Var,
    add,
    mul,
    negate,
)
from looptx.model.program import Directive
from looptx.model.schedule import bands, initial

Trace = list[tuple[str, tuple[tuple[str, int], ...]]]


def run(block: Block, env: dict[str, int]) -> Trace:
    """The calls a block makes, executed as Python would."""
    trace: Trace = []

    def visit(part: Block) -> None:
        for node in part:
            match node:
                case For():
                    start, stop = value(node.start, env), value(node.stop, env)
                    for number in range(start, stop, node.step):
                        env[node.var] = number
                        visit(node.body)
                case If(cond, body):
                    if holds(cond, env):
                        visit(body)
                case Let(var, what):
                    env[var] = value(what, env)
                case Call(name, index):
                    at = tuple((key, value(what, env)) for key, what in index.items())
                    trace.append((name, at))

    visit(block)
    return trace


_steps = st.sampled_from([-3, -2, -1, 1, 1, 1, 2, 3, 4])
_units: st.SearchStrategy[IntExpr] = st.sampled_from(
    [Const(0), Const(1), Const(3), Var("n"), Var("m")]
)


@st.composite
def affine(draw: Any, names: tuple[str, ...]) -> IntExpr:
    terms: list[IntExpr] = [draw(_units), Const(draw(st.integers(-4, 6)))]
    if names and draw(st.booleans()):
        factor = Const(draw(st.sampled_from([-1, 1, 1, 2])))
        terms.append(mul(factor, Var(draw(st.sampled_from(names)))))
    total = add(*terms)
    kind = draw(st.integers(0, 6))
    if kind == 0:
        return Min((total, draw(_units)))
    if kind == 1:
        return Max((draw(_units), total))
    if kind == 2:
        return FloorDiv(total, Const(4))
    return Mod(total, Const(3)) if kind == 3 else total


@st.composite
def blocks(
    draw: Any, names: tuple[str, ...] = (), depth: int = 0, rich: bool = True
) -> Block:
    result: list[LoopTree] = []
    for _ in range(draw(st.integers(1, 2))):
        kind = draw(st.integers(0, 5)) if depth < 3 else 5
        var = "abc"[depth] if depth < 3 else ""
        if kind <= 2:
            start = draw(affine(names))
            stop = add(start, Const(draw(st.integers(-1, 5))))
            if draw(st.booleans()):
                stop = draw(affine(names))
            body = draw(blocks((*names, var), depth + 1, rich))
            unrolled = draw(st.sampled_from([None, None, 0, 2, 3]))
            marks = Marks(unroll=unrolled)
            result.append(For(var, start, stop, draw(_steps), body, marks=marks))
        elif kind == 3 and rich:
            ops = st.sampled_from(["<", "<=", "==", ">=", "!="])
            cond = Compare(draw(ops), draw(affine(names)), draw(affine(names)))
            result.append(If(cond, draw(blocks(names, depth + 1, rich))))
        elif kind == 4 and rich:
            inner = draw(blocks((*names, var), depth + 1, rich))
            result.extend((Let(var, draw(affine(names))), *inner))
        else:
            result.append(Call("S", {name: draw(affine((name,))) for name in names}))
    return tuple(result)


_sizes = st.lists(
    st.tuples(st.integers(-3, 9), st.integers(-3, 9)), min_size=3, max_size=3
)


@settings(max_examples=some(80), deadline=None)
@given(blocks(), _sizes)
def test_simplified_loops_call_the_same(
    block: Block, at: list[tuple[int, int]]
) -> None:
    simple = simplify(block)
    for n, m in at:
        assert run(simple, {"n": n, "m": m}) == run(block, {"n": n, "m": m})


@settings(max_examples=some(80), deadline=None)
@given(blocks(), _sizes)
def test_unrolled_loops_call_the_same(block: Block, at: list[tuple[int, int]]) -> None:
    flat = simplify(unroll(simplify(block)))
    for n, m in at:
        assert run(flat, {"n": n, "m": m}) == run(block, {"n": n, "m": m})


@st.composite
def asking(draw: Any) -> Block:
    """A loop with conditions on its variable, and on others."""
    ops = st.sampled_from(["<", "<=", "==", "!=", ">=", ">"])

    def part() -> Cond:
        side = mul(Const(draw(st.sampled_from([-2, -1, 1, 1, 3]))), Var("a"))
        other = draw(affine(("b",)))
        free = Compare(draw(ops), draw(_units), draw(affine(())))
        return free if draw(st.integers(0, 4)) == 0 else Compare(draw(ops), side, other)

    body: list[LoopTree] = []
    for number in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 5))
        made = (Call(f"S{number}", {"a": Var("a")}),)
        if kind == 0:
            body.extend(made)
        elif kind <= 3:
            body.append(If(part(), made))
        else:
            body.append(If((And, Or)[kind - 4]((part(), part())), made))
        if kind == 3 and draw(st.booleans()):
            body[-1:] = [For("c", Const(0), Var("a"), 1, (body[-1],))]
    start, stop = draw(affine(("b",))), draw(affine(("b",)))
    inner = For("a", start, stop, draw(_steps), tuple(body))
    return (For("b", Const(0), Var("m"), 1, (inner,)),)


@settings(max_examples=some(130), deadline=None)
@given(asking() | blocks(), _sizes)
def test_split_loops_call_the_same(block: Block, at: list[tuple[int, int]]) -> None:
    simple = simplify(block)
    split = simplify(ranges(simple, Facts()))
    bare = drop_guards(split, Facts())
    for n, m in at:
        wanted = run(block, {"n": n, "m": m})
        assert run(split, {"n": n, "m": m}) == wanted
        assert run(bare, {"n": n, "m": m}) == wanted


@settings(max_examples=some(40), deadline=None)
@given(blocks(), _sizes)
def test_renamed_loops_call_the_same(block: Block, at: list[tuple[int, int]]) -> None:
    renamed = rename(block, {"a": "x", "b": "y"})
    assert bound(renamed).isdisjoint({"a", "b"})
    for n, m in at:
        assert run(renamed, {"n": n, "m": m}) == run(block, {"n": n, "m": m})


def test_a_value_is_kept_when_one_of_its_names_changes_first() -> None:
    block = (Let("a", expr("b + 1")), Let("b", Const(7)), call("S", i="a"))
    assert run(simplify(block), {"b": 1}) == [("S", (("i", 2),))]


def test_a_let_read_once_or_short_is_replaced() -> None:
    once = (Let("k", expr("n - n % 32")), loop("kk", "k", "n", call("S", k="kk")))
    assert simplify(once) == (loop("kk", "n - n % 32", "n", call("S", k="kk")),)
    short = (Let("k", expr("i + 32")), call("S", k="k"), call("T", k="k"))
    assert simplify(short) == (call("S", k="i + 32"), call("T", k="i + 32"))
    twice = (Let("k", expr("n - n % 32")), call("S", k="k"), call("T", k="k"))
    assert simplify(twice) == twice
    unread = simplify(twice, {"S": {"k": 1}, "T": {}})
    assert unread == (call("S", k="n - n % 32"), call("T", k="n - n % 32"))


def test_what_never_runs_or_runs_once_is_no_loop() -> None:
    assert simplify((loop("i", "n", "n", call("S", i="i")),)) == ()
    assert simplify((loop("i", "n", "n + 1", call("S", i="i")),)) == (call("S", i="n"),)
    assert simplify((If(Or(()), (call("S"),)), If(TRUE, (call("T"),)))) == (call("T"),)


def test_ifs_are_merged() -> None:
    a, b = Compare("<", Var("i"), Var("n")), Compare("<", Var("j"), Var("n"))
    nested = (If(a, (If(b, (call("S"),)),)),)
    assert simplify(nested) == (If(And((a, b)), (call("S"),)),)
    side = (If(a, (call("S"),)), If(a, (call("T"),)))
    assert simplify(side) == (If(a, (call("S"), call("T"))),)


def test_bounds_are_in_the_order_people_write() -> None:
    stop = Min((Var("n"), expr("i + 32")))
    start = Max((expr("i - 3"), Const(0)))
    inner = For("ii", start, stop, 1, (call("S", i="ii"),))
    (outer,) = simplify((loop("i", 0, "n", inner, step=32),))
    assert isinstance(outer, For) and isinstance(outer.body[0], For)
    assert outer.body[0].stop == Min((expr("i + 32"), Var("n")))
    assert outer.body[0].start == Max((Const(0), expr("i - 3")))


def test_unroll_with_a_factor_leaves_a_remainder() -> None:
    facts = Facts(positive=(Var("n"),))
    block = (loop("k", 0, "n", call("S", k="k"), marks=Marks(unroll=4)),)
    main, rest = unroll(block, facts)
    assert isinstance(main, For) and isinstance(rest, For)
    assert (main.stop, main.step) == (expr("n - 3"), 4)
    assert main.body == tuple(call("S", k=f"k + {at}") for at in range(4))
    assert rest.start == expr("n - n % 4")
    _, guarded = unroll(block)
    assert isinstance(guarded, For)
    assert guarded.start == Max((Const(0), expr("n - n % 4")))


def test_unroll_sees_that_a_triangle_is_not_negative() -> None:
    facts = Facts(positive=(Var("n"),))
    inner = loop("j", "i + 1", "n", call("S", j="j"), marks=Marks(unroll=2))
    (outer,) = unroll((loop("i", 0, "n", inner),), facts)
    assert isinstance(outer, For) and isinstance(outer.body[1], For)
    assert not isinstance(outer.body[1].start, Max)


def test_full_unroll_of_a_run_time_count_stays_a_loop() -> None:
    block = (loop("k", "n - n % 8", "n", call("S", k="k"), marks=Marks(unroll=0)),)
    (left,) = unroll(block)
    assert isinstance(left, For)


def test_short_loops_are_unrolled_where_asked() -> None:
    marks = Marks(unroll_below=3)
    short = loop("k", "i", "i + 2", call("S", k="k"), marks=marks)
    long = loop("k", "i", "i + 3", call("S", k="k"), marks=marks)
    assert unroll((short,)) == (call("S", k="i"), call("S", k="i + 1"))
    assert unroll((long,)) == (long,)


def test_unroll_has_a_limit() -> None:
    block = (loop("k", 0, MOST_NODES + 1, call("S"), marks=Marks(unroll=0)),)
    with pytest.raises(LooptxError) as caught:
        unroll(block)
    assert caught.value.code == "LX106"


SQUARE = """
for i in range(n):
    for j in range(m):
        A[i, j] = i * j
"""


def collapsed(block: Block) -> Block:
    """The block merged as ``collapse i j as ij`` asks."""
    schedule = initial(nest_of(SQUARE))
    for verb in parse(Directive("collapse i j as ij | vectorize ij 4", Place("", 1))):
        schedule = verb.apply(schedule)
    return merge(block, schedule, schedule.collapsed, Facts())


@pytest.mark.parametrize(
    ("rows", "columns"),
    [((0, "n", 1), (0, "m", 1)), (("n", -2, -1), (3, "m", 2)), ((2, 9, 3), (0, 8, 1))],
)
def test_collapse_makes_one_loop(
    rows: tuple[str | int, str | int, int], columns: tuple[str | int, str | int, int]
) -> None:
    inner = loop("j", *columns[:2], call("S0", i="i", j="j"), step=columns[2], dim=1)
    block = (loop("i", *rows[:2], inner, step=rows[2], dim=0),)
    (one,) = collapsed(block)
    assert isinstance(one, For) and one.var == "ij"
    assert one.marks == Marks(vectorize=4)
    for n in range(-2, 5):
        for m in range(-2, 5):
            assert run((one,), {"n": n, "m": m}) == run(block, {"n": n, "m": m})


def test_collapse_of_a_loop_that_runs_once_keeps_the_marks() -> None:
    inner = loop("j", 0, "m", call("S0", i="i", j="j"), dim=1)
    _, left = collapsed((Let("i", Const(3)), inner))
    assert isinstance(left, For) and left.marks == Marks(vectorize=4)
    once = (Let("j", Const(3)), call("S0", i="i", j="j"))
    (left,) = collapsed((loop("i", 0, "n", *once, dim=0),))
    assert isinstance(left, For) and left.marks == Marks(vectorize=4)


def test_triangles_and_what_stands_between_are_not_merged() -> None:
    triangle = loop("j", "i", "m", call("S0", i="i", j="j"), dim=1)
    apart = loop("j", 0, "m", call("S0", i="i", j="j"), dim=1)
    moved = (Let("k", Var("i")), loop("j", 0, "k", call("S0", i="i", j="j"), dim=1))
    for body in ((triangle,), (call("S0", i="i", j=0), apart), moved):
        with pytest.raises(Apart):
            collapsed((loop("i", 0, "n", *body, dim=0),))


def test_sizes_are_not_negative() -> None:
    nest = nest_of(SQUARE, equal={"A.shape[0]": "n"}, parameters=("n", "len(B)", "m"))
    facts = sizes(nest)
    assert facts.nonnegative(expr("n + 1")) and facts.nonnegative(Var("len(B)"))
    assert not facts.nonnegative(Var("m"))
    assert facts.given(Compare(">", Var("m"), Const(2))).nonnegative(expr("m - 3"))
    assert not facts.given(Compare(">", Var("m"), Const(2))).nonnegative(expr("m - 4"))


@settings(max_examples=some(50), deadline=None)
@given(blocks(rich=False), st.integers(0, 6), st.integers(0, 6))
def test_nonnegative_is_never_wrong(block: Block, n: int, m: int) -> None:
    known = Facts(positive=(Var("n"), Var("m")))
    env = {"n": n, "m": m}

    def visit(part: Block, facts: Facts) -> None:
        for node in part:
            if isinstance(node, For):
                span = add(node.stop, mul(Const(-1), node.start))
                if facts.nonnegative(span):
                    assert value(span, env) >= 0
                for number in range(
                    value(node.start, env), value(node.stop, env), node.step
                ):
                    env[node.var] = number
                    visit(node.body, facts.under(node))

    visit(block, known)


def test_prepare_counts_what_the_text_reads() -> None:
    nest = nest_of("for i in range(n):\n    A[i, i] = x + n\n")
    planned = plan(nest, (Let("i", expr("n - n % 2")), call("S0", i="i")))
    assert occurrences(nest)["S0"]["i"] == 2
    assert prepare(nest, planned.body) == planned.body
    assert reads(planned.body) == {"n", "i"}
    assert sum(1 for _ in nodes(planned.body)) == 2
    assert [band.dim.name for band in bands(planned.schedule.tree)] == ["i"]


def test_loops_inside_an_unrolled_loop_are_unrolled_too() -> None:
    marks = Marks(unroll_below=3)
    inner = loop("j", 0, "i + 1", call("S", i="i", j="j"), marks=marks)
    flat = simplify(unroll((loop("i", 0, 2, inner, marks=marks),)))
    expected = [(0, 0), (1, 0), (1, 1)]
    assert flat == tuple(call("S", i=i, j=j) for i, j in expected)


def test_whole_blocks_are_not_negative() -> None:
    facts = Facts(positive=(expr("n - 5"),))
    assert facts.nonnegative(expr("n - n % 32"))
    assert facts.nonnegative(expr("n - (n + 3) % 8 - 5"))
    assert not facts.nonnegative(expr("n - (n + 3) % 8 - 6"))
    assert not Facts().nonnegative(expr("n - n % 32"))


@pytest.mark.parametrize(
    ("cond", "start", "stop"),
    [
        (Compare("<=", expr("(n + 3) % 4"), Const(2)), "n - (n + 3) % 4 - 1", "n"),
        (Compare(">", expr("n % 8"), Const(0)), "1", "9 - n % 8"),
    ],
)
def test_a_partial_block_is_counted_so_that_it_needs_no_guard(
    cond: Compare, start: str, stop: str
) -> None:
    block = (If(cond, (loop("i", start, stop, call("S", i="i")),)),)
    bare = drop_guards(block, Facts())
    assert isinstance(bare[0], For)
    for n in range(-9, 20):
        assert run(bare, {"n": n}) == run(block, {"n": n})


def test_guards_that_hold_go() -> None:
    inner = If(Compare(">=", Var("i"), Const(0)), (call("S", i="i"),))
    block = (loop("i", "n - n % 8", "n", inner),)
    facts = Facts(positive=(Var("n"),))
    assert drop_guards(block, facts) == (loop("i", "n - n % 8", "n", inner.body[0]),)


def test_loops_are_cut_only_as_long_as_that_is_little_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The cells of three reads along a diagonal: conditions that isl leaves long."""
    text = """
import numpy as np
def f(A, B, n, m):
    # looptx: cache_read A | skew i j | compute_at A_cache i sliding
    # looptx: nest s
    for i in range(1, n - 1):
        for j in range(m):
            B[i, j] = A[i - 1, j] + A[i, m - 1 - j] + A[i + 1, j]
"""
    calls = [
        (np.arange(81.0).reshape(9, 9) ** 1.5, np.zeros((9, 9)), n, m)
        for n in (0, 1, 3, 7)
        for m in (0, 1, 2, 5)
    ]
    monkeypatch.setattr("looptx.looptree.passes.ranges.MOST_WORK", 60)
    few = same(text, *calls)
    transformation.cache_clear()
    monkeypatch.setattr("looptx.looptree.passes.ranges.MOST_WORK", 400)
    assert len(few) < len(same(text, *calls))


def test_the_parts_of_a_loop_share_what_they_may_call() -> None:
    parts = [Compare("<", Var("i"), Var(name)) for name in "abcdefghk"]
    body = tuple(
        If(Or((And((one, other)), negate(third))), (call("S", i="i"),))
        for one, other, third in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    )
    block = ranges((loop("i", 0, "n", *body),), Facts())
    calls = sum(isinstance(node, Call) for node in nodes(block))
    assert len(body) < calls <= MOST_CALLS
    at = {name: at for at, name in enumerate("hdbfkcgea")} | {"n": 9}
    assert run(block, {**at}) == run((loop("i", 0, "n", *body),), {**at})
