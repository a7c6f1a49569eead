"""Names of generated loops: none changes a variable that is read after the nest.

A loop whose variable nothing reads gets an underscore, as linters expect.
"""

from __future__ import annotations

from looptx.looptree.nodes import Block, For, If, Let, LoopTree
from looptx.looptree.planned import Planned
from looptx.looptree.walk import Uses, bound, nodes, reads, rename
from looptx.model.expr import (
    TRUE,
    Compare,
    Const,
    IntExpr,
    rewrite_cond,
    sub,
    variables,
)
from looptx.model.naming import free
from looptx.model.records import replace


def named(planned: Planned, block: Block, uses: Uses) -> Block:
    """The block with the variables renamed that would be in the way.

    Args:
        planned: the nest, whose names are taken.
        block: its loops, ready to print.
        uses: how often statements read loops.
    """
    taken = set(planned.schedule.taken) | bound(block) | reads(block)
    names: dict[str, str] = {}
    for final in planned.finals:
        if final.var in bound(block) and not _subset(planned, block, final.var):
            names[final.var] = free(final.var, taken, 2)
            taken.add(names[final.var])
    return _unused(planned, rename(block, names) if names else block, uses, taken)


def _subset(planned: Planned, block: Block, var: str) -> bool:
    """Whether the loops bind ``var`` only if the original nest does, so that a loop
    that never runs leaves the variable alone: it is the outermost loop of both, and
    the generated range lies within the original one.
    """
    root = planned.nest.first
    if len(planned.nest.body) > 1 or root.var != var or root.step <= 0:
        return False

    def within(node: For) -> bool:
        later, earlier = sub(node.start, root.start), sub(root.stop, node.stop)
        inside = _not_negative(later) and _not_negative(earlier)
        return node.step > 0 and inside

    binders = [node for node in nodes(block) if isinstance(node, For | Let)]
    return all(
        isinstance(node, For) and node in block and within(node)
        for node in binders
        if node.var == var
    )


def _not_negative(expr: IntExpr) -> bool:
    return rewrite_cond(Compare(">=", expr, Const(0)), {}) == TRUE


def _unused(planned: Planned, block: Block, uses: Uses, taken: set[str]) -> Block:
    """Loops whose variable nothing reads get an underscore, as linters expect.

    Not where the source already had an unread loop of that name, and not where it is
    read after an exception.
    """
    nest = planned.nest
    read: set[str] = set()
    for loop in nest.loops.values():
        read |= variables(loop.start) | variables(loop.stop)
    for statement in nest.statements.values():
        read |= variables(statement.guard).union(uses[statement.name])
    excused = {loop.var for loop in nest.loops.values() if loop.id not in read}
    excused.update(nest.escapes.rescued)

    def visit(part: Block) -> Block:
        result: list[LoopTree] = []
        for node in part:
            if isinstance(node, If):
                node = If(node.cond, visit(node.body))
            elif isinstance(node, For):
                body = visit(node.body)
                var = node.var
                silent = var.startswith("_") or var in excused
                if not silent and var not in reads(body, uses):
                    var = f"_{var}"
                    if var in planned.schedule.taken:
                        var = free(var, taken, 2)
                        taken.add(var)
                node = replace(node, var=var, body=body)
            result.append(node)
        return tuple(result)

    return visit(block)
