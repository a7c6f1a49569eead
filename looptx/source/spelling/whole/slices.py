"""Statements on arrays, spelled as loops over their elements.

``A[i, 1:-1] = B[i, 1:-1] + c`` is ``for ax0 in range(1, A.shape[1] - 1)`` around
``A[i, ax0] = B[i, ax0] + c``. How many axes an array has is what the function says of
it anywhere; of arrays with more, and of what is no array, Python runs what is written.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping

from looptx.model.noted.slices import noted
from looptx.source.ast_tools import walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope, surveyed
from looptx.source.spelling.edits import Change, mark, module
from looptx.source.spelling.whole.expanding import expanded
from looptx.source.spelling.whole.maker import Known
from looptx.source.spelling.whole.reading.axes import Unlike
from looptx.source.text.functions import functions


def with_slices(
    tree: ast.Module, known: Mapping[str, str], axes: Mapping[str, int], *, plain: bool
) -> ast.Module:
    """A tree with statements on elements in place of those on arrays.

    Args:
        tree: the module's. known: what its names mean.
        axes: how many arguments have, where no text says so.
        plain: whether no loop is scheduled, so that none is ever written.
    """
    if not any(map(_target, walked(tree))):
        return tree
    changes: dict[ast.AST, Change] = {}
    for found in functions(tree, "", known, known):
        if any(map(_target, own_nodes(found.node))):
            scope = surveyed(found.node, found.outer)
            own = Known.of(found.node, scope, axes)
            if not plain:
                # A text that is written says nowhere what makes an array.
                own.numpy = ""
            changes.update(_changes(found.node, scope, own, plain))
    return module(tree, changes)


def _target(node: ast.AST) -> ast.expr | None:
    """What a statement of the source assigns, if that may be elements of an array."""
    if mark(node):
        return None
    match node:
        case ast.Assign([ast.Subscript() as target, *others]):
            return target if all(isinstance(x, ast.Subscript) for x in others) else None
        case ast.AugAssign(ast.Subscript() | ast.Name() as target):
            return target
    return None


def _changes(
    function: Function, scope: Scope, known: Known, plain: bool
) -> Iterator[tuple[ast.AST, Change]]:
    """What the statements of a function become.

    Args:
        function: it. scope: its names. known: of it. plain: as of ``with_slices``.
    """
    if scope.hides("range") or scope.wild:
        return
    own = own_nodes(function)
    inside = {
        part
        for loop in own
        if isinstance(loop, ast.For) and scope.is_range_loop(loop)
        for stmt in loop.body
        for part in own_nodes(stmt)
    }
    moving = known.ranks.keys() & {
        target.id
        for part in inside
        if isinstance(part, ast.Assign)
        for target in part.targets
        if isinstance(target, ast.Name)
    }
    stmts = (x for x in own if isinstance(x, ast.stmt) and x is not function)
    lines = Counter(stmt.lineno for stmt in stmts)
    for stmt in own:
        target = _target(stmt)
        # A nest that is rewritten has lines of its own.
        fits = plain or stmt in inside or lines.get(getattr(stmt, "lineno", 0)) == 1
        if target is not None and fits and (plain or moving.isdisjoint(_names(stmt))):
            assert isinstance(stmt, ast.Assign | ast.AugAssign)
            try:
                made, _ = expanded(scope, known, stmt, strided=plain)
            except Unlike:
                continue
            if plain:
                made = noted(made)
            yield stmt, lambda _, made=made: made  # type: ignore[misc]


def _names(stmt: ast.AST) -> set[str]:
    """The names in a statement."""
    return {node.id for node in walked(stmt) if isinstance(node, ast.Name)}
