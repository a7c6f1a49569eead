"""Guards that say nothing: without them the loops inside would be empty anyway.

isl keeps a loop from starting when the loops inside it have nothing to do. A person
lets the inner ``range`` be empty instead.
"""

from __future__ import annotations

from dataclasses import replace

from looptx.looptree.bounds import Facts
from looptx.looptree.nodes import Block, For, If, LoopTree
from looptx.looptree.walk import map_exprs
from looptx.model.expr import (
    And,
    Compare,
    Cond,
    Const,
    IntExpr,
    Var,
    conj,
    negate,
    rewrite,
    rewrite_cond,
    sub,
)


def drop_guards(block: Block, facts: Facts) -> Block:
    """Remove every condition whose failure leaves only empty loops."""
    result: list[LoopTree] = []
    for node in block:
        match node:
            case For():
                inner = drop_guards(node.body, facts.under(node))
                result.append(replace(node, body=inner))
            case If(cond, body):
                parts = cond.args if isinstance(cond, And) else (cond,)
                kept = [part for part in parts if not _idle(part, body, facts)]
                inner = drop_guards(body, facts.given(cond))
                result.extend((If(conj(*kept), inner),) if kept else inner)
            case _:
                result.append(node)
    return tuple(result)


def _idle(cond: Cond, body: Block, facts: Facts) -> bool:
    """Whether ``body`` runs no statement when ``cond`` fails."""
    if any(not isinstance(node, For) for node in body):
        return False
    match cond:
        case Compare(">", Var(name) as size, Const(0)) if size in facts.positive:
            leaf: dict[IntExpr, IntExpr] = {Var(name): Const(0)}
            body = map_exprs(
                body, lambda e: rewrite(e, leaf), lambda c: rewrite_cond(c, leaf)
            )
    return _empty(body, facts.given(negate(cond)))


def _empty(block: Block, facts: Facts) -> bool:
    """Whether every statement stands in a loop that is seen to be empty."""
    return all(
        isinstance(node, For)
        and (_never(node, facts) or _empty(node.body, facts.under(node)))
        for node in block
    )


def _never(loop: For, facts: Facts) -> bool:
    gap = sub(loop.start, loop.stop) if loop.step > 0 else sub(loop.stop, loop.start)
    return facts.nonnegative(gap)
