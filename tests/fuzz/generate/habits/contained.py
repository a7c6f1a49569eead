"""Loops that ask how numbers stand to others: whether they are among some, or less."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

CELLS, OTHER = "F", "G"
"""What is asked about, and what is written."""

KINDS = (
    "float64",
    "float64",
    "float32",
    "float32",
    "int64",
    "int32",
    "uint8",
    "float16",
)


def contained(function: Function, dice: Dice) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    kind = dice.pick(*KINDS)
    page.added(Array(CELLS, 1, kind))
    page.added(Array(OTHER, 1, dice.pick(kind, kind, "int64", "bool"), like=CELLS))
    page.written |= {CELLS, OTHER}
    return finished(page, function, (*function.body, odd(page, _lines(dice), ())))


def _lines(dice: Dice) -> list[str]:
    """The loop."""
    take = f"w = {CELLS}[h]{dice.pick('', ' * np.nan')}"
    store = f"{OTHER}[h] {dice.pick('=', '=', '+=')}"
    inner = dice.pick(
        [f"if {_asked(dice)}:", f"    {store} {dice.pick('2', f'{CELLS}[h]', 'h')}"],
        [f"{store} {_asked(dice)}"],
        [take, f"{store} w {_in(dice)} ({dice.pick('0', 'n')}, w)"],
        [take, f"if w {_in(dice)} [w, 1]:", f"    {store} h + 1"],
        [f"{CELLS}[h] = h * 0.1", f"{store} {CELLS}[h] {_in(dice)} {{0.1, 1}}"],
        [f"{store} (h % {dice.pick('3', '4')} - {dice.pick('1', '2')}) * 0.5"],
        [f"if h // 2 < {CELLS}[h] - 3:", f"    {store} 2"],
        [f"if {_asked(dice)} or {_asked(dice)}:", f"    {CELLS}[h] = {OTHER}[h]"],
    )
    head = dice.pick("range(n)", "range(n)", "range(n - 1, -1, -1)", "range(1, n)")
    return [f"for h in {head}:", *indented(inner)]


def _asked(dice: Dice) -> str:
    """Whether a cell, a part of one, or a position is among some numbers."""
    what = dice.pick(f"{CELLS}[h]", f"{CELLS}[h]", f"{CELLS}[h] % 3", "h", "h")
    return f"{what} {_in(dice)} {_numbers(dice)}"


def _in(dice: Dice) -> str:
    return dice.pick("in", "in", "not in")


def _numbers(dice: Dice) -> str:
    """A tuple, a list or a set of numbers."""
    known = ("0", "1", "2", "-3", "n - 1", "n", "m", "2 * m", "0.1", "300")
    numbers = [dice.pick(*known) for _ in range(dice.pick(1, 2, 2, 3))]
    left, right = dice.pick("()", "()", "[]", "{}")
    end = "," if left == "(" and len(numbers) == 1 else ""
    return f"{left}{', '.join(numbers)}{end}{right}"
