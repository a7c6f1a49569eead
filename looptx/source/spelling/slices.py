"""Statements on arrays, spelled as loops over their elements.

``A[i, 1:-1] = B[i, 1:-1] + c`` is ``for ax0 in range(1, A.shape[1] - 1)`` around
``A[i, ax0] = B[i, ax0] + c``. How many axes an array has is what the function says of
it anywhere; of arrays with more, and of what is no array, Python runs what is written.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping

from looptx.source.ast_tools import walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.axes import Unlike
from looptx.source.spelling.edits import Change, module
from looptx.source.spelling.elements import Statement
from looptx.source.spelling.ranks import ranks
from looptx.source.text.functions import functions


def with_slices(tree: ast.Module, known: Mapping[str, str]) -> ast.Module:
    """A tree with statements on elements in place of those on arrays.

    Args:
        tree: the module's. known: what its names mean.
    """
    if not any(map(_target, walked(tree))):
        return tree
    changes: dict[ast.AST, Change] = {}
    for found in functions(tree, "", known, known):
        if any(map(_target, own_nodes(found.node))):
            changes.update(_changes(found.node, Scope(found.node, found.outer)))
    return module(tree, changes)


def _target(node: ast.AST) -> ast.expr | None:
    """What a statement assigns, if that may be elements of an array."""
    match node:
        case ast.Assign([ast.Subscript() as target]):
            return target
        case ast.AugAssign(ast.Subscript() | ast.Name() as target):
            return target
    return None


def _changes(function: Function, scope: Scope) -> Iterator[tuple[ast.AST, Change]]:
    """What the statements of a function become."""
    if scope.hides("range") or scope.wild:
        return
    own = own_nodes(function)
    known = ranks(function, scope)
    inside = {
        part
        for loop in own
        if isinstance(loop, ast.For) and scope.is_range_loop(loop)
        for stmt in loop.body
        for part in own_nodes(stmt)
    }
    lines = Counter(stmt.lineno for stmt in own if isinstance(stmt, ast.stmt))
    for stmt in own:
        target = _target(stmt)
        # A nest of its own is known by its line.
        if target is not None and (stmt in inside or lines[target.lineno] == 1):
            assert isinstance(stmt, ast.Assign | ast.AugAssign)
            try:
                made = Statement(scope, known, stmt, target).loops()
            except Unlike:
                continue
            yield stmt, lambda _, made=made: made  # type: ignore[misc]
