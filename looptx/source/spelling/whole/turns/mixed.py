"""Statements that name parts of arrays, and those that copy between array and part."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from looptx.source.ast_tools import walked
from looptx.source.names.subscripts import index_list
from looptx.source.spelling.whole.uses import Uses


def named(node: ast.AST) -> str:
    """The name that a statement may give to a part of an array, or nothing."""
    match node:
        case ast.Assign([ast.Name(name)], ast.Subscript() as whole):
            return name if below(whole) else ""
    return ""


def below(node: ast.expr) -> str:
    """The name of the array of which an expression is a part, or nothing."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def is_mixed(stmt: ast.stmt, loops: Iterable[ast.AST], uses: Uses) -> bool:
    """Whether a statement names a part that loops copy into its array, or from it.

    Args:
        stmt: the statement. loops: what is inside of loops. uses: of all names.
    """
    if not (isinstance(stmt, ast.Assign) and named(stmt)):
        return False
    pair = {named(stmt), below(stmt.value)}
    return any(
        below(node.targets[0]) in pair
        and (pair - {below(node.targets[0])}) & _whole(node.value, uses)
        for node in loops
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)
    )


def _whole(value: ast.expr, uses: Uses) -> set[str]:
    """The names of which a value has more than elements.

    Args:
        value: it. uses: of all names.
    """
    found = set()
    for name in (x for x in walked(value) if isinstance(x, ast.Name)):
        outer = uses.outside[name]
        indices = index_list(outer) if isinstance(outer, ast.Subscript) else []
        if not indices or any(isinstance(x, ast.Slice) for x in indices):
            found.add(name.id)
    return found
