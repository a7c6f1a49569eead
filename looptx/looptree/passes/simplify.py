"""Simplification of generated loops: no redundant operation, guard or loop is printed.

Conditions that always hold lose their ``if``; loops that never run go, loops that run
once become a ``Let``; a ``Let`` that is read once, or whose value is as short as its
name, is replaced by its value.
"""

from __future__ import annotations

from looptx.looptree.nodes import Block, Call, For, If, Let, LoopTree
from looptx.looptree.walk import Inliner, Uses, bound
from looptx.model.expr import (
    FALSE,
    TRUE,
    Add,
    Cond,
    Const,
    IntExpr,
    Max,
    Min,
    Var,
    conj,
    distance,
    negate,
    rewrite,
    rewrite_cond,
    variables,
)
from looptx.model.records import replace


def simplify(block: Block, uses: Uses | None = None) -> Block:
    """The same loops with less to read.

    Args:
        block: generated loops.
        uses: how often each statement's text reads each loop (``walk.Uses``); without
            it every loop value of a call counts as one read.
    """
    return _block(block, uses, frozenset())


def _block(block: Block, uses: Uses | None, loops: frozenset[str]) -> Block:
    result: list[LoopTree] = []
    rest = block
    while rest:
        node, rest = rest[0], rest[1:]
        match node:
            case Let(var, value):
                value = _expr(value, loops)
                inliner = Inliner(var, value, uses)
                inlined = inliner.block(rest)
                short = _short(value) or inliner.count <= 1
                if short and not inliner.captured:
                    rest = inlined
                else:
                    result.append(Let(var, value))
                    loops |= {var}
            case For():
                result.extend(_for(node, uses, loops))
            case If(cond, body):
                _append_if(result, rewrite_cond(cond, {}), _block(body, uses, loops))
            case Call(statement, index):
                values = {loop: _expr(value, loops) for loop, value in index.items()}
                result.append(Call(statement, values))
    return tuple(result)


def _for(node: For, uses: Uses | None, loops: frozenset[str]) -> Block:
    start, stop = _expr(node.start, loops), _expr(node.stop, loops)
    count = distance(start, stop, node.step)
    if isinstance(count, Const) and count.value <= 0:
        return ()
    if count == Const(1):
        return _block((Let(node.var, start), *node.body), uses, loops)
    body = _block(node.body, uses, loops | {node.var})
    return (replace(node, start=start, stop=stop, body=body),) if body else ()


def _append_if(result: list[LoopTree], cond: Cond, body: Block) -> None:
    """Append ``if cond: body``, merged with what stands around it."""
    if cond == FALSE or not body:
        return
    if cond == TRUE:
        result.extend(body)
        return
    match result:
        case [*_, If(before, first)] if variables(before).isdisjoint(bound(first)):
            if cond == rewrite_cond(negate(before), {}):
                if body == first:
                    result[-1:] = body
                else:
                    result.append(If(cond, body))
                return
    match body:
        case (If(inner, inner_body),):
            cond, body = conj(cond, inner), inner_body
    match result:
        case [*_, If(before, first)] if before == cond:
            if variables(cond).isdisjoint(bound(first)):
                result[-1] = If(cond, (*first, *body))
                return
    result.append(If(cond, body))


def _short(value: IntExpr) -> bool:
    """Whether a value reads as easily as a name: a constant, ``i`` or ``i + 32``."""
    match value:
        case Const() | Var() | Add((Var(), Const())):
            return True
    return False


def _expr(expr: IntExpr, loops: frozenset[str]) -> IntExpr:
    return _ordered(rewrite(expr, {}), loops)


def _ordered(expr: IntExpr, loops: frozenset[str]) -> IntExpr:
    """``min(i + 32, n)`` and ``max(0, i - 31)``: bounds in the order people write."""

    def rank(arg: IntExpr) -> int:
        if isinstance(arg, Const):
            return 2 if isinstance(expr, Min) else -1
        return 0 if variables(arg) & loops else 1

    if isinstance(expr, Min | Max):
        args = tuple(_ordered(arg, loops) for arg in expr.args)
        return type(expr)(tuple(sorted(args, key=rank)))
    return expr
