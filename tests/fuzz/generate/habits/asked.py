"""Loops with elements that own functions read, and nothing else does."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

FROM, INTO = "U", "V"
"""Where the elements are, and what they come to."""

PLACES = (
    "g + 1", "g + 1", "g - 1", "g + 2", "2 * g", "n - 1 - g", "g", "n", "m - g",
)  # fmt: skip


def asked(function: Function, dice: Dice, reader: str) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices. reader: the name of the function.
    """
    page = Page(dice, list(function.arrays))
    page.added(Array(FROM, 1, dice.pick("float64", "float64", "float32", "int64")))
    page.added(Array(INTO, 1, "float64"))
    into = dice.pick(INTO, INTO, INTO, FROM)
    page.written.add(into)
    store = f"{into}[g] {dice.pick('=', '=', '+=')}"
    lines = [
        f"for g in {dice.pick('range(n)', 'range(n)', 'range(1, n)')}:",
        f"    {store} {reader}({FROM}, {dice.pick(*PLACES)})",
    ]
    return finished(page, function, (*function.body, odd(page, lines, ())))
