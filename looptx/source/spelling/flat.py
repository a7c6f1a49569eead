"""Loops over all elements of arrays: ``for v in A.ravel()`` goes through an array.

That array is made where the loop begins, as the source says, and given to its nest: of
what is no array of NumPy, nobody is asked for it twice.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from looptx.model.naming import HELD, free
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Change, always, respelt
from looptx.source.spelling.tuples.parts import noting

_METHODS = ("ravel", "flatten")


def with_flat(tree: ast.Module, known: Mapping[str, str]) -> ast.Module:
    """A tree in which the loops that stand in no others go through arrays with names.

    Args:
        tree: the module's. known: what its names mean.
    """
    return respelt(tree, known, _flattened, _changes)


def _changes(function: Function, scope: Scope) -> Iterator[tuple[ast.AST, Change]]:
    """The changes of a function, in the headers of its outermost loops."""
    loops = [x for x in own_nodes(function) if isinstance(x, ast.For | ast.While)]
    inside = {part for loop in loops for part in walked(loop) if part is not loop}
    outermost = [x for x in loops if x not in inside and isinstance(x, ast.For)]
    taken, parts = set(scope.identifiers), dict[str, str]()
    for node in (x for loop in outermost for x in _sources(loop, scope)):
        array = _flattened(node)
        name = free(f"{HELD}{array.replace('.', '_')}_flat", taken)
        taken.add(name)
        own = f"{array}.__class__.__module__.startswith('numpy')"
        parts[name] = f"{ast.unparse(node)} if {own} else None"
        made = ast.copy_location(ast.Name(name, ast.Load()), node)
        yield node, always(made)
    if parts:
        yield function, noting(parts)


def _sources(loop: ast.For, scope: Scope) -> Iterator[ast.expr]:
    """The arrays of all elements that a loop goes through."""
    left = [loop.iter]
    while left:
        match left.pop():
            case ast.Call(function, args) if scope.resolve(function) in (
                "builtins.enumerate",
                "builtins.reversed",
                "builtins.zip",
            ):
                left += args
            case node if _flattened(node):
                yield node


def _flattened(node: ast.AST) -> str:
    """The array of which an expression has all elements; empty for others."""
    match node:
        case ast.Call(ast.Attribute(array, method), [], []) if method in _METHODS:
            return dotted(array)
    return ""
