"""Random loops and statements."""

from __future__ import annotations

from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Assign, For, If, Node, Odd
from fuzz.programs.terms import (
    ONE,
    ZERO,
    Call,
    Cell,
    Choice,
    Expr,
    Name,
    Num,
    Op,
    add,
    names,
    text,
)

RANKS = {"A": 2, "B": 2, "C": 2, "x": 1, "y": 1, "D": 3, "idx": 1}
"""The arrays that functions may take."""

Loops = tuple[str, ...]
Bounds = tuple[Expr, Expr, int]


class Bodies:
    """Draws the statements of one function.

    Attributes:
        style: ``calm`` bodies seldom read what they write, ``stencil`` bodies read it
            at some distance, ``wild`` ones do anything.
        temporary: a local array that is to be written and read.
        scalars: those with a value. started: those that need one before everything.
        shape: the bounds of loops by depth, which others are likely to share.
        beside: how often of a hundred a statement stands before an inner loop.
    """

    style = "calm"
    beside = 18
    temporary: Array | None = None

    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self.ranks = dict(RANKS)
        self.scalars: set[str] = set()
        self.started: set[str] = set()
        self.shape: dict[int, Bounds] = {}
        self.written = ["A"]
        self.labels = 0
        self.comments = 0

    def comment(self) -> str:
        """A comment, seldom."""
        if not self.dice.chance(5):
            return ""
        self.comments += 1
        return f"remark {self.comments}"

    # Loops

    def loop(self, loops: Loops, depth: int) -> For:
        """A loop with so many levels."""
        dice = self.dice
        if (depth == 1 and not loops) or dice.chance(30):
            self.written.append(dice.pick("A", "B", "C", "x", "y"))
        free = [name for name in ("i", "j", "k", "l", "row") if name not in loops]
        var = free[0] if dice.chance(90) else dice.pick(*free)
        start, stop, step = self.bounds(loops)
        inner = (*loops, var)
        body = self.body(inner, depth - 1)
        return For(var, start, stop, step, tuple(body), comment=self.comment())

    def body(self, loops: Loops, depth: int) -> list[Node]:
        """The statements of a loop; ``depth`` levels stand inside."""
        dice = self.dice
        if not depth:
            count = dice.pick(1, 1, 1, 1, 2)
            plain = [x for _ in range(count) for x in self.some(loops)]
            return [self.guarded(plain, loops)] if dice.chance(6) else plain
        if dice.chance(14):
            return self.accumulation(loops)
        found: list[Node] = []
        if dice.chance(self.beside):
            found += self.some(loops)
        first = self.loop(loops, depth)
        found.append(self.guarded([first], loops) if dice.chance(6) else first)
        if dice.chance(self.beside * 5 / 6):
            found += self.some(loops)
        if dice.chance(self.beside / 2):
            second = self.loop(loops, 1)
            if dice.chance(60):
                found = [self.labelled(x) if isinstance(x, For) else x for x in found]
                second = self.labelled(second)
            found.append(second)
        return found

    def labelled(self, loop: For) -> For:
        """A loop with a name of its own."""
        self.labels += 1
        return For(
            loop.var, loop.start, loop.stop, loop.step, loop.body,
            label=f"s{self.labels}", comment=loop.comment,
        )  # fmt: skip

    def guarded(self, nodes: list[Node], loops: Loops) -> If:
        """Statements under a condition."""
        orelse = tuple(self.some(loops)) if self.dice.chance(25) else ()
        return If(self.condition(loops), tuple(nodes), orelse)

    def accumulation(self, loops: Loops) -> list[Node]:
        """A scalar that is set, changed by a loop, and used."""
        dice = self.dice
        name = dice.pick("s", "t")
        first = Assign(Name(name), "=", dice.pick(ZERO, ONE, self.atom(loops)))
        free = [one for one in ("i", "j", "k", "l", "row") if one not in loops]
        start, stop, step = self.bounds(loops)
        inner = (*loops, free[0])
        op = dice.pick("+=", "+=", "+", "-=", ">", "*=")
        body = [Assign(Name(name), op, self.value(inner))]
        last = Assign(self.target(loops), dice.pick("=", "=", "+="), Name(name))
        self.scalars.add(name)
        self.started.add(name)
        return [first, For(free[0], start, stop, step, tuple(body)), last]

    def bounds(self, loops: Loops) -> Bounds:
        """Those of a loop as deep, or others."""
        known = self.shape.get(len(loops))
        if known is not None and self.dice.chance(60):
            found = known
        else:
            found = self.fresh_bounds(loops)
        if not names(found[0]) | names(found[1]) <= {*loops, "n", "m"}:
            found = ZERO, Name("n"), 1
        self.shape.setdefault(len(loops), found)
        return found

    def fresh_bounds(self, loops: Loops) -> Bounds:
        """The bounds of a loop inside others."""
        dice = self.dice
        size: Expr = (
            Num(dice.pick(3, 4)) if dice.chance(28) else Name(dice.pick(*"nnnmm"))
        )
        if loops and dice.chance(22):
            outer: Expr = Name(dice.pick(*loops))
            near = Call("max", (ZERO, add(outer, -2)))
            return dice.pick(
                (ZERO, add(outer, 1), 1),
                (ZERO, outer, 1),
                (outer, size, 1),
                (add(outer, 1), add(size, 1), 1),
                (ZERO, Op("-", size, outer), 1),
                (outer, add(outer, 3), 1),
                (near, Call("min", (size, add(outer, 2))), 1),
                (add(size, -1), add(outer, -1), -1),
                (outer, size, 2),
                (Op("//", outer, Num(2)), size, 1),
                (ZERO, Call("min", (outer, size)), 1),
            )
        if dice.chance(65):
            return ZERO, size, 1
        return dice.pick(
            (ONE, size, 1),
            (ONE, size, 1),
            (Num(2), add(size, 1), 1),
            (ZERO, add(size, -1), 1),
            (ONE, add(size, -1), 1),
            (ZERO, size, 2),
            (ONE, size, 3),
            (add(size, -1), Num(-1), -1),
            (size, ZERO, -2),
            (ZERO, Op("//", size, Num(2)), 1),
        )

    def condition(self, loops: Loops) -> Expr:
        """A condition, mostly one over loops and sizes."""
        dice = self.dice
        one: Expr = Name(dice.pick(*loops))
        two: Expr = Name(dice.pick(*loops, "n", "m"))
        if dice.chance(12):
            return Op(dice.pick("<", ">"), self.cell("B", loops), self.atom(loops))
        return dice.pick(
            Op("<", one, two),
            Op("<=", add(one, 1), two),
            Op("!=", one, two),
            Op(">", one, ZERO),
            Op("==", Op("%", one, Num(2)), dice.pick(ZERO, ONE)),
            Op("and", Op(">", one, ZERO), Op("<", two, Num(3))),
            Op("or", Op("<", one, ONE), Op(">", two, Num(2))),
        )

    # Statements

    def between(self) -> Node:
        """A statement between nests."""
        self.scalars.add("q")
        self.started.add("q")
        at = (ZERO, ONE)
        cell = self.dice.pick(Cell("x", (ZERO,)), Cell("A", at), Cell("B", at))
        return Assign(Name("q"), "=", cell)

    def some(self, loops: Loops) -> list[Node]:
        """One statement, or two that belong together."""
        dice = self.dice
        if self.temporary is not None and dice.chance(60):
            return self.handed_on(loops)
        if dice.chance(2):
            return [self.odd(loops)]
        kind = dice.random.random()
        if kind < 0.62:
            target = self.target(loops)
            return [Assign(target, "=", self.value(loops, target), self.comment())]
        if kind < 0.82:
            target = self.target(loops, reduced=True)
            op = dice.pick("+=", "+=", "+=", "-=", "+", "*=", ">", "<")
            return [Assign(target, op, self.value(loops))]
        if kind < 0.92:
            name = dice.pick("t", "q")
            first = Assign(Name(name), "=", self.value(loops))
            self.scalars.add(name)
            self.started.add(name)
            value = Op("+", Name(name), self.atom(loops))
            return [first, Assign(self.target(loops), "=", value)]
        if kind < 0.95 and self.scalars:
            name = dice.pick(*sorted(self.scalars))
            self.started.add(name)
            return [Assign(Name(name), dice.pick("+=", "=", ">"), self.value(loops))]
        target = self.target(loops)
        return [self.guarded([Assign(target, "=", self.value(loops))], loops)]

    def odd(self, loops: Loops) -> Odd:
        """A statement that is seldom written in a loop."""
        dice = self.dice
        target = self.cell(dice.pick("A", "B", "x"), loops, plain=75)
        other = self.cell(dice.pick("A", "B", "y"), loops, plain=75)
        at, by = self.subscript(loops), self.subscript(loops)
        value = self.value(loops)
        one, two, atom = text(target), text(other), text(value)
        i, j = text(at), text(by)
        lines = dice.pick(
            (f"{one}, {two} = {two}, {one}",),
            (f"{one} = {two} = {atom}",),
            (f"p, r = {two}, {atom}", f"{one} = p - r"),
            (f"p = r = {atom}", f"{one} = p - r"),
            (f"p: int = {i}", f"{one} = p"),
            (f"p = {i}", f"x[p] = {atom}"),
            (f"A[{i}][{j}] = {atom}",),
            (f"A[{i}] = {atom}",),
            (f"A[{i}, 1:{j}] = {atom}",),
            (f"B[:, {i}] = A[{j}, 0]",),
            (f"{one} = np.maximum({one}, {atom})",),
            (f"{one} = float({two})",),
            (f"{one} = (", f"    {two}", f"    + {atom}", ")"),
            (f"{one} = {atom}", "pass"),
        )
        terms = names(target) | names(other) | names(value) | names(at) | names(by)
        arrays = frozenset(x for x in ("A", "B", "x") if f"{x}[" in "".join(lines))
        return Odd(lines, terms | arrays, arrays)

    def handed_on(self, loops: Loops) -> list[Node]:
        """Something goes through the local array."""
        dice, local = self.dice, self.temporary
        assert local is not None
        at = tuple(Name(loops[min(axis, len(loops) - 1)]) for axis in range(local.rank))
        # What is read was written an iteration before, where not in the same one.
        ahead = tuple(add(x, 1) if dice.chance(35) else x for x in at)
        write = Assign(
            Cell(local.name, ahead), dice.pick("=", "=", "+="), self.value(loops)
        )
        read = Cell(local.name, at)
        use = Assign(self.target(loops), "=", Op("+", read, self.atom(loops)))
        return dice.pick([write, use], [write, use], [write], [use])

    def target(self, loops: Loops, reduced: bool = False) -> Cell | Name:
        """What a statement writes."""
        dice = self.dice
        if reduced and self.scalars and dice.chance(30):
            name = dice.pick(*sorted(self.scalars))
            self.started.add(name)
            return Name(name)
        array = dice.pick("A", "B", "C", "x", "y", *self.written[-1:] * 6)
        if dice.chance(5):
            array = "D"
        if reduced and dice.chance(50):
            array = dice.pick("x", "y")
        return self.cell(array, loops, plain=75)

    def value(self, loops: Loops, target: Cell | Name | None = None) -> Expr:
        """What a statement computes."""
        dice = self.dice
        first = self.atom(loops)
        if target is not None and isinstance(target, Cell) and dice.chance(45):
            first = self.again(target, loops)
        kind = dice.random.random()
        if kind < 0.45:
            return first
        second = self.atom(loops)
        if kind < 0.85:
            return Op(dice.pick("+", "+", "-", "*"), first, second)
        if kind < 0.92:
            return Call(dice.pick("min", "max"), (first, second))
        if kind < 0.97:
            return Choice(self.condition(loops), first, second)
        return Call("abs", (first,))

    def again(self, target: Cell, loops: Loops) -> Expr:
        """The array that is written, near by, at the same place, or turned."""
        dice = self.dice
        if self.style == "calm":
            return target
        if self.style == "wild" and dice.chance(60):
            return self.cell(target.array, loops)
        if len(target.at) > 1 and dice.chance(15):
            return Cell(target.array, target.at[::-1])
        at = tuple(add(x, dice.pick(-1, 0, 0, 1)) for x in target.at)
        return Cell(target.array, at)

    def atom(self, loops: Loops) -> Expr:
        """A cell, a loop, a scalar or a number."""
        dice = self.dice
        kind = dice.random.random()
        if kind < 0.7:
            arrays = [
                name for name in ("B", "C", "y", "D", "A") if name != self.written[-1]
            ]
            if self.style == "wild":
                arrays += self.written
            return self.cell(dice.pick(*arrays), loops)
        if kind < 0.8 and self.scalars:
            name = dice.pick(*sorted(self.scalars))
            self.started.add(name)
            return Name(name)
        return Num(2) if dice.chance(33) else Name(dice.pick(dice.pick(*loops), "n"))

    def cell(self, array: str, loops: Loops, plain: int = 55) -> Cell:
        """An element of an array."""
        rank, dice = self.ranks[array], self.dice
        if len(loops) >= rank and dice.chance(plain):
            if dice.chance(75):
                used = loops[:rank] if dice.chance(70) else loops[-rank:]
            else:
                used = tuple(dice.some(loops, rank))
            return Cell(array, tuple(map(Name, used)))
        return Cell(array, tuple(self.subscript(loops) for _ in range(rank)))

    def subscript(self, loops: Loops) -> Expr:
        """A position."""
        dice = self.dice
        one: Expr = Name(dice.pick(*loops))
        two: Expr = Name(dice.pick(*loops))
        if dice.chance(55):
            return add(one, dice.pick(0, 0, 0, 1, 1, 2, -1))
        if dice.chance(4):
            return Cell("idx", (one,))
        return dice.pick(
            Op("+", one, two),
            Op("*", Num(2), one),
            Op("-", Num(9), one),
            Op("-", add(Name("n"), -1), one),
            Op("-", Name("m"), one),
            add(Op("-", one, two), 9),
            Op("//", one, Num(2)),
            Op("%", one, Num(3)),
            Op("//", Op("%", add(one, 1), Num(4)), Num(2)),
            ZERO,
            ONE,
            Name("m"),
            Num(-1),
        )
