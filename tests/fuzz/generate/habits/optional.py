"""Loops that use an argument where the call gives one."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

MAYBE, INTO = "Oa", "Ob"
"""What may be None, and where numbers go."""


def optional(function: Function, dice: Dice, taker: str) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices. taker: the name of a function that is
            given any number of numbers.
    """
    page = Page(dice, list(function.arrays))
    page.added(Array(MAYBE, 1, dice.pick("float64", "float64", "float32", "int64")))
    page.added(Array(INTO, 1, "float64"))
    page.written.add(INTO)
    place = dice.pick("g", "g", "n - 1 - g", "0")
    own, other = f"{INTO}[g] += {MAYBE}[{place}]", f"{INTO}[g] -= 0.5"
    test = dice.pick(f"{MAYBE} is not None", f"{MAYBE} is None")
    if test.endswith("is None"):
        own, other = other, own
    choice = dice.pick(
        [f"if {test}:", f"    {own}", "else:", f"    {other}"],
        [f"{INTO}[g] = ({MAYBE}[{place}] if {MAYBE} is not None else g) * 0.5"],
        [f"if {MAYBE} is not None and {MAYBE}[{place}] > 0:", f"    {other}"],
    )
    lines = ["for g in range(n):", *indented(choice)]
    if dice.chance(30):
        first = [f"if {MAYBE} is None:", f"    {MAYBE} = np.ones(n)"]
        lines = [*first, "for g in range(n):", f"    {INTO}[g] += {MAYBE}[{place}]"]
        lines += [f"    if {MAYBE} is None:", f"        {other}"]
    elif dice.chance(20):
        lines = [f"if {test}:", *indented(lines)]
    if dice.chance(40):
        more = dice.pick("", ", g", ", 2.0, g", f", {INTO}[g], n, 0.5", f", {MAYBE}[g]")
        lines += ["for g in range(n):", f"    {INTO}[g] += {taker}(g{more})"]
    return finished(page, function, (*function.body, odd(page, lines, ())))
