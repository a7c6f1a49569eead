"""Tuples of tuples, assigned one by one: ``(a, b), (c, d) = p[i], p[j]``.

It is ``a, b = p[i]`` and ``c, d = p[j]`` where nothing that is assigned is evaluated.
"""

from __future__ import annotations

import ast

from looptx.source.ast_tools import walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Changes, always, spelling
from looptx.source.spelling.inserted import Insertions, parted
from looptx.source.spelling.lists.operations import parents
from looptx.source.spelling.stretches import PURE


def _pairs(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """The targets of a statement, with the values that they get; none of others."""
    match node:
        case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)):
            several = any(isinstance(x, ast.Tuple) for x in targets)
            if several and len(targets) == len(values) and _is_plain(node):
                return [*zip(targets, values, strict=True)]
    return []


def _is_plain(node: ast.Assign) -> bool:
    """Whether only names are assigned, and none of those that are read."""
    targets = [x for x in walked(node.targets[0]) if isinstance(x, ast.expr)]
    values = [*walked(node.value)]
    names = {x.id for x in targets if isinstance(x, ast.Name)}
    read = {x.id for x in values if isinstance(x, ast.Name)}
    alone = all(isinstance(x, ast.Name | ast.Tuple) for x in targets)
    return alone and names.isdisjoint(read) and all(isinstance(x, PURE) for x in values)


@spelling(_pairs)
def with_nested(function: Function, scope: Scope) -> Changes:
    """Tuples of tuples are assigned one by one."""
    nodes = own_nodes(function)
    around = parents(nodes)
    inserted = Insertions(around)
    for node in nodes:
        if pairs := _pairs(node):
            assert isinstance(node, ast.Assign)
            made: list[ast.stmt] = [ast.Assign([x], value) for x, value in pairs]
            *before, last = parted(made, node)
            inserted.before(node, *before)
            yield node, always(last)
    yield from inserted.changes()
