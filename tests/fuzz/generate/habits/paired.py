"""Loops over ranges side by side with others, with elements, or numbered."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

FROM, INTO, ENDS = "Pa", "Pb", "Pc"
"""What is read, what it comes to, and integers that say from where."""

BOUNDS = ("g", f"{ENDS}[g]", "1", "n", f"{ENDS}[g] + 1", f"len({FROM})", "g - 1")
FALLING = ("(3, 2, 1, 0)", "(2, 1, 0)", "(0, 1, 2)", "range(n - 1, -1, -1)")


def paired(function: Function, dice: Dice) -> Function:
    """A function with such loops behind its own.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    page.added(Array(FROM, 1, dice.pick("float64", "float64", "int64", "float32")))
    page.added(Array(INTO, 1, "float64"))
    page.added(Array(ENDS, 1, dice.pick("int64", "int64", "int32", "uint8")))
    page.written.add(INTO)
    bounds = [dice.pick(*BOUNDS) for _ in range(dice.pick(1, 2, 2, 2))]
    step = dice.pick("", "", ", 2", ", -1", ", -2") if len(bounds) > 1 else ""
    numbers = f"range({', '.join(bounds)}{step})"
    other = dice.pick(*FALLING)
    head, value = dice.pick(
        (f"k, h in enumerate({numbers})", "h - k"),
        (f"h, w in zip({numbers}, {FROM})", "w * h"),
        (f"h, k in zip({other}, {numbers})", "h + k"),
        (f"k, h in enumerate({other})", f"{FROM}[g] * h - k"),
    )
    inner = [f"for {head}:", f"    {INTO}[g] {dice.pick('+=', '-=')} {value}"]
    if "h" in value and "w" not in value and dice.chance(30):
        inner[1:] = ["    if 0 <= h < n:", f"        {INTO}[h] += {value}"]
    lines = ["for g in range(n):", *(f"    {line}" for line in inner)]
    return finished(page, function, (*function.body, odd(page, lines, ())))
