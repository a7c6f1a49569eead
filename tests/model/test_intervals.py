"""Interval arithmetic: whatever the operands, the result is in its bound."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable

import pytest

from looptx.model.expr import Var
from looptx.model.intervals.symbolic import (
    NOTHING,
    Interval,
    UpperBound,
    constant,
    exactly,
    leaf,
)

TWO: dict[
    str,
    tuple[
        Callable[[int, int], int],
        Callable[[Interval, Interval], Interval],
    ],
] = {
    "+": (operator.add, operator.add),
    "*": (operator.mul, operator.mul),
    "//": (operator.floordiv, operator.floordiv),
    "%": (operator.mod, operator.mod),
    "&": (operator.and_, operator.and_),
    "|": (operator.or_, operator.or_),
    "^": (operator.xor, operator.xor),
    "min": (min, Interval.minimum),
    "max": (max, Interval.maximum),
}
ONE: dict[str, tuple[Callable[[int], int], Callable[[Interval], Interval]]] = {
    "-": (operator.neg, operator.neg),
    "~": (operator.invert, operator.invert),
    "abs": (abs, abs),
    "** 3": (lambda a: a**3, lambda a: a ** exactly(3)),
    "** 4": (lambda a: a**4, lambda a: a ** exactly(4)),
    "// 5": (lambda a: a // 5, lambda a: a // exactly(5)),
    "% 5": (lambda a: a % 5, lambda a: a % exactly(5)),
}


def measured(size: UpperBound, leaves: dict[str, int]) -> float:
    """The value of a magnitude, as the entry computes it."""
    if size.most is None:
        return float("inf")
    if size.op in ("const", "leaf"):
        return float(leaves[size.leaf.name] if size.leaf else size.most)
    left, right = (measured(part, leaves) for part in size.parts)
    forms = {"+": operator.add, "*": operator.mul, "/": operator.truediv}
    return ({**forms, "max": max, "min": min}[size.op])(left, right)


def drawn(
    draw: random.Random, name: str, leaves: dict[str, int]
) -> tuple[int, Interval]:
    """A number in an interval whose ends are known now, or only at the entry."""
    ends = []
    for side in ("down", "up"):
        most = draw.choice((0, 1, 7, 100, 2**20))
        text = f"{name} {side}"
        leaves[text] = draw.randint(0, most)
        late = draw.random() < 0.5 and most
        ends.append((leaf(Var(text), most), leaves[text]) if late else (None, most))
    down, up = (size or constant(most) for size, most in ends)
    return draw.randint(-ends[0][1], ends[1][1]), Interval(down, up)


def inside(value: int, bound: Interval, leaves: dict[str, int]) -> bool:
    down, up = measured(bound.down, leaves), measured(bound.up, leaves)
    known = all(
        size.most is None or reached <= size.most * (1 + 1e-9)
        for size, reached in ((bound.down, down), (bound.up, up))
    )
    margin = 1 + 1e-9
    return known and -down * margin <= value <= up * margin


@pytest.mark.parametrize("name", TWO)
def test_of_two(name: str) -> None:
    exact, bounded = TWO[name]
    draw = random.Random(name)
    for _ in range(3000):
        leaves: dict[str, int] = {}
        a, left = drawn(draw, "a", leaves)
        b, right = drawn(draw, "b", leaves)
        if b or name not in ("//", "%"):
            assert inside(exact(a, b), bounded(left, right), leaves), (a, b)


@pytest.mark.parametrize("name", ONE)
def test_of_one(name: str) -> None:
    exact, bounded = ONE[name]
    draw = random.Random(name)
    for _ in range(3000):
        leaves: dict[str, int] = {}
        a, bound = drawn(draw, "a", leaves)
        assert inside(exact(a), bounded(bound), leaves), a


def test_what_is_too_large_is_unbounded() -> None:
    large = constant(1 << 63)
    assert (large + leaf(Var("n"), 5)).most is None
    assert (large * leaf(Var("n"), 5)).most is None
    assert (leaf(Var("n"), 5) * NOTHING).most == 0
    wide = Interval(NOTHING, leaf(Var("n"), 1 << 40))
    assert not (wide ** exactly(1000)).closed
