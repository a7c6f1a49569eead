"""Loops that run in order, as one of their iterations sets a scalar for others."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from looptx.looptree.nodes import Block, Call, For, If, LoopTree
from looptx.looptree.walk import nodes
from looptx.model.program import Nest
from looptx.model.records import replace


def in_order(
    nest: Nest,
    block: Block,
    passing: Mapping[int, tuple[str, ...]],
    held: Collection[str],
) -> tuple[Block, tuple[str, ...]]:
    """Loops of which those that set such scalars are neither parallel nor vectors.

    Where isl has put the iteration that does it between two loops, these stay as asked.

    Args:
        nest: with the statements. block: the loops.
        passing: the scalars, by dimension; see ``poly.dependences.passing``.
        held: the scalars that have become arrays, which all threads see.

    Returns:
        The loops, and what is to be said of them, one line each.
    """
    told: dict[str, None] = {}

    def changed(node: LoopTree) -> LoopTree:
        if not isinstance(node, For | If):
            return node
        body = tuple(map(changed, node.body))
        if isinstance(node, If):
            return replace(node, body=body)
        own = _set(nest, body).difference(held)
        names = [x for x in passing.get(node.dim, ()) if x in own]
        if not names:
            return replace(node, body=body)
        listed = " and ".join(f"`{name}`" for name in names)
        told[f"{node.var} runs in order: one iteration sets {listed} for others"] = None
        marks = replace(node.marks, parallel=None, vectorize=None)
        return replace(node, body=body, marks=marks)

    return (tuple(map(changed, block)) if passing else block), (*told,)


def _set(nest: Nest, block: Block) -> frozenset[str]:
    """The scalars that loops set."""
    called = {node.statement for node in nodes(block) if isinstance(node, Call)}
    accesses = (x for name in called for x in nest.statements[name].accesses)
    return frozenset(x.array for x in accesses if x.write)
