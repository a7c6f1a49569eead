"""Loops whose iterations read cells that the one before has written, or may have.

Neighbours change places, cells are written on one way of two and read behind that, or
ahead of it, some iteration raises, and some loops do not run.
"""

from __future__ import annotations

from fuzz.generate.habits.habitual import finished, odd
from fuzz.generate.habits.page import Page, indented
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function

ROW, TABLE = "K", "L"
"""What the loops write: cells in one axis, and in two."""

OTHER = "M"
"""What they read besides; at times it is one of the others, or overlaps it."""

KINDS = ("float64", "float64", "float64", "int64", "int64", "int32", "float32", "uint8")

HEADS = (
    "range(1, n)", "range(1, n)", "range(n)", "range(n - 1)", "range(2, n - 1)",
    "range(n - 1, 0, -1)", "range(n, 1)", "range(k)", "range(1, g + 1)",
)  # fmt: skip


def carried(function: Function, dice: Dice) -> Function:
    """A function with a loop of that kind behind its own, or instead of these.

    Args:
        function: what it was. dice: the choices.
    """
    page = Page(dice, list(function.arrays))
    kind = dice.pick(*KINDS)
    own = Array(ROW, 1, kind) if dice.chance(60) else Array(TABLE, 2, kind)
    page.added(own)
    page.added(Array(OTHER, 1, kind if dice.chance(70) else dice.pick(*KINDS)))
    page.written |= {own.name, OTHER}
    body = () if dice.chance(60) else function.body
    lines = _Loop(page, own).lines()
    return finished(page, function, (*body, odd(page, lines, ())))


class _Loop:
    """One innermost loop over ``h``, in another one over ``g`` at times.

    Args:
        page: what it is made of. own: the array that it writes.
    """

    def __init__(self, page: Page, own: Array) -> None:
        self.page, self.dice, self.own = page, page.dice, own
        self.turned = self.dice.chance(25)

    def lines(self) -> list[str]:
        """The loops."""
        dice = self.dice
        around = self.own.rank > 1 or dice.chance(50)
        first = [] if around else ["g = n - 2"]
        if dice.chance(12):
            inner = [f"h = {dice.pick('n - 1', 'g')}", *self._inserted()]
        else:
            head = dice.pick(*HEADS)
            first += ["k = n // 2"] if "k" in head else []
            inner = [f"for h in {head}:"]
            for _ in range(dice.pick(1, 1, 2, 3)):
                inner += indented(self._statement())
        if not around:
            return [*first, *inner]
        alone = self.own.rank > 1 and not self.turned
        alone = alone and not any(x.strip().startswith(OTHER) for x in inner)
        team = ["# looptx: parallel g"] if alone and dice.chance(50) else []
        return [*first, *team, f"for g in range({dice.pick('m', '3')}):",
                *indented(inner)]  # fmt: skip

    def _cell(self, *behind: int) -> str:
        """A cell near the iteration's own; ``behind`` says how near, if it matters."""
        far = self.dice.pick(*behind) if behind else self.dice.pick(-1, -1, 0, 0, 1, 1)
        at = f"h {'-' if far < 0 else '+'} {abs(far)}" if far else "h"
        if self.own.rank == 1:
            return f"{self.own.name}[{at}]"
        places = (at, "g") if self.turned else ("g", at)
        return f"{self.own.name}[{', '.join(places)}]"

    def _value(self) -> str:
        dice, one, two = self.dice, self._cell(), self._cell()
        other = f"{OTHER}[{dice.pick('h', 'h', 'h - 1')}]"
        return dice.pick(
            one, f"{one} + {other}", f"{one} * 0.5 + {two}", f"max({one}, {two})",
            f"{one} - {two}", other, "h", f"({one} if {other} > 1 else {two})",
        )  # fmt: skip

    def _test(self) -> str:
        dice, one, two = self.dice, self._cell(), self._cell()
        other = f"{OTHER}[h]"
        return dice.pick(
            f"{one} > {two}", f"{one} > {other}", f"{other} > 1", f"{one} != 0",
            "h > 2", "h % 3 == 1", f"{other} > 0 and {one} < 2",
        )  # fmt: skip

    def _statement(self) -> list[str]:
        dice = self.dice
        near, far = dice.pick((0, 1), (1, 0), (0, -1), (-1, 0), (1, -1))
        one, two = self._cell(near), self._cell(far)
        swap = f"{one}, {two} = {two}, {one}"
        sign = dice.pick("=", "=", "+=")
        store = f"{one} {sign} {self._value()}"
        test = self._test()
        return dice.pick(
            [swap],
            [f"if {one} > {two}:", f"    {swap}"],
            [f"if {test}:", f"    {swap}"],
            [store],
            [store, f"{OTHER}[h] = {self._value()}"],
            [f"if {test}:", f"    {store}"],
            [f"if {test}:", f"    {store}", f"{OTHER}[h] += {one}"],
            [f"if {test}:", f"    {store}", "else:", f"    {one} = {self._value()}"],
            [f"if {test}:", f"    {store}", "else:", f"    {two} = {self._value()}"],
            [f"if {test}:", f"    {OTHER}[h] = {two}", f"{two} = {self._value()}"],
            [f"if {OTHER}[h] > 0:", f"    {one} = h", f"{OTHER}[h] += {two}"],
            [store, f"{self._stray()} = {self._value()}"],
            self._raised(store),
        )

    def _stray(self) -> str:
        """A cell that some iteration may have, too, among those near it."""
        at = self.dice.pick("0", "g", "n - 1 - h", "h % 3", "2 * h")
        return f"{self.own.name}[{at if self.own.rank == 1 else f'g, {at}'}]"

    def _raised(self, store: str) -> list[str]:
        """A statement beside one that some iteration does not come behind."""
        end = self.dice.pick(
            [f"if {self._test()}:", "    raise ValueError"],
            [f"{OTHER}[h] = {self._cell()} // (h - 3)"],
            [f"{OTHER}[h] += {OTHER}[h * {self._cell(0, -1)} > 9]"],
            [f"{OTHER}[int({self._cell()})] += 1"],
            [f"if {self._test()}:", f"    {self.dice.pick('break', 'continue')}"],
        )
        return [store, *end] if self.dice.chance(50) else [*end, store]

    def _inserted(self) -> list[str]:
        """What moves on as long as cells say so."""
        one, two = self._cell(0), self._cell(-1)
        swap = f"{one}, {two} = {two}, {one}"
        move = self.dice.pick(swap, swap, f"{one} = {two}", f"{two} += {one}")
        test = self.dice.pick(
            f"{two} > {one}", f"{one} < {OTHER}[h]", f"{two} != {one}"
        )
        return [f"while h > 0 and {test}:", f"    {move}", "    h -= 1"]
