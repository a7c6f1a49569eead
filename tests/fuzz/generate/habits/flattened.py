"""Loops over rows and columns of arrays that have one axis."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

CELLS, OTHER = "Ra", "Rb"
"""What is read and written."""

ORDERS = (
    "", "", "parallel g", "parallel h", "reorder h g", "vectorize h", "tile g=2 h=3",
    "reorder h g | vectorize g", "reorder h g | parallel h", "skew h g",
)  # fmt: skip

COLUMNS = ("wide", "wide", "wide", "wide - 1", "wide - 2", "wide + 1", "g", "g + 1")


def flattened(function: Function, dice: Dice) -> Function:
    """A function with such loops behind its own, or instead of these.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    kind = page.arrays[0].dtype
    page.added(Array(CELLS, 1, kind))
    page.added(Array(OTHER, 1, kind, like=CELLS))
    page.written |= {CELLS, OTHER}
    body = () if dice.chance(80) else function.body
    return finished(page, function, (*body, odd(page, _lines(dice), ())))


def _lines(dice: Dice) -> list[str]:
    """The loops, and how wide a row is."""
    wide = dice.pick("2", "3", "max(m, 1)", "max(m, 1)", "m")
    tall = dice.pick(f"len({CELLS}) // wide", "n // 2", "m", "n")
    order = dice.pick(*ORDERS)
    rows = f"for g in range({dice.pick('tall', 'tall', '1, tall', 'tall - 1')}):"
    columns = f"for h in range({dice.pick('', '', '1, ')}{dice.pick(*COLUMNS)}):"
    return [
        f"wide = {wide}",
        f"tall = {tall if wide != 'm' else dice.pick('n', 'm', '2')}",
        *([f"# looptx: {order}"] if order else []),
        rows,
        *indented([columns, *indented(_round(dice))]),
    ]


def _place(dice: Dice) -> str:
    """A row and a column."""
    row = dice.pick("g", "g", "g", "g", "(g + 1)", "(g - 1)", "(tall - 1 - g)")
    column = dice.pick("h", "h", "h", "h + 1", "h - 1", "wide - 1 - h", "0", "g", "1")
    width = dice.pick("wide", "wide", "wide", "wide", "wide", "(wide + 1)", "tall")
    found = dice.pick(f"{row} * {width} + {column}", f"{column} + {width} * {row}")
    if dice.chance(20):
        # Neighbours in one pixel, as images keep their colours.
        return f"({found}) * 2{dice.pick('', ' + 1', ' + 1', ' - 1')}"
    return found


def _round(dice: Dice) -> list[str]:
    """What a round does."""
    place, first = _place(dice), []
    if dice.chance(30):
        first, place = [f"at = {dice.pick(place, 'g + h', 'h')}"], "at"
    own = f"{dice.pick(CELLS, CELLS, OTHER)}[{place}]"
    read = dice.pick(
        f"{CELLS}[{place}]", f"{OTHER}[{place}]", f"{CELLS}[{_place(dice)}]",
        f"{OTHER}[{_place(dice)}]", "g", f"{OTHER}[h]",
    )  # fmt: skip
    store = f"{own} {dice.pick('=', '=', '+=')} {read}"
    return dice.pick(
        [*first, store],
        [*first, store],
        [*first, f"{store} + {CELLS}[{_place(dice)}]"],
        [*first, f"{own} = {own} + {dice.pick(CELLS, OTHER)}[{_place(dice)}]"],
        [*first, f"if {read} > 1:", f"    {store}"],
    )
