"""Loops that store into lists of numbers of Python, and take of them."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

CELLS, PLACES = "La", "Lb"
"""What else is written, and where in lists."""


def held(function: Function, dice: Dice) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    page.added(Array(CELLS, 1, dice.pick("float64", "float64", "float32", "int64")))
    page.added(Array(PLACES, 1, dice.pick("int64", "int64", "int32")))
    page.written.add(CELLS)
    first = dice.pick("0", "0.0", "1", "0.5", "True")
    lists = [
        dice.pick(
            f"kept = [{first}] * n",
            f"kept = {CELLS}.tolist()",
            "kept = [(0.5, 1, True)[h % 3] for h in range(n)]",
        ),
        f"deep = [[{dice.pick('0', '0.0', '1.5')}] * 3 for _ in range(n)]",
    ]
    lists += ["deep[-1] = deep[0]"] if dice.chance(5) else []
    some = [line for _ in range(dice.pick(1, 2, 3)) for line in _lines(dice)]
    more = Dice(f"held whole {some}")
    if more.chance(35):
        lists.append("last = [0, 0.5, True]")
        page.returns.append("last")
        some += _whole(more)
    scheduled = Dice(f"held {some}").pick("", "", "", "split g 3", "unroll g 2")
    loop = ["for g in range(n):", *indented(some)]
    if scheduled:
        loop = [f"# looptx: {scheduled}", *loop]
    if dice.chance(25):
        loop = ["try:", *indented(loop), "except IndexError:", "    pass"]
    page.returns += ["kept", "deep"]
    return finished(page, function, (*function.body, odd(page, [*lists, *loop], ())))


def _place(dice: Dice) -> str:
    """Where an element is."""
    return dice.pick("g", "g", "n - 1 - g", "-1 - g", f"{PLACES}[g]", "0")


def _element(dice: Dice) -> str:
    """An element of a list."""
    deep = f"deep[{_place(dice)}][{dice.pick('0', '-1', 'g % 3')}]"
    return dice.pick(f"kept[{_place(dice)}]", deep)


def _value(dice: Dice) -> str:
    """What is stored."""
    one = dice.pick(_element(dice), f"{CELLS}[g]", "g", "0.5", f"int({CELLS}[g])")
    return dice.pick(one, f"{one} {dice.pick('+', '-', '*')} {_element(dice)}")


def _lines(dice: Dice) -> list[str]:
    """Statements on elements of lists."""
    element, value = _element(dice), _value(dice)
    return dice.pick(
        [f"{element} = {value}"],
        [f"{element} {dice.pick('+', '-', '*')}= {value}"],
        [f"{CELLS}[g] = {_element(dice)}"],
        [f"if {_element(dice)} {dice.pick('<', '>')} {value}:", f"    {element} = g"],
        [f"{element}, {CELLS}[0] = {CELLS}[0], {value}"],
        ["for v in kept:", f"    {CELLS}[g] += v"],
        ["for h in range(3):", f"    deep[g][h] {dice.pick('=', '+=')} {value}"],
    )


def _whole(dice: Dice) -> list[str]:
    """Statements on lists as a whole, and on parts of them."""
    fold, element = dice.pick("sum", "max", "min"), _element(dice)
    part = dice.pick("kept", "kept[:g]", "kept[g:]", "kept[1:g + 1]", "deep[g]")
    rows = [f"    row[h] {dice.pick('=', '+=')} last[h] + {element}", "last = row"]
    return dice.pick(
        [f"{CELLS}[g] = {fold}({part})"],
        [f"{element} = {fold}({part})"],
        [f"if {element} {dice.pick('in', 'not in')} {part}:", f"    {CELLS}[g] += 1"],
        [f"for v in {part}:", f"    {element} += v"],
        [f"row = [{dice.pick('0', '0.5', 'g')}] * 3", "for h in range(3):", *rows],
        ["row = last[:]", "for h in range(3):", *rows],
        ["last, deep[g] = deep[g], last", f"last[g % 3] = {element}"],
    )
