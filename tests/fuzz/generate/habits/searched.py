"""Loops that look up where numbers would stand in a row."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

TABLE, NUMBERS, FOUND = "Sx", "Sy", "Sz"
"""The rows, what is looked up in them, and where it was found."""

KINDS = ("float64", "float64", "int64", "int32", "uint8", "float32", "uint64")


def searched(function: Function, dice: Dice) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    rank = dice.pick(1, 1, 2)
    page.added(Array(TABLE, rank, dice.pick(*KINDS)))
    page.added(Array(NUMBERS, 1, dice.pick(*KINDS)))
    page.added(Array(FOUND, 1, dice.pick("int64", "float64")))
    page.written.add(FOUND)
    row = dice.pick(TABLE, f"{TABLE}[1:]", f"{TABLE}[:g]", f"{TABLE}[::-1]")
    if rank == 2:
        row = dice.pick(f"{TABLE}[g]", f"{TABLE}[:, 0]", f"{TABLE}[g, 1:]")
    number = dice.pick(f"{NUMBERS}[g]", f"{NUMBERS}[g]", "g", "1.5", "g * 0.5")
    side = dice.pick("", "", ", side='left'", ", side='right'", ", 'right'")
    call = f"np.searchsorted({row}, {number}{side})"
    lines = [f"{FOUND}[g] {dice.pick('=', '+=')} {call}"]
    if dice.chance(40):
        lines = [
            f"k = {call}",
            f"if k > {dice.pick(0, 1)}:",
            f"    {FOUND}[k - 1] += 1",
        ]
    loop = ["for g in range(n):", *indented(lines)]
    return finished(page, function, (*function.body, odd(page, loop, ())))
