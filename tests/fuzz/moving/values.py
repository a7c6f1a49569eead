"""Loops and values of nests: places, expressions that may raise, calls, conditions."""

from __future__ import annotations

from dataclasses import dataclass

from fuzz.programs.dice import Dice

KINDS = (
    "float64", "float64", "float64", "float32", "float32", "int64", "int64", "int32",
    "float64", "float64", "float32", "int64", "int64", "int32", "float16", "int8",
    "uint8", "int16", "uint16", "uint32", "uint64", "complex64", "complex128", "bool",
)  # fmt: skip
"""The types of elements, the usual ones most often."""

CALLS = (
    "abs({})",
    "np.sqrt({})",
    "np.floor({})",
    "seen({})",
    "math.floor({})",
    "int({})",
)
"""Calls, one of which nobody knows."""

RISKY = (
    "12 // ({v} - 2)", "1.0 / ({v} - 3)", "x[{v} + 3]", "math.sqrt({v} - 1)",
    "math.log(x[{v}])", "5 % (3 - {v})", "y[{v} * 3]", "A[{v} + 2, {v} + 2]",
)  # fmt: skip
"""What may raise, mostly where an iteration is one of a few."""

ROOMS = "3 * n + 3 * m + 8", "3 * n + 3 * m + 9"
"""Extents of local arrays."""


@dataclass
class Loop:
    """A loop of a nest that is drawn: its variable and its bounds."""

    var: str
    bounds: str


class Values:
    """Draws loops and values of one function.

    Attributes:
        kind: of the elements of its arguments.
        ranks: of the arrays that there are. handed: those that nests hand on.
        shape: the bounds of the nest before.
    """

    def __init__(self, seed: int, form: str = "moving") -> None:
        self.dice = Dice(f"{form} {seed}")
        self.kind = self.dice.pick(*KINDS)
        self.ranks = {"A": 2, "B": 2, "x": 1, "y": 1}
        self.handed: list[str] = []
        self.shape: list[str] = []

    def loops(self, rank: int) -> list[Loop]:
        """The loops of a nest, at times those of the one before."""
        dice = self.dice
        names = dice.pick("ij", "ij", "ij", "pq")
        if self.shape and dice.chance(40):
            return (
                [Loop(v, x) for v, x in zip(names, self.shape, strict=False)][:rank]
                if len(self.shape) >= rank and self.shape[-1].isidentifier()
                else self.loops_of(rank, names)
            )
        return self.loops_of(rank, names)

    def loops_of(self, rank: int, names: str) -> list[Loop]:
        dice, found = self.dice, list[Loop]()
        for at in range(rank):
            size = dice.pick("n", "m") if at else dice.pick("n", "n", "m")
            bounds = dice.pick(
                size, size, size, size, f"1, {size}", f"{size} - 1", f"0, {size}, 2",
                f"{size} - 1, -1, -1", f"2, {size} - 1", f"{size} // 2", "4", "7",
                f"1, {size}, 3",
            )  # fmt: skip
            if at and dice.chance(25):
                outer = found[-1].var
                bounds = dice.pick(
                    f"{outer} + 1", f"{outer}, n", f"{outer}", f"n - {outer}"
                )
            found.append(Loop(names[at], bounds))
        self.shape = [x.bounds for x in found]
        return found

    def place(self, loops: list[Loop], axis: int) -> str:
        """A subscript of a read."""
        dice = self.dice
        v = (
            loops[min(axis, len(loops) - 1)].var
            if dice.chance(75)
            else dice.pick(*loops).var
        )
        return dice.pick(
            v, v, v, v, v, f"{v} + 1", f"{v} + 1", f"{v} + 2", f"{v} - 1",
            f"n - 1 - {v}",
            f"2 * {v}", f"{v} // 2", f"{v} // 3", f"{v} % 3",
            f"{v} + {dice.pick(*loops).var}",
            "0", "1", "n", f"max({v} - 1, 0)", f"-{v}",
        )  # fmt: skip

    def cell(self, array: str, loops: list[Loop], plain: int = 40) -> str:
        """A read of an array."""
        rank = self.ranks[array]
        if self.dice.chance(plain):
            at = [loops[min(axis, len(loops) - 1)].var for axis in range(rank)]
        else:
            at = [self.place(loops, axis) for axis in range(rank)]
        return f"{array}[{', '.join(at)}]"

    def value(self, loops: list[Loop]) -> str:
        """What a producer computes."""
        dice = self.dice
        v = dice.pick(*loops).var
        first = self.cell(dice.pick("A", "B", "x", "y", *self.handed), loops)
        kind = dice.random.random()
        if kind < 0.4:
            return dice.pick(
                first, f"{first} * 3 + {v}", f"{first} - 1", f"{v} - {first}"
            )
        if kind < 0.6:
            second = self.cell(dice.pick("A", "x", "y"), loops)
            return f"{first} {dice.pick('+', '-', '*')} {second}"
        if kind < 0.7:
            return dice.pick(*RISKY).format(v=v)
        if kind < 0.8:
            return dice.pick(*CALLS).format(first)
        if kind < 0.88:
            return f"{first} {dice.pick('/', '//', '%')} 3"
        if kind < 0.95:
            test = dice.pick(f"{v} > 1", f"{v} % 2 == 0", f"{v} < m", f"{first} > 1")
            return f"{first} if {test} else {dice.pick('0', v)}"
        return dice.pick(v, "2", f"{v} * 2 + 1", "0.1")

    def condition(self, loops: list[Loop]) -> str:
        """A condition on iterations or data."""
        dice = self.dice
        v = dice.pick(*loops).var
        return dice.pick(
            f"{v} > 1", f"{v} % 2 == 0", f"{v} < m", f"{v} + 1 < n", f"{v} != 2",
            f"{self.cell('x', loops)} > 1", f"{self.cell('A', loops)} < 2",
        )  # fmt: skip
