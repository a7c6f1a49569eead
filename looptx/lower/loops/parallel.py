"""Parallel loops, each body in a function of its own.

What a body assigns is private to an iteration because it is local there, and nothing is
left to a compiler's inference of what a parallel section shares.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from looptx.looptree.nodes import Block
from looptx.looptree.nodes import For as Loop
from looptx.lower import tree
from looptx.lower.kinds import INT, of
from looptx.lower.loops.cells import COPIES, Copied, calls, copied
from looptx.lower.loops.functions import Functions, step_of
from looptx.lower.loops.reductions import Accumulator, accumulators
from looptx.lower.loops.statements import Frame
from looptx.lower.loops.work import START, Unknown, Work, worth
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    If,
    ParallelFor,
    Stmt,
    index,
    infix,
    intrinsic,
    number,
)
from looptx.model import shapes
from looptx.model.execution.marks import Parallel
from looptx.model.expr import Add, Cond, Const, IntExpr, Mul, Var, sub

BLOCKS = 64
"""How many partial results a parallel reduction has, whatever the thread count."""


@dataclass(frozen=True, slots=True)
class ParallelLoops:
    """Lowers the parallel loops of a nest.

    Attributes:
        functions: of the nest.
        block: lowers a block of loops into a function.
    """

    functions: Functions
    block: Callable[[Block, Frame], list[Stmt]]

    def lowered(self, node: Loop, options: Parallel, frame: Frame) -> list[Stmt]:
        """A loop whose iterations threads share."""
        functions, scope = self.functions, self.functions.scope
        reductions = scope.planned.reductions.get(node.dim, ())
        inside = set(calls(node.body))
        arrays = copied(scope, reductions, inside)
        scalars = accumulators(scope, functions.statements, reductions, inside)
        kept = bool(arrays or scalars)
        work = Work(scope, frame)
        threads = self._threads(node, options, work)
        chunk = 0 if kept else options.chunk
        shared = _Shared(threads, options.schedule or "static", chunk)
        if kept:
            parts = self._parallel_reduction(node, scalars, arrays, shared, frame)
            return [*work.lines, *parts]
        name, outlined = self.outlined(node, frame)
        lines: list[Stmt] = []
        ends: list[Expr] = []
        for word, end in zip(("start", "stop"), functions.ends(node), strict=True):
            if not _is_plain(end):
                held = tree.variable(scope.names.fresh(f"{name}_{word}"))
                frame.declared[held.name] = "Py_ssize_t"
                lines.append(Assign(held, end))
                end = held
            ends.append(end)
        start, stop = ends
        loop = shared.loop(name, start, stop, outlined, step_of(node))
        return [*work.lines, *lines, loop]

    def outlined(self, node: Loop, frame: Frame) -> tuple[str, Expr]:
        """The variable of a loop, and the call of the function of its body."""
        functions = self.functions
        name = functions.declare(node.var, frame)
        inner = frame.inside({})
        own = functions.numbered(self.block(node.body, inner), inner)
        return name, functions.outline(own, inner, frame, {name: "Py_ssize_t"})

    def _threads(self, node: Loop, options: Parallel, work: Work) -> Expr:
        """How many threads a loop has: one where it does less than they are worth."""
        most = tree.team(options.threads)
        if options.least:
            ends = node.start, node.stop
            first, last = ends if node.step > 0 else reversed(ends)
            count = self.functions.scope.integer(sub(last, first))
            least = number((options.least - 1) * abs(node.step) + 1)
            return intrinsic("worth", of(INT), most, count, least)
        try:
            return worth(most, work.operations((node,)), START)
        except Unknown:
            work.lines.clear()
            return most

    def _parallel_reduction(
        self,
        node: Loop,
        kept: list[Accumulator],
        arrays: list[Copied],
        shared: _Shared,
        frame: Frame,
    ) -> list[Stmt]:
        """Partial results of a fixed number of blocks, combined in their order."""
        scope, before, blocks = self.functions.scope, list[Stmt](), number(BLOCKS)
        part = tree.variable(scope.names.fresh("part"))
        frame.declared[part.name] = "Py_ssize_t"
        bounds = *self.functions.ends(node), number(node.step)
        if arrays:
            blocks = tree.variable(scope.names.fresh("blocks"))
            frame.declared[blocks.name] = "Py_ssize_t"
            most = tree.variable(scope.number)
            before.append(Assign(blocks, intrinsic("blocks", of(INT), *bounds, most)))
        inner = frame.inside({})
        own = [line for one in kept for line in one.initial()]
        for one in kept:
            inner.declared.update(one.declared())
        filling: list[Stmt] = []
        for array in arrays:
            inner.declared.update(array.variables())
            filling += array.fill(part)
            scope.own[array.array] = array.copies, part.name
        if arrays:
            own.append(If(self._copied(), (*filling,)))
        loop = self.functions.declare(node.var, inner)
        given = *bounds, blocks
        body = tuple(self.block(node.body, inner))
        own.append(For(loop, *cuts(given, part), body, step_of(node)))
        for array in arrays:
            del scope.own[array.array]
        own = self.functions.numbered(own, inner)
        private = {part.name: "Py_ssize_t"}
        for one in kept:
            for variable, kind in one.variables.items():
                partial = self.functions.scope.names.fresh(f"{variable.name}_part")
                frame.declared[partial] = f"{kind}[{BLOCKS}]"
                one.partials[variable] = partial
                private[partial] = f"{kind}*"
                cell = Expr("local cell", variable.kind, (part,), partial)
                own.append(Assign(cell, variable))
        outlined = self.functions.outline(own, inner, frame, private)
        lines = [*before, shared.loop(part.name, number(0), blocks, outlined)]
        combining = [line for one in kept for line in one.combine(part)]
        for one in kept:
            frame.declared.update(one.declared())
        if kept:
            lines.append(For(part.name, number(0), blocks, (*combining,)))
        return lines + self._combined(arrays, blocks, shared, frame)

    def _copied(self) -> Expr:
        """Whether arrays have copies."""
        return infix(">", tree.variable(self.functions.scope.number), number(1))

    def _combined(
        self, arrays: list[Copied], blocks: Expr, shared: _Shared, frame: Frame
    ) -> list[Stmt]:
        """Take the copies of arrays in, several parts of the arrays at a time."""
        scope, lines = self.functions.scope, list[Stmt]()
        for array in arrays:
            part, block = (
                tree.variable(scope.names.fresh(word)) for word in ("part", "block")
            )
            frame.declared[part.name] = "Py_ssize_t"
            inner = Frame({block.name: "Py_ssize_t", **array.variables()})
            extent = index(Var(shapes.extent(array.name, 0)))
            given = number(0), extent, number(1), number(COPIES)
            body = tuple(array.combine(block, *cuts(given, part)))
            own = [For(block.name, number(0), blocks, body)]
            outlined = self.functions.outline(
                own, inner, frame, {part.name: "Py_ssize_t"}
            )
            lines.append(shared.loop(part.name, number(0), number(COPIES), outlined))
        return [If(self._copied(), (*lines,))] if lines else []


@dataclass(frozen=True, slots=True)
class _Shared:
    """How threads share a loop: see ``ParallelFor``."""

    threads: Expr
    schedule: str
    chunk: int

    def loop(
        self, var: str, start: Expr, stop: Expr, body: Expr, step: Expr | None = None
    ) -> ParallelFor:
        """Such a loop."""
        own = self.schedule, self.chunk
        return ParallelFor(var, start, stop, body, self.threads, step, *own)


def cuts(given: tuple[Expr, ...], part: Expr) -> tuple[Expr, Expr]:
    """Where a part of a loop begins, and the next one."""
    following = infix("+", part, number(1))
    first, last = (intrinsic("cut", of(INT), *given, at) for at in (part, following))
    return first, last


def _is_plain(end: Expr) -> bool:
    """Whether a bound is a sum or the like: parallel loops take no ``min``."""

    def plain(expr: IntExpr | Cond | None) -> bool:
        match expr:
            case Const() | Var():
                return True
            case Add(parts) | Mul(parts):
                return all(map(plain, parts))
        return False

    return plain(end.index)
