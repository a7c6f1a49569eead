"""Loops with squares and other powers of elements, many at a time."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

CELLS, OTHER, EXPONENT = "Sa", "Sb", "Sc"
"""What the powers are of, what they come to, and at times their exponents."""

KINDS = ("float64", "float64", "float64", "float32", "int64")

HEADS = ("range(n)", "range(n)", "range(n)", "range(1, n)", "range(n - 1, -1, -1)")
EXPONENTS = ("2", "2", "2", "3", "1.5", "0.5", "2.5", "-1", "4")


def squared(function: Function, dice: Dice) -> Function:
    """A function with such a loop behind its own, or instead of these.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    kind = dice.pick(*KINDS)
    page.added(Array(CELLS, 1, kind))
    page.added(Array(OTHER, 1, dice.pick(kind, kind, "float64"), like=CELLS))
    page.added(Array(EXPONENT, 1, kind, like=CELLS))
    page.written |= {CELLS, OTHER}
    if dice.chance(50):
        page.returns.append("u")
    body = () if dice.chance(80) else function.body
    return finished(page, function, (*body, odd(page, _lines(dice), ())))


def _lines(dice: Dice) -> list[str]:
    """The loop, in another one at times, and what it begins with."""
    inner: list[str] = []
    for _ in range(dice.pick(1, 1, 2)):
        inner += _round(dice)
    found = [f"for h in {dice.pick(*HEADS)}:", *indented(inner)]
    if dice.chance(35):
        found = ["# looptx: vectorize h", *found]
    elif dice.chance(25):
        found = [f"for g in range({dice.pick('3', 'm')}):", *indented(found)]
    return [f"u = {dice.pick('0.3', '1.5', '2')}", *found]


def _round(dice: Dice) -> list[str]:
    """What a round does."""
    one, two = dice.pick((CELLS, OTHER), (CELLS, OTHER), (OTHER, CELLS))
    power = dice.pick(*EXPONENTS)
    near = f"{one}[{dice.pick('h - 1', 'h + 1', 'h', 'n - 1 - h')}]"
    base = dice.pick(
        f"{one}[h]", f"{one}[h]", f"({one}[h] - {two}[h])", f"({one}[h] - {near})",
        f"({one}[h] - u)", near, f"abs({one}[h])", "u", "(h * 0.5)",
    )  # fmt: skip
    store = f"{two}[h] {dice.pick('=', '=', '+=')}"
    halves = ["for o in range(2):", "    u = u / 2"]
    return dice.pick(
        [f"{store} {base} ** {power}"],
        [f"{store} {base} ** {EXPONENT}[h]"],
        [f"u += {base} ** {power}"],
        [f"{store} {base} ** {power} + {near} ** {dice.pick(power, '2')}"],
        [f"{store} {one}[h] ** {two}[h]"],
        [f"u = {one}[h]", *halves, f"{store} u ** {power}"],
        [f"{store} u ** {power}", f"u = {dice.pick(near, f'{one}[h]')}"],
        [f"if {near} > {dice.pick('0', '1')}:", f"    {store} {base} ** {power}"],
    )
