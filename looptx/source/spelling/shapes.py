"""Shapes with names: ``s[0]`` behind ``s = A.shape`` is ``A.shape[0]``."""

from __future__ import annotations

import ast

from looptx.source.ast_tools import walked
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Changes, always, spelling


def _named(node: ast.AST) -> bool:
    """Whether a statement gives a name to the shape of a variable."""
    match node:
        case ast.Assign([ast.Name()], ast.Attribute(ast.Name(), "shape")):
            return True
    return False


@spelling(_named)
def with_shapes(function: Function, scope: Scope) -> Changes:
    """Shapes have no names."""
    if scope.wild or any(map(_reshapes, walked(function))):
        return
    shapes = {
        stmt.targets[0].id: stmt.value
        for stmt in function.body
        if isinstance(stmt, ast.Assign) and _named(stmt)
        if isinstance(stmt.targets[0], ast.Name)
    }
    known = {
        name: value
        for name, value in shapes.items()
        if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name)
        if _is_kept(name, function, scope) and _is_kept(value.value.id, function, scope)
    }
    for node in walked(function):
        match node:
            case ast.Subscript(
                ast.Name(name, ast.Load()) as use, ctx=ast.Load()
            ) | ast.Assign([ast.Tuple()], ast.Name(name) as use) if name in known:
                yield use, always(_shape(use, known[name]))


def _reshapes(node: ast.AST) -> bool:
    """Whether a node may change the shape of an array."""
    match node:
        case (
            ast.Attribute(attr="shape", ctx=ast.Store()) | ast.Attribute(attr="resize")
        ):
            return True
    return False


def _is_kept(name: str, function: Function, scope: Scope) -> bool:
    """Whether a name has one value, which is known wherever it is used."""
    bindings = scope.bindings.get(name, [])
    if len(bindings) != 1 or name in scope.shared:
        return False
    first = any(
        isinstance(stmt, ast.Assign)
        and len(stmt.targets) == 1
        and isinstance(stmt.targets[0], ast.Name)
        and stmt.targets[0].id == name
        for stmt in function.body
    )
    return first or bindings[0].kind == "arg"


def _shape(use: ast.Name, shape: ast.Attribute) -> ast.Attribute:
    """A shape in the place of its name."""
    assert isinstance(shape.value, ast.Name)
    value = ast.copy_location(ast.Name(shape.value.id, ast.Load()), use)
    return ast.copy_location(ast.Attribute(value, "shape", ast.Load()), use)
