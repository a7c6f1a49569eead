"""The loops of a nest cut into tasks, and the order in which these come.

Loops that are bound to workers, and all that are around them, are *walked*: each
iteration of a bound loop is a task, and what stands beside one is a task, too. What is
inside is the *part* of the nest that a task runs. As every task is told by the values
of the loops around its part, one part is one program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from typing import Any, TypeAlias

from looptx.cluster.programs.formulas import Formulas
from looptx.errors import Unsupported
from looptx.looptree.nodes import Block, Call, For, If, Let, LoopTree
from looptx.looptree.planned import Planned
from looptx.looptree.prepare import occurrences
from looptx.looptree.renaming import named
from looptx.looptree.walk import bound, nodes, reads, rename
from looptx.model.expr import IntExpr, variables
from looptx.model.naming import free
from looptx.model.noted.exchanges import pair_of
from looptx.model.program import Nest
from looptx.model.records import dataclass, field, replace

CODE = "LX601"
"""The error of nests that do not run as tasks."""


class Kind(IntEnum):
    """What comes next."""

    TASK = 0
    BEGIN = 1
    END = 2
    EXCHANGE = 3


Event: TypeAlias = tuple[Any, ...]
"""``(TASK, part, values, place)``, ``(BEGIN, team)``, ``(END, team)`` or
``(EXCHANGE, first array, second array)``. The place has for each bound loop around the
part which of its iterations it is, of how many, which of all that there may be, and how
far they are apart."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a nest's loops that one task runs.

    Attributes:
        number: of the part, in its nest.
        block: its loops.
        around: the loops and conditions around it, outermost first.
        outer: the variables that are bound around it.
    """

    number: int
    block: Block
    around: tuple[For | If, ...]
    outer: tuple[str, ...]

    @property
    def team(self) -> frozenset[int]:
        """The dimensions of the bound loops around it."""
        loops = (one for one in self.around if isinstance(one, For))
        return frozenset(one.dim for one in loops if one.marks.worker)


@dataclass(slots=True)
class Parted:
    """A nest as parts.

    Attributes:
        parts: in the order in which they are written.
        sizes: the integers from outside on which the walk depends.
        walk: given these, in their order, yields what comes when, see ``Event``.
        cyclic: whether the bound loops change their extents from time to time, so that
            blocks next to each other had better be with different workers.
    """

    parts: list[Part] = field(default_factory=list)
    sizes: tuple[str, ...] = ()
    walk: Callable[..., Iterator[Event]] = iter
    cyclic: bool = False


def unsupported(nest: Nest, why: str, hint: str = "") -> Unsupported:
    """The error of a nest that does not run as tasks.

    Args:
        nest: the nest. why: it does not. hint: what helps.
    """
    hint = hint or "it runs in the process that calls the kernel"
    return Unsupported(CODE, f"not run as tasks: {why}", nest.place, hint=hint)


def is_bound(node: LoopTree) -> bool:
    """Whether a node is a loop whose iterations are tasks."""
    return isinstance(node, For) and node.marks.worker


def parted(planned: Planned) -> Parted:
    """The parts of a nest, and a walk through its tasks."""
    nest = planned.nest
    block = named(planned, planned.body, occurrences(nest))
    block = _told_apart(block, {*planned.schedule.taken, *bound(block), *reads(block)})
    sizes = tuple(sorted(_walked(nest, block) - bound(block)))
    return _Cut(nest, Formulas(sizes)).parted(block, sizes)


def _told_apart(block: Block, taken: set[str]) -> Block:
    """The block in which loops with marks have variables that no other loop has."""
    seen: set[str] = set()

    def visit(part: Block) -> Block:
        result: list[LoopTree] = []
        for node in part:
            if isinstance(node, For):
                marks = node.marks.parallel, node.marks.vectorize
                if node.var in seen and any(one is not None for one in marks):
                    new = free(node.var, taken, 2)
                    taken.add(new)
                    (renamed,) = rename((node,), {node.var: new})
                    assert isinstance(renamed, For)
                    node = renamed
                seen.add(node.var)
                node = replace(node, body=visit(node.body))
            elif isinstance(node, If):
                node = If(node.cond, visit(node.body))
            result.append(node)
        return tuple(result)

    return visit(block)


def _is_walked(nest: Nest, node: LoopTree) -> bool:
    """Whether tasks begin and end inside a node, or names change there."""
    inside = nodes((node,))
    return any(is_bound(one) or _pair(nest, one) for one in inside)


def _pair(nest: Nest, node: LoopTree) -> tuple[str, ...]:
    """The arrays that a node exchanges."""
    if not isinstance(node, Call):
        return ()
    code = nest.statements[node.statement].code
    return pair_of(code[0]) if len(code) == 1 else ()


def _walked(nest: Nest, block: Block) -> frozenset[str]:
    """What the loops and conditions read that are walked."""
    names: set[str] = set()
    for node in block:
        if isinstance(node, Let):
            names |= variables(node.value)
        elif isinstance(node, For | If) and _is_walked(nest, node):
            if isinstance(node, For):
                names |= variables(node.start) | variables(node.stop)
            else:
                names |= variables(node.cond)
            names |= _walked(nest, node.body)
    return frozenset(names)


class _Cut:
    """Cuts a block into parts.

    Args:
        nest: with the statements. formulas: of the sizes.
    """

    def __init__(self, nest: Nest, formulas: Formulas) -> None:
        self.nest = nest
        self.formulas = formulas
        self.result = Parted()
        self.teams = 0

    def parted(self, block: Block, sizes: tuple[str, ...]) -> Parted:
        """The parts of all loops, walked as ``sizes`` say."""
        lines = self._block(block, (), (), ())
        # Without any task it is a generator all the same.
        lines += [" return", " yield"]
        result = self.result
        result.sizes = sizes
        result.walk = self.formulas.function(lines)
        return result

    def _block(
        self,
        block: Block,
        around: tuple[For | If, ...],
        outer: tuple[str, ...],
        places: tuple[str, ...],
    ) -> list[str]:
        """The lines that walk through a block.

        Args:
            block: the block. around: the nodes around it.
            outer: the variables that are bound there.
            places: the places in the bound loops around it, as text.
        """
        indent = " " * (1 + len(around))
        lines: list[str] = []
        alone: list[LoopTree] = []

        def task() -> None:
            if alone:
                given = tuple(alone), around, outer, places
                lines.append(indent + self._task(*given))
                alone.clear()

        for node in block:
            pair = _pair(self.nest, node)
            if pair:
                task()
                lines.append(f"{indent}yield {int(Kind.EXCHANGE)}, {pair!r}")
            elif isinstance(node, Let):
                task()
                value = self.formulas.expr(node.value)
                lines.append(f"{indent}{self.formulas.name(node.var)} = {value}")
                outer = (*(x for x in outer if x != node.var), node.var)
            elif isinstance(node, For | If) and _is_walked(self.nest, node):
                task()
                lines += self._walked(node, around, outer, places)
            else:
                alone.append(node)
        task()
        return lines or [f"{indent}pass"]

    def _walked(
        self,
        node: For | If,
        around: tuple[For | If, ...],
        outer: tuple[str, ...],
        places: tuple[str, ...],
    ) -> list[str]:
        """The lines that walk through a loop or a condition.

        Args:
            node: it. around, outer, places: as of ``_block``.
        """
        indent = " " * (1 + len(around))
        inside = (*around, node)
        if isinstance(node, If):
            head = f"{indent}if {self.formulas.cond(node.cond)}:"
            return [head, *self._block(node.body, inside, outer, places)]
        formulas, count = self.formulas, len(around)
        outer = (*(x for x in outer if x != node.var), node.var)
        name = formulas.name(node.var)
        given = ", ".join(map(formulas.expr, (node.start, node.stop)))
        head = f"{indent}for {name} in range({given}, {node.step}):"
        if not is_bound(node):
            return [head, *self._block(node.body, inside, outer, places)]
        if self._changes(node, around):
            self.result.cyclic = True
        first, many = f"f{count}", f"m{count}"
        step = abs(node.step)
        place = f"({name} - {first}) // {node.step}, {many}, {name} // {step}, {step}"
        place = f"({place})"
        lines = [
            f"{indent}{first} = {formulas.expr(node.start)}",
            f"{indent}{many} = len(range({given}, {node.step}))",
            head,
            *self._block(node.body, inside, outer, (*places, place)),
        ]
        if any(map(is_bound, around)):
            return lines
        self.teams += 1
        return [
            f"{indent}yield {int(Kind.BEGIN)}, {self.teams}",
            *lines,
            f"{indent}yield {int(Kind.END)}, {self.teams}",
        ]

    def _changes(self, node: For, around: Sequence[For | If]) -> bool:
        """Whether the extent of a bound loop depends on loops around it."""
        loops = {one.var for one in around if isinstance(one, For)}
        ends: tuple[IntExpr, ...] = (node.start, node.stop)
        return any(not loops.isdisjoint(variables(end)) for end in ends)

    def _task(
        self,
        block: Block,
        around: tuple[For | If, ...],
        outer: tuple[str, ...],
        places: tuple[str, ...],
    ) -> str:
        """The line that yields the task of a block.

        Args:
            block: the block. around, outer, places: as of ``_block``.
        """
        number = len(self.result.parts)
        self.result.parts.append(Part(number, block, around, outer))
        values = "".join(f"{self.formulas.name(x)}, " for x in outer)
        place = "".join(f"{one}, " for one in places)
        return f"yield {int(Kind.TASK)}, {number}, ({values}), ({place})"
