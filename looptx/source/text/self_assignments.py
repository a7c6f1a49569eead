"""Assignments that change nothing: ``n = n`` of an argument, ``i = i`` of a loop.

They become ``pass``, so that their names are not taken for variables that change.
"""

from __future__ import annotations

import ast

from looptx.model.trees import walk
from looptx.source.ast_tools import blocks
from looptx.source.names.imports import FUNCTIONS, arguments, own_nodes


def settle(tree: ast.Module) -> None:
    """Replace assignments that change nothing by ``pass``, in a new tree."""
    if not any(map(_is_idle, walk(tree))):
        return
    for node in walk(tree):
        if isinstance(node, FUNCTIONS):
            own = own_nodes(node)
            elsewhere = {
                name
                for part in own
                if isinstance(part, ast.Global | ast.Nonlocal)
                for name in part.names
            }
            deleted = {
                part.id
                for part in own
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Del)
            }
            given = {argument.arg for argument in arguments(node)}
            _block(node.body, frozenset(given - deleted), elsewhere | deleted)


def _block(body: list[ast.stmt], bound: frozenset[str], vague: set[str]) -> None:
    """Replace them in a block, where the names in ``bound`` have a value."""
    for at, stmt in enumerate(body):
        if _is_idle(stmt) and _names(stmt) <= bound:
            body[at] = ast.copy_location(ast.Pass(), stmt)
        inside = bound
        if isinstance(stmt, ast.For) and isinstance(stmt.target, ast.Name):
            inside = bound | ({stmt.target.id} - vague)
        if isinstance(stmt, FUNCTIONS | ast.ClassDef):
            continue
        for number, block in enumerate(blocks(stmt)):
            _block(block, inside if number == 0 else bound, vague)


def _is_idle(node: ast.AST) -> bool:
    """Whether a statement gives names, on one line, the values that they have."""
    match node:
        case ast.Assign([target], value) if node.lineno == node.end_lineno:
            parts, values = [target], [value]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                parts, values = target.elts, value.elts
            return len(parts) == len(values) and all(
                isinstance(one, ast.Name)
                and isinstance(other, ast.Name)
                and one.id == other.id
                for one, other in zip(parts, values, strict=True)
            )
    return False


def _names(stmt: ast.stmt) -> set[str]:
    return {node.id for node in walk(stmt) if isinstance(node, ast.Name)}
