"""Numbers that are picked from some in brackets: ``min([a, b])`` is ``min(a, b)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Change, respelt

_PICKS = ("builtins.min", "builtins.max")


def with_displays(tree: ast.Module, known: Mapping[str, str]) -> ast.Module:
    """A tree in which these functions are given the numbers themselves.

    Args:
        tree: the module's. known: what its names mean.
    """
    return respelt(tree, known, _displayed, _changes)


def _displayed(node: ast.AST) -> list[ast.expr]:
    """The numbers in the brackets that a call is given; none for another."""
    match node:
        case ast.Call(_, [ast.List([_, _, *_] as parts)], []):
            pass
        case ast.Call(_, [ast.Tuple([_, _, *_] as parts)], []):
            pass
        case _:
            return []
    starred = any(isinstance(part, ast.Starred) for part in parts)
    return [] if starred else parts


def _changes(function: Function, scope: Scope) -> Iterator[tuple[ast.AST, Change]]:
    """The changes of a function."""
    for node in own_nodes(function):
        if not _displayed(node):
            continue
        assert isinstance(node, ast.Call)
        if scope.resolve(node.func) in _PICKS:
            yield node, _given


def _given(node: ast.AST) -> ast.AST:
    """The call without brackets."""
    assert isinstance(node, ast.Call)
    return ast.copy_location(ast.Call(node.func, _displayed(node), []), node)
