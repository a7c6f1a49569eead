"""Arrays in functions of C: a pointer, and how far apart neighbours are in each axis.

C must assume that a store through one pointer changes what is behind any other, unless
it is told that a parameter is the only way to its array (``restrict``). The entry of a
nest has seen that arrays do not overlap, but for those that are known to share memory;
what it allocates overlaps with nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from looptx.lower import tree
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Block,
    Expr,
    For,
    Function,
    Given,
    If,
    Jump,
    Measure,
    ParallelFor,
    Pointer,
    Run,
    Stmt,
    Team,
    View,
    While,
    assignments,
    infix,
    used,
)
from looptx.lower.vectors.places import integer
from looptx.model import shapes
from looptx.model.expr import (
    ONE,
    ZERO,
    Add,
    Cond,
    Const,
    IntExpr,
    Mul,
    Var,
    mul,
    with_exprs,
    with_parts,
)
from looptx.model.records import replace


class Pointers:
    """Gives functions pointers in place of arrays.

    Args:
        scope: the nest.
        outside: what its functions have from the entry.
    """

    def __init__(self, scope: Scope, outside: Mapping[str, str | View]) -> None:
        self.measures: dict[str, dict[str, Measure]] = {}
        self.steps: dict[str, list[IntExpr]] = {}
        self.names: dict[str, str] = {}
        self.known: dict[str, Mapping[str, Given]] = {}
        self.shared = set(_sharing(scope))
        buffers = {scope.names(name): held for name, held in scope.buffers.items()}
        for name, view in outside.items():
            if isinstance(view, View):
                extents = buffers[name].extents if name in buffers else ()
                self._measure(scope, name, view, extents)

    def _measure(
        self, scope: Scope, name: str, view: View, extents: Sequence[IntExpr]
    ) -> None:
        """Name what a function has to know of an array besides its first cell.

        Args:
            scope: the nest.
            name: of the array in C. view: its type.
            extents: of its last axes, where its memory is allocated for it.
        """
        kind, found = view.kind, dict[str, Measure]()
        near = {"C": kind.ndim - 1, "F": 0}.get(kind.layout)
        self.steps[name] = []
        for axis in range(kind.ndim):
            inner = extents[axis + 1 - kind.ndim :] if axis + 1 < kind.ndim else ()
            if axis == near:
                self.steps[name].append(ONE)
            elif inner and all(isinstance(one, Const) for one in inner):
                self.steps[name].append(mul(*inner))
            else:
                own = scope.names.fresh(f"{name}_{axis}")
                self.steps[name].append(Var(own))
                found[own] = Measure(name, kind.dtype, axis, step=True)
        for axis in range(kind.ndim):
            own = scope.names.fresh(f"{name}_shape_{axis}")
            self.names[shapes.extent(name, axis)] = own
            found[own] = Measure(name, kind.dtype, axis, step=False)
        self.measures[name] = found

    def function(self, one: Function) -> Function:
        """A function with pointers; those that it calls have them by now."""
        body = self._block(one.body)
        names = used(body)
        given_away = {x.target.name for x in assignments(body) if x.target.op == "name"}
        views = {n: k for n, k in one.arguments.items() if isinstance(k, View)}
        given: dict[str, Given] = {}
        for name, kind in one.arguments.items():
            if not isinstance(kind, View):
                given[name] = kind
                continue
            if name in names:
                alone = not one.team and self._is_alone(name, views)
                alone = alone and name not in given_away
                given[name] = Pointer(kind, alone)
            measures = self.measures[name].items()
            given |= {n: measure for n, measure in measures if n in names}
        self.known[one.name] = given
        return replace(one, arguments=given, body=body)

    def _is_alone(self, name: str, views: Mapping[str, View]) -> bool:
        return not any(
            (views[name].written or view.written)
            and frozenset((name, other)) in self.shared
            for other, view in views.items()
        )

    def _block(self, block: Block) -> Block:
        return tuple(map(self._statement, block))

    def _statement(self, node: Stmt) -> Stmt:
        expr = self._expr
        match node:
            case Assign(target, value):
                return replace(node, target=expr(target), value=expr(value))
            case If(cond, body, orelse):
                return If(expr(cond), self._block(body), self._block(orelse))
            case For(_, start, stop, body, step, orelse):
                ends = expr(start), expr(stop), self._block(body)
                return For(node.var, *ends, step and expr(step), self._block(orelse))
            case While(cond, body, orelse):
                return While(expr(cond), self._block(body), self._block(orelse))
            case Jump():
                return node
            case ParallelFor(_, start, stop, call, threads, step):
                return replace(
                    node,
                    start=expr(start),
                    stop=expr(stop),
                    call=expr(call),
                    threads=expr(threads),
                    step=step and expr(step),
                )

            case Run(call):
                return Run(expr(call))
            case Team(call, threads):
                return Team(expr(call), expr(threads))

    def _expr(self, expr: Expr) -> Expr:
        if expr.op == "call" and expr.name in self.known:
            return replace(expr, parts=(*map(tree.variable, self.known[expr.name]),))
        expr = replace(expr, parts=tuple(map(self._expr, expr.parts)))
        if expr.op == "name":
            return replace(expr, name=self.names.get(expr.name, expr.name))
        if expr.op == "at":
            return _place(expr.parts, self.steps[expr.name])
        if expr.op == "cell":
            place = _place(expr.parts, self.steps[expr.name])
            return replace(expr, op="local cell", parts=(place,))
        if expr.op == "index":
            assert isinstance(expr.index, IntExpr)
            return replace(expr, index=self._index(expr.index))
        if expr.op == "test":
            assert isinstance(expr.index, Cond)
            return replace(expr, index=with_exprs(expr.index, self._index))
        return expr

    def _index(self, expr: IntExpr) -> IntExpr:
        if isinstance(expr, Var):
            return Var(self.names.get(expr.name, expr.name))
        return with_parts(expr, self._index)


def _sharing(scope: Scope) -> list[frozenset[str]]:
    """The pairs of arrays, by their names in C, that may share memory.

    The only copy of an array is the array.
    """
    nest, found = scope.planned.nest, list[tuple[str, str]]()
    for name in nest.live_in:
        mine = [scope.names(name)]
        theirs = [scope.names(other) for other in nest.others(name)]
        if name in scope.copies:
            theirs += mine
            mine.append(scope.copies[name])
        found += [(one, two) for one in mine for two in theirs]
    found += [
        (scope.names(name), copy)
        for name, copy in scope.copies.items()
        if name in scope.buffers
    ]
    return [frozenset(pair) for pair in found]


def _place(parts: Sequence[Expr], steps: Sequence[IntExpr]) -> Expr:
    """How many elements a cell is behind the first one."""
    known = [integer(part) for part in parts]
    far: list[IntExpr] = []
    near: list[IntExpr] = []
    for value, step in zip(known, steps, strict=True):
        if value is None:
            return _computed(parts, steps)
        if value == ZERO:
            continue
        if step == ONE:
            near += value.terms if isinstance(value, Add) else (value,)
        elif value == ONE:
            far.append(step)
        else:
            far.append(_product(value, step))
    terms = (*far, *near)
    if len(terms) > 1:
        return tree.index(Add(terms))
    return tree.index(terms[0]) if terms else tree.number(0)


def _product(value: IntExpr, step: IntExpr) -> IntExpr:
    """A product whose sums are left as they are."""
    if isinstance(step, Const):
        return Mul((step, value)) if isinstance(value, Add) else mul(step, value)
    return Mul((*(value.factors if isinstance(value, Mul) else (value,)), step))


def _computed(parts: Sequence[Expr], steps: Sequence[IntExpr]) -> Expr:
    """The same where a place is computed of other values."""
    terms = [
        part if step == ONE else infix("*", part, tree.index(step))
        for part, step in zip(parts, steps, strict=True)
    ]
    first, *others = terms
    for other in others:
        first = infix("+", first, other)
    return first
