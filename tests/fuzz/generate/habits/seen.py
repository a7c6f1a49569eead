"""Loops that use a place which they have seen, as that of the largest cell so far.

The place is one of a loop, or what it was in front of it, and that may be beside the
array; it is looked at in other rounds than in which it was found. Or a few rounds store
what the last of them has seen.
"""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

CELLS, OTHER = "D", "E"
"""What the places are of, and an array beside it, mostly of its extents."""

LEFT, ROWS = "U", "V"
"""What a few rounds leave, and what they look at."""

LEAVES = ("int64", "int64", "int32", "uint8", "int8", "float64", "float32", "bool")

KINDS = ("float64", "float64", "int64", "int64", "int32", "float32")

HEADS = (
    "range(n)", "range(n)", "range(1, n)", "range(n - 1)", "range(g, n)",
    "range(g + 1, n)", "range(g)", "range(0, n, 2)", "range(n - 1, -1, -1)",
)  # fmt: skip


def seen(function: Function, dice: Dice) -> Function:
    """A function with such loops behind its own, or instead of these.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    kind = dice.pick(*KINDS)
    page.added(Array(CELLS, 1, kind))
    page.added(Array(OTHER, 1, kind, like=CELLS))
    page.written |= {CELLS, OTHER}
    if dice.chance(40):
        page.returns.append("b")
    body = () if dice.chance(75) else function.body
    return finished(page, function, (*body, odd(page, _lines(dice), ())))


def _lines(dice: Dice) -> list[str]:
    """Two loops, the inner one of which looks for the place."""
    begin = f"b = {dice.pick('0', '0', '1', 'n - 1', '-1', 'n')}"
    again = f"b = {dice.pick('g', 'g', '0', '(b + 1) % n', 'b - 1', 'n - 1 - g')}"
    inner = [f"for h in {dice.pick(*HEADS)}:", *indented(_round(dice))]
    outer = [again, *inner] if dice.chance(65) else inner
    if dice.chance(50):
        outer += _use(dice, "g")
    head = f"for g in range({dice.pick('n', 'n - 1', '3')}):"
    return [begin, head, *indented(outer)]


def _round(dice: Dice) -> list[str]:
    """What a round of the inner loop does."""
    to = dice.pick("h", "h", "h", "n - 1 - h", "h - g", "h - 1", "h + 1", "0")
    found = [f"if {_test(dice)}:", f"    b = {to}"]
    if dice.chance(20):
        found += [
            "else:",
            f"    b {dice.pick('= h', '= h + 1', '= n', '+= 1', '*= 2')}",
        ]
    use = _use(dice, "h") if dice.chance(70) else []
    return [*use, *found] if dice.chance(25) else [*found, *use]


def _test(dice: Dice) -> str:
    seen_cell = f"{CELLS}[b]"
    return dice.pick(
        f"{CELLS}[h] {dice.pick('<', '>')} {seen_cell}",
        f"{CELLS}[h] {dice.pick('<', '>')} {seen_cell}",
        f"({seen_cell} - {OTHER}[h]) * ({CELLS}[h] + 1) < 0",
        f"{OTHER}[h] > 1", "h % 3 == 1",
    )  # fmt: skip


def _use(dice: Dice, loop: str) -> list[str]:
    """A statement that needs the place."""
    size = dice.pick(f"n - {loop}", f"n - {loop}", f"{loop} + 1", f"{loop} + 2")
    around = f"{OTHER}[{loop}] += {CELLS}[b % ({size})]"
    return dice.pick(
        [f"{OTHER}[b] += {CELLS}[{loop}]"],
        [f"{CELLS}[b], {CELLS}[{loop}] = {CELLS}[{loop}], {CELLS}[b]"],
        [f"{OTHER}[{loop}] = {CELLS}[b] * 2"],
        [f"{OTHER}[{loop}] = {CELLS}[b - 1] + b"],
        [around],
        [around],
    )


def left(function: Function, dice: Dice) -> Function:
    """A function with a loop of a few rounds behind its own, which leaves something.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    page.added(Array(LEFT, 1, dice.pick(*LEAVES)))
    page.added(Array(ROWS, 2, dice.pick("float64", "float64", "int64", "float32")))
    page.written.add(LEFT)
    seen_cell = f"{ROWS}[g, h]"
    test = dice.pick(
        f"{seen_cell} > 1", f"{seen_cell} < {ROWS}[g, 0]", f"{seen_cell} > g",
        f"{seen_cell} != 0 and h > 0", f"{seen_cell} > {ROWS}[g, h + 1]",
    )  # fmt: skip
    value = dice.pick("h", "h", "h + 1", "2", "1", "h > 1", "7 - h")
    cell = dice.pick(f"{LEFT}[g]", f"{LEFT}[g]", f"{LEFT}[n - 1 - g]", f"{LEFT}[0]")
    inner = [f"if {test}:", f"    {cell} = {value}"]
    if dice.chance(25):
        inner += [f"elif {seen_cell} < -1:", f"    {cell} = {dice.pick('0', 'h')}"]
    few = dice.pick("range(4)", "range(2)", "range(8)", "range(1, 4)", "range(3)")
    lines = [f"for h in {few}:", *indented(inner)]
    if dice.chance(20):
        lines = [f"{cell} = {dice.pick('0', '1')}", *lines]
    nest = ["for g in range(n):", *indented(lines)]
    return finished(page, function, (*function.body, odd(page, nest, ())))
