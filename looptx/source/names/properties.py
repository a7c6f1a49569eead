"""Attributes that run code of the module when they are read."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looptx.model.trees import dotted
from looptx.source.ast_tools import once, walked
from looptx.source.names.imports import FUNCTIONS

_METHODS = frozenset(("staticmethod", "classmethod", "abstractmethod", "override"))
_DOING = (
    ast.Call | ast.Await | ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Subscript
)


@once
def doing(module: ast.AST) -> frozenset[str]:
    """The names of properties of a module's classes that may do more than give a value.

    One that only returns an expression without calls and elements does not, where the
    expression is a number.
    """
    return frozenset(
        one.name for one in _properties(module) if not _only_gives(one.body)
    )


@once
def computing(module: ast.AST) -> frozenset[str]:
    """The names of those that may give something else than what is held by a name."""
    return frozenset(one.name for one in _properties(module) if not _names(one.body))


def _properties(
    module: ast.AST,
) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The methods of a module's classes that are no plain ones."""
    for made in walked(module):
        for method in made.body if isinstance(made, ast.ClassDef) else ():
            if isinstance(method, FUNCTIONS) and _is_property(method):
                yield method


def _is_property(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = (getattr(one, "id", "") for one in method.decorator_list)
    return any(name not in _METHODS for name in names)


def _only_gives(body: list[ast.stmt]) -> bool:
    value = _returned(body)
    sizes = {part for node in walked(value) for part in walked(node) if _is_size(node)}
    return not any(
        isinstance(node, _DOING) and node not in sizes for node in walked(value)
    )


def _names(body: list[ast.stmt]) -> bool:
    return dotted(_returned(body)) != ""


def _returned(body: list[ast.stmt]) -> ast.AST:
    """What a getter returns that does nothing else; else an expression that does."""
    match body:
        case [ast.Expr(ast.Constant(str())), *rest] if rest:
            return _returned(rest)
        case [ast.Return(value)]:
            return value or ast.Constant(None)
    return ast.Await(ast.Constant(None))


def _is_size(node: ast.AST) -> bool:
    """Whether an expression is a size of an array that has a name."""
    match node:
        case ast.Call(ast.Name("len"), [one], []):
            return dotted(one) != ""
        case ast.Subscript(ast.Attribute(one, "shape"), ast.Constant(int())):
            return dotted(one) != ""
    return False
