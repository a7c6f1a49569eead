"""Loops that make one number of some in brackets, find positions, and call NumPy by
name where operators would do."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

ROWS, LINE, WHOLE = "Sa", "Sb", "Sc"
"""What rows are of, what is beside them, and what are integers."""


def bracketed(function: Function, dice: Dice) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    kind = dice.pick("float64", "float64", "int64", "float32", "uint8")
    page.added(Array(ROWS, 2, kind))
    page.added(Array(LINE, 1, dice.pick(kind, "float64")))
    page.added(Array(WHOLE, 1, dice.pick("int64", "int64", "int16", "uint64", "bool")))
    page.written |= {LINE}
    lines = dice.pick(_made, _found, _found, _called, _parts, _rows)(dice)
    more = Dice(f"named {lines}")
    if more.chance(15):
        lines += _named(more)
    loop = ["for g in range(n):", *indented(lines)]
    return finished(page, function, (*function.body, odd(page, loop, ())))


def _number(dice: Dice) -> str:
    """A number of the loop."""
    return dice.pick(
        f"{LINE}[g]",
        f"{LINE}[g]",
        f"{WHOLE}[g]",
        f"{ROWS}[g, 0]",
        f"{LINE}[g] * 2",
        "g",
        "1.5",
        "0",
        f"{LINE}[g - 1]",
    )


def _brackets(dice: Dice) -> str:
    """Some numbers in brackets."""
    several = ", ".join(_number(dice) for _ in range(dice.pick(2, 2, 3, 5)))
    return dice.pick("[{}]", "({})", "np.array([{}])").format(several)


def _made(dice: Dice) -> list[str]:
    """A number that is made of them."""
    several = ", ".join(_number(dice) for _ in range(dice.pick(2, 3)))
    word = dice.pick(
        *("argmin", "argmax", "sum", "min", "max", "mean", "median", "any")
    )
    value = dice.pick(
        f"np.{word}({_brackets(dice)})",
        f"np.{word}({_brackets(dice)})",
        f"min([{several}])",
        f"max(({several}))",
    )
    return dice.pick(
        [f"{LINE}[g] = {value}"],
        [f"{LINE}[g] += {value} - {_number(dice)}"],
        [f"if {value} > 1:", f"    {LINE}[g] = 2", "else:", f"    {LINE}[0] = {value}"],
    )


def _named(dice: Dice) -> list[str]:
    """A number that is made of an array of them with a name."""
    several = ", ".join(_number(dice) for _ in range(dice.pick(2, 3)))
    word = dice.pick("argmin", "sum", "max", "any")
    lines = [f"named = np.array([{several}])", f"one = np.{word}(named)"]
    if dice.chance(40):
        other = dice.pick("any", "all")
        lines += [f"two = np.{other}(np.logical_not(np.array([{several}])))"]
        lines += ["if two:", "    one = 0"]
    return [*lines, f"{LINE}[g] {dice.pick('=', '+=')} one"]


def _positions(dice: Dice) -> str:
    """The positions that a mask tells."""
    mask = dice.pick(
        f"{LINE} > {LINE}[g]", f"{WHOLE} == {WHOLE}[g]", f"{ROWS}[g] > 1", f"{LINE} < 2"
    )
    return dice.pick(
        f"np.where({mask})[0]", f"np.nonzero({mask})[0]", f"np.flatnonzero({mask})"
    )


def _found(dice: Dice) -> list[str]:
    """Positions, one of them or all."""
    one = f"{_positions(dice)}[{dice.pick('0', '0', '-1', 'g', '1')}]"
    several = _positions(dice)
    return dice.pick(
        [f"{LINE}[g] = {one}"],
        [f"{LINE}[{one} % n] += 1"],
        [f"if {one} > 1:", f"    {LINE}[g] = {one}"],
        [f"for h in {several}:", f"    {LINE}[g] += h"],
        [
            *(f"for h in {several}:", f"    {LINE}[h % n] -= 1", "    if h > 1:"),
            *("        break", "else:", f"    {LINE}[g] = 7"),
        ],
    )


def _called(dice: Dice) -> list[str]:
    """Functions of NumPy that operators stand for, and others."""
    one, two = _number(dice), _number(dice)
    value = dice.pick(
        f"np.logical_and({one}, {two} > 1)",
        f"np.logical_xor({one} > 0, {two})",
        f"np.less({one}, {two})",
        f"np.not_equal({one}, {two})",
        f"np.radians({one}) + np.degrees({two})",
        f"np.isclose({one}, {two})",
        f"np.bitwise_and({WHOLE}[g], 3)",
        f"np.negative({one})",
        f"np.heaviside({one}, {two})",
        f"np.fmax({one}, {two})",
    )
    return dice.pick(
        [f"{LINE}[g] = {value}"], [f"if {value}:", f"    {LINE}[g] = {value}"]
    )


def _parts(dice: Dice) -> list[str]:
    """Quotients with their rests."""
    by = dice.pick("2", "3", "7", "60")
    return dice.pick(
        [f"q, r = divmod({WHOLE}[g], {by})", f"{LINE}[g] = q + r"],
        [f"q, r = divmod(int({LINE}[g]), {by})", f"{LINE}[g] = q - r"],
        [f"{LINE}[g] = divmod({LINE}[g] + g, {by})[{dice.pick('0', '1')}]"],
    )


def _rows(dice: Dice) -> list[str]:
    """Lengths of rows, and several of their quantiles."""
    row = dice.pick(f"{ROWS}[g]", f"{ROWS}[:, 0]", f"{ROWS}[g] - {ROWS}[0]", LINE)
    return dice.pick(
        [f"{LINE}[g] = np.linalg.norm({row})"],
        [f"low, high = np.percentile({row}, [25, 75])", f"{LINE}[g] = high - low"],
        [f"{LINE}[g] = np.quantile({row}, (0.5, 0.9))[1]"],
    )
