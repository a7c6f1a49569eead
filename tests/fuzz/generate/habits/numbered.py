"""Loops that count the cells of arrays, `A.flat[k]`, beside what has rows."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

CELLS, OTHER, PARTS = "Fa", "Fb", "Fc"
"""What is read and written."""


def numbered(function: Function, dice: Dice) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    kind = dice.pick("float64", "float64", "int64", "float32", "int16", "bool")
    page.added(Array(CELLS, 2, kind))
    page.added(Array(OTHER, dice.pick(1, 2, 2), dice.pick(kind, "float64")))
    page.written |= {CELLS, OTHER}
    lines = _rows(dice) if dice.chance(40) else _all(dice)
    if dice.chance(35):
        page.added(Array(PARTS, 3, dice.pick("float64", "int64")))
        page.written.add(PARTS)
        lines += _parts(dice)
    return finished(page, function, (*function.body, odd(page, lines, ())))


def _all(dice: Dice) -> list[str]:
    """A loop over all cells, or as many as there are of something else."""
    count = dice.pick(f"{CELLS}.size", f"{CELLS}.size", f"{OTHER}.size", "n", "n * m")
    return [f"for g in range({count}):", *indented(_round(dice, "g"))]


def _rows(dice: Dice) -> list[str]:
    """Loops over rows, whose cells have numbers and places."""
    inner = [
        *([f"at = g * {CELLS}.shape[1] + h"] if dice.chance(60) else ["at = g + h"]),
        *_round(dice, "at", "g", "h"),
    ]
    return [
        f"for g in range({dice.pick('n', f'{CELLS}.shape[0]')}):",
        *indented([f"for h in range({CELLS}.shape[1]):", *indented(inner)]),
    ]


def _parts(dice: Dice) -> list[str]:
    """Loops over the cells of the parts of an array, which have names."""
    of = f"part.flat[{dice.pick('h', 'h', 'h', '-1 - h', 'h - 1', 'g')}]"
    other = dice.pick(
        f"{CELLS}.flat[g]", f"{PARTS}.flat[h]", f"{PARTS}[g, 0, 0]", "2", of,
        "part.flat[0]", f"before.flat[{dice.pick('h', '0')}]",
    )  # fmt: skip
    store = f"{dice.pick(of, of, other)} {dice.pick('=', '+=')} {dice.pick(of, other)}"
    store = store.removeprefix("2 = ").removeprefix("2 += ")
    at = dice.pick("g", "g", "-1 - g", "g + 1", "0")
    inner = f"for h in range({dice.pick('n', 'm', f'{PARTS}.shape[1]', '3')}):"
    body = [f"part = {PARTS}[{at}]", inner, f"    {store}"]
    if "before" in store:
        body.insert(dice.pick(0, 1), f"before = {PARTS}[g - 1]")
    return [f"for g in range(len({PARTS})):", *indented(body)]


def _cell(dice: Dice, at: str) -> str:
    """A cell by its number."""
    of = dice.pick(CELLS, CELLS, OTHER)
    size = f"{of}.size"
    place = dice.pick(at, at, at, f"{size} - 1 - {at}", f"{at} - 1", f"-1 - {at}")
    if dice.chance(25):
        # Data tell the place: of any array of integers that is as large.
        place = f"int({dice.pick(CELLS, OTHER)}.flat[{at}]) % {size}"
    return f"{of}.flat[{place}]"


def _round(dice: Dice, at: str, *loops: str) -> list[str]:
    """What a round does.

    Args:
        dice: the choices. at: a number of a cell. loops: a row and a column.
    """
    read = [_cell(dice, at), _cell(dice, at), f"{at} % 3", "1"]
    own = _cell(dice, at)
    if loops:
        place = f"{CELLS}[{loops[0]}, {dice.pick(loops[1], loops[1], '0')}]"
        read, own = [*read, place, place], dice.pick(own, own, place)
    store = f"{own} {dice.pick('=', '=', '+=', '*=')} {dice.pick(*read)}"
    if dice.chance(30):
        store += f" + {dice.pick(*read)}"
    if dice.chance(25):
        return [f"if {dice.pick(*read[:2])} > 1:", f"    {store}"]
    return [store, f"{_cell(dice, at)} = {dice.pick(*read)}"] if loops else [store]
