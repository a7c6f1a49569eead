"""Arguments that are arrays where nothing else tells it: they say so.

``x[m]`` reads as one element, and ``x.mean()`` as a call of anything, unless something
tells that ``m`` and ``x`` are arrays, as the arguments of a call do.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping

from looptx.model.functions import Kind, lookup_method
from looptx.source.names.imports import arguments, own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.names.subscripts import index_list
from looptx.source.spelling.edits import Changes, spelling

_METHODS = (Kind.REDUCTION, Kind.ARRAY)
"""What methods of arrays do that nests may call."""


def _arrays(node: ast.AST) -> Iterator[ast.expr]:
    """What may be arrays, as a node uses it: subscripts, and what has methods."""
    match node:
        case ast.Subscript():
            yield from index_list(node)
        case ast.Call(ast.Attribute(of, name)) if lookup_method(name).kind in _METHODS:
            yield from _operands(of)


@spelling(lambda node: any(True for _ in _arrays(node)))
def with_indexing(function: Function, scope: Scope, axes: Mapping[str, int]) -> Changes:
    """Such arguments say that they are arrays.

    Args:
        function: it. scope: its names.
        axes: how many arguments have, where no text says so.
    """
    told = {
        one.id
        for node in own_nodes(function)
        for one in _arrays(node)
        if isinstance(one, ast.Name) and axes.get(one.id, 0)
    }
    for one in arguments(function):
        if one.arg in told and one.annotation is None:
            yield one, _array


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    """What an expression computes with, element by element."""
    match node:
        case ast.BinOp(left, _, right) | ast.Compare(left, [_], [right]):
            yield from _operands(left)
            yield from _operands(right)
        case ast.UnaryOp(_, operand):
            yield from _operands(operand)
        case _:
            yield node


def _array(node: ast.AST) -> ast.AST:
    """An argument that is an array of one axis, at least."""
    found = copy.copy(node)
    assert isinstance(found, ast.arg)
    found.annotation = ast.Constant("[:]")
    return found
