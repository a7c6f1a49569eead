"""Positions that loops keep inside of arrays: ``j`` of ``for j in range(A.shape[1])``.

A part that is taken at such positions alone can be taken, whether anything looks at it
or not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from looptx.source.ast_tools import walked
from looptx.source.names.scope import Scope
from looptx.source.spelling.called.parts import Part, literal

Kept: TypeAlias = frozenset[tuple[str, str, int]]
"""Names of positions, each with an array and one of its axes."""


def kept(own: Sequence[ast.AST], scope: Scope) -> Mapping[ast.AST, Kept]:
    """The positions that the loops around each part of a function keep inside.

    Args:
        own: the parts. scope: the names of the function.
    """
    found: dict[ast.AST, Kept] = {}
    sizes = dict(_sizes(own, scope))
    for loop in own:
        match loop:
            case ast.For(ast.Name(name), ast.Call(function, given, []), body) if (
                given and scope.resolve(function) == "builtins.range"
            ):
                of = _size(given[-1], scope, sizes)
                first = literal(given[0]) if len(given) == 2 else 0
                inside = [x for stmt in body for x in walked(stmt)]
                if of is None or first is None or first < 0 or len(given) > 2:
                    continue
                if name in scope.shared or _is_stored(name, inside):
                    continue
                for node in inside:
                    found[node] = found.get(node, Kept()) | {(name, *of)}
    return found


def is_inside(view: Part, positions: Kept) -> bool:
    """Whether a part of an array can be taken, whatever the sizes are.

    Args:
        view: the part. positions: those that are known to be inside.
    """
    for axis, index in enumerate(view.indices):
        match index:
            case ast.Slice():
                continue
            case ast.Name(name) if (name, view.array, axis) in positions:
                continue
            case _:
                return False
    return True


def _sizes(
    own: Sequence[ast.AST], scope: Scope
) -> Iterator[tuple[str, tuple[str, int]]]:
    """Names that stand for an extent of an array, with that."""
    for stmt in own:
        match stmt:
            case ast.Assign(
                [ast.Tuple(targets)], ast.Attribute(ast.Name(array), "shape")
            ) if _is_one(array, scope):
                for axis, target in enumerate(targets):
                    if isinstance(target, ast.Name) and _is_one(target.id, scope):
                        yield target.id, (array, axis)
            case ast.Assign([ast.Name(name)], value) if _is_one(name, scope):
                of = _size(value, scope, {})
                if of is not None:
                    yield name, of


def _size(
    node: ast.expr, scope: Scope, sizes: Mapping[str, tuple[str, int]]
) -> tuple[str, int] | None:
    """The array and the axis that an expression is the extent of.

    Args:
        node: the expression. scope: the names of the function.
        sizes: names that stand for extents.
    """
    match node:
        case ast.Name(name):
            return sizes.get(name)
        case ast.Subscript(ast.Attribute(ast.Name(array), "shape"), at):
            axis = literal(at)
            if axis is not None and axis >= 0 and _is_one(array, scope):
                return array, axis
        case ast.Call(function, [ast.Name(array)], []):
            if scope.resolve(function) == "builtins.len" and _is_one(array, scope):
                return array, 0
    return None


def _is_one(name: str, scope: Scope) -> bool:
    """Whether a name stands for one value all the time."""
    return len(scope.bindings.get(name, ())) == 1 and name not in scope.shared


def _is_stored(name: str, inside: Sequence[ast.AST]) -> bool:
    """Whether some statements give a name a value."""
    return any(
        isinstance(x, ast.Name) and x.id == name and not isinstance(x.ctx, ast.Load)
        for x in inside
    )
