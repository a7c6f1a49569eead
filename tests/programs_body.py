"""Random statements and expressions of a loop body."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")

MARK = "\N{SECTION SIGN}"
"""Stands around what a tag says."""


@dataclass
class Scope:
    """What a statement may use: loops from outside in, and scalars with a value."""

    loops: list[str] = field(default_factory=list)
    scalars: set[str] = field(default_factory=set)

    def inside(self, loop: str) -> Scope:
        return Scope([*self.loops, loop], self.scalars)


class Chooser:
    """Random choices.

    Args:
        integer: a source of integers from a least to a most one.
    """

    def __init__(self, integer: Callable[[int, int], int]) -> None:
        self.integer = integer

    def pick(self, *items: T) -> T:
        return items[self.integer(0, len(items) - 1)]

    def mixed(self, items: Sequence[T]) -> list[T]:
        """The items in any order."""
        rest = list(items)
        return [rest.pop(self.integer(0, len(rest) - 1)) for _ in items]

    def chance(self, percent: int) -> bool:
        """True so often; shrinks to False."""
        return self.integer(0, 99) >= 100 - percent


class Body(Chooser):
    """Draws statements.

    Attributes:
        calm: whether arrays that are written are seldom read.
        number: how many tags there are. comments: how many comments.
    """

    calm = False
    number = 0
    comments = 0

    def tag(self, scope: Scope) -> str:
        self.number += 1
        places = [str(self.number), *scope.loops]
        return f"{MARK}{', '.join(places)}{MARK}"

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

    def statement(self, scope: Scope, nested: int = 0) -> list[str]:
        lines = self.comment()
        kind = self.integer(0, 22)
        tag = self.tag(scope)
        if kind >= 20:
            return [*lines, *self.oddity(scope, tag)]
        if kind <= 7:
            target = self.cell(scope, write=True)
            operator = self.pick("=", "=", "=", "+=", "-=", "*=")
            lines.append(f"{target} {operator} {self.value(scope)}{tag}{self.behind()}")
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

    def oddity(self, scope: Scope, tag: str) -> list[str]:
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

    def reduction(self, scope: Scope, name: str) -> list[str]:
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

    def branch(self, scope: Scope, nested: int) -> list[str]:
        lines = [f"if {self.condition(scope)}:{self.behind()}"]

        def block() -> None:
            inner = Scope(scope.loops, set(scope.scalars))
            for _ in range(self.pick(1, 1, 2)):
                lines.extend(
                    f"    {line}" for line in self.statement(inner, nested + 1)
                )

        block()
        if self.chance(25):
            lines.append(f"elif {self.condition(scope)}:")
            block()
        if self.chance(35):
            lines.append("else:")
            block()
        return lines

    def affine(self, scope: Scope) -> str:
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

    def condition(self, scope: Scope) -> str:
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

    def value(self, scope: Scope, depth: int = 2) -> str:
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

    def atom(self, scope: Scope) -> str:
        kind = self.integer(0, 11)
        if kind <= 6:
            return self.cell(scope)
        if kind <= 8:
            return self.pick(*scope.loops)
        if kind == 9 and scope.scalars:
            return self.pick(*sorted(scope.scalars))
        return self.pick("1", "2", "n", "m")

    def cell(self, scope: Scope, write: bool = False) -> str:
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

    def subscript(self, scope: Scope) -> str:
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

    def index(self, scope: Scope) -> str:
        one = self.pick(*scope.loops)
        other = self.pick(*scope.loops)
        return self.pick(
            one, one, f"{one} + 1", f"{one} + {other}", f"{one} - {other}", f"n - {one}"
        )
