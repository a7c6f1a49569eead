"""Arrays that statements only reduce into: their partial results may stand apart."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from looptx.model.program import Nest, Reduction, Statement


def only_reduced(
    nest: Nest, statements: Iterable[Statement], reduction: Reduction
) -> bool:
    """Whether ``statements`` touch the target of ``reduction`` by that operation only.

    Then cells that start at the identity can collect for them, and nobody notices until
    these are combined with the target itself. What may share memory with the target
    must not be touched at all.

    Args:
        nest: the nest.
        statements: some of its statements.
        reduction: one of theirs.

    Returns:
        True where only that operation touches its target.
    """
    target = reduction.target.array
    names = {target, *nest.others(target)}
    for statement in statements:
        used = [access for access in statement.accesses if access.array in names]
        own = statement.reduction
        if not used:
            continue
        if own is None or (own.op, own.target.array) != (reduction.op, target):
            return False
        if any(one.cell != own.target.cell for one in used):
            return False
        if _reads(statement, own, target):
            return False
    return True


def _reads(statement: Statement, own: Reduction, target: str) -> bool:
    """Whether the value combined or the place of the cell depends on the target."""
    parts = [own.operand]
    for line in statement.code:
        for node in ast.walk(line):
            if isinstance(node, ast.Subscript):
                parts.append(node.slice)
    return any(
        isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) == target
        for part in parts
        for node in ast.walk(part)
    )
