"""Functions of nests with equal ranges, for what moves without any search.

The nests are split and tiled alike, and one runs in the loops of another one that
stands before or behind it. Where each iteration reads what the same one of the other
nest wrote, that is legal however deep the loop is; other reads are for the proof.
"""

from __future__ import annotations

from dataclasses import dataclass

from fuzz.moving.function import Moving, Taken
from fuzz.moving.values import Values

BOUNDS = (
    ("n", "m", "3"),
    ("1, n", "0, m", "2"),
    ("n - 1, -1, -1", "m", "1, 3"),
    ("0, n, 2", "1, m, 3", "3"),
    ("n", "{0} + 1", "2"),
    ("m", "{0}, n", "{1}, n"),
    ("1, m - 1", "n - 1 - {0}", "3"),
    ("5", "7", "2"),
    ("n // 2", "max(m - 2, 0)", "n % 3"),
)
"""The ranges of the loops of a nest, over those further out."""

OWN = "{v}", "{v}", "{v}", "{v} + 1", "2 * {v}", "3 * {v} + 2"
"""Subscripts of which each value of a loop has its own."""

SHARED = "{v} // 2", "{v} % 3", "{v} + {w}", "{v} - {w} + 7", "0"
"""Subscripts of which several iterations have one."""

ROOM = "3 * n + 3 * m + 30"


@dataclass(frozen=True)
class Nest:
    """A nest: the names of its loops as the schedule has them, and its text."""

    name: str
    loops: tuple[str, ...]
    text: str


class Alike(Values):
    """Draws a function.

    Attributes:
        rank: of the nests. sure: whether all is legal by construction.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed, "alike")
        dice = self.dice
        self.rank = dice.pick(1, 2, 2, 2, 3)
        self.bounds = dice.pick(*BOUNDS)[: self.rank]
        self.sure = dice.chance(65)
        self.ranks |= {"T": self.rank, "C": self.rank, "D": self.rank}
        self.at = self.cells()

    def cells(self) -> list[str]:
        """The subscripts of what is handed on, one for each axis, over ``{0}``..."""
        places = [f"{{{axis}}}" for axis in range(self.rank)]
        kinds = OWN if self.sure or self.dice.chance(60) else SHARED
        found = [
            self.dice.pick(*kinds).format(v=v, w=self.dice.pick(*places))
            for v in places
        ]
        if self.dice.chance(25):
            found.reverse()
        return found

    def nest(self, name: str, names: str, body: list[str], other: str = "") -> Nest:
        """A nest of the ranges, the outermost at times another one."""
        lines = [f"# looptx: nest {name}"]
        for depth, bounds in enumerate(self.bounds):
            kept = other if other and depth == 0 else bounds
            text = kept.format(*names)
            lines.append(f"{'    ' * depth}for {names[depth]} in range({text}):")
        lines += ["    " * self.rank + line for line in body]
        return Nest(name, tuple(names[: self.rank]), "\n".join(lines))

    def values(self, names: str) -> str:
        """What is computed from arrays that nobody changes."""
        own = ", ".join(names[: self.rank])
        read = f"A[{own}]" if self.rank == 2 else f"x[{names[0]}]"
        return self.dice.pick(
            f"{read} * 3", f"{read} / 3", f"{read} + {read}", f"{read} - {names[0]}",
            f"{read}", f"x[{names[0]} + 1] + {read}",
        )  # fmt: skip

    def produced(self, names: str, target: str) -> list[str]:
        """Statements that fill a cell."""
        value = self.values(names)
        inner = f"for e in range({self.dice.pick('3', 'm', f'{names[0]} + 1')}):"
        return self.dice.pick(
            [f"{target} = {value}"], [f"{target} = {value}"], [f"{target} += {value}"],
            [f"{target} = 0", inner, f"    {target} += x[e]"],
            [f"if {names[0]} > 1:", f"    {target} = {value}"],
            [f"w = {value}", f"{target} = w * 2"],
        )  # fmt: skip

    def read(self, names: str) -> str:
        """What the other nest reads: the cell of its own iteration, or another one."""
        at = [one.format(*names) for one in self.at]
        if not self.sure:
            axis = self.dice.random.randrange(self.rank)
            at[axis] = self.dice.pick(
                f"max({at[axis]} - 1, 0)", f"{at[axis]} + 1", f"{at[axis]}", "1",
                f"{names[0]} // 2",
            )  # fmt: skip
        return f"T[{', '.join(at)}]"

    def function(self) -> Moving:
        """The function, with its directives."""
        dice = self.dice
        own, theirs, last = dice.pick("ijk", "pqr"), dice.pick("ijk", "abc"), "uvo"
        target = f"T[{', '.join(self.at).format(*own)}]"
        n0 = self.nest("n0", own, self.produced(own, target))
        behind = dice.chance(25)
        read = self.values(theirs) if behind and self.sure else self.read(theirs)
        two = dice.pick("", f" + {self.values(theirs)}", f" + {read}")
        to = f"C[{', '.join(theirs[: self.rank])}]"
        other = "" if self.sure or dice.chance(70) else dice.pick("n + 1", "2, n", "m")
        n1 = self.nest("n1", theirs, [f"{to} = {read}{two}"], other)
        nests = [n0, n1]
        if dice.chance(30):
            body = [f"D[{', '.join(last[: self.rank])}] = {self.read(last)}"]
            nests.append(self.nest("n2", last, body))
        local = dice.chance(45)
        kind = dice.pick(self.kind, self.kind, "float32", "float64", "complex64")
        shape = f"({', '.join([ROOM] * self.rank)},)"
        made = (f"T = np.zeros({shape}, dtype=np.{kind})",) if local else ()
        arrays = [
            Taken(name, rank, kind if name == "T" else self.kind)
            for name, rank in self.ranks.items()
            if name != "T" or not local
        ]
        directives, sure = self.directives(nests, behind, local)
        return Moving(
            tuple(arrays),
            made,
            tuple(one.text for one in nests),
            (),
            (),
            dice.chance(50),
            directives,
            legal=self.sure and sure,
        )

    def directives(
        self, nests: list[Nest], behind: bool, local: bool
    ) -> tuple[tuple[str, ...], bool]:
        """The directives, and whether they are legal if each reads its own cell."""
        dice, found = self.dice, list[str]()
        order, sure = self.cut(nests, found)
        mover, target = (nests[1], nests[0]) if behind else (nests[0], nests[1])
        depth = dice.pick(len(order), dice.random.randrange(len(order)) + 1)
        loop = self.named(target, order[depth - 1])
        found.append(f"simple_compute_at {mover.name} {loop}")
        if len(nests) > 2 and dice.chance(50):
            again = self.named(nests[2], order[dice.random.randrange(depth)])
            found.append(f"simple_compute_at {target.name} {again}")
            target = nests[2]
        more = dice.chance(35)
        if more:
            found += self.behind([self.named(target, each) for each in order])
        if local and dice.chance(40):
            found.append("temp T")
            if dice.chance(40):
                found.append(f"set_buffer T {dice.pick('local', 'global', 'shared')}")
            more = True
        # What stands in one nest behind another one is never read before it.
        return tuple(found), sure and not more and not (behind and len(nests) > 2)

    def cut(self, nests: list[Nest], found: list[str]) -> tuple[list[str], bool]:
        """Cut all nests alike; the loops then, by the axis and the times it is cut."""
        dice = self.dice
        order = [str(axis) for axis in range(self.rank)]
        count = dice.pick(0, 0, 1, 1, 2) if self.rank > 1 else dice.pick(0, 1)
        for axis in dice.some([*order], count):
            size = dice.pick(2, 3, 4)
            order.insert(order.index(axis) + 1, axis * 2)
            for nest in nests:
                found.append(f"split {self.named(nest, axis)} {size}")
        free = not any("{" in one for one in self.bounds)
        if len(order) > 1 and free and dice.chance(45):
            # An outer part comes before its inner one.
            order = sorted(dice.some(order, len(order)), key=len)
            for nest in nests:
                loops = " ".join(self.named(nest, each) for each in order)
                found.append(f"reorder {loops}")
        odd = not self.sure and dice.chance(15) and bool(found)
        if odd:
            found.pop()
        return order, not odd

    def named(self, nest: Nest, loop: str) -> str:
        """A loop of a nest as directives call it."""
        return f"{nest.name}.{nest.loops[int(loop[0])] * len(loop)}"

    def behind(self, loops: list[str]) -> list[str]:
        """What is done with loops that both nests have."""
        dice = self.dice
        at = dice.random.randrange(len(loops))
        name = loops[at]
        few = [
            [f"parallel {name}"], [f"vectorize {loops[-1]}"], [f"unroll {name} 2"],
            [f"bind {name} threadIdx.x"], [f"bind {loops[0]} blockIdx.x"],
            [f"split {name} 3"], [f"cache_read T at {name}"],
            [f"cache_write T at {name} as kept", "set_buffer kept local"],
            ["cache_read x as held"], [f"distribute {name}"],
        ]  # fmt: skip
        if at + 1 < len(loops):
            few += [
                [f"collapse {name} {loops[at + 1]} as z"],
                [f"skew {loops[at + 1]} {name}"],
                [f"reorder {loops[at + 1]} {name}"],
            ]
        return [text for one in dice.some(few, dice.pick(1, 1, 2)) for text in one]


def alike(seed: int) -> Moving:
    """The function of a number."""
    return Alike(seed).function()
