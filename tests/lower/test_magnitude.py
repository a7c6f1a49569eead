"""Interval arithmetic: whatever the operands, the result is in its bound."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable

import pytest

from looptx.lower import magnitude
from looptx.lower.magnitude import Bound, Size
from looptx.lower.tree import variable

TWO: dict[str, tuple[Callable[[int, int], int], Callable[[Bound, Bound], Bound]]] = {
    "+": (operator.add, magnitude.added),
    "*": (operator.mul, magnitude.multiplied),
    "//": (operator.floordiv, lambda a, b: magnitude.floored(a, b, None)),
    "%": (operator.mod, lambda a, b: magnitude.remainder(b, None)),
    "&": (operator.and_, magnitude.masked),
    "|": (operator.or_, magnitude.bits),
    "^": (operator.xor, magnitude.bits),
    "min": (min, magnitude.least),
    "max": (max, magnitude.greatest),
}
ONE: dict[str, tuple[Callable[[int], int], Callable[[Bound], Bound]]] = {
    "-": (operator.neg, magnitude.negated),
    "~": (operator.invert, magnitude.inverted),
    "abs": (abs, magnitude.absolute),
    "** 3": (lambda a: a**3, lambda a: magnitude.power(a, 3)),
    "** 4": (lambda a: a**4, lambda a: magnitude.power(a, 4)),
    "// 5": (lambda a: a // 5, lambda a: magnitude.floored(a, a, 5)),
    "% 5": (lambda a: a % 5, lambda a: magnitude.remainder(a, 5)),
}


def measured(size: Size, leaves: dict[str, int]) -> float:
    """The value of a magnitude, as the entry computes it."""
    if size.most is None:
        return float("inf")
    if size.op in ("const", "leaf"):
        return float(leaves[size.leaf.name] if size.leaf else size.most)
    left, right = (measured(part, leaves) for part in size.parts)
    forms = {"+": operator.add, "*": operator.mul, "/": operator.truediv}
    return ({**forms, "max": max, "min": min}[size.op])(left, right)


def drawn(draw: random.Random, name: str, leaves: dict[str, int]) -> tuple[int, Bound]:
    """A number in an interval whose ends are known now, or only at the entry."""
    ends = []
    for side in ("down", "up"):
        most = draw.choice((0, 1, 7, 100, 2**20))
        text = f"{name} {side}"
        leaves[text] = draw.randint(0, most)
        late = draw.random() < 0.5 and most
        ends.append(
            (magnitude.leaf(variable(text), most), leaves[text])
            if late
            else (None, most)
        )
    down, up = (size or magnitude.constant(most) for size, most in ends)
    return draw.randint(-ends[0][1], ends[1][1]), Bound(down, up)


def inside(value: int, bound: Bound, leaves: dict[str, int]) -> bool:
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
    large = magnitude.constant(1 << 63)
    assert magnitude.plus(large, magnitude.leaf("n", 5)).most is None
    assert magnitude.times(large, magnitude.leaf("n", 5)).most is None
    assert magnitude.times(magnitude.leaf("n", 5), magnitude.NOTHING).most == 0
    wide = Bound(magnitude.NOTHING, magnitude.leaf("n", 1 << 40))
    assert not magnitude.power(wide, 1000).closed
