"""Loops that look for numbers in the order of rows: medians, quantiles, ranges."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

ROWS, FOUND = "Ma", "Mb"
"""What has an order, and what is found in it."""

KINDS = ("float64", "float64", "float32", "int64", "int32", "uint8")


def ordered(function: Function, dice: Dice) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    page.added(Array(ROWS, 2, dice.pick(*KINDS)))
    page.added(Array(FOUND, 1, "float64"))
    page.written |= {ROWS, FOUND}
    row = dice.pick(f"{ROWS}[g]", f"{ROWS}[:, 0]", f"{ROWS}[g, ::-1]", f"{ROWS}[g, 1:]")
    row = dice.pick(row, row, f"np.abs({row})", f"{ROWS}[g] * {ROWS}[0]", ROWS)
    percents = dice.pick("25", "50", "90.0", "q=75", "(g % 3) * 40.0", "g % 100")
    parts = dice.pick("0.1", "0.5", "q=0.75", "(g % 3) * 0.4")
    found = dice.pick(
        f"median({row})",
        f"nanmedian({row})",
        f"ptp({row})",
        f"{dice.pick('percentile', 'nanpercentile')}({row}, {percents})",
        f"{dice.pick('quantile', 'nanquantile')}({row}, {parts})",
    )
    lines = [f"{FOUND}[g] {dice.pick('=', '+=')} np.{found}"]
    if dice.chance(30):
        lines.append(f"{ROWS}[g, 0] = g")
    loop = ["for g in range(n):", *indented(lines)]
    return finished(page, function, (*function.body, odd(page, loop, ())))
