"""Loops with names that get their values in some rounds, and are read in others."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

FROM, INTO = "Ua", "Ub"
"""What decides, and where numbers go."""


def unset(function: Function, dice: Dice) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    page.added(Array(FROM, 1, dice.pick("float64", "float64", "float32", "int64")))
    page.added(Array(INTO, 1, "float64", like=FROM if dice.chance(60) else ""))
    page.written.add(INTO)
    test = dice.pick(
        "g == 0", "g == 0", f"{FROM}[g] > 0", f"{FROM}[g] <= {FROM}[0]", "g % 3 == 0"
    )
    value = dice.pick(f"{FROM}[g]", f"{FROM}[g] * 2", "g", f"{INTO}[g] - 1")
    other = dice.pick("late * 0.5", f"late + {FROM}[g]", "late")
    store = f"{INTO}[g] {dice.pick('=', '+=')} late"
    ways = [f"if {test}:", f"    late = {value}"]
    match dice.pick("else", "else", "behind", "behind", "inner", "while", "some"):
        case "else":
            lines = [*ways, "else:", f"    late = {other}", store]
        case "behind":
            lines = [f"{INTO}[g] = 0.5", *ways, store]
        case "inner":
            lines = ["for h in range(g):", *indented(ways), "    if h > 1:"]
            lines += [f"        {INTO}[g] += late", f"{INTO}[g] -= 1"]
        case "while":
            lines = ["h = 0", f"while h < g and {FROM}[h] < 2:", "    late = h * 0.5"]
            lines += ["    h += 1", store]
        case _:
            lines = [*ways, f"elif {FROM}[g] < 1:", f"    {store}", f"{INTO}[g] += g"]
    if dice.chance(25):
        page.returns.append("late")
    loop = ["for g in range(n):", *indented(lines)]
    return finished(page, function, (*function.body, odd(page, loop, ())))
