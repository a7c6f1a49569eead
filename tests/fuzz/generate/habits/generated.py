"""Loops that fold what generators give, go through rows, and give a name several
numbers in turn."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

ROWS, LINE, COUNTS = "Ra", "Rb", "Rc"
"""What rows are of, what is beside them, and what are integers."""


def generated(function: Function, dice: Dice) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    kind = dice.pick("float64", "float64", "int64", "float32", "uint8")
    page.added(Array(ROWS, 2, kind))
    page.added(Array(LINE, 1, dice.pick(kind, "float64")))
    page.added(Array(COUNTS, 1, dice.pick("int64", "int64", "int16", "uint64")))
    page.written |= {LINE}
    lines = dice.pick(_stored, _asked, _rows, _numbers, _numbers)(dice)
    loop = ["found, held = 0.5, 2", "for g in range(n):", *indented(lines)]
    behind = [f"{LINE}[:1] = {dice.pick('found', 'held')}"]
    return finished(page, function, (*function.body, odd(page, [*loop, *behind], ())))


def _source(dice: Dice) -> tuple[str, str]:
    """What a generator goes through, and what it gives of that."""
    ways = (
        ("h in range({})", f"{ROWS}[g, h % 2] * {LINE}[h]"),
        ("h in range({})", f"{COUNTS}[h] - {LINE}[g]"),
        (f"v in {ROWS}[g]", "v"),
        (f"v in {LINE}", "abs(v)"),
        (f"v, w in zip({LINE}, {COUNTS})", "v * w"),
        (f"h, v in enumerate({LINE})", "v - h"),
    )
    source, value = dice.pick(*ways)
    return source.format(dice.pick("g", "n", "2")), value


def _fold(dice: Dice) -> str:
    """A number that is made of all."""
    source, value = _source(dice)
    test = dice.pick("", "", f" if {value} > 1", f" if g % 2 or {value} < 3")
    return f"{dice.pick('sum', 'sum', 'max', 'min')}({value} for {source}{test})"


def _question(dice: Dice) -> str:
    """Whether something holds of one, or of all."""
    source, value = _source(dice)
    return f"{dice.pick('any', 'all')}({value} > {dice.pick(0, 2)} for {source})"


def _stored(dice: Dice) -> list[str]:
    """Folds that are stored, or computed with."""
    return dice.pick(
        [f"{LINE}[g] = {_fold(dice)}"],
        [f"found = {_fold(dice)} + found", f"{LINE}[g] = found"],
        [f"found += {_fold(dice)}", f"found = {_fold(dice)} - {_fold(dice)}"],
    )


def _asked(dice: Dice) -> list[str]:
    """Folds that decide."""
    then = dice.pick("continue", "break", f"{LINE}[g] = 3", "found -= 1")
    return [
        f"if {_question(dice)}:",
        f"    {then}",
        f"elif {_question(dice)} and g > 1:",
        "    found = found * 2",
        f"{LINE}[g] += found",
    ]


def _rows(dice: Dice) -> list[str]:
    """A row that a loop goes through."""
    row = dice.pick(f"{ROWS}[g]", f"{ROWS}[g, :]", f"{ROWS}[g, 1:]", f"{ROWS}[:, 0]")
    other = dice.pick(LINE, f"{ROWS}[0]", f"{COUNTS}[g:]")
    return dice.pick(
        [f"for v in {row}:", "    found += v", "    if v > 4:", "        break"],
        [f"for v, w in zip({row}, {other}):", "    found = found * 0.5 + v - w"],
        [f"for h, v in enumerate({row}):", f"    {LINE}[g] -= v * h"],
    )


def _numbers(dice: Dice) -> list[str]:
    """A name that holds an integer, and then a float, or either."""
    start = dice.pick(f"{COUNTS}[g]", f"{COUNTS}[g] * 2", "g", f"found + {COUNTS}[0]")
    between = dice.pick(
        ["if held > 3:", f"    {dice.pick('continue', 'break')}"],
        [f"{LINE}[g] = held"],
        ["for h in range(2):", f"    {LINE}[h] += held"],
    )
    then = dice.pick(
        ["held = held * 0.5"],
        ["if held > 1:", f"    held = held - {LINE}[g]"],
        [f"held = held if g % 2 else {LINE}[g]"],
        ["while held > 2:", "    held = held / 2"],
    )
    return [
        f"held = {start}",
        *between,
        *then,
        dice.pick("found = held", "found += held"),
    ]
