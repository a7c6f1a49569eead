"""Loops that name parts of arrays, and make arrays, as large as data say."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

OF, INTO, BOUNDS = "Ta", "Tb", "Tc"
"""What is cut, where results go, and what says where to cut."""


def cut(function: Function, dice: Dice) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    kind = dice.pick("float64", "float64", "int64", "float32", "int16", "bool")
    page.added(Array(OF, 1, kind))
    page.added(Array(INTO, 1, "float64"))
    page.added(Array(BOUNDS, 1, dice.pick("int64", "int64", "int32", "uint8")))
    page.written |= {OF, INTO}
    lines = dice.pick(_part, _part, _new, _positions)(dice)
    loop = ["for g in range(n):", *indented(lines)]
    return finished(page, function, (*function.body, odd(page, loop, ())))


def _bound(dice: Dice) -> str:
    """Where something is cut."""
    near = dice.pick("g", "g + 2", "n - g", "max(0, g - 2)", "min(n, g + 3)", "1", "-1")
    told = dice.pick(f"{BOUNDS}[g]", f"{BOUNDS}[g] % 5", f"{BOUNDS}[g] % (n + 1)")
    return dice.pick(near, told)


def _size(dice: Dice) -> str:
    """How long an array is made."""
    told = f"abs(int({BOUNDS}[g])) % 7", f"{BOUNDS}[g] % 4", f"{BOUNDS}[g] - 1"
    return dice.pick("g", "n - g", "g // 2 + 1", "max(g - 1, 0)", *told)


def _part(dice: Dice) -> list[str]:
    """A part of an array, and what is done with it."""
    low, high = _bound(dice), _bound(dice)
    if dice.chance(40):
        high = f"{low} + {dice.pick(1, 2, 3)}"
    step = dice.pick("", "", "", ":2")
    return [f"part = {OF}[{low}:{high}{step}]", *_used(dice, "part")]


def _new(dice: Dice) -> list[str]:
    """An array that a round makes."""
    size = _size(dice)
    made = dice.pick(f"np.zeros({size})", f"np.ones({size})", f"np.full({size}, 1.5)")
    if dice.chance(30):
        made = dice.pick(f"{OF}[:{size}] * 2.0", f"{OF}[{_bound(dice)}:].copy()")
    fill = [
        "for h in range(len(own)):",
        f"    own[h] += {dice.pick('h', f'{INTO}[h]', 'g')}",
    ]
    return [f"own = {made}", *(fill if dice.chance(60) else ()), *_used(dice, "own")]


def _positions(dice: Dice) -> list[str]:
    """The positions that a mask tells."""
    mask = dice.pick(f"{OF} > {INTO}[g]", f"{OF} != 0", f"{OF}", f"{OF}[g:] >= 1")
    call = dice.pick(f"np.flatnonzero({mask})", f"np.nonzero({mask})[0]")
    every = ["for h in here:", f"    {INTO}[g] += {OF}[h]"]
    use = every if dice.chance(50) else _used(dice, "here", stored=False)
    return [f"here = {call}", *use]


def _used(dice: Dice, name: str, *, stored: bool = True) -> list[str]:
    """What a round does with an array.

    Args:
        dice: the choices. name: of the array. stored: whether it may be written.
    """
    every = [
        f"for h in range({dice.pick(f'len({name})', f'{name}.shape[0]')}):",
        f"    {INTO}[g] += {name}[{dice.pick('h', 'h', '-h - 1')}]",
    ]
    some = [
        f"if len({name}) > {dice.pick(0, 1)}:",
        f"    {INTO}[g] = {name}[{dice.pick('0', '-1', '1')}] + len({name})",
    ]
    whole = [f"{INTO}[g] = np.sum({name}) + {name}.size"]
    ways = [every, every, some, whole, [f"{INTO}[g] = {name}[{_bound(dice)}]"]]
    if stored:
        ways += [
            ["for h in range(len(" + name + ")):", f"    {name}[h] = {INTO}[g] * h"],
            [f"{name}[:] = {dice.pick('g', '2')}", *whole],
            [f"{INTO}[:len({name})] += {name} * 2"],
        ]
    return dice.pick(*ways)
