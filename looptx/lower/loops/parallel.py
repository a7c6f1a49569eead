"""Parallel loops, each body in a function of its own.

What a body assigns is private to an iteration because it is local there, and nothing is
left to a compiler's inference of what a parallel section shares. Of a loop that is
marked ``vectorize``, too, the function walks a part in vectors.
"""

from __future__ import annotations

from collections.abc import Callable

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
from looptx.model.expr import (
    Add,
    Cond,
    Const,
    IntExpr,
    Mul,
    Var,
    add,
    maximum,
    minimum,
    sub,
)
from looptx.model.records import dataclass, replace

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
        """A loop whose iterations threads share.

        Args:
            node: the loop. options: of it. frame: the function that it is in.
        """
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
        if node.marks.vectorize is not None:
            return [*work.lines, *self._in_parts(node, shared, frame)]
        name, outlined = self.outlined(node, frame)
        lines, (start, stop) = self._held(node, name, frame)
        loop = shared.loop(name, start, stop, outlined, step_of(node))
        return [*work.lines, *lines, loop]

    def _held(
        self, node: Loop, name: str, frame: Frame
    ) -> tuple[list[Stmt], tuple[Expr, Expr]]:
        """The bounds of a loop, and what computes those that are no sums.

        Args:
            node: the loop. name: of its variable. frame: the function that it is in.
        """
        lines: list[Stmt] = []
        start, stop = self.functions.ends(node)
        if not _is_plain(start):
            start = self._set(f"{name}_start", start, lines, frame)
        if not _is_plain(stop):
            stop = self._set(f"{name}_stop", stop, lines, frame)
        return lines, (start, stop)

    def _set(self, name: str, value: Expr, lines: list[Stmt], frame: Frame) -> Expr:
        """A new variable with a value.

        Args:
            name: like this. value: its. lines: get the assignment.
            frame: the function that it is in.
        """
        held = tree.variable(self.functions.scope.names.fresh(name))
        frame.declared[held.name] = "Py_ssize_t"
        lines.append(Assign(held, value))
        return held

    def _in_parts(self, node: Loop, shared: _Shared, frame: Frame) -> list[Stmt]:
        """A loop that threads share by parts, which have vectors.

        Args:
            node: the loop. shared: how it is. frame: the function that it is in.
        """
        functions, scope = self.functions, self.functions.scope
        name = scope.names.fresh("part")
        frame.declared[name] = "Py_ssize_t"
        part = tree.variable(name)
        if shared.schedule == "static" and not shared.chunk:
            # A part for each thread.
            lines: list[Stmt] = []
            count = self._set("parts", shared.threads, lines, frame)
            given = *functions.ends(node), number(node.step), count
            call = self.part(node, cuts(given, part), frame)
            own = replace(shared, threads=count)
            return [*lines, own.loop(name, number(0), count, call)]
        lines, (start, stop) = self._held(node, name, frame)
        step = node.step * (shared.chunk or node.marks.vectorize or scope.vector)
        nearest = minimum if step > 0 else maximum
        end = scope.integer(nearest(add(Var(name), Const(step)), node.stop))
        call = self.part(node, (part, end), frame)
        own = replace(shared, chunk=1)
        return [*lines, own.loop(name, start, stop, call, number(step))]

    def part(self, node: Loop, ends: tuple[Expr, Expr], frame: Frame) -> Expr:
        """The call of a function that does a part of a loop.

        Args:
            node: the loop. ends: where its part begins, and ends.
            frame: the function that it is in.
        """
        inner = frame.inside({})
        own = self.functions.numbered(self.between(node, ends, inner), inner)
        return self.functions.outline(own, inner, frame, {})

    def between(self, node: Loop, ends: tuple[Expr, Expr], frame: Frame) -> list[Stmt]:
        """A part of a loop, which one thread does.

        Args:
            node, ends: as for ``part``. frame: the function of the thread.
        """
        lines: list[Stmt] = []
        words = zip(("first", "last"), ends, strict=True)
        start, stop = (Var(self._set(w, end, lines, frame).name) for w, end in words)
        marks = replace(node.marks, parallel=None)
        own = replace(node, start=start, stop=stop, marks=marks)
        return lines + self.block((own,), frame)

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
            if array.one.bytes:
                bits = self._copied(), number(1), number(255)
                scope.bits[array.copies] = Expr("choice", of(INT), bits)
        if arrays:
            own.append(If(self._copied(), (*filling,)))
        ends = cuts((*bounds, blocks), part)
        if node.marks.vectorize is None:
            loop = self.functions.declare(node.var, inner)
            body = tuple(self.block(node.body, inner))
            own.append(For(loop, *ends, body, step_of(node)))
        else:
            own += self.between(node, ends, inner)
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
