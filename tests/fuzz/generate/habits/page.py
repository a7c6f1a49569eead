"""A function that gets lines: the names and cells that these are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from fuzz.generate.surroundings import Loops
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array

PAIRS = "P"
"""An array whose rows have two cells, mostly."""

SWEPT = ("u", "v")
"""Two arrays of the same extents, mostly."""


@dataclass
class Page:
    """What lines are made of.

    Attributes:
        dice: the choices.
        arrays: those of the function, and those that lines have added.
        first: lines that stand before everything.
        known: the names that have a value. perhaps: those that may have none.
        begun: the tuples that have one.
        returns: the names that are looked at in the end.
        written: the arrays that are written.
    """

    dice: Dice
    arrays: list[Array]
    first: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    perhaps: list[str] = field(default_factory=list)
    returns: list[str] = field(default_factory=list)
    written: set[str] = field(default_factory=set)
    begun: set[str] = field(default_factory=set)

    def added(self, array: Array) -> str:
        """The name of an array that the function takes from now on."""
        if array.name not in (one.name for one in self.arrays):
            self.arrays.append(array)
        return array.name

    def pairs(self) -> str:
        """An array of pairs."""
        return self.added(Array(PAIRS, 2, self.arrays[0].dtype, row=2))

    def swept(self) -> tuple[str, str]:
        """Two arrays that may exchange their names."""
        one, two = SWEPT
        kind = self.arrays[0].dtype
        return self.added(Array(one, 1, kind)), self.added(
            Array(two, 1, kind, like=one)
        )

    def array(self) -> Array:
        """One of the arrays of numbers."""
        return self.dice.pick(*(x for x in self.arrays if x.name != "idx"))

    def position(self, loops: Loops) -> str:
        """A position, mostly that of a loop."""
        if not loops or self.dice.chance(12):
            return self.dice.pick("0", "0", "1", "-1")
        loop = self.dice.pick(*loops)
        return self.dice.pick(loop, loop, loop, f"{loop} + 1", f"{loop} - 1")

    def cell(self, loops: Loops, of: Array | None = None) -> str:
        """An element of an array."""
        of = of or self.array()
        if of.row:
            return f"{of.name}[{self.position(loops)}, {self.dice.pick('0', '1')}]"
        places = [self.position(loops) for _ in range(of.rank)]
        if len(loops) >= of.rank and self.dice.chance(60):
            places = [*loops[-of.rank :]]
        return f"{of.name}[{', '.join(places)}]"

    def target(self, loops: Loops) -> str:
        """An element that is written."""
        of = self.array()
        self.written.add(of.name)
        return self.cell(loops, of)

    def number(self, loops: Loops) -> str:
        """A Python int."""
        dice = self.dice
        return dice.pick("n", "2", *loops, *loops, *(f"({x} - 2)" for x in loops))

    def name(self) -> str:
        """A name that may be read, or none."""
        names = [*self.known, *self.perhaps[:1]]
        return self.dice.pick(*names) if names and self.dice.chance(30) else ""

    def test(self, loops: Loops) -> str:
        """A condition, mostly on data."""
        dice = self.dice
        found = [f"{self.cell(loops)} {dice.pick('>', '<', '>=')} {dice.pick(0, 1, 2)}"]
        found.append(f"{self.cell(loops)} < {self.cell(loops)}")
        found += [f"{x} % 2 == {dice.pick(0, 1)}" for x in loops]
        found += [f"{x} > {dice.pick('0', '2', 'n // 2')}" for x in loops]
        return dice.pick(*found)

    def fresh(self, loops: Loops) -> str:
        """The variable of one more loop."""
        return next(name for name in "ghoef" if name not in loops)


def indented(lines: Sequence[str]) -> list[str]:
    """Lines in a block."""
    return [f"    {line}" for line in lines]
