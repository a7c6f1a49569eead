"""Random Python functions over arrays, as text, with random directives.

Every statement can carry a *tag*: a read of ``W`` at the statement's number and the
values of its loops. Nothing writes ``W``, so that tags change no dependence, but give
every execution of a statement a value of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")
TAG = re.compile("\N{SECTION SIGN}([^\N{SECTION SIGN}]*)\N{SECTION SIGN}")
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
        return Program("\n".join(lines), self.integers, self.shaped, self.blocks)

    def trusting(self) -> Program:
        """The program with an order that is trusted."""
        template = re.sub(
            r"( *)# looptx: ", r"\1# looptx: trust order\n\1# looptx: ", self.template, 1
        )
        # Directives of a second nest are trusted too.
        parts = re.split(r"(?m)^(?=    for )", template)
        if len(parts) > 2:
            parts[1:] = [
                part
                if at == len(parts) - 2
                else re.sub(
                    r"(?m)^    # looptx: (?!trust)",
                    "    # looptx: trust order\n    # looptx: ",
                    part,
                    count=1,
                )
                for at, part in enumerate(parts[1:])
            ]
        return Program("".join(parts), self.integers, self.shaped, self.blocks)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Random functions; about a third of their directives are accepted."""
    return write(lambda least, most: draw(st.integers(least, most)))


def write(integer: Callable[[int, int], int]) -> Program:
    """The program that a source of integers from a least to a most one makes."""
    return _Writer(integer).program()


@dataclass
class _Scope:
    """What a statement may use: loops from outside in, and scalars with a value."""

    loops: list[str] = field(default_factory=list)
    scalars: set[str] = field(default_factory=set)

    def inside(self, loop: str) -> _Scope:
        return _Scope([*self.loops, loop], self.scalars)


class _Writer:
    """Draws one program."""

    def __init__(self, integer: Callable[[int, int], int]) -> None:
        self.integer = integer
        self.number = 0
        self.comments = 0
        self.names: list[str] = []
        self.blocks: list[int] = []
        self.extra = ""
        self.calm = False

    def pick(self, *items: T) -> T:
        return items[self.integer(0, len(items) - 1)]

    def mixed(self, items: Sequence[T]) -> list[T]:
        """The items in any order."""
        rest = list(items)
        return [rest.pop(self.integer(0, len(rest) - 1)) for _ in items]

    def chance(self, percent: int) -> bool:
        """True so often; shrinks to False."""
        return self.integer(0, 99) >= 100 - percent

    def program(self) -> Program:
        self.integers = self.chance(50)
        self.shaped = self.chance(35)
        self.calm = self.chance(60)
        scope = _Scope()
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
            nest = self.loop(_Scope([], scope.scalars), self.pick(1, 2, 2, 3, 3))
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
        types = [""] * 3
        if self.chance(60 if self.integers else 30):
            types = [f': "{kind}[:, :]"'] * 2 + [f': "{kind}[:]"']
        rest = ": \"int64[:]\"" if types[0] else ""
        arguments = (
            f"A{types[0]}, B{types[1]}, x{types[2]}, u{rest}, idx{rest}, n, m"
        )
        head = [f"# looptx: {line[10:]}" for line in above]
        body = "\n".join(f"    {line}" for line in lines)
        template = "\n".join(
            ["import numpy as np", "", "", *head, f"def f({arguments}):", body, ""]
        )
        return Program(template, self.integers, self.shaped, tuple(self.blocks))

    # Loops

    def loop(self, scope: _Scope, depth: int) -> list[str]:
        free = [name for name in ("i", "j", "l", "row") if name not in scope.loops]
        var = free[0] if not self.chance(15) else self.pick(*free)
        if self.names.count(var):
            self.names.append(f"{var}#{sum(n.partition('#')[0] == var for n in self.names) + 1}")
        else:
            self.names.append(var)
        lines = self.comment()
        bounds = self.bounds(scope)
        lines.append(f"for {var} in range({bounds}):{self.behind()}")
        inner = _Scope([*scope.loops, var], set(scope.scalars))
        body = self.body(inner, depth - 1)
        simple = not any(line.startswith(("#", " ", "if", "for")) for line in body)
        if simple and "#" not in lines[-1] and self.chance(5):
            lines[-1] += f" {'; '.join(line.split('  #')[0] for line in body)}"
            return lines
        lines += [f"    {line}" for line in body]
        if scope.loops and self.chance(1):
            lines.append(f"{self.cell(scope, write=True)} = {var}{self.tag(scope)}")
        return lines

    def bounds(self, scope: _Scope) -> str:
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

    def body(self, scope: _Scope, depth: int) -> list[str]:
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
                    condition = self.affine(scope) if self.chance(80) else self.condition(scope)
                    inside = [f"if {condition}:", *(f"    {line}" for line in inside)]
                    if self.chance(30):
                        inside.append("else:")
                        inside += [f"    {line}" for line in self.statement(scope, 1)]
                lines += inside
            else:
                lines += self.statement(scope)
        return lines

    def accumulation(self, scope: _Scope, depth: int) -> list[str]:
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

    # Statements

    def tag(self, scope: _Scope) -> str:
        self.number += 1
        places = [str(self.number), *scope.loops]
        mark = "\N{SECTION SIGN}"
        return f"{mark}{', '.join(places)}{mark}"

    def comment(self) -> list[str]:
        if not self.chance(12):
            return []
        self.comments += 1
        return [f"# note {self.comments}"]

    def behind(self) -> str:
        if not self.chance(8):
            return ""
        self.comments += 1
        return f"  # remark {self.comments}"

    def statement(self, scope: _Scope, nested: int = 0) -> list[str]:
        lines = self.comment()
        kind = self.integer(0, 22)
        tag = self.tag(scope)
        if kind >= 20:
            return [*lines, *self.oddity(scope, tag)]
        if kind <= 7:
            target = self.cell(scope, write=True)
            operator = self.pick("=", "=", "=", "+=", "-=", "*=")
            lines.append(
                f"{target} {operator} {self.value(scope)}{tag}{self.behind()}"
            )
        elif kind <= 9:
            name = self.pick("t", "q")
            lines.append(f"{name} = {self.value(scope)}{tag}")
            scope.scalars.add(name)
            target = self.cell(scope, write=True)
            lines.append(f"{target} = {name} + {self.atom(scope)}{self.tag(scope)}")
        elif kind <= 12:
            known = sorted(scope.scalars & {"s", "p"})
            name = self.pick(*known) if known and not self.chance(30) else ""
            lines += self.reduction(scope, name)
        elif kind == 13:
            first, second = self.pick(("t", "q"), ("q", "t"))
            lines.append(
                f"{first}, {second} = {self.value(scope)}{tag}, {self.atom(scope)}"
            )
            scope.scalars.update((first, second))
        elif kind == 14:
            one, two = self.cell(scope, write=True), self.cell(scope)
            lines.append(f"{one}, {two} = {two}{tag}, {self.atom(scope)}")
        elif kind == 15:
            name = self.pick("t", "q", "s")
            lines.append(f"{name} = {self.index(scope)}")
            scope.scalars.add(name)
            lines.append(
                f"x[{name}] = {self.value(scope)}{tag}"
                if self.chance(50)
                else f"{self.cell(scope, write=True)} = {name}{tag}"
            )
        elif nested < 2:
            lines += self.branch(scope, nested)
        else:
            lines.append(f"{self.cell(scope, write=True)} = {self.atom(scope)}{tag}")
        return lines

    def oddity(self, scope: _Scope, tag: str) -> list[str]:
        """A statement that is seldom written in a loop."""
        one, two = self.cell(scope, write=True), self.cell(scope, write=True)
        atom = self.atom(scope)
        at, by = self.subscript(scope), self.subscript(scope)
        lines = [
            [f"{one} = {two} = {atom}{tag}"],
            [f"t = q = {atom}{tag}", f"{one} = t - q"],
            [f"t: int = {self.index(scope)}", f"{one} = t{tag}"],
            [f"A[{at}][{by}] = {atom}{tag}"],
            [f"A[{at}] = {atom}{tag}"],
            [f"A[{at}, :] += {atom}{tag}"],
            [f"A[{at}, 1:{by}] = {atom}{tag}"],
            [f"B[:, {at}] = A[{by}, 0]{tag}"],
            [f"u[{at}] = {self.index(scope)}{tag}"],
            [f"x[{at}] = A[{by}, u[{at}]]{tag}"],
            [f"{one}, {two} = {two}, {one}"],
            [f"{one} = {atom}{tag}", "pass"],
            [f"t = u[{at}]", f"x[t] = {atom}{tag}"],
            [f"{one} = np.maximum({two}, {atom}){tag}"],
            [f"{one} = float({two}){tag}"],
            [f"{one} = ({two}", f"    + {atom}{tag})"],
        ]
        if "p" in scope.scalars:
            lines.append(["p += 1", f"x[p] = {atom}{tag}"])
            lines.append([f"{one}, p = p, {one}"])
        found = self.pick(*lines)
        if found[0].startswith("t = ") or found[0].startswith("t:"):
            scope.scalars.add("t")
        return found

    def reduction(self, scope: _Scope, name: str) -> list[str]:
        target = name or self.cell(scope, write=True)
        tag = self.tag(scope)
        value = self.value(scope, 1)
        atom = self.atom(scope)
        return [
            self.pick(
                f"{target} += {value}{tag}",
                f"{target} += {value}{tag}",
                f"{target} -= {atom}",
                f"{target} = {target} + {atom}{tag}",
                f"{target} = {atom} + {target}",
                f"{target} = {atom} * {self.atom(scope)} + {target}",
                f"{target} = {target} + {atom} - {self.atom(scope)}",
                f"{target} = max({target}, {value}{tag})",
                f"{target} = min({atom}{tag}, {target})",
                f"{target} = {atom} if {atom} > {target} else {target}",
                f"{target} *= {self.pick('-1', '2')}",
                f"{target} = {target} - {atom}{tag}",
            )
        ]

    def branch(self, scope: _Scope, nested: int) -> list[str]:
        lines = [f"if {self.condition(scope)}:{self.behind()}"]

        def block() -> None:
            inner = _Scope(scope.loops, set(scope.scalars))
            for _ in range(self.pick(1, 1, 2)):
                lines.extend(f"    {line}" for line in self.statement(inner, nested + 1))

        block()
        if self.chance(25):
            lines.append(f"elif {self.condition(scope)}:")
            block()
        if self.chance(35):
            lines.append("else:")
            block()
        return lines

    def affine(self, scope: _Scope) -> str:
        """A condition over loops and sizes."""
        one, two = self.index(scope), self.index(scope)
        return self.pick(
            f"{one} < {two}",
            f"{one} == {two}",
            f"{one} > 1",
            f"{one} != n - 2",
            f"1 <= {one} < n - 1",
            f"{one} > 0 and {two} < m",
            f"{one} < 1 or {two} > m - 2",
            f"({one}) % 2 == 0",
        )

    def condition(self, scope: _Scope) -> str:
        one = self.index(scope)
        two = self.pick("n", "m - 1", "2", self.index(scope))
        kind = self.integer(0, 9)
        if kind <= 2:
            return f"{one} {self.pick('<', '<=', '==', '!=', '>', '>=')} {two}"
        if kind == 3:
            return f"0 < {one} <= {two}"
        if kind == 4:
            return f"{one} < {two} and {self.index(scope)} > 1"
        if kind == 5:
            return f"({one}) % 2 == {self.pick(0, 1)}"
        if kind == 6:
            return f"{one} > {two} or not {self.index(scope)} > 2"
        if kind == 7:
            return f"{one} < 3 and {self.cell(scope)} > 0"
        if kind == 8:
            return f"-2 < {self.cell(scope)} <= {self.atom(scope)}"
        return f"{self.cell(scope)} {self.pick('<', '>', '!=')} {self.atom(scope)}"

    # Expressions

    def value(self, scope: _Scope, depth: int = 2) -> str:
        """An expression that ``+`` may follow."""
        kind = self.integer(0, 11) if depth else 0
        if kind <= 4:
            return self.atom(scope)
        inner = self.value(scope, depth - 1)
        if kind <= 7:
            return f"{inner} {self.pick('+', '-')} {self.atom(scope)}"
        if kind == 8:
            return f"{self.atom(scope)} * {self.pick('2', '-1', self.cell(scope))}"
        if kind == 9:
            word = self.pick("min", "max")
            return f"{word}({inner}, {self.atom(scope)})"
        if kind == 10:
            return f"({inner} if {self.condition(scope)} else {self.atom(scope)})"
        return self.pick(f"abs({inner})", f"({inner}) % 5", f"-{self.atom(scope)}")

    def atom(self, scope: _Scope) -> str:
        kind = self.integer(0, 11)
        if kind <= 6:
            return self.cell(scope)
        if kind <= 8:
            return self.pick(*scope.loops)
        if kind == 9 and scope.scalars:
            return self.pick(*sorted(scope.scalars))
        return self.pick("1", "2", "n", "m")

    def cell(self, scope: _Scope, write: bool = False) -> str:
        array = self.pick("A", "A", "B", "x", "u") if not write else self.pick(*"ABx")
        if self.calm and not write:
            array = self.pick("B", "B", "u", array)
        if self.calm and write:
            array = self.pick("A", "A", "x", array)
        rank = 2 if array in "AB" else 1
        plain = self.chance(60 if write or self.calm else 30)
        if plain and len(scope.loops) >= rank:
            loops = scope.loops[-rank:] if self.chance(30) else scope.loops[:rank]
            return f"{array}[{', '.join(loops)}]"
        return f"{array}[{', '.join(self.subscript(scope) for _ in range(rank))}]"

    def subscript(self, scope: _Scope) -> str:
        one = self.pick(*scope.loops)
        return self.pick(
            one,
            one,
            one,
            f"{one} + 1",
            f"{one} + 1",
            f"{one} + 2",
            f"{one} - 1",
            f"n - 1 - {one}",
            f"{one} // 2",
            f"{one} % 3",
            f"2 * {one}",
            f"{one} + {self.pick(*scope.loops)}",
            f"{one} - {self.pick(*scope.loops)}",
            f"({one} + 1) % 4 // 2",
            f"idx[{one}]",
            "0",
            "1",
            "-1",
        )

    def index(self, scope: _Scope) -> str:
        one = self.pick(*scope.loops)
        other = self.pick(*scope.loops)
        return self.pick(
            one, one, f"{one} + 1", f"{one} + {other}", f"{one} - {other}", f"n - {one}"
        )

    # Directives

    def directives(self) -> list[str]:
        known = list(dict.fromkeys(self.names))
        texts: list[str] = []
        for _ in range(self.pick(1, 1, 2, 2, 3)):
            texts += self.directive(known)
        if self.integers and self.chance(25):
            texts.append("reassociate s")
        if len(texts) > 1 and self.chance(15):
            texts = [" | ".join(texts)]
        return [f"# looptx: {text}" for text in texts]

    def block_size(self) -> int:
        size = self.pick(2, 3, 4, 5, 1)
        self.blocks.append(size)
        return size

    def directive(self, known: Sequence[str]) -> list[str]:
        assert isinstance(known, list)
        one = self.pick(*known)
        verb = self.pick(
            "split", "split", "tile", "reorder", "reorder", "unroll", "parallel",
            "vectorize", "skew", "pad", "collapse", "assume", "tile reorder",
        )  # fmt: skip
        several = self.mixed(known)[: self.pick(1, 2, 2, 3)]

        def inner(name: str) -> str:
            base = name.partition("#")[0]
            return f"{base}_in" if len(base) > 1 and set(base) != {base[0]} else base + base[0]

        if verb == "split":
            sizes = f"{self.block_size()}"
            if self.chance(20):
                sizes += f" {self.block_size()}"
            known.append(inner(one))
            return [f"split {one} {sizes}"]
        if verb in ("tile", "tile reorder"):
            sizes = " ".join(f"{name}={self.block_size()}" for name in several)
            new = [inner(name) for name in several]
            known += new
            found = [f"tile {sizes}"]
            if verb != "tile":
                order = self.mixed([*several, *new])
                found.append(f"reorder {' '.join(order)}")
            return found
        if verb == "reorder":
            if len(known) < 2:
                return [f"split {one} {self.block_size()}"]
            order = self.mixed(known)
            return [f"reorder {' '.join(order[: self.pick(2, 2, 3)])}"]
        if verb == "skew" and len(several) > 1:
            by = self.pick("", "", " by 2", " by -1")
            return [f"skew {several[0]} {several[1]}{by}"]
        if verb == "pad":
            return [f"pad {one} {self.pick(1, 2, 3)}"]
        if verb == "collapse" and len(several) > 1:
            return [f"collapse {several[0]} {several[1]}"]
        if verb == "assume":
            return [
                "assume "
                + self.pick("n == m", "n % 2 == 0", "n >= 3", "m > 1 and n > 1", "n <= 5")
            ]
        if verb == "unroll":
            factor = self.pick(2, 3, 4)
            self.blocks.append(factor)
            return [f"unroll {one} {factor}" if not self.chance(20) else f"unroll {one}"]
        if verb in ("parallel", "vectorize"):
            return [f"{verb} {one}"]
        return [f"split {one} {self.block_size()}"]
