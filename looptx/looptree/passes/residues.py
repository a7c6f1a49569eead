"""Congruences from the steps of loops: ``i % 2`` is 0 in ``range(0, n, 10)``."""

from __future__ import annotations

from collections.abc import Mapping

from looptx.looptree.nodes import Block, Call, For, If, Let, LoopTree
from looptx.looptree.walk import bound
from looptx.model.expr import (
    Add,
    Cond,
    Const,
    FloorDiv,
    IntExpr,
    Mod,
    Var,
    add,
    changed,
    changed_cond,
    linear,
    mod,
    mul,
    size,
    sub,
    variables,
)
from looptx.model.records import replace

Steps = Mapping[str, For]
"""``{variable: its loop}`` of loops in steps."""


def residues(block: Block, steps: Steps | None = None) -> Block:
    """The block with shorter remainders.

    Args:
        block: the loops.
        steps: the loops in steps around them.
    """
    steps = steps or {}

    def expr(value: IntExpr) -> IntExpr:
        return changed(value, _itself, lambda part: _shorter(part, steps))

    def cond(value: Cond) -> Cond:
        return changed_cond(value, _itself, lambda part: _shorter(part, steps))

    result: list[LoopTree] = []
    for node in block:
        match node:
            case For():
                node = replace(node, start=expr(node.start), stop=expr(node.stop))
                changing = bound(node.body)
                known = {
                    var: loop
                    for var, loop in {**steps, node.var: node}.items()
                    if changing.isdisjoint({var, *variables(loop.start)})
                }
                result.append(replace(node, body=residues(node.body, known)))
            case If(test, body):
                result.append(If(cond(test), residues(body, steps)))
            case Let(var, value):
                result.append(Let(var, expr(value)))
            case Call(statement, index):
                values = {loop: expr(value) for loop, value in index.items()}
                result.append(Call(statement, values))
    return tuple(result)


def _itself(name: IntExpr) -> IntExpr:
    return name


def _shorter(part: IntExpr, steps: Steps) -> IntExpr:
    """A remainder with loop variables replaced by what they start from.

    Also a sum with such remainders: ``x - x % d`` is left of ``d * (x // d)``.
    """
    match part:
        case Mod(value, Const(divisor)):
            found = mod(_same(value, divisor, steps), divisor)
            return found if size(found) <= size(part) else part
        case Add():
            for term, factor in linear(part)[0].items():
                match term:
                    case FloorDiv(value, Const(divisor)) if factor % divisor == 0:
                        left = mod(_same(value, divisor, steps), divisor)
                        whole = mul(Const(factor // divisor), sub(value, left))
                        found = add(part, mul(Const(-factor), term), whole)
                        if size(found) < size(part):
                            return found
    return part


def _same(value: IntExpr, divisor: int, steps: Steps) -> IntExpr:
    """A value that leaves the same remainder."""
    for term, factor in linear(value)[0].items():
        loop = steps.get(term.name) if isinstance(term, Var) else None
        if loop is not None and factor * loop.step % divisor == 0:
            moved = mul(Const(factor), sub(loop.start, term))
            return _same(add(value, moved), divisor, steps)
    return value
