"""Statements on arrays whose slices nobody knows before they run.

What the entry of a nest cannot see is tested where the statement stands. There the
loops over elements mean the same, or Python's own start again: as at a ``raise``.
"""

from __future__ import annotations

import ast
import copy

from looptx.model.noted.slices import is_noted, test
from looptx.source.ast_tools import walked
from looptx.source.nests.sizes.affine import Affine
from looptx.source.spelling.edits import Change, agreements, edited, elementwise


def tested(stmt: ast.stmt, affine: Affine) -> ast.stmt:
    """A statement in which slices are tested where they stand, if the entry cannot.

    Args:
        stmt: the statement. affine: what expressions mean where it begins.
    """
    changes: dict[ast.AST, Change] = {
        node: _tested
        for node in walked(stmt)
        if isinstance(node, ast.For) and is_noted(node)
        if any(affine.cond(condition) is None for condition in agreements(node))
    }
    found = edited(stmt, changes)
    assert isinstance(found, ast.stmt)
    return found


def _tested(node: ast.AST) -> ast.AST:
    """Loops over elements behind a test of their conditions."""
    assert isinstance(node, ast.For)
    conditions = [*agreements(node)]
    loops = elementwise(copy.copy(node), ())
    whole = conditions[0]
    if len(conditions) > 1:
        whole = ast.BoolOp(ast.And(), conditions)
    made = test(ast.If(whole, [loops], [ast.Raise()]))
    for part in (made, whole, *made.orelse):
        ast.copy_location(part, node)
    return made
