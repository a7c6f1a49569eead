"""Conditions as a person writes them: ``i != j`` for ``j > i or i > j``.

isl knows sets of integers as unions of convex ones, and so writes "not equal" as "less
or greater", or as the list of all other values.
"""

from __future__ import annotations

from collections.abc import Iterable

from looptx.looptree.nodes import Block, For, If, LoopTree
from looptx.model.expr import (
    MIRRORED,
    And,
    Compare,
    Cond,
    Const,
    IntExpr,
    Mod,
    Or,
    Var,
    add,
    disj,
    linear,
    mod,
    mul,
    neg,
    negate,
    sub,
    variables,
)
from looptx.model.records import replace

MOST_VALUES = 16
"""Loops of more iterations than this are not looked at value by value."""


def plainer(block: Block, loops: tuple[For, ...] = ()) -> Block:
    """The block, its conditions written with ``!=`` and ``==`` where that is shorter.

    Args:
        block: the loops.
        loops: those around it, outermost first.
    """
    result: list[LoopTree] = []
    for node in block:
        match node:
            case For(body=body):
                result.append(replace(node, body=plainer(body, (*loops, node))))
            case If(cond, body):
                result.append(If(_plainer(cond, loops), plainer(body, loops)))
            case _:
                result.append(node)
    return tuple(result)


def _plainer(cond: Cond, loops: tuple[For, ...]) -> Cond:
    match cond:
        case Or(args):
            return _alternatives([_plainer(arg, loops) for arg in args], loops)
        case And(args):
            parts = [_plainer(arg, loops) for arg in args]
            turned = _alternatives([negate(part) for part in parts], loops)
            return negate(turned)
        case Compare():
            return compared(cond, frozenset(loop.var for loop in loops))
    return cond


def compared(cond: Compare, loops: frozenset[str]) -> Compare:
    """A comparison without minus signs, what depends on a loop on the left.

    ``x % 2 == 1`` for ``(x + 1) % 2 == 0``.
    """
    op, left, right = cond.op, cond.left, cond.right
    match left, right:
        case Mod(value, Const(divisor)), Const(number) if op in ("==", "!="):
            constant = linear(value)[1]
            bare = mod(sub(value, Const(constant)), divisor)
            if constant and 0 <= number < divisor and isinstance(bare, Mod):
                return Compare(op, bare, Const((number - constant) % divisor))
    for term, factor in linear(left)[0].items():
        if linear(right)[0].get(term) == factor:
            common = mul(Const(factor), term)
            left, right = sub(left, common), sub(right, common)
    sides = [linear(left), linear(right)]
    if isinstance(right, Const) and any(f < 0 for f in sides[0][0].values()):
        left, right = _balanced(sub(left, right))
        if isinstance(left, Const):
            op, left, right = MIRRORED[op], right, left
    elif all(f < 0 for terms, _ in sides for f in terms.values()):
        op, left, right = MIRRORED[op], neg(left), neg(right)
    if variables(left).isdisjoint(loops) and not variables(right).isdisjoint(loops):
        op, left, right = MIRRORED[op], right, left
    return Compare(op, left, right)


def _balanced(apart: IntExpr) -> tuple[IntExpr, IntExpr]:
    """Two sums without minus signs whose difference is given."""
    terms, constant = linear(apart)
    more = [mul(Const(factor), term) for term, factor in terms.items() if factor > 0]
    less = [mul(Const(-factor), term) for term, factor in terms.items() if factor < 0]
    return (
        add(*more, Const(max(constant, 0))),
        add(*less, Const(max(-constant, 0))),
    )


def _alternatives(parts: list[Cond], loops: tuple[For, ...]) -> Cond:
    """Any of some conditions, two or more of them made one where that is possible."""
    depth = {loop.var: at for at, loop in enumerate(loops)}
    kept = _other_values(_unequal(parts, depth), loops)
    if kept == parts:
        return disj(*parts)
    return disj(*sorted(kept, key=lambda part: _outermost(part, depth)))


def _unequal(parts: Iterable[Cond], depth: dict[str, int]) -> list[Cond]:
    """``a < b`` and ``a > b`` as ``a != b``, the outer loop on the left."""
    kept: list[Cond] = []
    for part in parts:
        match part:
            case Compare("<" | ">" as op, left, right):
                back = ">" if op == "<" else "<"
                pair = Compare(back, left, right), Compare(op, right, left)
                found = next((one for one in pair if one in kept), None)
                if found is not None:
                    ends = sorted((left, right), key=lambda end: _rank(end, depth))
                    kept[kept.index(found)] = Compare("!=", *ends)
                    continue
        kept.append(part)
    return kept


def _other_values(parts: list[Cond], loops: tuple[For, ...]) -> list[Cond]:
    """``x == -1`` and ``x == 1`` as ``x != 0`` in ``for x in range(-1, 2)``."""
    for loop in loops:
        if not (isinstance(loop.start, Const) and isinstance(loop.stop, Const)):
            continue
        values = range(loop.start.value, loop.stop.value, loop.step)
        if len(values) > MOST_VALUES:
            continue
        var: IntExpr = Var(loop.var)
        equal = {value: Compare("==", var, Const(value)) for value in values}
        left = [value for value, part in equal.items() if part not in parts]
        if len(left) == 1 and len(values) > 2:
            parts = [part for part in parts if part not in equal.values()]
            parts.append(Compare("!=", var, Const(left[0])))
    return parts


def _rank(end: IntExpr, depth: dict[str, int]) -> tuple[bool, int]:
    """Literals last, then by the innermost loop."""
    inner = (depth.get(name, -1) for name in variables(end))
    return isinstance(end, Const), max(inner, default=-1)


def _outermost(part: Cond, depth: dict[str, int]) -> int:
    return max((depth.get(name, -1) for name in variables(part)), default=-1)
