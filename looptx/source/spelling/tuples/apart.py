"""Rows that one statement names, each by a statement of its own.

``a, b = x[i], x[j]`` is ``a = x[i]`` with ``b = x[j]`` where these may be rows: they
are subscripted, or a call is given them. A view is the same whatever has a name by
then.
"""

from __future__ import annotations

import ast

from looptx.model.trees import dotted
from looptx.source.ast_tools import blocks
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Changes, always, spelling
from looptx.source.spelling.inserted import Inserted, parted


def _named(node: ast.AST) -> list[ast.Assign]:
    """The statements that stand for one that names several parts of arrays."""
    match node:
        case ast.Assign([ast.Tuple(names)], ast.Tuple(values)):
            pairs = [
                (name, value)
                for name, value in zip(names, values, strict=False)
                if isinstance(name, ast.Name) and isinstance(value, ast.Subscript)
            ]
            bound = {name.id for name, _ in pairs}
            read = {x.id for x in ast.walk(node.value) if isinstance(x, ast.Name)}
            whole = len(bound) == len(pairs) == len(names) == len(values)
            if whole and bound.isdisjoint(read):
                return [
                    ast.copy_location(ast.Assign([name], value), node)
                    for name, value in pairs
                ]
    return []


@spelling(_named)
def with_apart(function: Function, scope: Scope) -> Changes:
    """Each row is named by itself."""
    nodes = own_nodes(function)
    if scope.wild or any(isinstance(x, ast.Try) for x in nodes):
        # What catches an exception sees which names have got a value by then.
        return
    used = (x.value for x in nodes if isinstance(x, ast.Subscript | ast.Attribute))
    given = (one for x in nodes if isinstance(x, ast.Call) for one in x.args)
    rows = {x.id for x in (*used, *given) if isinstance(x, ast.Name)}
    for owner in nodes:
        inserted = Inserted()
        for block in blocks(owner):
            for stmt in block:
                found = _named(stmt)
                names = {one.targets[0] for one in found}
                if not found or not {*map(dotted, names)} <= rows - scope.shared:
                    continue
                inserted.before(stmt, *parted(found[:-1], stmt))
                yield stmt, always(found[-1])
        if inserted:
            yield owner, inserted.into(owner)
