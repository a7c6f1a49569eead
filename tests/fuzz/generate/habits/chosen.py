"""Loops in which positions or numbers choose what becomes of cells, mostly in vectors.

Conditions on positions change at one place of a loop, several ways write the same
cells, and what some iterations store, all of them store or read, behind it or before.
"""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

ROW, TABLE = "Y", "Z"
"""What the loops write: cells in one axis, and in two."""

OTHERS = ("X", "W")
"""What they read, and write at times."""

KINDS = (
    "float64", "float64", "float64", "float32", "int64", "int32", "int16", "uint8",
)  # fmt: skip

HEADS = ("range(n)", "range(n)", "range(n)", "range(1, n - 1)", "range(3, n)")
BOUNDS = ("1", "2", "5", "n - 1", "n - 2", "n - 9", "m", "n // 2", "40")
"""Where conditions on positions change; all are the same in a loop."""


def chosen(function: Function, dice: Dice) -> Function:
    """A function with a loop of that kind behind its own, or instead of these.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    kind = dice.pick(*KINDS)
    own = Array(ROW, 1, kind) if dice.chance(75) else Array(TABLE, 2, kind)
    page.added(own)
    for name in OTHERS:
        page.added(Array(name, 1, kind if dice.chance(80) else dice.pick(*KINDS)))
    page.written |= {own.name, *OTHERS}
    body = () if dice.chance(85) else function.body
    lines = _Loop(dice, own).lines()
    return finished(page, function, (*body, odd(page, lines, ())))


class _Loop:
    """One innermost loop over ``h``, in another one over ``g`` at times.

    Args:
        dice: the choices. own: the array that it writes.
    """

    def __init__(self, dice: Dice, own: Array) -> None:
        self.dice = dice
        at = "h" if own.rank == 1 else "g, h"
        self.own = f"{own.name}[{at}]"
        self.rows = own.rank > 1
        self.cells = (self.own, *(f"{name}[h]" for name in OTHERS))

    def lines(self) -> list[str]:
        """The loops."""
        dice = self.dice
        inner = [f"for h in {dice.pick(*HEADS)}:"]
        for _ in range(dice.pick(1, 1, 2)):
            inner += indented(dice.pick(self._cut, self._alike, self._again)())
        if self.rows:
            inner = [f"for g in range({dice.pick('m', '3')}):", *indented(inner)]
        lanes = dice.pick("", "", "", " 4", " 8", " 16")
        return [*([f"# looptx: vectorize h{lanes}"] if dice.chance(80) else []), *inner]

    def _number(self) -> str:
        dice = self.dice
        one, two = dice.pick(*self.cells), dice.pick(*self.cells)
        return dice.pick(
            one, one, "1", "2", f"{one} + {two}", f"{one} - 1", f"{one} * 2"
        )

    def _target(self) -> str:
        return self.dice.pick(self.own, self.own, *self.cells)

    def _test(self) -> str:
        """A condition on numbers."""
        dice = self.dice
        one, two = dice.pick(*self.cells), dice.pick(*self.cells)
        found = f"{one} {dice.pick('>', '<', '<=', '!=')} {dice.pick('0', '1', two)}"
        return (
            f"{found} {dice.pick('and', 'or')} {two} > 1" if dice.chance(15) else found
        )

    def _place(self) -> str:
        """A condition on positions, with another one at times."""
        dice = self.dice
        bound = dice.pick(*BOUNDS, *(["g"] if self.rows else []))
        sign = dice.pick("<", "<", "<=", ">", ">=", "==", "!=")
        found = f"h {sign} {bound}" if dice.chance(75) else f"{bound} {sign} h"
        if dice.chance(15):
            found = f"not ({found})"
        if dice.chance(15):
            found = f"{dice.pick('1 <= h', '0 < h')} and {found}"
        if dice.chance(20):
            found = f"{found} {dice.pick('and', 'or')} {self._test()}"
        return found

    def _cut(self) -> list[str]:
        """What hangs on where an iteration is."""
        dice, one, two = self.dice, self._target(), self._target()
        sign, test = dice.pick("=", "=", "+="), self._place()
        near = dice.pick(
            (f"{OTHERS[0]}[h + 1]", "h < n - 1"), (f"{OTHERS[0]}[h - 1]", "h > 0"),
            (f"{OTHERS[0]}[h - 2]", "2 <= h"), (f"{OTHERS[0]}[h + 1]", "n > h + 1"),
        )  # fmt: skip
        store = f"{one} {sign} {self._number()}"
        other = f"{two} {sign} {self._number()}"
        mixed = f"{self._place()} {dice.pick('and', 'or')} {self._test()}"
        value = self._at(near) if dice.chance(50) else self._at()
        return dice.pick(
            [f"{one} {sign} {value}"],
            [f"{one} {sign} {value}", f"{two} = {self._at()}"],
            [f"{one} {sign} ({value}) - ({self._at()})"],
            [f"{self.own} {sign} {value}"],
            [f"if {mixed}:", f"    {store}"],
            [f"if {mixed}:", f"    {store}", "else:", f"    {other}"],
            [f"if {test}:", f"    {store}", f"elif {self._place()}:", f"    {other}"],
        )

    def _at(self, near: tuple[str, str] = ("", "")) -> str:
        """One of two values, by the place; the first is ``near``, if that is there."""
        cell, there = near if near[0] else (self._number(), self._place())
        return f"{cell} if {there} else {self._number()}"

    def _alike(self) -> list[str]:
        """Ways that write the same cells."""
        dice = self.dice
        one, two = self._target(), self._target()
        signs = [dice.pick("=", "=", "+=", "-="), dice.pick("=", "+=")]
        count = dice.pick(1, 1, 2)

        def way(deep: int) -> list[str]:
            if deep < 2 and dice.chance(30):
                return branch(deep + 1)
            own = [dice.pick("=", "-=") if dice.chance(8) else x for x in signs]
            both = f"{one} {own[0]}", f"{two} {own[1]}"
            return [f"{each} {self._number()}" for each in both[:count]]

        def branch(deep: int) -> list[str]:
            ways = way(deep), way(deep)
            return [f"if {self._test()}:", *indented(ways[0]),
                    "else:", *indented(ways[1])]  # fmt: skip

        return branch(0)

    def _again(self) -> list[str]:
        """A cell that is stored in some iterations, and in all of them."""
        dice, own = self.dice, self.own
        sign, other = dice.pick("=", "+="), self._target()
        some = [f"if {self._test()}:", f"    {own} {sign} {self._number()}"]
        if dice.chance(30):
            some += ["else:", f"    {other} = {self._number()}"]
        every = f"{own} {dice.pick('=', '=', '+=')} {self._number()}"
        first = f"{own} = {own} * 2" if dice.chance(30) else every
        near = own.replace("h", dice.pick("h - 1", "h + 1", "0"))
        stray = f"{dice.pick(*OTHERS)}[h] = {near}"
        found = dice.pick(
            [*some, every], [first, *some], [first, *some, f"{other} += {own}"],
            [*some, *some, every], [f"t = {own}", *some, f"{own} = t + 1"],
        )  # fmt: skip
        return [*found, stray] if dice.chance(12) else found
