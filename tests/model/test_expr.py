"""Integer expressions: every smart constructor keeps the value, for all integers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit.nests import OPERATORS, holds, value
from kit.samples import some

from looptx.model import expr as x
from looptx.model.expr import (
    Add,
    And,
    Compare,
    Cond,
    Const,
    FloorDiv,
    IntExpr,
    Max,
    Min,
    Mod,
    Mul,
    Not,
    Or,
    Select,
    Var,
    add,
    floordiv,
    maximum,
    minimum,
    mod,
    mul,
    sub,
)

i, n, m = Var("i"), Var("n"), Var("m")

_numbers = st.integers(-70, 70)
_divisors = st.sampled_from([1, 2, 3, 4, 8, 12, 32]).map(Const)
_leaves = st.one_of(_numbers.map(Const), st.sampled_from([i, n, m]))


def _deeper(inner: st.SearchStrategy[IntExpr]) -> st.SearchStrategy[IntExpr]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    factor = st.sampled_from([-64, -32, -4, -2, -1, 2, 3, 4, 32]).map(Const)
    compare = st.builds(Compare, st.sampled_from(sorted(OPERATORS)), inner, inner)
    return st.one_of(
        st.builds(Add, several),
        st.builds(lambda a, b: Mul((a, b)), factor, inner),
        st.builds(FloorDiv, inner, _divisors),
        st.builds(Mod, inner, _divisors),
        st.builds(Min, several),
        st.builds(Max, several),
        st.builds(Select, compare, inner, inner),
    )


exprs = st.recursive(_leaves, _deeper, max_leaves=9)
envs = st.fixed_dictionaries({name: st.integers(-100, 100) for name in "inm"})


@settings(max_examples=some(130), deadline=None)
@given(exprs, st.lists(envs, min_size=5, max_size=5))
def test_simplified_equals_original(
    expr: IntExpr, points: list[dict[str, int]]
) -> None:
    simple = x.rewrite(expr, {})
    assert all(value(expr, env) == value(simple, env) for env in points)


@settings(max_examples=some(100), deadline=None)
@given(
    st.sampled_from(sorted(OPERATORS)),
    exprs,
    exprs,
    st.lists(envs, min_size=5, max_size=5),
)
def test_conditions_keep_their_value(
    op: str, left: IntExpr, right: IntExpr, points: list[dict[str, int]]
) -> None:
    raw: Cond = Or((Not(Compare(op, left, right)), And((Compare(op, right, left),))))
    simple = x.rewrite_cond(raw, {})
    for env in points:
        assert holds(raw, env) == holds(simple, env)
        assert holds(raw, env) != holds(x.negate(raw), env)


@settings(max_examples=some(100), deadline=None)
@given(exprs, st.lists(envs, min_size=5, max_size=5))
def test_interval_contains_every_value(
    expr: IntExpr, points: list[dict[str, int]]
) -> None:
    found = x.interval(x.rewrite(expr, {}))
    for env in points:
        assert found.low is None or found.low <= value(expr, env)
        assert found.high is None or value(expr, env) <= found.high


@settings(max_examples=some(70), deadline=None)
@given(
    st.integers(-9, 9),
    st.integers(-9, 40),
    st.sampled_from([-5, -2, -1, 1, 2, 3, 7]),
)
def test_distance_counts_a_range(start: int, stop: int, step: int) -> None:
    count = value(x.distance(Const(start), Const(stop), step), {})
    assert max(0, count) == len(range(start, stop, step))


@pytest.mark.parametrize(
    ("built", "wanted"),
    [
        (sub(n, mod(add(n, Const(32)), 32)), sub(n, mod(n, 32))),
        (mul(Const(32), floordiv(n, 32)), sub(n, mod(n, 32))),
        (sub(n, mul(Const(32), floordiv(n, 32))), mod(n, 32)),
        (add(mul(Const(32), floordiv(n, 32)), mod(n, 32)), n),
        (floordiv(sub(n, mod(n, 32)), 32), floordiv(n, 32)),
        (mod(sub(n, mod(n, 32)), 8), Const(0)),
        (mod(mod(n, 32), 8), mod(n, 8)),
        (mod(mod(n, 8), 32), mod(n, 8)),
        (floordiv(mod(n, 8), 32), Const(0)),
        (floordiv(floordiv(n, 4), 8), floordiv(n, 32)),
        (floordiv(add(mul(Const(32), i), mod(n, 32)), 32), i),
        (add(minimum(sub(n, Const(1)), add(i, Const(31))), Const(1)), None),
        (add(i, minimum(Const(32), sub(n, i))), minimum(add(i, Const(32)), n)),
        (maximum(Const(0), mod(n, 32)), mod(n, 32)),
        (minimum(n, sub(n, mod(n, 32))), sub(n, mod(n, 32))),
        (minimum(add(i, Const(3)), i, add(i, Const(1))), i),
        (floordiv(add(n, Const(31)), 32), FloorDiv(Add((n, Const(31))), Const(32))),
    ],
)
def test_written_as_a_person_would(built: IntExpr, wanted: IntExpr | None) -> None:
    assert built == (wanted or minimum(n, add(i, Const(32))))


def test_conditions_that_are_decided_disappear() -> None:
    assert x.compare("<", i, add(i, Const(1))) == x.TRUE
    assert x.compare(">=", mod(n, 4), Const(0)) == x.TRUE
    assert x.compare("==", i, add(i, Const(1))) == x.FALSE
    assert x.compare(">=", n, Const(1)) == Compare(">", n, Const(0))
    assert x.compare("<=", Const(3), n) == Compare(">=", n, Const(3))
    assert x.conj(x.TRUE, Compare("<", i, n), Compare("<", i, n)) == Compare("<", i, n)
    assert x.disj(x.TRUE, Compare("<", i, n)) == x.TRUE
    assert x.conj(x.FALSE, Compare("<", i, n)) == x.FALSE
