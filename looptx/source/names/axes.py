"""How many axes an array has at least, as far as a use of it says that."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looptx.model.trees import dotted
from looptx.source.names.subscripts import index_list, may_be_number


def said(node: ast.AST) -> Iterator[tuple[ast.expr, int]]:
    """The array that a node uses, perhaps a part of one, and its axes."""
    match node:
        case ast.Subscript(ast.Attribute(array, "shape"), ast.Constant(int(axis))):
            yield array, axis + 1
        case ast.Subscript(
            ast.Attribute(array, "shape"),
            ast.UnaryOp(ast.USub(), ast.Constant(int(axis))),
        ):
            yield array, axis
        case ast.Subscript(base):
            yield base, max(1, sum(not _is_no_axis(x) for x in index_list(node)))
        case ast.Assign([ast.Tuple(targets)], ast.Attribute(array, "shape")):
            yield array, len(targets)


def needed(node: ast.expr, axes: int) -> Iterator[tuple[str, int]]:
    """The array that a part of one is of, and its axes if the part has so many.

    Args:
        node: the part, or the array. axes: how many it has.
    """
    if isinstance(node, ast.Subscript):
        parts = [one for one in index_list(node) if not _is_no_axis(one)]
        new = sum(_is_new(one) for one in index_list(node))
        taken = sum(map(may_be_number, parts))
        yield from needed(node.value, max(len(parts), taken + axes - new))
    elif name := dotted(node):
        yield name, axes


def _is_no_axis(index: ast.expr) -> bool:
    """Whether a subscript selects nothing on an axis of its own."""
    return _is_new(index) or (isinstance(index, ast.Constant) and index.value is ...)


def _is_new(index: ast.expr) -> bool:
    """Whether a subscript makes an axis that the array has not."""
    match index:
        case ast.Constant(None) | ast.Attribute(attr="newaxis"):
            return True
    return False
