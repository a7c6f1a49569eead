"""Statements on parts of arrays that read what they write, lie backwards, or add up."""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

ROWS = ("Qa", "Qb")
"""Two arrays, mostly of the same extent."""

TABLE = "Qc"
"""One with two axes."""

KINDS = ("float64", "float64", "float64", "float32", "float32", "int64", "uint8")

FUNCTIONS = ("cbrt", "cbrt", "exp", "sinh", "expm1", "tanh")
"""NumPy's loops compute some of them otherwise where they go backwards."""

STRETCHES = (
    (":", ":", "::-1", "::-1"),
    ("1:", ":-1", ":-1", "-2::-1"),
    ("2:", "1:-1", ":-2", "-2:0:-1"),
    ("::2", "::2"),
)
"""Parts of a row that are of one length."""

PARTS = ("1:", "1:", "2:", ":-1", ":", "::2", "1::2", "::-1", "1:3")


def sliced(function: Function, dice: Dice, alone: bool) -> Function:
    """A function with such statements behind its own, or instead of these.

    Args:
        function: what it was. dice: the choices.
        alone: without what it had, which has directives.
    """
    page = Page(dice, list(function.arrays))
    kind = dice.pick(*KINDS)
    page.added(Array(ROWS[0], 1, kind))
    page.added(Array(ROWS[1], 1, kind, like=ROWS[0] if dice.chance(85) else ""))
    page.added(Array(TABLE, 2, kind if dice.chance(80) else dice.pick(*KINDS)))
    page.written |= {*ROWS}
    body = () if alone or dice.chance(70) else function.body
    text = dice.pick(_chain, _function, _function, _reduction)(dice)
    if dice.chance(25):
        text += _stepping(dice)
    if dice.chance(20):
        text += _behind(dice)
    return finished(page, function, (*body, odd(page, text, ())))


def _behind(dice: Dice) -> list[str]:
    """Cells as far from each other, and from the end, as an argument says."""
    one, other, third = (dice.pick(*ROWS) for _ in range(3))
    value = dice.pick(
        f"{other}[m:] - {third}[:-m]", f"{other}[:-m] * 2", f"{other}[1 : -m + 1]"
    )
    store = dice.pick(f"{one}[m:] = {value}", f"{one}[-m:] += {other}[-m:] * 2")
    return [f"for h in {dice.pick('range(n)', '(0,)')}:", f"    {store}"]


def _chain(dice: Dice) -> list[str]:
    """A value that several parts get, one of which it may be made of."""
    like = dice.pick(*STRETCHES)
    one, two, of = (f"{dice.pick(*ROWS)}[{dice.pick(*like)}]" for _ in range(3))
    value = dice.pick(of, of, of, f"{of} * 2", f"{of} + {two}", "3")
    found = [f"{one} = {two} = {value}"]
    if dice.chance(30):
        return [f"for g in range({dice.pick('2', 'm')}):", *indented(found)]
    return found


def _function(dice: Dice) -> list[str]:
    """What functions make of whole parts, which may lie backwards."""
    like = dice.pick(*STRETCHES)
    to, of, other = (f"{dice.pick(*ROWS)}[{dice.pick(*like)}]" for _ in range(3))
    if like is STRETCHES[0] and dice.chance(50):
        of, other = dice.pick(*ROWS), dice.pick(*ROWS)
    value = f"np.{dice.pick(*FUNCTIONS)}({of})"
    value = dice.pick(
        f"{value} * 2", f"{value} + {other}", f"{value} + np.arctan2({other}, 2)", value
    )
    made = [f"made = {value}", f"{to} = made * 2 - {to}"]
    return dice.pick(made, [f"{to} {dice.pick('=', '=', '+=')} {value}"])


def _stepping(dice: Dice) -> list[str]:
    """Cells that are as far apart as a loop or an argument says."""
    start = dice.pick("", "h", "h", "h * h", "m", "h - 1")
    stop = dice.pick("", "", "", "n", "m + h")
    step = dice.pick("h", "h", "h", "m", "m", "h + 1", "n - h", "m - 2")
    one, other = dice.pick(*ROWS), dice.pick(*ROWS)
    value = dice.pick("h", "3", "3", f"{other}[0]", f"{other}[h - 1] * 2")
    store = f"{one}[{start}:{stop}:{step}] {dice.pick('=', '=', '+=', '*=')} {value}"
    guard = dice.pick("", "", f"if {other}[h - 1] > 0:")
    inner = [guard, *indented([store])] if guard else [store]
    return [f"for h in {dice.pick('range(1, n)', 'range(n)')}:", *indented(inner)]


def _reduction(dice: Dice) -> list[str]:
    """What a part of a table adds up to."""
    call = dice.pick("sum", "sum", "mean", "max", "min", "prod")
    head = dice.pick("", "", "range(n)", "range(1, n)")
    edges = ("h:", ":h", "h - 1 : h + 2") if head else ()
    part = ", ".join(dice.pick(*PARTS, *edges, *edges) for _ in range(2))
    place = "h" if head else "0"
    store = f"{ROWS[0]}[{place}] {dice.pick('=', '+=')} np.{call}({TABLE}[{part}])"
    return [f"for h in {head}:", *indented([store])] if head else [store]
