"""Local names that a rewritten function would take for global ones.

A name is local to a function that binds it anywhere, though the statement never runs.
Where it has no value, reading it fails, and does not find another variable outside.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looptx.source.ast_tools import below, walked
from looptx.source.names.captures import comprehended, local_names
from looptx.source.names.scope import Function


def lost(old: Function, new: Function) -> tuple[str, ...]:
    """The local names of a function that are mentioned in a new one, but not local.

    Args:
        old: the function. new: what became of it.
    """
    gone = local_names(old) - local_names(new)
    return tuple(sorted(gone & frozenset(_mentioned(new)))) if gone else ()


def functions(tree: ast.AST) -> list[Function]:
    """All functions of a module, in an order that their statements do not change."""
    return [*below(tree, ast.FunctionDef), *below(tree, ast.AsyncFunctionDef)]


def _mentioned(function: Function) -> Iterator[str]:
    """The names that a function, or one inside of it, takes from somewhere."""
    own = comprehended(walked(function))
    for node in walked(function):
        if isinstance(node, ast.Name) and node not in own:
            yield node.id
        elif isinstance(node, ast.Nonlocal):
            yield from node.names
