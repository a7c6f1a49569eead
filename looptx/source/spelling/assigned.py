"""Elements that are assigned where a comparison of them holds, as all elements.

``x[x < 0] = 0.0`` is ``x[:] = np.where(x < 0, 0.0, x)``: the mask has the shape of the
array, as it is made of that alone.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping

from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Change, always, respelt
from looptx.source.spelling.whole.maker import Known

_MASKS = ast.Compare | ast.BinOp | ast.Call

_EVERYWHERE = 127
"""The largest integer that all types of integers have."""

_EXACT = 2048
"""Integers up to that are floats of any type, exactly."""


def with_assigned(
    tree: ast.Module, known: Mapping[str, str], axes: Mapping[str, int]
) -> ast.Module:
    """A tree in which no masks of their own arrays are assigned to.

    Args:
        tree: the module's. known: what its names mean.
        axes: how many arguments have, where no text says so.
    """

    def changes(function: Function, scope: Scope) -> Iterator[tuple[ast.AST, Change]]:
        own = Known.of(function, scope, axes)
        for node in own_nodes(function):
            target = _target(node)
            if target is None or not own.numpy:
                continue
            assert isinstance(target.value, ast.Name)
            assert isinstance(node, ast.Assign | ast.AugAssign)
            rank = own.ranks.get(target.value.id, 0)
            value = _number(node.value, assigned=isinstance(node, ast.Assign))
            if rank and value is not None and _is_mask(target, scope):
                yield node, always(_whole(node, target, value, rank, own.numpy))

    return respelt(tree, known, _target, changes)


def _target(node: ast.AST) -> ast.Subscript | None:
    """What a statement assigns, if that may be what a mask tells."""
    match node:
        case ast.Assign([ast.Subscript(ast.Name(), mask) as one]) | ast.AugAssign(
            ast.Subscript(ast.Name(), mask) as one
        ):
            return one if isinstance(mask, _MASKS) else None
    return None


def _is_mask(target: ast.Subscript, scope: Scope) -> bool:
    """Whether a subscript compares the elements of its own array with numbers."""
    assert isinstance(target.value, ast.Name)
    array, mask = target.value.id, target.slice
    if scope.wild or array in scope.shared or len(scope.bindings.get(array, ())) > 1:
        return False
    return _is_of(mask, array, scope)


def _is_of(mask: ast.expr, array: str, scope: Scope) -> bool:
    """Whether each comparison in a mask is of an array, with numbers if anything.

    Args:
        mask: comparisons, and what joins them. array: the name of the array.
        scope: what names mean.
    """
    match mask:
        case ast.BinOp(left, ast.BitAnd() | ast.BitOr(), right):
            return _is_of(left, array, scope) and _is_of(right, array, scope)
        case ast.Compare(ast.Name(name), [op], [right]):
            same = isinstance(right, ast.Name) and right.id == array
            known = isinstance(
                op, ast.Eq | ast.NotEq | ast.Lt | ast.LtE | ast.Gt | ast.GtE
            )
            return name == array and known and (same or _is_number(right))
        case ast.Call(function, [ast.Name(name)], []):
            return name == array and scope.resolve(function) == "numpy.isnan"
    return False


def _is_number(node: ast.expr) -> bool:
    """Whether an expression is a number as it is written."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _is_number(node.operand)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _number(node: ast.expr, *, assigned: bool) -> ast.expr | None:
    """A number that arrays of all types take, or of floats; None for any other one.

    An array of integers does not take an integer that its type has not.

    Args:
        node: what is assigned. assigned: whether that is all that is done with it.
    """
    if not _is_number(node):
        return None
    value = ast.literal_eval(node)
    if isinstance(value, float) or 0 <= value <= _EVERYWHERE:
        return node
    return ast.Constant(float(value)) if assigned and abs(value) <= _EXACT else None


def _whole(
    stmt: ast.Assign | ast.AugAssign,
    target: ast.Subscript,
    value: ast.expr,
    rank: int,
    numpy: str,
) -> ast.stmt:
    """The statement on all elements.

    Args:
        stmt: it. target: what it assigns. value: the number that it has.
        rank: how many axes the array has. numpy: the name of NumPy.
    """
    array = ast.Name(ast.unparse(target.value), ast.Load())
    if isinstance(stmt, ast.AugAssign):
        value = ast.BinOp(array, stmt.op, value)
    where = ast.Attribute(ast.Name(numpy, ast.Load()), "where", ast.Load())
    chosen = ast.Call(where, [copy.deepcopy(target.slice), value, array], [])
    slices: list[ast.expr] = [ast.Slice() for _ in range(rank)]
    index = slices[0] if rank == 1 else ast.Tuple(slices, ast.Load())
    made = ast.Assign([ast.Subscript(array, index, ast.Store())], chosen)
    made = copy.deepcopy(made)
    for node in ast.walk(made):
        if isinstance(node, ast.expr | ast.stmt):
            ast.copy_location(node, stmt)
    return made
