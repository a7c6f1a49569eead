"""Subscripts that depend on integer arrays: their range, from one pass over these.

``x[col[p]]`` stays inside ``x`` if the least and the greatest element of ``col`` do;
``p`` of ``for p in range(row[i], row[i + 1])`` lies between the elements of ``row``.
"""

from __future__ import annotations

import ast

from looptx.emit.cexpr import Expressions
from looptx.emit.scope import dotted
from looptx.emit.types import INTEGERS
from looptx.emit.values import RANGES
from looptx.model.expr import Const, IntExpr, Var, add, linear, mul, sub
from looptx.model.types import ArrayType

LIMIT = 1 << 50
"""``lx_reach`` gives elements beyond it as the range from -LIMIT to LIMIT."""

_FACTOR = 1 << 10
_MOST = 4
"""How many operations a subscript has at most, so that ranges stay within 64 bits."""

Span = tuple[str, str]
"""The least and the greatest value, as C texts."""


def element(node: ast.Subscript) -> tuple[ast.expr, list[ast.expr]]:
    """``A[i][j]`` and ``A[i, j]``: the array and the subscripts."""
    parts: list[ast.expr] = []
    base: ast.expr = node
    while isinstance(base, ast.Subscript):
        inner = base.slice
        parts[:0] = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        base = base.value
    return base, parts


def span(e: Expressions, node: ast.expr) -> Span | None:
    """The range of a subscript that depends on data; None when nothing bounds it.

    It may be larger than what the nest comes to. Where it holds only if the integers of
    NumPy do not wrap around, the entry gets a test.
    """
    operations = sum(isinstance(part, ast.BinOp) for part in ast.walk(node))
    if e.integer(node) is not None or operations > _MOST:
        return None
    return _span(e, node)


def _span(e: Expressions, node: ast.expr) -> Span | None:
    known = e.integer(node)
    if known is not None:
        ends = _ends(e, known)
        return (
            None
            if ends is None
            else (e.scope.int_text(ends[0]), e.scope.int_text(ends[1]))
        )
    match node:
        case ast.Subscript():
            return elements(e, node)
        case ast.Name(id=name):
            return _counted(e, name)
        case ast.BinOp(left, ast.Add() | ast.Sub() as op, right):
            one, two = _span(e, left), _span(e, right)
            if one is None or two is None:
                return None
            if isinstance(op, ast.Add):
                found = f"{one[0]} + {two[0]}", f"{one[1]} + {two[1]}"
            else:
                found = f"{one[0]} - ({two[1]})", f"{one[1]} - ({two[0]})"
            return _unwrapped(e, node, found)
        case ast.BinOp(ast.Constant(value=int(factor)), ast.Mult(), value) | ast.BinOp(
            value, ast.Mult(), ast.Constant(value=int(factor))
        ):
            inner = _span(e, value)
            if (
                inner is None
                or not 0 < factor < _FACTOR
                or isinstance(value, ast.BinOp)
            ):
                return None
            found = f"{factor} * ({inner[0]})", f"{factor} * ({inner[1]})"
            return _unwrapped(e, node, found)
    return None


def _unwrapped(e: Expressions, node: ast.expr, found: Span) -> Span:
    """The range of an operation; a small type must hold it, else it wraps around."""
    kind = e.value(node).kind
    if not kind.weak and kind.dtype != "int64":
        low, high = RANGES[kind.dtype]
        wrong = f"{found[0]} < {low} or {found[1]} > {high}"
        reason = f"{ast.unparse(node)} may wrap around"
        e.scope.checks.test(wrong, reason, False)
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
        if abs(factor) >= _FACTOR:
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
    changed = {
        access.array
        for statement in nest.statements.values()
        for access in statement.accesses
        if access.write
    }
    if not isinstance(kind, ArrayType) or kind.dtype not in INTEGERS:
        return None
    if RANGES[kind.dtype][1] > RANGES["int64"][1]:
        return None
    if name in changed or name not in nest.live_in or name in scope.buffers:
        return None
    if any(name in pair and pair & changed for pair in nest.aliases):
        return None
    variable = f"lx_{scope.names(name)}_reach"
    scope.checks.reaches[name] = variable
    return f"{variable}.low", f"{variable}.high"


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
    inside = {id(node) for line in loop.body for node in ast.walk(line)}
    for node in nodes:
        if not isinstance(node, ast.Name) or node.id != name or node is loop.target:
            continue
        if id(node) not in inside or not isinstance(node.ctx, ast.Load):
            return None
    args = loop.iter.args if isinstance(loop.iter, ast.Call) else []
    if not 1 <= len(args) <= 2:
        return None
    low = _span(e, args[0]) if len(args) == 2 else ("0", "0")
    high = _span(e, args[-1])
    return None if low is None or high is None else (low[0], f"{high[1]} - 1")
