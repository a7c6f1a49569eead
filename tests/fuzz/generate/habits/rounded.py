"""Loops that round to so many digits, of Python's floats and of NumPy's."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

CELLS, OTHER = "Da", "Db"
"""What is rounded, and where it comes to."""

KINDS = ("float64", "float64", "float32", "float16", "int64", "uint8")


def rounded(function: Function, dice: Dice) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    page.added(Array(CELLS, 1, dice.pick(*KINDS)))
    page.added(Array(OTHER, 1, dice.pick("float64", "float32"), like=CELLS))
    page.written |= {CELLS, OTHER}
    page.returns.append("spent")
    lines = [x for _ in range(dice.pick(1, 2)) for x in _line(dice)]
    loop = ["spent = 0.0", "for g in range(n):", *indented(lines)]
    return finished(page, function, (*function.body, odd(page, loop, ())))


def _line(dice: Dice) -> list[str]:
    """What a round does."""
    one, cell = _near(dice), f"{OTHER}[g]"
    digits = dice.pick("0", "1", "2", "2", "2", "3", "6", "12", "15")
    return dice.pick(
        [f"{cell} = round({one}, {digits})"],
        [f"{cell} += round(float({one}), {digits})"],
        [f"{cell} = np.round({one}, {digits})"],
        [f"spent = round(spent + float({one}), {digits})"],
        [f"spent += round({one} * 1.19, {digits})"],
        [f"{CELLS}[g] = round({one}, {digits})"],
        [
            f"if round({one}, {digits}) == {cell}:",
            f"    spent -= round(g / 8, {digits})",
        ],
    )


def _near(dice: Dice) -> str:
    """What is rounded."""
    cell = dice.pick(f"{CELLS}[g]", f"{CELLS}[g]", f"{CELLS}[g - 1]", f"{OTHER}[g]")
    by = dice.pick("0.001", "0.125", "1e6", "3", "g")
    return dice.pick(cell, cell, f"{cell} * {by}", f"({cell} - {by})", "g * 0.005")
