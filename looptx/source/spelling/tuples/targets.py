"""Loops that take rows apart: ``for x, y in A`` is ``for row in A``, ``x, y = row``."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from looptx.model.naming import Taken
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.cells import bound_in
from looptx.source.spelling.edits import Change, Changes, placed, spelling


def _apart(node: ast.AST) -> list[ast.Tuple]:
    """The targets of a loop that are rows taken apart."""
    match node:
        case ast.For(ast.Tuple([_, one]), ast.Call(ast.Name("enumerate"), [of, *_])):
            pairs = [(one, of)]
        case ast.For(ast.Tuple(several), ast.Call(ast.Name("zip"), args)):
            pairs = [*zip(several, args, strict=False)]
        case ast.For(one, of):
            pairs = [(one, of)]
        case _:
            return []
    rows = [
        one
        for one, of in pairs
        if isinstance(one, ast.Tuple) and isinstance(of, ast.Name | ast.Subscript)
    ]
    parts = [part for one in rows for part in one.elts]
    return rows if all(isinstance(part, ast.Name) for part in parts) else []


@spelling(_apart)
def with_targets(function: Function, scope: Scope) -> Changes:
    """Loops give rows to names before they take them apart."""
    taken = Taken(scope.identifiers)
    loops = (x for x in own_nodes(function) if isinstance(x, ast.For))
    for node in loops:
        rows: dict[ast.Tuple, str] = {}
        for one in _apart(node):
            rows[one] = taken.free("row")
        # Of what is bound twice the last one counts.
        if rows and len(bound := [*bound_in(node.target)]) == len({*bound}):
            yield node, _change(rows)


def _change(rows: Mapping[ast.Tuple, str]) -> Change:
    """What a loop becomes. ``rows``: the names of rows, by what they are taken into."""
    names = {ast.dump(one): name for one, name in rows.items()}
    lines = [placed(f"{ast.unparse(one)} = {name}", one) for one, name in rows.items()]

    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.For)
        target = _renamed(node.target, names)
        made = ast.For(target, node.iter, [*lines, *node.body], node.orelse)
        return ast.copy_location(made, node)

    return change


def _renamed(target: ast.expr, names: Mapping[str, str]) -> ast.expr:
    """A target with names in the place of rows."""
    if not isinstance(target, ast.Tuple):
        return target
    if name := names.get(ast.dump(target), ""):
        return ast.copy_location(ast.Name(name, ast.Store()), target)
    parts = [_renamed(part, names) for part in target.elts]
    return ast.copy_location(ast.Tuple(parts, ast.Store()), target)
