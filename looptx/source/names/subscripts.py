"""Subscripts as they are written: ``A[i][j]`` and ``A[i, j]`` are the same element."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TypeGuard


def subscripts(node: ast.Subscript) -> tuple[ast.expr, list[ast.expr]]:
    """The base and the subscripts of ``A[i][j]`` or ``A[i, j]``, flattened."""
    groups, base = [index_list(node)], node.value
    while _goes_on(base):
        groups.append(index_list(base))
        base = base.value
    return base, [index for group in reversed(groups) for index in group]


def sliced(node: ast.Subscript) -> tuple[ast.expr, int]:
    """The array below all brackets, and how many of its axes have one position."""
    taken = 0
    inner: ast.expr = node
    while isinstance(inner, ast.Subscript):
        taken += sum(map(may_be_number, index_list(inner)))
        inner = inner.value
    return inner, taken


def continued(nodes: Iterable[ast.AST]) -> frozenset[ast.AST]:
    """Each subscript with more behind it: ``A[i]`` within ``A[i][j]``.

    Who looks at whole chains only is done in linear time, however long they are.
    """
    return frozenset(
        node.value
        for node in nodes
        if isinstance(node, ast.Subscript) and _goes_on(node.value)
    )


def _goes_on(node: ast.expr) -> TypeGuard[ast.Subscript]:
    """Whether more subscripts behind this one select from the same array."""
    return isinstance(node, ast.Subscript) and all(map(may_be_number, index_list(node)))


def index_list(node: ast.Subscript) -> list[ast.expr]:
    """The subscripts between one pair of brackets."""
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def may_be_number(node: ast.expr) -> bool:
    """Whether a subscript can select one position (a slice or ``None`` cannot)."""
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    return not isinstance(
        node, ast.Slice | ast.Starred | ast.Compare | ast.List | ast.Tuple | ast.BoolOp
    )


def elements(array: str) -> str:
    """What stands among names for all the elements of an array."""
    return f"{array}[]"
