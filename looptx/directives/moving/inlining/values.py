"""What an expression gives, and the names it binds itself."""

from __future__ import annotations

import ast

BINDING = (
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.NamedExpr,
    ast.Await,
    ast.Yield,
    ast.YieldFrom,
)
"""Expressions that bind names, or are no values of their place."""


def gives_several(value: ast.expr) -> bool:
    """Whether an expression may be a display: a type of NumPy makes an array of it."""
    match value:
        case ast.IfExp(_, then, other):
            return gives_several(then) or gives_several(other)
        case ast.BoolOp(_, values):
            return any(map(gives_several, values))
        case ast.BinOp(left, _, right):
            return gives_several(left) or gives_several(right)
    return isinstance(value, ast.Tuple | ast.List)


def bound(node: ast.AST) -> set[str]:
    """The names that an expression gives a meaning."""
    inside = list(ast.walk(node))
    found = {x.id for x in inside if isinstance(x, ast.Name) and _is_store(x)}
    return found | {x.arg for x in inside if isinstance(x, ast.arg)}


def _is_store(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)
