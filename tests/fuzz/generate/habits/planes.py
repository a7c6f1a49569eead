"""Statements on complex arrays, and on arrays with an axis that others have longer."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

ONE, TWO, REAL, COLUMN = "Wa", "Wb", "Wr", "Wc"
"""Two arrays, one of real numbers, and one with a single column."""


def planes(function: Function, dice: Dice) -> Function:
    """A function with such statements behind its own, or instead of these.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    kind = dice.pick("complex128", "complex64", "float64")
    real = dice.pick("float32", "float64") if kind == "complex64" else "float64"
    page.added(Array(ONE, 2, kind))
    page.added(Array(TWO, 2, kind, like=ONE))
    page.added(Array(REAL, 2, real, like=ONE))
    page.added(Array(COLUMN, 2, kind, row=1, like=ONE))
    page.written |= {ONE, TWO, REAL}
    lines = [x for _ in range(dice.pick(1, 2, 2)) for x in _statement(dice)]
    if dice.chance(25):
        lines = [f"for g in range({dice.pick('2', 'm')}):", *indented(lines)]
    # They say how many axes there are.
    lines.insert(0, f"{ONE}[0:, 0:] = {dice.pick('1', '0.5')} * {TWO}[0:, 0:]")
    body = () if dice.chance(30) else function.body
    return finished(page, function, (*body, odd(page, lines, ())))


def _statement(dice: Dice) -> list[str]:
    """A statement, with one that it needs at times."""
    one, two = dice.pick((ONE, TWO), (TWO, ONE))
    part = dice.pick(two, two, f"{two}[::-1]", f"{two}.T", f"{two}[:, :1]")
    column = dice.pick(COLUMN, COLUMN, f"{COLUMN}.T", f"{two}[:, 1:2]", f"{two}[:1]")
    number = dice.pick("2", "0.5", "1j", "(1 - 0.5j)", "n")
    size = dice.pick(f"abs({part})", f"np.abs({one} - {two})", f"abs({one})")
    joined = f"np.concatenate(({one}[1:], {two}[:1]))"
    whole = f"{dice.pick(one, two)}[:, :] ="
    return dice.pick(
        [f"{whole} {one} * {part} - {number}"],
        [f"{whole} {one} * {column} + {two}"],
        [f"{whole} {one} * {column} * {two}"],
        [f"{whole} {number} * {one} + {column}"],
        [f"{one} *= {dice.pick(two, column, number)}"],
        [f"{one} -= {column} * {number}"],
        [f"{REAL}[:, :] = {size} + {dice.pick(REAL, '1')}"],
        [f"{REAL}[:, :] = {one}.real - {part}.imag"],
        [f"{whole} {part} ** 2 + {one}", f"{one}[{size} < 3] = 0"],
        [f"{whole} np.conj({one}) + {two}.conj() * {number}"],
        [f"near = {size} < 4", f"{one}[near] = {one}[near] ** 2 + {two}[near]"],
        [f"{whole} {joined} * {number}"],
        [f"{whole} np.hstack(({one}[:, 1:], {COLUMN} * {number})) + {two}"],
        [f"{two}[:, :] = {one} * {REAL} - {number}"],
        _rows(dice, one, two),
    )


def _rows(dice: Dice, one: str, two: str) -> list[str]:
    """A loop over rows, with sums of them and what is made of single numbers.

    Args:
        dice: the choices. one, two: the arrays.
    """
    row = dice.pick(f"{one}[h]", f"{one}[h] * {two}[h]", f"np.conj({two}[h]) * 0.5")
    made = dice.pick(
        "np.sum({})", "np.mean({})", "np.sum(np.abs({}))", "np.sum({}.real)"
    )
    cell = dice.pick(f"{one}[h, 0] ** 2", f"np.exp({two}[h, 0] / 9)", f"{one}[h, 0]")
    sign, target = dice.pick("+", "-", "*"), dice.pick(one, two)
    last = f"{target}[h, 0] = {made.format(row)} {sign} np.conj({cell})"
    return [
        f"for h in range(len({one})):",
        f"    if {one}.shape[1] > 0:",
        f"        {last}",
    ]
