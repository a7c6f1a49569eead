"""Loops with names that are None until they are given numbers."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

FROM, INTO = "Na", "Nb"
"""What decides, and where numbers go."""


def begun(function: Function, dice: Dice) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    page.added(Array(FROM, 1, dice.pick("float64", "float64", "int64", "float32")))
    page.added(Array(INTO, 1, "float64"))
    page.written.add(INTO)
    some = [line for _ in range(dice.pick(1, 2, 3)) for line in _lines(dice)]
    begin = dice.pick("None", "None", "None", f"{FROM}[0]")
    match dice.pick("for", "for", "inner", "while"):
        case "for":
            loop = [f"none = {begin}", "for g in range(n):", *indented(some)]
        case "inner":
            inner = ["none = None", "for h in range(n):", *indented(some)]
            loop = ["for g in range(n):", *indented(inner)]
        case _:
            test = f"while g < n and (none is None or none < {FROM}[g] + 1):"
            loop = [f"none, g = {begin}, 0", test, *indented([*some, "g += 1"])]
    if dice.chance(40):
        page.returns.append("none")
    return finished(page, function, (*function.body, odd(page, loop, ())))


def _number(dice: Dice) -> str:
    """A number that the name may get, or be compared with."""
    return dice.pick(f"{FROM}[g]", f"{FROM}[g]", "g", "1.5", f"{INTO}[g] + 1")


def _test(dice: Dice) -> str:
    """What asks for the name."""
    return dice.pick(
        "none is None",
        "none is not None",
        f"none is None or none {dice.pick('<', '>')} {_number(dice)}",
        f"none is not None and none {dice.pick('<', '>=')} {_number(dice)}",
        f"not (none is not None) or {FROM}[g] > none",
        f"{FROM}[g] > 1 and none is None",
    )


def _on(dice: Dice) -> list[str]:
    """What may end a round."""
    return ["    continue"] if dice.chance(30) else []


def _lines(dice: Dice) -> list[str]:
    """Statements that ask for the name, and give it numbers."""
    value, other = _number(dice), _number(dice)
    reset = ["none = None"] if dice.chance(20) else [f"{INTO}[g] = none"]
    return dice.pick(
        [f"if {_test(dice)}:", f"    none = {value}"],
        [f"if {_test(dice)}:", f"    none = {value}", "else:", *indented(reset)],
        [f"none = {value} if none is None else none + {other}"],
        [f"{INTO}[g] += none if none is not None else {other}"],
        [f"if {_test(dice)}:", f"    {INTO}[g] -= none", f"none = {value}"],
        [f"if {FROM}[g] < 1:", f"    none = {value}", *_on(dice)],
        [
            *(f"none = {value}", "for k in range(2):", f"    {INTO}[g] += none"),
            *(f"    if {FROM}[k] < 1:", "        none = None"),
        ],
    )
