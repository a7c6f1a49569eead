"""Loops that reduce rows in which some numbers are none."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

ROWS, MADE = "Na", "Nb"
"""What is reduced, and what is made of it."""

REDUCTIONS = (
    *("nansum", "nanmean", "nanmin", "nanmax", "nanvar", "nanstd"),
    "nanprod",
)


def present(function: Function, dice: Dice) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    page.added(Array(ROWS, 2, dice.pick("float64", "float64", "float32", "int32")))
    page.added(Array(MADE, 1, "float64"))
    page.written |= {ROWS, MADE}
    name = dice.pick(*REDUCTIONS)
    row = dice.pick(f"{ROWS}[g]", f"{ROWS}[:, 0]", f"{ROWS}[g, ::-1]", f"{ROWS}[g, 1:]")
    row = dice.pick(row, row, f"{ROWS}[g] * {ROWS}[0]", f"np.abs({row})")
    freedom = ", ddof=1" if name in ("nanvar", "nanstd") and dice.chance(40) else ""
    none = dice.pick(f"{MADE}[g] = np.nan", f"{ROWS}[g, 0] = {ROWS}[g, 0] / 0.0")
    lines = [
        f"if {dice.pick('g % 2 == 1', f'{ROWS}[g, 0] > 1', 'False')}:",
        f"    {none}",
        f"{MADE}[g] {dice.pick('=', '+=')} np.{name}({row}{freedom})",
    ]
    loop = ["for g in range(n):", *indented(lines)]
    return finished(page, function, (*function.body, odd(page, loop, ())))
