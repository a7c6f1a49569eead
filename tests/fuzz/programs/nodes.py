"""Statements and loops of random programs: their text, and all that are smaller."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from fuzz.programs.terms import ONE, ZERO, Cell, Expr, Name, Num, names, smaller, text

T = TypeVar("T")

MARK = "# looptx: "
SIZES = ("n", "m")
"""The integer arguments of every function."""

CONTINUED = 3
"""One of so many conditions at the end of a loop is written with ``continue``."""


@dataclass(frozen=True, slots=True)
class Assign:
    """A statement that sets or changes a cell or a scalar.

    Attributes:
        op: ``=``; ``+=``, ``-=``, ``*=``; ``+`` for ``t = t + v``, ``<`` and ``>`` for
            ``t = min(t, v)`` and ``t = max(t, v)``.
        label: the name that ``nest`` gives it.
    """

    target: Cell | Name
    op: str
    value: Expr
    comment: str = ""
    label: str = ""

    def lines(self, state: Printer, loops: tuple[str, ...]) -> list[str]:
        """The text."""
        tag = state.tag(loops)
        value = text(self.value, 5) + tag if tag else text(self.value)
        target = text(self.target)
        if self.op == "+":
            value = f"{target} + {value if tag else text(self.value, 5)}"
        elif self.op in "<>":
            value = f"{'min' if self.op == '<' else 'max'}({target}, {value})"
        op = self.op if len(self.op) == 2 else "="
        behind = f"  # {self.comment}" if self.comment else ""
        above = state.above([f"nest {self.label}"] if self.label else [])
        return [*above, f"{target} {op} {value}{behind}"]

    def smaller(self) -> Iterator[Assign]:
        """The statement with less in it."""
        if self.comment:
            yield replace(self, comment="")
        if self.label:
            yield replace(self, label="")
        if self.value not in (ZERO, ONE):
            yield replace(self, value=ONE)
        if self.op not in ("=", "+="):
            yield replace(self, op="=")
            yield replace(self, op="+=")
        for less in smaller(self.value):
            yield replace(self, value=less)
        for target in smaller(self.target):
            if isinstance(target, Cell):
                yield replace(self, target=target)


@dataclass(frozen=True, slots=True)
class If:
    """Statements under a condition."""

    condition: Expr
    body: tuple[Node, ...]
    orelse: tuple[Node, ...] = ()

    def lines(self, state: Printer, loops: tuple[str, ...]) -> list[str]:
        """The text."""
        found = [f"if {text(self.condition)}:", *inside(self.body, state, loops)]
        match self.orelse:
            case (If() as other,):
                first, *rest = other.lines(state, loops)
                found += [f"el{first}", *rest]
            case (_, *_):
                found += ["else:", *inside(self.orelse, state, loops)]
        return found

    def smaller(self) -> Iterator[If]:
        """The branch with less in it."""
        if self.orelse:
            yield replace(self, orelse=())
            yield replace(self, body=self.orelse, orelse=())
        for body in fewer(self.body):
            yield replace(self, body=body)
        for orelse in fewer(self.orelse):
            yield replace(self, orelse=orelse)
        for condition in smaller(self.condition):
            yield replace(self, condition=condition)


@dataclass(frozen=True, slots=True)
class For:
    """A loop ``for var in range(start, stop, step)``.

    Attributes:
        directives: those that stand above it, without the mark; not of an inner loop.
        label: the name that ``nest`` gives it. flat: whether its body stands behind it.
        rounds: whether it is written as a ``while`` that counts.
    """

    var: str
    start: Expr
    stop: Expr
    step: int
    body: tuple[Node, ...]
    directives: tuple[str, ...] = ()
    label: str = ""
    comment: str = ""
    flat: bool = False
    rounds: bool = False

    def lines(self, state: Printer, loops: tuple[str, ...]) -> list[str]:
        """The text."""
        if self.rounds:
            return self._rounds(state, loops)
        bounds = [text(self.stop)]
        if self.start != ZERO or self.step != 1:
            bounds.insert(0, text(self.start))
        if self.step != 1:
            bounds.append(str(self.step))
        name = [f"nest {self.label}"] if self.label else []
        above = state.above((*name, *self.directives), trust=bool(self.directives))
        if self.comment:
            above.insert(0, f"# {self.comment}")
        head = f"for {self.var} in range({', '.join(bounds)}):"
        within = self._within(state, (*loops, self.var))
        if self.flat:
            return [*above, f"{head} {'; '.join(map(str.strip, within))}"]
        return [*above, head, *within]

    def _rounds(self, state: Printer, loops: tuple[str, ...]) -> list[str]:
        """The text as a ``while``; it counts first, so that ``continue`` may follow."""
        head = f"while {self.var} + {self.step} {'<' if self.step > 0 else '>'}"
        return [
            f"{self.var} = {text(self.start)} - {self.step}",
            f"{head} {text(self.stop)}:",
            f"    {self.var} += {self.step}",
            *self._within(state, (*loops, self.var)),
        ]

    def _within(self, state: Printer, loops: tuple[str, ...]) -> list[str]:
        """The text of the body; a condition at its end is, at times, a ``continue``."""
        match self.body:
            case (*first, If(condition, body, ())) if not self.flat:
                test = text(condition, 3)
                if sum(map(ord, test)) % CONTINUED == 0:
                    jump = [f"    if not {test}:", "        continue"]
                    before = inside(tuple(first), state, loops) if first else []
                    return [*before, *jump, *inside(body, state, loops)]
        return inside(self.body, state, loops)

    def smaller(self) -> Iterator[For]:
        """The loop with less in it."""
        for kept in without(self.directives):
            yield replace(self, directives=kept)
        if self.comment:
            yield replace(self, comment="")
        if self.flat:
            yield replace(self, flat=False)
        if self.rounds:
            yield replace(self, rounds=False)
        for body in fewer(self.body):
            yield replace(self, body=body)
        if self.step not in (1, -1):
            yield replace(self, step=1 if self.step > 0 else -1)
        if self.step < 0:
            yield replace(self, step=1, start=ZERO, stop=self.start)
        if self.start != ZERO and self.step > 0:
            yield replace(self, start=ZERO)
        for start in smaller(self.start):
            yield replace(self, start=start)
        if not isinstance(self.stop, Num | Name):
            yield from (replace(self, stop=Name(size)) for size in SIZES)
        for stop in smaller(self.stop):
            yield replace(self, stop=stop)
        if isinstance(self.stop, Name):
            yield replace(self, stop=Num(3))


@dataclass(frozen=True, slots=True)
class Odd:
    """A statement that is seldom written in a loop, as text without a tag.

    Attributes:
        text: its lines. uses: the names in it. writes: the arrays that it may write.
    """

    text: tuple[str, ...]
    uses: frozenset[str]
    writes: frozenset[str] = frozenset()

    def lines(self, state: Printer, loops: tuple[str, ...]) -> list[str]:
        """The text."""
        return list(self.text)

    def smaller(self) -> Iterator[Odd]:
        """There are none."""
        return iter(())


Node: TypeAlias = Assign | If | For | Odd


@dataclass
class Printer:
    """What the text of a program is to contain.

    Attributes:
        tags: whether statement ``k`` adds ``W<k>`` at the values of its loops, which
            nothing writes: an execution of a statement then has a value of its own.
            With ``single``, it adds ``W`` at its number and these.
        trust: whether the new order is trusted. number: of tags so far.
    """

    tags: bool = False
    trust: bool = False
    directed: bool = True
    number: int = 0
    single: bool = False

    def tag(self, loops: tuple[str, ...]) -> str:
        """What a statement adds to its value."""
        self.number += 1
        at = ", ".join(loops) or "0"
        if self.single:
            return f" + W[{self.number}, {at}]"
        return f" + W{self.number}[{at}]" if self.tags else ""

    def above(self, directives: Sequence[str], *, trust: bool = False) -> list[str]:
        """The comments above a statement, loop or function."""
        if not self.directed:
            return []
        texts = [*(["trust order"] if trust and self.trust else []), *directives]
        return [MARK + directive for directive in texts]


def walk(nodes: Sequence[Node]) -> Iterator[Node]:
    """All statements, loops and branches, in the order of the text."""
    for node in nodes:
        yield node
        if isinstance(node, If):
            yield from walk((*node.body, *node.orelse))
        elif isinstance(node, For):
            yield from walk(node.body)


def surrounding(
    nodes: Sequence[Node], loops: tuple[For, ...] = ()
) -> Iterator[tuple[For, ...]]:
    """The loops around every statement, in the order of the text."""
    for node in nodes:
        match node:
            case Assign():
                yield loops
            case If(_, body, orelse):
                yield from surrounding((*body, *orelse), loops)
            case For():
                yield from surrounding(node.body, (*loops, node))


def depths(nodes: Sequence[Node]) -> Iterator[int]:
    """How many loops are around every statement, in the order of the text."""
    return map(len, surrounding(nodes))


def deepest(nodes: Sequence[Node]) -> int:
    """How many loops there are inside each other."""
    found = 0
    for node in nodes:
        if isinstance(node, For):
            found = max(found, 1 + deepest(node.body))
        elif isinstance(node, If):
            found = max(found, deepest((*node.body, *node.orelse)))
    return found


def every(node: Node) -> frozenset[str]:
    """The names in a statement."""
    match node:
        case Assign(target, _, value):
            return names(target) | names(value)
        case If(condition, body, orelse):
            return names(condition).union(*map(every, (*body, *orelse)))
        case Odd(uses=uses):
            return uses
        case For(var, start, stop, _, body):
            return names(start).union(names(stop), {var}, *map(every, body))


def block(
    nodes: Sequence[Node], state: Printer, loops: tuple[str, ...] = ()
) -> list[str]:
    """The lines of statements."""
    return [line for node in nodes for line in node.lines(state, loops)] or ["pass"]


def inside(nodes: Sequence[Node], state: Printer, loops: tuple[str, ...]) -> list[str]:
    """The lines of a body."""
    return [f"    {line}" for line in block(nodes, state, loops)]


def without(items: Sequence[T]) -> Iterator[tuple[T, ...]]:
    """The items with one of them left out."""
    for at in range(len(items)):
        yield (*items[:at], *items[at + 1 :])


def fewer(nodes: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    """A body with a statement, a loop around some, or something inside left out."""
    if len(nodes) > 1:
        yield from without(nodes)
    for at, node in enumerate(nodes):
        before, after = nodes[:at], nodes[at + 1 :]
        if isinstance(node, If):
            yield (*before, *node.body, *after)
        elif isinstance(node, For):
            gone = {node.var} & frozenset().union(*map(every, node.body))
            if not gone:
                yield (*before, *node.body, *after)
        for less in node.smaller():
            yield (*before, less, *after)
