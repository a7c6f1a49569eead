"""The extents that are asked for: ``len(A)``, ``A.shape[-1]``, ``A[i].shape[0]``."""

from __future__ import annotations

import ast
from collections.abc import Callable

from looptx.lower.scope import Scope
from looptx.lower.tree import Expr, index, number
from looptx.lower.values.literals import literal
from looptx.model import shapes
from looptx.model.expr import Const, IntExpr, Var, mul
from looptx.model.naming import flat_axis
from looptx.model.trees import brackets, dotted
from looptx.model.types import ArrayType


def said(node: ast.Attribute, scope: Scope) -> Expr | None:
    """How many elements or axes an array has, as it is asked by its name.

    Args:
        node: what is asked. scope: the nest.
    """
    found = counted(node, scope)
    if found is None:
        return None
    return literal(found.value) if isinstance(found, Const) else index(found)


def numbered(array: str, axis: int, told: int) -> Expr:
    """The axis that an error names: none, -1, for an element of ``A.flat``.

    Args:
        array: its name. axis: the axis. told: which one it is of a row.
    """
    return number(-1 if axis == flat_axis(array) else told)


def outside(holder: str, stored: bool) -> int:
    """What stands for an axis in the error of a list or a tuple, which names none.

    Args:
        holder: which of them. stored: whether an element is stored.
    """
    if holder == "tuple":
        return -2
    return -4 if stored else -3


def counted(node: ast.Attribute, scope: Scope) -> IntExpr | None:
    """The same as an expression; None where it is something else that is asked.

    Args:
        node: what is asked. scope: the nest.
    """
    name = dotted(node.value)
    kind = scope.type_of(name)
    if not isinstance(kind, ArrayType) or node.attr not in ("size", "ndim"):
        return None
    if node.attr == "ndim":
        return Const(kind.ndim)
    return mul(*(Var(scope.extent(name, axis)) for axis in range(kind.ndim)))


def extent(
    node: ast.expr, scope: Scope, inside: Callable[[str, int, ast.expr], bool]
) -> str:
    """The size that an expression is, ``A.shape[1]`` for ``len(A[i])``, or empty.

    Args:
        node: the expression.
        scope: the nest.
        inside: whether the entry makes sure that an index, of an array along an axis,
            does not raise.
    """
    match node:
        case ast.Call(function, [array], []) if scope.full(dotted(function)) == "len":
            axis = 0
        case ast.Subscript(ast.Attribute(array, "shape"), index):
            number = _literal(index)
            if number is None:
                return ""
            axis = number
        case _:
            return ""
    axes = _axes(array, scope, inside)
    if -len(axes) <= axis < len(axes):
        axis = axes[axis]
    elif not dotted(array):
        return ""
    return shapes.extent(dotted(brackets(array)[0]), axis)


def _axes(
    node: ast.expr, scope: Scope, inside: Callable[[str, int, ast.expr], bool]
) -> list[int]:
    """The axes of an array that a part of it still has; none where that is not sure."""
    base, groups = brackets(node)
    name = dotted(base)
    kind = scope.type_of(name)
    axes = list(range(kind.ndim)) if isinstance(kind, ArrayType) else []
    for group in groups:
        if len(group) > len(axes):
            return []
        kept = []
        for axis, part in zip(axes, group, strict=False):
            if isinstance(part, ast.Slice) and ast.unparse(part) == ":":
                kept.append(axis)
            elif not inside(name, axis, part):
                return []
        axes = kept + axes[len(group) :]
    return axes


def _literal(node: ast.expr) -> int | None:
    """The value of ``1`` or ``-1``."""
    match node:
        case ast.Constant(value) if type(value) is int:
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(value)) if type(value) is int:
            return -value
    return None
