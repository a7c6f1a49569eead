"""Functions of nests that hand values on: what is hard to move, to cache or to inline.

Sums of integers as producers, producers that may raise where nobody reads, calls that
nobody knows, arrays of single precision, views, conditional writes and reads, reads at
several places, temporaries and loop variables that are read behind the nests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fuzz.moving.function import Moving, Taken
from fuzz.moving.values import ROOMS, Loop, Values


@dataclass(frozen=True)
class Drawn:
    """A nest.

    Attributes:
        loops: the names of its loops. reads, writes: arrays. scalar: what it sums into.
    """

    name: str
    text: str
    loops: tuple[str, ...]
    reads: frozenset[str]
    writes: frozenset[str]
    sums: tuple[tuple[str, str], ...] = ()
    bounds: tuple[str, ...] = ()
    plain: bool = False


class Nests(Values):
    """Draws a function.

    Attributes:
        locals: the lines that make arrays. scalars: with what they hold first.
        other: the types of arguments that have another one.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.locals: list[str] = []
        self.scalars: dict[str, str] = {}
        self.other: dict[str, str] = {}

    def function(self) -> tuple[Moving, list[Drawn]]:
        """The function without directives, and its nests."""
        dice = self.dice
        if dice.chance(20):
            drawn = [self.contraction("n0")]
        else:
            count = dice.pick(1, 1, 2, 2)
            drawn = [self.producer(f"n{at}") for at in range(count)]
            if dice.chance(25):
                drawn.append(self.between(f"n{len(drawn)}", drawn[0].reads))
            for _ in range(dice.pick(1, 1, 2)):
                drawn.append(self.consumer(f"n{len(drawn)}"))
        behind = self.behind(drawn)
        steps = dice.pick(2, 3) if dice.chance(12) and len(drawn) > 1 else 0
        if steps and dice.chance(50):
            drawn.reverse()
        if dice.chance(12):
            self.locals += [
                dice.pick("B = A[1:]", "B = A", "B = A.T", "y = x[1:]", "y = x[::-1]")
            ]
        gone = {line.split(" = ")[0] for line in self.locals}
        arrays = tuple(
            Taken(name, rank, self.other.get(name, self.kind))
            for name, rank in self.ranks.items()
            if name not in gone
        )
        made = Moving(
            arrays,
            (*self.locals, *(f"{a} = {b}" for a, b in self.scalars.items())),
            tuple(one.text for one in drawn),
            behind[0],
            behind[1],
            annotated=dice.chance(55),
            steps=steps,
        )
        return made, drawn

    # Nests

    def producer(self, name: str) -> Drawn:
        """A nest that fills an array."""
        dice = self.dice
        rank = dice.pick(1, 1, 2)
        array = {"n0": "T", "n1": "U"}.get(name, "V")
        if self.handed and dice.chance(10):
            array = self.handed[-1]
            rank = self.ranks[array]
        else:
            self.made(array, rank)
        loops = self.loops(rank)
        at = [loop.var for loop in loops]
        if dice.chance(20):
            axis = dice.random.randrange(rank)
            v = at[axis]
            at[axis] = dice.pick(
                f"{v} + 1", f"n - 1 - {v}", f"2 * {v}", f"{v} // 2", "0", f"{v} % 2"
            )
        target = f"{array}[{', '.join(at)}]"
        sums = [(array, "k")]
        kind = dice.random.random()
        if kind < 0.38:
            body = [f"{target} = {self.value(loops)}"]
            sums = []
        elif kind < 0.6:
            body = self.reduced(target, loops)
        elif kind < 0.68:
            body = self.collected(target, loops, name)
            sums = [(f"t{name}", "k")]
        elif kind < 0.78:
            body = [
                f"if {self.condition(loops)}:",
                f"    {target} = {self.value(loops)}",
            ]
            if dice.chance(30):
                body += ["else:", f"    {target} = {self.value(loops)}"]
            sums = []
        elif kind < 0.85:
            body = [f"{target} {dice.pick('+=', '-=', '*=')} {self.value(loops)}"]
        elif kind < 0.93:
            back = [
                f"{v} - 1" if axis == 0 else v
                for axis, v in enumerate(loop.var for loop in loops)
            ]
            body = [f"{target} = {array}[{', '.join(back)}] + {self.value(loops)}"]
            sums = []
        else:
            body = [f"w = {self.value(loops)}", f"{target} = w * 2", "z = w"]
            sums = []
            self.scalars |= {"w": "0", "z": "5"}
        if array not in self.handed:
            self.handed.append(array)
        return self.nest(name, loops, body, {array}, sums)

    def made(self, array: str, rank: int) -> None:
        """An array that is local, or an argument, perhaps of another type."""
        dice = self.dice
        self.ranks[array] = rank
        room = dice.pick(*ROOMS) if dice.chance(90) else "60"
        shape = room if rank == 1 else f"({room}, {room})"
        kind = dice.pick(
            "", "", "", "", "float32", "float32", "int64", "int32", "float64",
            "float16", "int8", "uint8", "complex128", "bool",
        )  # fmt: skip
        if dice.chance(60):
            maker = dice.pick("zeros", "zeros", "ones")
            more = f", dtype=np.{kind}" if kind else ""
            self.locals.append(f"{array} = np.{maker}({shape}{more})")
        elif kind:
            self.other[array] = kind

    def reduced(self, target: str, loops: list[Loop]) -> list[str]:
        """A reduction into a cell."""
        dice = self.dice
        inner = [
            *loops,
            Loop(
                "k",
                dice.pick("m", "n", "3", loops[-1].var, f"{loops[-1].var} + 1", "1, n"),
            ),
        ]
        start = dice.pick("0", "0", "1", "x[0]", "")
        term = self.value(inner)
        change = dice.pick(
            f"{target} += {term}", f"{target} += {term}", f"{target} += {term}",
            f"{target} -= {term}", f"{target} *= {term}",
            f"{target} = max({target}, {term})",
            f"{target} = min({term}, {target})", f"{target} = {target} + {term}",
        )  # fmt: skip
        begin = [f"{target} = {start}"] if start else []
        return [*begin, f"for k in range({inner[-1].bounds}):", f"    {change}"]

    def collected(self, target: str, loops: list[Loop], name: str) -> list[str]:
        """A reduction into a scalar that is stored."""
        scalar = f"t{name}"
        if self.dice.chance(50):
            self.scalars[scalar] = self.dice.pick("0", "3")
        start, *rest = self.reduced(scalar, loops)
        if not start.startswith(scalar):
            start, rest = f"{scalar} = {self.dice.pick('0', '2')}", [start, *rest]
        return [start, *rest, f"{target} = {scalar}"]

    def between(self, name: str, needed: frozenset[str]) -> Drawn:
        """A nest or a statement that changes what others need."""
        dice = self.dice
        loops = self.loops(1)
        v = loops[0].var
        array = dice.pick("x", *self.handed, *sorted(needed), *sorted(needed))
        at = v if self.ranks[array] == 1 else f"{v}, {dice.pick(v, '0', '1')}"
        body = dice.pick(
            [f"{array}[{at}] = {v}"],
            [f"{array}[{at}] += 1"],
            [f"seen({v})"],
            [f"if x[{v}] > 2:", f"    {array}[{at}] = 7"],
        )
        return self.nest(name, loops, body, {array}, [])

    def consumer(self, name: str) -> Drawn:
        """A nest that reads what was handed on."""
        dice = self.dice
        loops = self.loops(dice.pick(1, 2, 2))
        array = dice.pick("C", "D", "C")
        if array not in self.ranks:
            self.ranks[array] = dice.pick(1, 2)
            if dice.chance(20):
                self.other[array] = dice.pick("float32", "float64", "int64")
        source = dice.pick(*self.handed, *self.handed[-1:])
        at = [loops[min(axis, len(loops) - 1)].var for axis in range(self.ranks[array])]
        target = f"{array}[{', '.join(at)}]"
        one = self.cell(source, loops, 25)
        two = self.cell(dice.pick(source, source, "A", "x", *self.handed), loops, 20)
        term = dice.pick(
            one,
            one,
            f"{one} + {two}",
            f"{one} - {two}",
            f"{one} * 3 + {two}",
            f"seen({one}) + {two}",
            f"{one} if {self.condition(loops)} else {two}",
        )
        sums = []
        kind = dice.random.random()
        if kind < 0.5:
            body = [f"{target} = {term}"]
        elif kind < 0.65:
            body = [
                f"if {self.condition(loops)}:",
                f"    {target} {dice.pick('=', '=', '+=')} {term}",
            ]
        elif kind < 0.75:
            body = [f"{target} += {term}"]
            sums = [(array, loops[-1].var)]
        elif kind < 0.9:
            inner = [*loops, Loop("k", dice.pick("m", "n", "3", "2"))]
            term = self.cell(source, inner, 10).replace(f"{loops[-1].var}]", "k]", 1)
            body = [
                *dice.pick([f"{target} = 0"], [f"{target} = 0"], []),
                f"for k in range({inner[-1].bounds}):",
                f"    {target} += {term}",
            ]
            sums = [(array, "k")]
        else:
            self.scalars["s"] = dice.pick("0", "1", "3")
            body = [
                dice.pick(
                    f"s += {term}", f"s = max(s, {term})", f"s *= {one}", f"s = {term}"
                )
            ]
            sums = [("s", loop.var) for loop in loops]
        return self.nest(name, loops, body, {array}, sums)

    def contraction(self, name: str) -> Drawn:
        """A nest that sums over a loop of its own."""
        dice = self.dice
        rank = dice.pick(0, 1, 2)
        loops = [Loop(v, s) for v, s in zip("ij", ("n", "m"), strict=True)][:rank]
        inner = Loop("k", dice.pick("n", "m", "1, n", "n - 1, -1, -1", "0, m, 2", "5"))
        every = [*loops, inner]
        op = dice.pick("+=", "+=", "+=", "-=", "*=", "max", "min", "&=", "|=", "^=")
        if op in ("&=", "|=", "^="):
            self.kind = dice.pick("int64", "int32")
        term = " * ".join(
            self.cell(dice.pick("A", "B", "x", "y"), every, 70)
            for _ in range(dice.pick(1, 2))
        )
        if dice.chance(15):
            term = self.value(every)
        if rank == 0 or dice.chance(20):
            self.scalars["s"] = dice.pick("0", "1", "3", "x[0]")
            target, array = "s", "s"
        else:
            array = dice.pick("C", "C", "T")
            if array == "T":
                self.made("T", rank)
                self.handed.append("T")
            else:
                self.ranks[array] = rank
            target = f"{array}[{', '.join(x.var for x in loops)}]"
        change = (
            f"{target} = {op}({target}, {term})"
            if op in ("max", "min")
            else f"{target} {op} {term}"
        )
        body = [f"for k in range({inner.bounds}):", f"    {change}"]
        if dice.chance(40) and loops:
            body.insert(0, f"{target} = {dice.pick('0', '1', '2')}")
        if target == "s" and loops and dice.chance(60):
            self.ranks["C"] = rank
            body.append(f"C[{', '.join(x.var for x in loops)}] = s")
        sums = [(array, "k"), *((array, x.var) for x in loops if target == "s")]
        if dice.chance(25) and rank:
            every.insert(0, every.pop())
            change = body[-1].strip() if len(body) == 2 and body[0][0] == "f" else ""
            if change:
                return self.nest(name, every, [change], {array}, sums)
        return self.nest(name, loops, body, {array}, sums, inside=("k",))

    def nest(
        self,
        name: str,
        loops: list[Loop],
        body: list[str],
        writes: set[str],
        sums: list[tuple[str, str]],
        inside: tuple[str, ...] = (),
    ) -> Drawn:
        """The text of a nest."""
        lines: list[str] = [f"# looptx: nest {name}"]
        for at, loop in enumerate(loops):
            lines.append(f"{'    ' * at}for {loop.var} in range({loop.bounds}):")
        lines += ["    " * len(loops) + line for line in body]
        names = [loop.var for loop in loops]
        names += ["k"] * any("for k in" in line for line in body)
        found = "\n".join(lines)
        written = {x for x in writes if f"{x}[" in found}
        read = {
            x
            for x in self.ranks
            if re.search(rf"\b{x}\[[^\]]*\](?! [-+*&|^]?= )", found)
        }
        same = tuple(loop.bounds for loop in loops)
        plain = not sums and "if " not in found.replace(" if ", "") and len(body) == 1
        return Drawn(
            name,
            found,
            tuple(names),
            frozenset(read),
            frozenset(written),
            tuple(sums),
            same,
            plain,
        )

    def behind(self, drawn: list[Drawn]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What is read behind the nests, and what is given back."""
        dice = self.dice
        lines: list[str] = []
        returns = [name for name in self.scalars if dice.chance(70)]
        if self.handed and dice.chance(25):
            array = dice.pick(*self.handed)
            at = ", ".join("1" * self.ranks[array])
            lines.append(f"x[0] = {array}[{at}]")
        if dice.chance(8):
            var = drawn[-1].loops[0]
            self.scalars[var] = "-7"
            returns.append(var)
        return tuple(lines), tuple(dict.fromkeys(returns))
