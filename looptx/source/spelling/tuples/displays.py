"""Numbers in brackets of which one is made: ``min([a, b])`` is ``min(a, b)``.

An array of them that has a name for the next statement alone is written there:
``x = np.array([a, b])`` and ``np.argmin(x)`` are ``np.argmin(np.array([a, b]))``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from looptx.model.functions import Kind, lookup
from looptx.source.ast_tools import blocks
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Change, Changes, always, spelling

_PICKS = ("builtins.min", "builtins.max")
_ARRAY, _NOT = "numpy.array", "numpy.logical_not"


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


@spelling(_displayed)
def with_displays(function: Function, scope: Scope) -> Changes:
    """These functions are given the numbers themselves."""
    nodes = own_nodes(function)
    for node in nodes:
        if isinstance(node, ast.stmt):
            for first, then in (
                pair for block in blocks(node) for pair in pairwise(block)
            ):
                yield from _moved(first, then, scope)
        match node:
            case ast.Call(called) if _displayed(node):
                if scope.resolve(called) in _PICKS:
                    yield node, _given
            case ast.Call(called, [inner], []) if _displayed(inner):
                if scope.resolve(called) == _NOT and _is_array(inner, scope):
                    yield node, _each_not


def _is_array(node: ast.expr, scope: Scope) -> bool:
    """Whether an expression makes an array of numbers in brackets."""
    called = node.func if isinstance(node, ast.Call) else node
    return bool(_displayed(node)) and scope.resolve(called) == _ARRAY


def _moved(
    first: ast.stmt, then: ast.stmt, scope: Scope
) -> Iterator[tuple[ast.AST, Change]]:
    """What becomes of two statements, the first of which makes an array for the other.

    Args:
        first, then: the statements. scope: of the function.
    """
    match first, then:
        case (
            ast.Assign([ast.Name(name)], array),
            ast.Assign([ast.Name()], ast.Call(called, [ast.Name(own) as use], [])),
        ) if name == own and _is_array(array, scope):
            full = scope.resolve(called)
            reduced = full.startswith("numpy.") and lookup(full).kind is Kind.REDUCTION
            nodes = own_nodes(scope.function)
            uses = [x for x in nodes if isinstance(x, ast.Name) and x.id == name]
            if reduced and len(uses) == 2 and name not in scope.shared:
                yield first, always(ast.copy_location(ast.Pass(), first))
                yield use, always(array)


def _given(node: ast.AST) -> ast.AST:
    """The call without brackets."""
    assert isinstance(node, ast.Call)
    return ast.copy_location(ast.Call(node.func, _displayed(node), []), node)


def _each_not(node: ast.AST) -> ast.AST:
    """An array of what is not true, of the numbers themselves."""
    match node:
        case ast.Call(called, [ast.Call(array, [ast.List() | ast.Tuple() as given])]):
            each: list[ast.expr] = [
                ast.copy_location(ast.Call(called, [x], []), x) for x in given.elts
            ]
            listed = ast.copy_location(ast.List(each, ast.Load()), given)
            return ast.copy_location(ast.Call(array, [listed], []), node)
    return node
