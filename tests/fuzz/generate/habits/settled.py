"""Loops that call functions which ask what they are given."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

FROM, INTO = "Qx", "Qy"
"""What the functions are given, and where their values go."""


def settled(function: Function, dice: Dice, asker: str) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices. asker: the name of the function.
    """
    page = Page(dice, list(function.arrays))
    rank = dice.pick(1, 1, 2)
    page.added(Array(FROM, rank, dice.pick("float64", "float64", "float32", "int64")))
    page.added(Array(INTO, 1, "float64"))
    page.written.add(INTO)
    array = FROM if rank == 1 else dice.pick(f"{FROM}[g]", f"{FROM}[:, 0]", FROM)
    place = dice.pick("g", "g", "n - 1 - g", "0")
    more = dice.pick("", "", ", None", ", 2.0", f", {INTO}[g]", ", w=None", ", g")
    step = dice.pick("", "", ", s=-1", ", s=1", ", s=3")
    call = f"{asker}({array}, {place}{more}{step})"
    store = f"{INTO}[g] {dice.pick('=', '=', '+=')}"
    own = f"{FROM}[g{', 0' * (rank - 1)}]"
    lines = ["for g in range(n):", f"    {store} {call}", f"    {INTO}[g] -= {own}"]
    if dice.chance(25):
        lines = ["for g in range(n):", f"    if {call} > 0:", f"        {INTO}[g] += 1"]
    return finished(page, function, (*function.body, odd(page, lines, ())))
