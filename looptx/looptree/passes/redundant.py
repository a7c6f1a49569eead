"""Redundant guards: where they fail, the loops inside are empty anyway.

isl keeps a loop from starting when the loops inside it have nothing to do. A person
lets the inner ``range`` be empty instead, and counts a partial block so that it is
empty where there is none: ``range(n - n % 8, n)`` needs no guard, and says the same as
``range(n - (n + 7) % 8 - 1, n)`` where ``(n + 7) % 8 < 7``.
"""

from __future__ import annotations

from looptx.looptree.nodes import Block, For, If, LoopTree
from looptx.looptree.passes.bounds import Facts
from looptx.looptree.walk import bound, map_exprs
from looptx.model.expr import (
    FALSE,
    Add,
    And,
    Compare,
    Cond,
    Const,
    IntExpr,
    Max,
    Min,
    Mod,
    Mul,
    Var,
    add,
    conj,
    divisors,
    maximum,
    minimum,
    mod,
    mul,
    neg,
    negate,
    rewrite,
    rewrite_cond,
    sub,
    variables,
)
from looptx.model.records import replace


def drop_guards(block: Block, facts: Facts) -> Block:
    """Remove conditions that hold or fail, or whose failure leaves only empty loops."""
    result: list[LoopTree] = []
    for node in block:
        match node:
            case For():
                inner = drop_guards(node.body, facts.under(node))
                result.append(replace(node, body=inner))
            case If(cond, body):
                cond = facts.under_these(cond)
                parts = cond.args if isinstance(cond, And) else (cond,)
                kept = []
                for part in parts:
                    wrapped = _wrapped(part, body, facts)
                    if wrapped is not None:
                        body = wrapped
                    elif not _idle(part, body, facts):
                        kept.append(part)
                if FALSE in kept:
                    continue
                inner = drop_guards(body, facts.given(cond))
                result.extend((If(conj(*kept), inner),) if kept else inner)
            case _:
                result.append(node)
    return tuple(result)


def _idle(cond: Cond, body: Block, facts: Facts) -> bool:
    """Whether ``body`` runs no statement when ``cond`` fails."""
    if any(not isinstance(node, For | If) for node in body):
        return False
    otherwise = facts.given(negate(cond))
    leaf: dict[IntExpr, IntExpr] = {
        size: Const(0)
        for size in facts.positive
        if isinstance(size, Var) and otherwise.nonnegative(neg(size))
    }
    if leaf:
        # What divides by such a size is not reached.
        names = {size.name for size in leaf if isinstance(size, Var)}
        body = map_exprs(
            body,
            lambda e: rewrite(e, leaf) if names.isdisjoint(divisors(e)) else e,
            lambda c: rewrite_cond(c, leaf) if names.isdisjoint(divisors(c)) else c,
        )
    return _empty(body, otherwise)


def _wrapped(cond: Cond, body: Block, facts: Facts) -> Block | None:
    """``body`` with a remainder that ``cond`` keeps from one end counted from there.

    ``x % m > 0`` makes it ``(x - 1) % m + 1``, and ``x % m < m - 1`` makes it
    ``(x + 1) % m - 1``. None unless that leaves nothing to do where ``cond`` fails.
    """
    match cond:
        case Compare(">", Mod(value, Const(period)) as old, Const(0)):
            new = add(mod(add(value, Const(-1)), period), Const(1))
            end = Const(period)
        case Compare("<=", Mod(value, Const(period)) as old, Const(last)) if (
            last == period - 2
        ):
            new = add(mod(add(value, Const(1)), period), Const(-1))
            end = Const(-1)
        case _:
            return None
    if any(not isinstance(node, For) for node in body):
        return None
    if variables(cond) & bound(body) or not _empty(_counted(body, old, end), facts):
        return None
    return _counted(body, old, new)


def _counted(block: Block, old: IntExpr, new: IntExpr) -> Block:
    """The block with one term replaced by another."""

    def within(expr: IntExpr) -> IntExpr:
        match expr:
            case _ if expr == old:
                return new
            case Add(terms):
                return add(*map(within, terms))
            case Mul(factors):
                return mul(*map(within, factors))
            case Min(args):
                return minimum(*map(within, args))
            case Max(args):
                return maximum(*map(within, args))
        return expr

    return map_exprs(block, within, lambda cond: cond)


def _empty(block: Block, facts: Facts) -> bool:
    """Whether every statement stands in a loop that is seen to be empty."""

    def empty(node: LoopTree) -> bool:
        match node:
            case For():
                return _never(node, facts) or _empty(node.body, facts.under(node))
            case If(cond, body):
                return _empty(body, facts.given(cond))
        return False

    return all(map(empty, block))


def _never(loop: For, facts: Facts) -> bool:
    gap = sub(loop.start, loop.stop) if loop.step > 0 else sub(loop.stop, loop.start)
    return facts.nonnegative(gap)
