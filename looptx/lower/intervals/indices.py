"""Subscripts that depend on integer arrays: their range, from one pass over these.

``x[col[p]]`` stays inside ``x`` if the least and the greatest element of ``col`` do;
``p`` of ``for p in range(row[i], row[i + 1])`` lies between the elements of ``row``.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from looptx.lower.intervals.reach import Reach
from looptx.lower.kinds import INT, RANGES, of
from looptx.lower.limits import INDICES, WORD
from looptx.lower.tree import Expr, call, infix, number, variable
from looptx.lower.values.expressions import Expressions
from looptx.model.dtypes import INTEGERS
from looptx.model.expr import Const, IntExpr, Var, add, linear, mul, sub
from looptx.model.trees import dotted, element
from looptx.model.types import ArrayType


@dataclass(frozen=True, slots=True)
class Span:
    """The range of an integer.

    Attributes:
        low, high: the least and the greatest value.
        reach: what neither of them exceeds at any entry, to see that C can hold them.
    """

    low: Expr
    high: Expr
    reach: int


def span(e: Expressions, node: ast.expr) -> Span | None:
    """The range of a subscript that depends on data; None when nothing bounds it.

    It may be larger than what the nest comes to. Where it holds only if the integers of
    NumPy do not wrap around, the entry gets a test.
    """
    return None if e.integer(node) is not None else _span(e, node)


def _span(e: Expressions, node: ast.expr) -> Span | None:
    known = e.integer(node)
    if known is not None:
        ends = _ends(e, known)
        return None if ends is None else _between(e, *ends)
    match node:
        case ast.Subscript():
            return elements(e, node)
        case ast.Name(id=name):
            return _counted(e, name)
        case ast.BinOp(_, ast.Mod(), right):
            return _remainder(e, right)
        case ast.Call(ast.Name(id=("min" | "max") as name), [first, *others], []):
            return _extreme(e, name, [first, *others])
        case ast.IfExp(_, body, orelse):
            one, two = _span(e, body), _span(e, orelse)
            return one and two and _around(one, two)
        case ast.BinOp(left, ast.Add() | ast.Sub() as op, right):
            one, two = _span(e, left), _span(e, right)
            if one is None or two is None:
                return None
            if isinstance(op, ast.Add):
                low = infix("+", one.low, two.low)
                high = infix("+", one.high, two.high)
            else:
                low = infix("-", one.low, two.high)
                high = infix("-", one.high, two.low)
            return _unwrapped(e, node, Span(low, high, one.reach + two.reach))
        case ast.BinOp(ast.Constant(value=int(factor)), ast.Mult(), value) | ast.BinOp(
            value, ast.Mult(), ast.Constant(value=int(factor))
        ):
            inner = _span(e, value)
            if inner is None or factor <= 0:
                return None
            times = number(factor)
            low = infix("*", times, inner.low)
            high = infix("*", times, inner.high)
            return _unwrapped(e, node, Span(low, high, factor * inner.reach))
    return None


def _remainder(e: Expressions, divisor: ast.expr) -> Span | None:
    """The range of ``i % n`` for a size ``n``, which the entry tests to be positive."""
    exact = e.integer(divisor)
    ends = None if exact is None else _ends(e, exact)
    if exact is None or ends is None or ends[0] != ends[1]:
        return None
    size = _between(e, *ends)
    if size is None:
        return None
    e.scope.checks.test(
        infix("<=", size.low, number(0)),
        reason=f"{ast.unparse(divisor)} is not positive",
        sure=False,
        statement=e.statement.name,
    )
    return Span(number(0), infix("-", size.low, number(1)), size.reach)


def _extreme(e: Expressions, name: str, args: list[ast.expr]) -> Span | None:
    """The range of a minimum or maximum of integers."""
    if e.scope.imports.get(name, f"builtins.{name}") != f"builtins.{name}":
        return None
    spans = [_span(e, arg) for arg in args]
    known = [one for one in spans if one is not None]
    if len(known) < len(spans):
        return None
    lows = call(name, of(INT), *(one.low for one in known))
    highs = call(name, of(INT), *(one.high for one in known))
    return Span(lows, highs, max(one.reach for one in known))


def _around(one: Span, two: Span) -> Span:
    """The range that holds two."""
    return Span(
        call("min", of(INT), one.low, two.low),
        call("max", of(INT), one.high, two.high),
        max(one.reach, two.reach),
    )


def _between(e: Expressions, low: IntExpr, high: IntExpr) -> Span | None:
    """The range between two functions of sizes, if C can hold them."""
    reach = Reach(e.scope, {})
    reaches = [reach.of(end).reach.most for end in (low, high)]
    known = [most for most in reaches if most is not None and most <= WORD]
    if len(known) < len(reaches):
        return None
    return Span(e.scope.integer(low), e.scope.integer(high), max(known))


def _unwrapped(e: Expressions, node: ast.expr, found: Span) -> Span | None:
    """The range of an operation, if C can hold it.

    A small type must hold it, too, else it wraps around.
    """
    if found.reach > WORD:
        return None
    kind = e.value(node).kind
    if kind.dtype not in RANGES:
        return None
    if not kind.weak and kind.dtype != "int64":
        low, high = RANGES[kind.dtype]
        e.scope.checks.test(
            infix("<", found.low, number(low)),
            infix(">", found.high, number(min(high, WORD))),
            reason=f"{ast.unparse(node)} may wrap around",
            sure=False,
            statement=e.statement.name,
        )
    return found


def _ends(e: Expressions, expr: IntExpr) -> tuple[IntExpr, IntExpr] | None:
    """The range of an expression over loops and sizes, by interval arithmetic."""
    loops = e.scope.planned.nest.loops
    coefficients, constant = linear(expr)
    low: IntExpr = Const(constant)
    high = low
    for term, factor in coefficients.items():
        match term:
            case Var(name) if name in loops:
                loop = loops[name]
                first, last = _ends(e, loop.start), _ends(e, loop.stop)
                if first is None or last is None:
                    return None
                if loop.step > 0:
                    ends = first[0], sub(last[1], Const(1))
                else:
                    ends = add(last[0], Const(1)), first[1]
            case Var(name) if name not in e.statement.places:
                e.scope.checks.sizes.add(name)
                ends = term, term
            case _:
                return None
        one, two = ends if factor > 0 else ends[::-1]
        low = add(low, mul(Const(factor), one))
        high = add(high, mul(Const(factor), two))
    return low, high


def elements(e: Expressions, node: ast.Subscript) -> Span | None:
    """The range of what an integer array holds that nothing changes meanwhile."""
    base, _ = element(node)
    scope, name = e.scope, dotted(base)
    nest, kind = scope.planned.nest, scope.types.get(name)
    if not isinstance(kind, ArrayType) or kind.dtype not in INTEGERS:
        return None
    if name not in nest.live_in or name in scope.buffers:
        return None
    if nest.written & {name, *nest.others(name)}:
        return None
    ends = scope.checks.reaches[name] = f"lx_{scope.names(name)}_reach"
    low, high = variable(f"{ends}.low"), variable(f"{ends}.high")
    return Span(low, high, min(INDICES, RANGES[kind.dtype][1] + 1))


def _counted(e: Expressions, name: str) -> Span | None:
    """The range of a loop variable whose bounds depend on data."""
    nodes = [node for line in e.statement.code for node in ast.walk(line)]
    loops = [
        node
        for node in nodes
        if isinstance(node, ast.For)
        and isinstance(node.target, ast.Name)
        and node.target.id == name
    ]
    if len(loops) != 1:
        return None
    (loop,) = loops
    inside = {node for line in loop.body for node in ast.walk(line)}
    for node in nodes:
        if not isinstance(node, ast.Name) or node.id != name or node is loop.target:
            continue
        if node not in inside or not isinstance(node.ctx, ast.Load):
            return None
    args = loop.iter.args if isinstance(loop.iter, ast.Call) else []
    if not 1 <= len(args) <= 2:
        return None
    zero = Span(number(0), number(0), 0)
    low = _span(e, args[0]) if len(args) == 2 else zero
    high = _span(e, args[-1])
    if low is None or high is None or high.reach == WORD:
        return None
    last = infix("-", high.high, number(1))
    return Span(low.low, last, max(low.reach, high.reach + 1))
