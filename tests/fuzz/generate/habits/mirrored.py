"""Loops that move the bits of a number into another one, from its end."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

FROM, INTO = "I", "J"
"""Where the numbers are, and what they come to."""


def mirrored(function: Function, dice: Dice) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    page.added(Array(FROM, 1, dice.pick("uint32", "int64", "uint8", "int32")))
    page.added(Array(INTO, 1, dice.pick("int64", "int64", "float64")))
    page.written.add(INTO)
    return finished(page, function, (*function.body, odd(page, _lines(dice), ())))


def _lines(dice: Dice) -> list[str]:
    """A loop over numbers, and one over the bits of each."""
    room, bit = "into << 1", "off & 1"
    store = dice.pick(f"({room}) | ({bit})", f"({room}) | ({bit})", f"{bit} | {room}")
    off = [f"off {dice.pick('>>= 1', '>>= 1', '= off >> 1', '>>= 2')}"]
    rounds = dice.pick("2", "5", "8", "31", "32", "33", "48", "m")
    inner = [f"into = {store}", *off]
    if dice.chance(15):
        inner.reverse()
    use = dice.pick("into", "into - off", "into + h", "into % 1009 + off % 7")
    return [
        "for g in range(n):",
        f"    off = int({FROM}[g])",
        f"    into = {dice.pick('0', '0', 'g', '3', '-1')}",
        f"    for h in range({rounds}):",
        *indented(indented(inner)),
        f"    {INTO}[g] {dice.pick('=', '+=')} {use}",
    ]
