"""Arguments that select elements of arrays, and are arrays: they say so.

``x[m]`` reads as one element unless something tells that ``m`` is an array, as the
arguments of a call do.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping

from looptx.source.names.imports import arguments, own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.names.subscripts import index_list
from looptx.source.spelling.edits import Change, respelt


def with_indexing(
    tree: ast.Module, known: Mapping[str, str], axes: Mapping[str, int]
) -> ast.Module:
    """A tree in which arguments that select elements say that they are arrays.

    Args:
        tree: the module's. known: what its names mean.
        axes: how many arguments have, where no text says so.
    """

    def changes(function: Function, scope: Scope) -> Iterator[tuple[ast.AST, Change]]:
        inside = [x for x in own_nodes(function) if isinstance(x, ast.Subscript)]
        told = {
            index.id
            for part in inside
            for index in index_list(part)
            if isinstance(index, ast.Name) and axes.get(index.id, 0)
        }
        for one in arguments(function):
            if one.arg in told and one.annotation is None:
                yield one, _array

    return respelt(tree, known, lambda node: isinstance(node, ast.Subscript), changes)


def _array(node: ast.AST) -> ast.AST:
    """An argument that is an array of one axis, at least."""
    found = copy.copy(node)
    assert isinstance(found, ast.arg)
    found.annotation = ast.Constant("[:]")
    return found
