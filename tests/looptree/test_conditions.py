"""Conditions and sums of rewritten loops read as the source has them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from looptx.cli.text import transform_text
from looptx.looptree.nodes import Block, Call, For, If
from looptx.looptree.passes.conditions import plainer
from looptx.model.expr import And, Compare, Cond, Const, Mod, Or, Var, add, neg, sub
from looptx.model.expr.evaluate import holds

i, j, n = Var("i"), Var("j"), Var("n")


def within(cond: Cond) -> Block:
    inner = For("j", Const(-1), Const(2), 1, (If(cond, (Call("s", {}),)),))
    return (For("i", Const(0), n, 1, (inner,)),)


def of(block: Block) -> Cond:
    (outer,) = block
    assert isinstance(outer, For)
    (inner,) = outer.body
    assert isinstance(inner, For)
    (guard,) = inner.body
    assert isinstance(guard, If)
    return guard.cond


def is_(op: str, left: Any, right: Any) -> Compare:
    return Compare(op, left, right)


@pytest.mark.parametrize(
    ("cond", "expected"),
    [
        (Or((is_(">", j, i), is_(">", i, j))), is_("!=", i, j)),
        (Or((is_("<", j, i), is_(">", j, i))), is_("!=", i, j)),
        (And((is_("<=", j, i), is_("<=", i, j))), is_("==", i, j)),
        (Or((is_("<", j, Const(0)), is_(">", j, Const(0)))), is_("!=", j, Const(0))),
        (Or((is_(">", n, i), is_("<", n, i))), is_("!=", n, i)),
        (
            Or((is_("==", j, Const(1)), is_("==", i, n), is_("==", j, Const(-1)))),
            Or((is_("==", i, n), is_("!=", j, Const(0)))),
        ),
        (
            And((is_("!=", j, Const(1)), is_("!=", j, Const(-1)))),
            is_("==", j, Const(0)),
        ),
        (is_(">", n, i), is_("<", i, n)),
        (is_("==", neg(j), Const(-3)), is_("==", j, Const(3))),
        (is_(">=", sub(i, j), Const(2)), is_(">=", i, add(j, Const(2)))),
        (is_(">=", sub(Const(1), j), Const(0)), is_("<=", j, Const(1))),
        (is_("<", add(i, n), add(j, n)), is_("<", i, j)),
        (
            is_("==", Mod(add(i, Const(1)), Const(3)), Const(0)),
            is_("==", Mod(i, Const(3)), Const(2)),
        ),
    ],
)
def test_conditions_become_plainer(cond: Cond, expected: Cond) -> None:
    assert of(plainer(within(cond))) == expected
    for values in itertools.product(range(4), (-1, 0, 1), range(4)):
        at = dict(zip("ijn", values, strict=True))
        assert holds(cond, at) == holds(expected, at)


@pytest.mark.parametrize(
    "cond",
    [
        is_("<", j, i),
        Or((is_("<", j, i), is_("<", i, n))),
        Or((is_("<=", j, i), is_(">", i, j))),
        Or((is_("==", j, Const(1)), is_("==", i, Const(1)))),
        Or((is_("==", i, Const(1)), is_("==", i, Const(0)))),
        And((is_(">=", i, Const(0)), is_("<", i, n))),
        is_("==", Mod(i, Const(2)), Mod(add(j, Const(1)), Const(2))),
        is_("<", i, sub(n, j)),
    ],
)
def test_other_conditions_stay(cond: Cond) -> None:
    assert of(plainer(within(cond))) == cond


@pytest.mark.parametrize("test", ["i != j", "i != 0 or j != 0", "i + j != 0"])
def test_parallel_leaves_conditions_alone(test: str) -> None:
    text = f"""
def f(A, B, n):
    # looptx: parallel k
    for k in range(n):
        B[k] = 0.0
        for i in range(-1, 2):
            for j in range(-1, 2):
                if {test}:
                    B[k] += A[k, i + 1, j + 1]
"""
    result = transform_text(text, "t.py")
    assert not result.errors
    assert f"                if {test}:\n" in result.text
    values = np.arange(45.0).reshape(5, 3, 3)
    ours, theirs = np.ones(5), np.ones(5)
    for code, array in ((text, theirs), (result.text, ours)):
        names: dict[str, Any] = {}
        exec(code, names)
        names["f"](values, array, 5)
    assert ours.tolist() == theirs.tolist()


def test_sums_with_an_unrolled_loop_are_added_up() -> None:
    text = """
def f(A, x, n):
    # looptx: unroll a
    for i in range(n):
        for a in range(2):
            A[i] += x[2 * i + a, 3 * i - a, 2 * i ** 2 + a, 0.5 * i + a, 2 * i + a * 2]
            A[i] = A[i] * 2 + a
"""
    new = transform_text(text, "t.py").text
    assert "x[2 * i, 3 * i, 2 * i**2 + 0, 0.5 * i + 0, 2 * i + 0 * 2]" in new
    assert "x[2 * i + 1, 3 * i - 1, 2 * i**2 + 1, 0.5 * i + 1, 2 * i + 1 * 2]" in new
    # What is not an integer may be a negative zero.
    assert "A[i] = A[i] * 2 + 0" in new
