"""Loops with what functions, of Python or own, give to statements on arrays."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

ROWS, OTHER, MADE = "Va", "Vb", "began"
"""What statements change, and what a first round makes."""

KINDS = 4
"""By their numbers own functions give a number, nothing, and arrays in two ways."""


def valued(function: Function, dice: Dice, giver: str) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices. giver: the name of an own function.
    """
    page = Page(dice, list(function.arrays))
    kind = dice.pick("float64", "float64", "float32", "int64")
    page.added(Array(ROWS, 2, kind))
    page.added(Array(OTHER, 2, dice.pick(kind, "float64"), like=ROWS))
    page.written |= {ROWS, OTHER}
    some = [
        line
        for _ in range(dice.pick(1, 2, 2, 3))
        for line in dice.pick(_called, _called, _computed, _first)(dice, giver, kind)
    ]
    if any(MADE in line for line in some):
        page.returns.append(MADE)
    if any("math." in line for line in some):
        page.first.append("import math")
    loop = [f"for h in range({dice.pick('n', 'n', 'm', '3')}):", *indented(some)]
    return finished(page, function, (*function.body, odd(page, loop, ())))


def _row(dice: Dice) -> str:
    """A row, a column, or a part of one."""
    return dice.pick(
        *(f"{ROWS}[h]", f"{OTHER}[h]", f"{ROWS}[:, h]", f"{OTHER}[h, 1:]"),
        *(f"{ROWS}[0]", f"{OTHER}[h - 1]", f"{ROWS}[h, : h + 1]"),
    )


def _called(dice: Dice, giver: str, kind: str) -> list[str]:
    """A statement that calls an own function."""
    row, other = _row(dice), _row(dice)
    last = dice.pick("h", "0.5", f"{ROWS}[h, 0]", "2")
    call = f"{giver}({row}, {last})"
    match int("".join(x for x in giver if x.isdecimal())) % KINDS:
        case 0:
            sign = dice.pick("-=", "+=", "=")
            return [f"{row} {sign} {dice.pick(call, f'{other} * {call}')}"]
        case 1:
            return [call]
    return [dice.pick(f"{row} = {call}", f"{ROWS}[h, 0] += np.sum({call} * {other})")]


def _computed(dice: Dice, giver: str, kind: str) -> list[str]:
    """A statement on arrays with a number that functions are called for."""
    row, other = _row(dice), _row(dice)
    number = dice.pick(
        *("abs(h - 2)", "max(h, 1)", "float(h)", "math.sqrt(h + 0.5)"),
        *("math.gamma(h + 1)", "(-1) ** h / math.exp(h)", "math.log(h)"),
    )
    shift = f"{ROWS}[h] = {ROWS}[h] {dice.pick('<<', '>>')} {dice.pick('h', '1', '70')}"
    whole = [shift] if kind == "int64" else [f"{ROWS}[h] = {other} + 1"]
    made = dice.pick("np.int32", "np.float32", "float", "bool", "np.int64")
    return dice.pick(
        [f"{row} = {row} {dice.pick('+', '-', '*')} {number} * {other}"],
        [f"{row} {dice.pick('+=', '*=')} {number}"],
        [f"t = {other} * 2", f"t = t + {number} * {other}", f"{row} = t"],
        whole,
        [f"{row} += {dice.pick('np.median', 'np.sum', 'np.max')}({ROWS}[h, 0])"],
        [f"{OTHER}[h, 0] = np.percentile({ROWS}[h, 0] * 2, {dice.pick('25', '50')})"],
        [
            f"t = ({row} * {dice.pick('2', '0.5')}).astype({made})",
            f"{row} = t + {other}",
        ],
        [
            f"t = ({row} > {dice.pick('h', '0.5')}).astype({made})",
            f"{row} = t + {other}",
        ],
        [f"part = {ROWS}[max(0, h - 1) : h + 1, 0]"],
    )


def _first(dice: Dice, giver: str, kind: str) -> list[str]:
    """An array that the first round makes."""
    x = dice.pick("h", f"{ROWS}[h, 0] * 2", f"{OTHER}[h].sum()", "h * 0.5")
    kept = dice.pick("np.asarray(x).dtype", "np.asarray(x).dtype", "np.float64")
    shape = dice.pick(
        f"np.zeros({ROWS}.shape[0], {kept})",
        f"np.full(len({ROWS}), 3, {kept})",
        f"np.zeros_like({ROWS}, {kept})",
    )
    store = f"{MADE}[h] {dice.pick('=', '+=')} x"
    return [f"x = {x}", "if h == 0:", f"    {MADE} = {shape}", store]
