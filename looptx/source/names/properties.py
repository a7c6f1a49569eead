"""Attributes that run code of the module when they are read."""

from __future__ import annotations

import ast

from looptx.source.ast_tools import once, walked
from looptx.source.names.imports import FUNCTIONS

_METHODS = frozenset(("staticmethod", "classmethod", "abstractmethod", "override"))
_DOING = ast.Call | ast.Await | ast.NamedExpr | ast.Yield | ast.YieldFrom


@once
def doing(module: ast.AST) -> frozenset[str]:
    """The names of properties of a module's classes that may do more than give a value.

    One that only returns an expression without calls does not.
    """
    return frozenset(
        method.name
        for made in walked(module)
        if isinstance(made, ast.ClassDef)
        for method in made.body
        if isinstance(method, FUNCTIONS) and _is_property(method)
        if not _only_gives(method.body)
    )


def _is_property(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = (getattr(one, "id", "") for one in method.decorator_list)
    return any(name not in _METHODS for name in names)


def _only_gives(body: list[ast.stmt]) -> bool:
    match body:
        case [ast.Expr(ast.Constant(str())), *rest] if rest:
            return _only_gives(rest)
        case [ast.Return(value)]:
            return not any(
                isinstance(node, _DOING) for node in walked(value or body[0])
            )
    return False
