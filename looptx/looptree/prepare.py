"""The generated loops as they are to be: unrolled, simplified, without idle guards."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping

from looptx.looptree.nodes import Block
from looptx.looptree.passes.bounds import sizes
from looptx.looptree.passes.conditions import plainer
from looptx.looptree.passes.ranges import ranges
from looptx.looptree.passes.readable import readable
from looptx.looptree.passes.redundant import drop_guards
from looptx.looptree.passes.residues import residues
from looptx.looptree.passes.simplify import simplify
from looptx.looptree.passes.unroll import unroll
from looptx.looptree.walk import Uses
from looptx.model.expr import variables
from looptx.model.program import Nest, Statement
from looptx.model.trees import walk


def prepare(nest: Nest, block: Block) -> Block:
    """The loops of a nest, ready to be lowered or written.

    Args:
        nest: with the statements that the loops call.
        block: the loops as isl gave them.

    Raises:
        LooptxError: LX106 when an unroll cannot be carried out.
    """
    facts = sizes(nest).behind(block)
    uses = occurrences(nest)
    block = plainer(residues(simplify(block, uses)))
    block = drop_guards(block, facts)
    block = simplify(ranges(simplify(block, uses), facts), uses)
    block = residues(simplify(unroll(block, facts), uses))
    block = simplify(drop_guards(block, facts), uses)
    return readable(plainer(block))


def occurrences(nest: Nest) -> Uses:
    """How often each statement reads each loop and each coordinate."""
    loops = nest.loops
    return {
        name: _names(statement, {loops[loop].var: loop for loop in statement.loops})
        for name, statement in nest.statements.items()
    }


def _names(statement: Statement, loops: Mapping[str, str]) -> Counter[str]:
    """How often a statement reads each name; loops count by their ids."""
    found: Counter[str] = Counter()
    for line in statement.code:
        for node in walk(line):
            if isinstance(node, ast.Name):
                found[loops.get(node.id, node.id)] += 1
                found.update(statement.expanded.get(node.id, ()))
    for element in statement.elements:
        if not element.written:
            # Inlined, it is written with the subscripts that it has in the model.
            for value in element.subscripts:
                found.update(variables(value) if value is not None else ())
    return found
