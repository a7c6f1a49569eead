"""Random Python functions over arrays, as text, with random directives.

Every statement can carry a *tag*: a read of ``W`` at the statement's number and the
values of its loops. Nothing writes ``W``, so that tags change no dependence, but give
every execution of a statement a value of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from hypothesis import strategies as st
from programs_body import MARK, Body, Scope
from programs_directives import Directives

TAG = re.compile(f"{MARK}([^{MARK}]*){MARK}")
ROOM = 24
"""The extent of arrays that do not have the sizes of the loops."""


@dataclass(frozen=True)
class Program:
    """A function ``f`` as text.

    Attributes:
        template: the text, with marks where tags may stand.
        integers: whether the arrays hold integers.
        shaped: whether the sizes are those of ``A``.
        blocks: sizes that directives name.
    """

    template: str
    integers: bool
    shaped: bool
    blocks: tuple[int, ...]

    @property
    def text(self) -> str:
        """The function without tags."""
        return TAG.sub("", self.template)

    @property
    def tagged(self) -> str:
        """The function with tags."""
        text = TAG.sub(lambda found: f" + W[{found[1]}]", self.template)
        return text.replace("def f(", "def f(W, ")

    def without(self, *verbs: str) -> Program:
        """The program without the lines of some directives."""
        lines = [
            line
            for line in self.template.split("\n")
            if not any(f"# looptx: {verb} " in line for verb in verbs)
        ]
        return replace(self, template="\n".join(lines))

    def trusting(self) -> Program:
        """The program with an order that is trusted."""
        lines: list[str] = []
        for line in self.template.split("\n"):
            code = line.lstrip()
            first = not lines or not lines[-1].lstrip().startswith("# looptx: ")
            if code.startswith("# looptx: ") and first:
                lines.append(line.removesuffix(code) + "# looptx: trust order")
            lines.append(line)
        return replace(self, template="\n".join(lines))


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Random functions; about half of them are accepted."""
    return write(lambda least, most: draw(st.integers(least, most)))


def write(integer: Callable[[int, int], int]) -> Program:
    """The program that a source of integers from a least to a most one makes."""
    return _Writer(integer).program()


class _Writer(Body, Directives):
    """Draws one program."""

    def __init__(self, integer: Callable[[int, int], int]) -> None:
        super().__init__(integer)
        self.names: list[str] = []
        self.blocks: list[int] = []
        self.extra = ""

    def program(self) -> Program:
        self.integers = self.chance(50)
        self.shaped = self.chance(35)
        self.calm = self.chance(60)
        scope = Scope()
        lines: list[str] = []
        if self.shaped:
            lines.append("n, m = A.shape")
        if self.chance(15):
            lines.append(f"k = {self.pick('n // 2', 'm + 1', 'n + m', 'n - 2')}")
            self.extra = "k"
        if self.chance(15):
            size = "(n, m)" if self.shaped else f"({ROOM}, {ROOM})"
            lines.append(f"B = {self.pick('np.zeros', 'np.ones')}({size})")
        if self.chance(10):
            lines.append(self.pick("n = n - 1", "m = n", "n, m = m, n", "m -= 1"))
        if self.chance(8):
            lines.append(f"B = {self.pick('A', 'A.T', 'A[::-1]', 'A[1:]', 'A.copy()')}")
        for name in ("s", "p", "t", "i", "j"):
            if self.chance(50 if name in "sp" else 15):
                lines.append(f"{name} = {self.pick('0', '1', '-3')}")
                scope.scalars.add(name)
        loops: set[str] = set()
        above: list[str] = []
        nests = 1 + self.chance(20)
        for number in range(nests):
            self.names = []
            nest = self.loop(Scope([], scope.scalars), self.pick(1, 2, 2, 3, 3))
            directives = self.directives()
            if nests == 1 and self.chance(8):
                above = directives
            else:
                nest = [*directives, *nest]
            if self.chance(10):
                head = self.pick("for _ in [0, 1]:", "if n > 1:", "for r in range(2):")
                nest = [head, *(f"    {line}" for line in nest)]
                if head[-2] == ")":
                    self.names.insert(0, "r")
            lines += nest
            loops.update(self.names)
        known = scope.scalars | {
            name.partition("#")[0] for name in loops if self.chance(15)
        }
        results = [name for name in sorted(known) if self.chance(60)]
        lines.append(f"return {', '.join(['A', 'B', *results])}")
        kind = "int64" if self.integers else "float64"
        one = two = rest = ""
        if self.chance(60 if self.integers else 30):
            one, two = f': "{kind}[:]"', f': "{kind}[:, :]"'
            rest = ': "int64[:]"'
        arguments = f"A{two}, B{two}, x{one}, u{rest}, idx{rest}, n, m"
        directed = [f"# looptx: {line[10:]}" for line in above]
        body = "\n".join(f"    {line}" for line in lines)
        template = "\n".join(
            ["import numpy as np", "", "", *directed, f"def f({arguments}):", body, ""]
        )
        return Program(template, self.integers, self.shaped, tuple(self.blocks))

    # Loops

    def loop(self, scope: Scope, depth: int) -> list[str]:
        free = [name for name in ("i", "j", "l", "row") if name not in scope.loops]
        var = free[0] if not self.chance(15) else self.pick(*free)
        if self.names.count(var):
            self.names.append(
                f"{var}#{sum(n.partition('#')[0] == var for n in self.names) + 1}"
            )
        else:
            self.names.append(var)
        lines = self.comment()
        bounds = self.bounds(scope)
        lines.append(f"for {var} in range({bounds}):{self.behind()}")
        inner = Scope([*scope.loops, var], set(scope.scalars))
        body = self.body(inner, depth - 1)
        simple = not any(line.startswith(("#", " ", "if", "for")) for line in body)
        if simple and "#" not in lines[-1] and self.chance(5):
            lines[-1] += f" {'; '.join(line.split('  #')[0] for line in body)}"
            return lines
        lines += [f"    {line}" for line in body]
        if scope.loops and self.chance(1):
            lines.append(f"{self.cell(scope, write=True)} = {var}{self.tag(scope)}")
        return lines

    def bounds(self, scope: Scope) -> str:
        size = self.pick("n", "n", "m", "m", "3", *([self.extra] if self.extra else []))
        if self.shaped and self.chance(15):
            size = self.pick("A.shape[0]", "len(A)", "A.shape[1]", "x.shape[0]")
        if scope.loops and self.chance(30):
            outer = self.pick(*scope.loops)
            return self.pick(
                f"{outer}",
                f"{outer} + 1",
                f"{outer}, {size}",
                f"{outer} + 1, {size}",
                f"{outer}, -1, -1",
                f"max(0, {outer} - 2), min({size}, {outer} + 3)",
                f"min({outer}, {size})",
                f"{size} - {outer}",
                f"0, {outer}, 2",
                f"{size} - 1, {outer} - 1, -1",
                f"{outer}, {outer} + 3",
                f"{outer} // 2, {size}",
                f"idx[{outer}]",
            )
        return self.pick(
            size,
            size,
            size,
            size,
            f"1, {size}",
            f"1, {size} - 1",
            f"{size} - 1",
            f"2, {size}",
            f"0, {size}, 2",
            f"1, {size}, 3",
            f"{size} - 1, -1, -1",
            f"{size}, 0, -2",
            f"{size} - 2, 0, -1",
        )

    def body(self, scope: Scope, depth: int) -> list[str]:
        """The statements of a loop; ``depth`` loops may stand inside."""
        if depth and not self.chance(40):
            return self.loop(scope, depth)
        lines: list[str] = []
        if depth and self.chance(60):
            return self.accumulation(scope, depth)
        for _ in range(self.pick(1, 1, 2, 3)):
            if depth and self.chance(50):
                inside = self.loop(scope, depth)
                if self.chance(15):
                    condition = (
                        self.affine(scope) if self.chance(80) else self.condition(scope)
                    )
                    inside = [f"if {condition}:", *(f"    {line}" for line in inside)]
                    if self.chance(30):
                        inside.append("else:")
                        inside += [f"    {line}" for line in self.statement(scope, 1)]
                lines += inside
            else:
                lines += self.statement(scope)
        return lines

    def accumulation(self, scope: Scope, depth: int) -> list[str]:
        """A scalar that is set, summed into by a loop, and used."""
        name = self.pick("s", "t")
        lines = [f"{name} = {self.pick('0', '1', self.atom(scope))}{self.tag(scope)}"]
        scope.scalars.add(name)
        lines += self.loop(scope, depth - 1 or 1) if self.chance(20) else []
        inner = next(v for v in ("j", "l", "row", "v") if v not in scope.loops)
        found = inner
        if self.names.count(inner):
            found = f"{inner}#2" if f"{inner}#2" not in self.names else f"{inner}#3"
        self.names.append(found)
        lines.append(f"for {inner} in range({self.bounds(scope)}):{self.behind()}")
        inside = scope.inside(inner)
        lines += [f"    {line}" for line in self.reduction(inside, name)]
        if self.chance(20):
            lines += [f"    {line}" for line in self.statement(inside)]
        lines.append(f"{self.cell(scope, write=True)} {self.pick('=', '+=')} {name}")
        return lines
