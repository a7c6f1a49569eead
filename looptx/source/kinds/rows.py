"""How many axes arrays have to have: those of the rows that go into them, too.

``B[j] = A[i]`` stores a row wherever ``A[i, j]`` says that A has two axes: so has B.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from looptx.model.functions import Kind, lookup
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.scope import Scope
from looptx.source.names.subscripts import may_be_number, subscripts


def with_rows(ranks: dict[str, int], scope: Scope) -> None:
    """Add what shapes and stored rows say of arrays that are subscripted.

    Args:
        ranks: the most subscripts of each array. scope: the names of the function.
    """
    for name in ranks.keys() & scope.bindings.keys():
        shapes = (_shape(one.value, scope) for one in scope.bindings[name])
        ranks[name] = max(ranks[name], *shapes)
    stores = [
        (base, len(indices), node.value)
        for node in walked(scope.function)
        if isinstance(node, ast.Assign | ast.AugAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Subscript)
        for base, indices in (subscripts(target),)
        if dotted(base) and all(map(may_be_number, indices))
    ]
    before: dict[str, int] = {}
    while before != ranks:
        before = {**ranks}
        for base, count, value in stores:
            rows = _axes(value, before, scope)
            found = min(count + rows, _MOST) if rows else 0
            ranks[dotted(base)] = max(ranks.get(dotted(base), 1), found)


_MOST = 32
"""Axes that NumPy's arrays had at most; ``A[i] = A`` has no end."""


def _shape(value: ast.expr | None, scope: Scope) -> int:
    """The axes of what is made of a shape that stands there; 0 for anything else."""
    match value:
        case ast.Call(function, [ast.Tuple(sizes) | ast.List(sizes), *_]):
            starred = any(isinstance(one, ast.Starred) for one in sizes)
            shaped = lookup(scope.resolve(function)).is_shaped
            return len(sizes) if shaped and not starred else 0
    return 0


def _axes(node: ast.expr, ranks: Mapping[str, int], scope: Scope) -> int:
    """The axes that an expression surely has.

    Args:
        node: the expression. ranks: those that arrays are known to have.
        scope: the names of the function.
    """
    parts: list[ast.expr] = []
    match node:
        case ast.Name():
            return ranks.get(node.id, 0)
        case ast.Subscript():
            base, indices = subscripts(node)
            known = ranks.get(dotted(base), 0)
            return max(known - sum(map(may_be_number, indices)), 0)
        case ast.BinOp(left, op, right) if not isinstance(op, ast.MatMult):
            parts = [left, right]
        case ast.IfExp(_, left, right):
            parts = [left, right]
        case ast.UnaryOp(_, part):
            parts = [part]
        case ast.Call(function, parts) if (
            lookup(scope.resolve(function)).kind is not Kind.ELEMENTWISE
        ):
            parts = []
    return max((_axes(part, ranks, scope) for part in parts), default=0)
