"""Loops with powers of one number, whose exponents are those of iterations."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

CELLS = "Q"
"""What the powers go to, and what some are of."""

BASES = (
    "1.03", "0.5", "-1.5", "1 + 0.01 * n", "1 / (n + 1)", "float(Q[0])", "Q[0]",
    "Q[-1]", "2.0 ** n", "0.0",
)  # fmt: skip

EXPONENTS = (
    "h", "h", "h", "(n - h)", "(n - 1 - h)", "(h - 3)", "(h + m)", "(g - h)", "(m - h)",
    "-h", "(2 * h)", "(h // 2)",
)  # fmt: skip


def climbs(function: Function, dice: Dice) -> Function:
    """A function with such loops behind its own, or instead of these.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    page.added(Array(CELLS, 1, dice.pick("float64", "float64", "float64", "float32")))
    page.written.add(CELLS)
    body = () if dice.chance(75) else function.body
    return finished(page, function, (*body, odd(page, _lines(dice), ())))


def _lines(dice: Dice) -> list[str]:
    """A loop, and one around it."""
    head = dice.pick(
        "range(n)", "range(n)", "range(1, n)", "range(g + 1)", "range(g, n)"
    )
    inner = [f"for h in {head}:"]
    for _ in range(dice.pick(1, 1, 2)):
        inner += indented(_statement(dice))
    base = [f"q = {dice.pick(*BASES)}"]
    if dice.chance(50):
        inner, base = [*base, *inner], []
    return [*base, f"for g in range({dice.pick('m', 'n', '3')}):", *indented(inner)]


def _statement(dice: Dice) -> list[str]:
    powers = [f"q ** {dice.pick(*EXPONENTS)}" for _ in range(2)]
    value = dice.pick(
        powers[0], f"1 / {powers[0]}", f"{powers[0]} * {powers[1]}", f"g - {powers[0]}"
    )
    store = (
        f"{CELLS}[{dice.pick('h', 'h', 'n - 1 - h')}] {dice.pick('=', '+=')} {value}"
    )
    if dice.chance(20):
        return [f"if {CELLS}[h] {dice.pick('>', '<')} 1:", f"    {store}"]
    return [store]
