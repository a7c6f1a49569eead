"""Loops that call functions which call themselves, and take elements of tuples."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

CELLS, STEPS = "Na", "Nb"
"""What the functions write, and where they go on."""


def walked(function: Function, dice: Dice, walker: str) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices. walker: the name of the function.
    """
    page = Page(dice, list(function.arrays))
    page.added(Array(CELLS, 1, dice.pick("float64", "float64", "float32")))
    page.added(Array(STEPS, 1, dice.pick("int64", "int64", "int32")))
    page.written.add(CELLS)
    place = dice.pick("g", f"{STEPS}[g]", "n - 1 - g", "0")
    step = dice.pick(f"{CELLS}[g]", f"{CELLS}[0] * 0.5", f"{CELLS}[-1]")
    lines = ["for g in range(n):"]
    lines += [f"    {walker}({CELLS}, {STEPS}, {place}, {step}, 0)"]
    lines += dice.pick([], [f"    {CELLS}[g] -= 1"], _parted(dice))
    parts = f"parts = 0.5, float({dice.pick('n', f'{CELLS}[0]')}), -0.25"
    return finished(page, function, (*function.body, odd(page, [parts, *lines], ())))


def _parted(dice: Dice) -> list[str]:
    """A statement with an element of a tuple, whose numbers are those of Python."""
    place = dice.pick("g % 3", "-1 - g % 3", "g", f"int({STEPS}[g]) % 3")
    value = dice.pick(f"parts[{place}]", f"{CELLS}[g] / parts[{place}]")
    return [f"    {CELLS}[g] {dice.pick('=', '+=', '-=')} {value}"]
