"""Loops in which own functions with statements on arrays change rows and columns."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

ROWS, OTHER, LINE = "R", "Q", "S"
"""What they change: two arrays of two axes, and one of one."""


def swept(
    function: Function, dice: Dice, sweepers: tuple[str, str], filler: str
) -> Function:
    """A function with such a loop behind its own.

    Args:
        function: what it was. dice: the choices. sweepers: the names of functions.
        filler: that of one that gives an array.
    """
    page = Page(dice, list(function.arrays))
    kind = dice.pick("float64", "float64", "float64", "float32", "int64")
    page.added(Array(ROWS, 2, kind))
    page.added(Array(OTHER, 2, dice.pick(kind, "float64"), like=ROWS))
    page.added(Array(LINE, 1, kind))
    page.written |= {ROWS, OTHER, LINE}
    inner = [
        _taken(dice) if dice.chance(30) else _call(dice, dice.pick(*sweepers))
        for _ in range(dice.pick(1, 1, 2))
    ]
    more = Dice(f"told {inner}")
    if more.chance(40):
        inner = [*inner, *_told(more)]
    head = dice.pick("range(n)", "range(n)", "range(n - 1, -1, -1)", "range(1, n)")
    lines = [f"for h in {head}:", *indented(inner)]
    loops = [odd(page, lines, ())]
    again = Dice(f"filled {lines}")
    if again.chance(40):
        loops.append(odd(page, _filled(again, filler), ()))
    return finished(page, function, (*function.body, *loops))


def _taken(dice: Dice) -> str:
    """A statement on arrays that reduces some, or assigns where they compare."""
    array = dice.pick(f"{ROWS}[h]", f"{OTHER}[h]", f"{ROWS}[:, h]", f"{OTHER}[h, 1:]")
    numbers = (
        f"{array}.mean()", f"{array}.sum()", f"{ROWS}[h].max()", f"{LINE}.min()",
        f"np.sum({ROWS}[h] * {OTHER}[h])", f"{OTHER}.sum()",
    )  # fmt: skip
    number = dice.pick(*numbers)
    other = Dice(f"other than {array} {number}").pick(*numbers)
    compared = dice.pick(f"{LINE} > 1", f"({LINE} > 0) & ({LINE} < 3)", f"{LINE} != 0")
    return dice.pick(
        f"{array} {dice.pick('-=', '+=', '*=')} {number}",
        f"{ROWS}[h] = {OTHER}[h] - {number}",
        f"{OTHER}[h, 1:] = {ROWS}[h, :-1] * {number} + {other}",
        f"{LINE}[{compared}] {dice.pick('=', '=', '+=')} {dice.pick('0', '2.5', '-1')}",
    )


def _told(dice: Dice) -> list[str]:
    """Statements on what masks tell, and on arrays that several of them use."""
    row = dice.pick(f"{ROWS}[h]", f"{OTHER}[h]", f"{ROWS}[h, 1:]", f"{OTHER}[:, h]")
    test = dice.pick(f"{LINE} > h", f"{LINE} != 1", f"~({LINE} < 2) | ({LINE} == h)")
    value = dice.pick("h", f"{ROWS}[h, 0]", f"{LINE}[mask] * 2", f"{LINE}.max()", "0.5")
    sign = dice.pick("=", "=", "+=", "-=", "*=")
    reduced = dice.pick("max", "sum", "mean")
    exponent = dice.pick("-1.5", "0.3", "3.0", "0.5", "2.0")
    return dice.pick(
        [f"mask = {test}", f"{LINE}[mask] {sign} {value}"],
        [f"{OTHER}[h] = (np.abs({row}) + 0.25) ** {exponent}"],
        [
            f"some = {LINE}[{test}]",
            f"{ROWS}[h, 0] = len(some)",
            f"if some.size > {dice.pick('0', '2')}:",
            f"    {LINE}[0] = some.sum()",
        ],
        [f"{LINE}[h] = np.count_nonzero({test}) + ({LINE} > h).any()"],
        [
            f"e = {row} - {row}.{reduced}()",
            f"{row} = e * {dice.pick('e.sum()', '2', 'e')}",
        ],
        [
            f"e = np.abs({row} * {row}.min())",
            "for k in range(len(e)):",
            f"    {OTHER}[h, 0] += e[k]",
        ],
    )


def _filled(dice: Dice, name: str) -> list[str]:
    """A loop that stores what such a function gives."""
    rows = (f"{ROWS}[h]", f"{OTHER}[h]", f"{ROWS}[h, ::-1]", f"{OTHER}[0]")
    columns = (f"{ROWS}[:, h]", f"{OTHER}[:, h]", f"{ROWS}[::-1, h]", f"{OTHER}[:, 0]")
    among = dice.pick(rows, columns, columns)
    head = dice.pick("n", "m", f"{ROWS}.shape[1]", f"len({OTHER})")
    third = dice.pick("h", "0.5", f"{ROWS}[0, 0]", "7")
    beyond = dice.pick("", "", "", " + 1")
    return [
        f"for h in range({head}{beyond}):",
        f"    {dice.pick(*among)} = {name}({dice.pick(*among)}, {third})",
    ]


def _call(dice: Dice, name: str) -> str:
    """A statement with a call."""
    parts = (
        *(f"{ROWS}[h]", f"{ROWS}[h]", f"{OTHER}[h]", f"{ROWS}[:, h]", f"{ROWS}[h - 1]"),
        *(f"{OTHER}[0]", LINE, f"{ROWS}[h, 1:]", f"{OTHER}[h, ::-1]"),
    )
    one, two = dice.pick(*parts), dice.pick(*parts)
    third = dice.pick("h", "0.5", f"{LINE}[h]", f"{ROWS}[h, 0]")
    call = f"{name}({one}, {two}, {third})"
    more = Dice(f"order {call}")
    value = more.pick(f"{call} - {third}", f"{third} - {call}")
    named = more.pick(f"x={third}, B={two}, A={one}", f"B={two}, A={one}, x={third}")
    return dice.pick(
        call,
        call,
        f"{LINE}[h] = {call}",
        f"{OTHER}[h, 0] = {value}",
        f"{OTHER}[h, 0] += {value}",
        f"{name}({named})",
    )
