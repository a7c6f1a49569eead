"""Small integers in 32 bits, of which a vector of C holds twice as many as of 64.

Elements of bytes, truth, and what is made of them by few operations fit 32 bits, and C
computes in as many as the widest operand has. So what such numbers are compared with is
brought next to their range in front of a loop, where it stays what it is for them; and
what a loop adds up is added up in 32 bits, in strips that are too short to outgrow
them. (The precision that is needed: Stephenson, Babb, Amarasinghe, PLDI 2000.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from looptx.lower import tree
from looptx.lower.kinds import BOOL, of
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Block,
    Expr,
    For,
    Function,
    If,
    Run,
    Stmt,
    assignments,
    dangers,
    expressions,
    infix,
    number,
    parts,
    statements,
    used,
)
from looptx.lower.vectors.masks.conditions import COMPARISONS
from looptx.lower.vectors.masks.masked import CELLS
from looptx.lower.vectors.spans import ABS, LIMIT, SIGNED, reach, span
from looptx.lower.vectors.strips import rewritten
from looptx.model.dtypes import DTYPES
from looptx.model.expr import Const, Min, Var, add
from looptx.model.intervals.constant import Interval
from looptx.model.records import dataclass, field, replace

_SHORTEST, _LONGEST = 1 << 8, 1 << 16
"""Iterations of a strip: fewer cost more than they save, more save nothing."""


def narrowed(scope: Scope, one: Function) -> Function:
    """A function whose innermost loops compute small integers in 32 bits.

    Args:
        scope: the nest. one: the function.
    """
    declared = {**one.variables}
    known = {**one.arguments, **declared}
    types = {name: kind for name, kind in known.items() if isinstance(kind, str)}

    def change(node: Stmt) -> list[Stmt]:
        match node:
            case For(step=None, orelse=(), body=body) if _plain(body):
                return _Narrowing(scope, node, types, declared).lines()
        return [node]

    body = rewritten(one.body, change)
    return replace(one, body=body, variables=declared) if body != one.body else one


def added(scope: Scope, loop: For, types: Mapping[str, str]) -> frozenset[str]:
    """The variables that a loop adds up in strips.

    Args:
        scope: the nest. loop: an innermost one.
        types: the C types of the variables of its function, by name.
    """
    if not _plain(loop.body):
        return frozenset()
    return frozenset(_Narrowing(scope, loop, types, {}).sums()[0])


def _plain(body: Block) -> bool:
    """Whether all iterations run to their ends, and read numbers that are not wide."""
    if not all(isinstance(node, Assign | If) for node in statements(body)):
        return False
    found = [*parts(body)]
    cells = [DTYPES[one.kind.dtype] for one in found if one.op in CELLS]
    if not cells or any(one.lanes > 1 for one in found):
        return False
    own = any(one.op == "call" and not one.intrinsic for one in found)
    return not own and not dangers(expressions(body))


def _read(block: Block) -> Iterator[Expr]:
    """The values that statements use: all but the variables that they set."""
    for node in statements(block):
        match node:
            case Assign(target, value):
                yield value
                yield from target.parts
            case If(cond):
                yield cond


@dataclass(slots=True)
class _Narrowing:
    """A loop that is rewritten.

    Attributes:
        scope: the nest. loop: it.
        types: the C types of the variables of the function, by name.
        declared: of those that it declares itself.
        changed: the variables that get a value in the loop.
        held: what stands for invariants, with what it is: in front of the loop.
    """

    scope: Scope
    loop: For
    types: Mapping[str, str]
    declared: dict[str, str]
    changed: frozenset[str] = frozenset()
    held: dict[str, Expr] = field(default_factory=dict)

    def lines(self) -> list[Stmt]:
        """The loop, and what is to stand in front of it."""
        body = self.loop.body
        targets = (line.target for line in assignments(body))
        self.changed = frozenset({self.loop.var, *(one.name for one in targets)})
        sums, count = self.sums()
        body = tuple(self._statement(node, sums) for node in body)
        if body == self.loop.body:
            return [self.loop]
        before = (Assign(tree.variable(n), value) for n, value in self.held.items())
        loop = replace(self.loop, body=body)
        return [*before, *(self._strips(loop, sums, count) if sums else [loop])]

    def sums(self) -> tuple[dict[str, Expr], int]:
        """What is added up in strips: the partial sums, and how long strips are."""
        body = self.loop.body
        cells = [DTYPES[one.kind.dtype] for one in parts(body) if one.op in CELLS]
        if any(one.bits > 32 for one in cells):
            return {}, 0
        lines: dict[str, list[Assign]] = {}
        for line in assignments(body):
            lines.setdefault(line.target.name, []).append(line)
        # Elsewhere they would have to be there in each iteration.
        reads = used([Run(one) for one in _read(body)])
        found: dict[str, Expr] = {}
        most = 0
        for name, own in lines.items():
            wide = self.types.get(name) in (*SIGNED, "uint64_t")
            if name in reads or not wide or any(x.op not in ("+", "-") for x in own):
                continue
            spans = [span(line.value) for line in own]
            farthest = sum(reach(one) for one in spans if one is not None)
            if None not in spans and farthest and LIMIT // farthest >= _SHORTEST:
                most = max(most, farthest)
                part = self.scope.names.fresh(f"{name}_part")
                found[name] = tree.variable(part, own[0].target.kind)
        return found, min(LIMIT // most, _LONGEST) if most else 0

    def _statement(self, node: Stmt, sums: dict[str, Expr]) -> Stmt:
        """A statement of the loop, in 32 bits where that is enough.

        Args:
            node: it. sums: the partial sums, by what they are of.
        """
        match node:
            case Assign(target, value, op) if target.name in sums:
                return Assign(sums[target.name], self._small(value), op)
            case Assign(target, value, op):
                return Assign(target, self._compared(value), op)
            case If(cond, body, orelse):
                blocks = (
                    tuple(self._statement(one, sums) for one in block)
                    for block in (body, orelse)
                )
                return If(self._compared(cond), *blocks)
        return node

    def _compared(self, expr: Expr) -> Expr:
        """A value, all comparisons in which are of few bits."""
        if expr.op in COMPARISONS:
            return self._comparison(expr)
        ready = tuple(map(self._compared, expr.parts))
        return expr if ready == expr.parts else replace(expr, parts=ready)

    def _comparison(self, expr: Expr) -> Expr:
        """A comparison of small numbers, or of one with what the loop leaves alone."""
        small = [span(part) is not None for part in expr.parts]
        if all(small):
            return replace(expr, parts=tuple(map(self._small, expr.parts)))
        for one, other in (expr.parts, expr.parts[::-1]):
            own = span(one)
            if own is not None and self._stays(other):
                near = {one: self._small(one), other: self._beside(other, own)}
                return replace(expr, parts=tuple(near[part] for part in expr.parts))
        return expr

    def _stays(self, expr: Expr) -> bool:
        """Whether it is an integer of 64 bits that the loop leaves alone."""
        known = expr.op == "name" and self.types.get(expr.name) in SIGNED
        whole = known or expr.op == "index"
        return whole and not self.changed & used([Run(expr)])

    def _beside(self, expr: Expr, own: Interval) -> Expr:
        """A variable that compares with numbers of a range as an integer does."""
        assert own.low is not None and own.high is not None
        least, most = number(own.low - 1), number(own.high + 1)
        value = expr
        for op, end in ((">", most), ("<", least)):
            beyond = infix(op, expr, end, of(BOOL))
            value = Expr("choice", expr.kind, (beyond, end, value))
        name = next((n for n, known in self.held.items() if known == value), "")
        if not name:
            name = self.scope.names.fresh(f"{expr.name or 'size'}_near")
            self.declared[name] = "int32_t"
            self.held[name] = value
        return tree.variable(name, expr.kind)

    def _small(self, expr: Expr) -> Expr:
        """A small integer, computed in at most 32 bits."""
        match expr:
            case Expr("cast", kind, (part,)):
                return Expr("cast", kind, (self._small(part),), "int32_t")
            case Expr("choice", parts=(cond, *both)):
                made = self._compared(cond), *map(self._small, both)
                return replace(expr, parts=made)
            case Expr("call", parts=(part,)):
                called = replace(ABS, dtype="int32")
                return replace(expr, parts=(self._small(part),), intrinsic=called)
            case Expr("neg" | "+" | "-" | "*"):
                return replace(expr, parts=tuple(map(self._small, expr.parts)))
        return self._compared(expr)

    def _strips(self, loop: For, sums: dict[str, Expr], count: int) -> list[Stmt]:
        """A loop in strips, whose sums are taken in behind each.

        Args:
            loop: it. sums: the partial sums, by what they are of.
            count: how many iterations a strip has.
        """
        names = self.scope.names
        at, end, stop = (names.fresh(f"{loop.var}_{x}") for x in ("at", "end", "stop"))
        self.declared.update(dict.fromkeys((at, end, stop), "Py_ssize_t"))
        self.declared.update((one.name, "int32_t") for one in sums.values())
        until = tree.index(Min((add(Var(at), Const(count)), Var(stop))))
        taken = (
            Assign(tree.variable(name, part.kind), part, "+")
            for name, part in sums.items()
        )
        lines: Block = (
            Assign(tree.variable(end), until),
            *(Assign(part, number(0)) for part in sums.values()),
            replace(loop, start=tree.variable(at), stop=tree.variable(end)),
            *taken,
        )
        strips = For(at, loop.start, tree.variable(stop), lines, number(count))
        return [Assign(tree.variable(stop), loop.stop), strips]
