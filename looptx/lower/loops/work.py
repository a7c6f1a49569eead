"""How much a loop does, as far as its sizes tell: what threads have to be worth.

Starting threads, and waiting for the last of them, takes as long as some thousand
operations. What a loop does is estimated before it runs: the operations of its
statements, times how often its loops run. Where bounds depend on loops around them,
these are taken at the middle of their ranges, which is exact for triangles.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from looptx.looptree.nodes import Block, Call, For, If, Let
from looptx.looptree.walk import reads
from looptx.lower import tree
from looptx.lower.kinds import FLOAT, INT, of
from looptx.lower.loops.cells import calls
from looptx.lower.loops.statements import Frame
from looptx.lower.scope import Scope
from looptx.lower.tree import Assign, Expr, Stmt, constant, infix, intrinsic
from looptx.model.expr import (
    ZERO,
    Const,
    IntExpr,
    Var,
    add,
    divisors,
    floordiv,
    maximum,
    mul,
    sub,
    substitute,
)
from looptx.model.program import Statement
from looptx.model.records import dataclass, field

START = 20_000
"""How many operations the start of threads is worth: some microseconds, as they have
been measured where threads are awake, with what is saved by two of them."""

MEETING = 4_000
"""How many operations it is worth that threads which run wait for each other."""

_SLOW = 8
"""How many operations a division takes, or a root."""

_CALL = 32
"""How many operations a power or a function takes."""


class Unknown(Exception):
    """The sizes do not tell how often a loop runs."""


@dataclass(slots=True)
class Work:
    """Estimates what loops do, in the function where they stand.

    Attributes:
        scope: the nest.
        frame: the function.
        lines: what computes the middles of ranges.
        middles: the variables of these, by the identity of their loops.
    """

    scope: Scope
    frame: Frame
    lines: list[Stmt] = field(default_factory=list)
    middles: dict[int, Var] = field(default_factory=dict)

    def operations(self, block: Block) -> Expr:
        """How many operations a block takes.

        Raises:
            Unknown: nothing bounds them.
        """
        return self._sum(block, {}, meetings=False)

    def meetings(self, block: Block) -> Expr:
        """How often the threads of a team that runs a block wait for each other.

        Raises:
            Unknown: as ``operations``.
        """
        return self._sum(block, {}, meetings=True)

    def _sum(self, block: Block, at: Mapping[str, IntExpr], *, meetings: bool) -> Expr:
        """The operations, or the meetings, of a block.

        Args:
            block: the statements and loops. at: what stands for variables around them.
            meetings: what is counted.
        """
        plain, terms, known = 0.0, list[Expr](), dict(at)
        for node in block:
            match node:
                case Let(var, value):
                    known[var] = self._known(value, known)
                case If(_, body):
                    terms.append(self._sum(body, known, meetings=meetings))
                case For() if meetings and node.marks.parallel is not None:
                    plain += 1
                case For():
                    terms.append(self._loop(node, known, meetings=meetings))
                case Call(statement) if not meetings:
                    found = self.scope.planned.nest.statements[statement]
                    terms.append(self._statement(found))
        for term in terms:
            if term.op == "number":
                assert isinstance(term.number, float)
                plain += term.number
        return _joined([_number(plain), *(t for t in terms if t.op != "number")])

    def _loop(self, node: For, at: Mapping[str, IntExpr], *, meetings: bool) -> Expr:
        """A loop: how often it runs, times what it does.

        Args:
            node: it. at, meetings: as in ``_sum``.
        """
        start, stop = (self._known(end, at) for end in (node.start, node.stop))
        inside = dict(at)
        inside[node.var] = start
        if node.var in _bounds(node.body):
            inside[node.var] = self._middle(node, floordiv(add(start, stop), Const(2)))
        body = self._sum(node.body, inside, meetings=meetings)
        if body == _number(0):
            return body
        first, last = (start, stop) if node.step > 0 else (stop, start)
        count = add(sub(last, first), Const(abs(node.step) - 1))
        if isinstance(count, Const):
            times = _number(max(count.value, 0) // abs(node.step))
            return _product(body, times)
        if not isinstance(count, Var):
            count = maximum(ZERO, count)
        body = _product(body, _number(1 / abs(node.step)))
        return _product(body, self.scope.integer(count))

    def _middle(self, node: For, value: IntExpr) -> Var:
        """A variable for the middle of a range."""
        known = self.middles.get(id(node))
        if known is None:
            scope = self.scope
            known = Var(scope.names.fresh(f"{scope.names(node.var)}_middle"))
            self.middles[id(node)] = known
            self.frame.declared[known.name] = "Py_ssize_t"
            line = Assign(tree.variable(known.name), scope.integer(value))
            self.lines.append(line)
        return known

    def _statement(self, found: Statement) -> Expr:
        """What a statement does, or its part that fills a buffer."""
        if found.store is None:
            return _number(sum(map(_weight, found.code)))
        extents = self.scope.buffers[found.store.array].extents
        places = found.store.places or (None,) * len(extents)
        filled = [
            extent
            for extent, place in zip(extents[-len(places) :], places, strict=False)
            if place is None
        ]
        cells = mul(*filled) if filled else Const(1)
        self._known(cells, {})
        if isinstance(cells, Const):
            return _number(float(cells.value))
        return _product(_number(1.0), self.scope.integer(cells))

    def _known(self, expr: IntExpr, at: Mapping[str, IntExpr]) -> IntExpr:
        """An expression where the estimate stands; it divides by no variable."""
        value = substitute(expr, at)
        if divisors(value):
            raise Unknown
        return value


def worth(threads: Expr, amount: Expr, least: int, more: Expr | None = None) -> Expr:
    """The number of threads for a loop: one where it does too little.

    Args:
        threads: how many it has otherwise.
        amount: what it does. least: what it has to do. more: and this besides.
    """
    limit: Expr = _number(float(least))
    if more is not None:
        limit = infix("+", limit, more, of(FLOAT))
    return intrinsic("worth", of(INT), threads, amount, limit)


def _bounds(block: Block) -> frozenset[str]:
    """What the bounds of loops in a block read, and what variables there are set to."""
    return reads(block, {name: {} for name in calls(block)})


def _weight(code: ast.AST) -> float:
    """The operations of a piece of a statement."""
    total = 0.0
    for node in ast.walk(code):
        match node:
            case ast.For() | ast.While():
                raise Unknown
            case ast.Pow() | ast.Call():
                total += _CALL
            case ast.Div() | ast.FloorDiv() | ast.Mod():
                total += _SLOW
            case ast.operator() | ast.cmpop() | ast.Subscript() | ast.Assign():
                total += 1
    return total


def _number(value: float) -> Expr:
    return constant(float(value), of(FLOAT))


def _product(left: Expr, right: Expr) -> Expr:
    """A product, of numbers at once."""
    one = _number(1.0)
    if left.op == right.op == "number":
        assert isinstance(left.number, float) and isinstance(right.number, float)
        return _number(left.number * right.number)
    if right == one:
        return left
    return infix("*", left, right, of(FLOAT))


def _joined(terms: list[Expr]) -> Expr:
    """A sum, without what is nothing."""
    kept = [term for term in terms if term != _number(0)] or [_number(0)]
    whole = kept[0]
    for term in kept[1:]:
        whole = infix("+", whole, term, of(FLOAT))
    return whole
