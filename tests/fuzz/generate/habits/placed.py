"""Loops that take rows where data say, elements that masks tell, and make arrays of
what they compute."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

ROWS, LINE, PLACES = "Qa", "Qb", "Qc"
"""What rows are of, what is beside them, and what says where they are."""


def placed(function: Function, dice: Dice) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    kind = dice.pick("float64", "float64", "int64", "float32", "int16")
    page.added(Array(ROWS, 2, kind))
    page.added(Array(LINE, 1, dice.pick(kind, "float64")))
    page.added(Array(PLACES, 1, dice.pick("int64", "int64", "int32", "uint8", "bool")))
    page.written |= {ROWS, LINE}
    lines = dice.pick(_row, _pair, _told, _made)(dice)
    loop = ["for g in range(n):", *indented(lines)]
    return finished(page, function, (*function.body, odd(page, loop, ())))


def _place(dice: Dice) -> str:
    """Where a row is."""
    data = f"{PLACES}[g]", f"{PLACES}[g] % 3", f"{PLACES}[g] - 1", f"-{PLACES}[g]"
    return dice.pick(*data, f"{PLACES}[g] % len({ROWS})", "g", "g - 1", "n - g - 1")


def _row(dice: Dice) -> list[str]:
    """A row, or the first of its cells."""
    part = dice.pick("", "", "", f", :{PLACES}[g]", ", g:", ", 1:")
    between = dice.pick([], [], [f"{ROWS}[0, 0] += 1"], [f"{LINE}[g] -= 1"])
    return [f"row = {ROWS}[{_place(dice)}{part}]", *between, *_used(dice, "row")]


def _pair(dice: Dice) -> list[str]:
    """Two rows that have names at once."""
    one, two = (f"{ROWS}[{_place(dice)}]" for _ in range(2))
    ways = (
        ["row[0] = other[-1]", f"{LINE}[g] += row[0] - other[0]"],
        ["for h in range(len(row)):", "    other[h] = row[h] + other[0]"],
        [f"{LINE}[g] = row[0] * other[1]"],
    )
    return [f"row, other = {one}, {two}", *dice.pick(*ways)]


def _told(dice: Dice) -> list[str]:
    """Elements that a mask tells."""
    mask = dice.pick(f"{LINE} > g", f"{LINE} != 0", f"~({LINE} < 1) & ({LINE} < 5)")
    of = dice.pick(LINE, LINE, f"{ROWS}[0]", f"{PLACES}", f"{LINE}[1:]")
    return [f"row = {of}[{mask}]", *_used(dice, "row")]


def _made(dice: Dice) -> list[str]:
    """An array of the type of what the loop computes."""
    number = dice.pick(f"{LINE}[g] * 2", f"{PLACES}[g] - 1", "g * 0.5", "n", "1.5")
    first = [f"by = {number}"]
    if dice.chance(25):
        first = [f"by = {number}", "if g % 2:", f"    by = {LINE}[g - 1]"]
    made = dice.pick(f"{LINE} * by", f"by - {LINE}", f"{ROWS}[0] + by", f"{LINE} > by")
    return [*first, f"row = {made}", *_used(dice, "row")]


def _used(dice: Dice, name: str) -> list[str]:
    """What a round does with a row.

    Args:
        dice: the choices. name: of the row.
    """
    length = dice.pick(f"len({name})", f"{name}.shape[0]")
    return dice.pick(
        [f"for h in range({length}):", f"    {LINE}[g] += {name}[h] * h"],
        [f"for h in range({length}):", f"    {name}[h] = {LINE}[g] - h"],
        [f"if {length} > 1:", f"    {LINE}[g] = {name}[0] + {name}[-1]"],
        [f"{LINE}[g] = {name}.sum() + {length}"],
        [f"{LINE}[g] = {name}[{_place(dice)}]"],
    )
