"""Values that a condition chooses, as statements in its branches, in loops.

``y[i] = v.mean() if v.size else 0.0`` is ``if v.size: y[i] = v.mean()`` with an
``else``, where the values have reductions: these run in front of their statement, and
one that the condition keeps from no elements must not run at all.
"""

from __future__ import annotations

import ast
import copy
import functools

from looptx.model.functions import Kind, lookup, lookup_method
from looptx.model.naming import Taken
from looptx.source.ast_tools import walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Changes, spelling
from looptx.source.spelling.inserted import placed


def _choice(node: ast.AST) -> ast.IfExp | None:
    """What a statement assigns, if a condition chooses it."""
    match node:
        case ast.Assign([_], ast.IfExp() as value):
            return value
    return None


@spelling(_choice)
def with_branches(function: Function, scope: Scope) -> Changes:
    """Such values have statements of their own."""
    taken = Taken(scope.identifiers)
    loops = (x for x in own_nodes(function) if isinstance(x, ast.For | ast.While))
    inside = {x: None for loop in loops for x in own_nodes(loop, enter=False)}
    for node in inside:
        value = _choice(node)
        if value is None:
            continue
        parts = (*walked(value.body), *walked(value.orelse))
        if any(_is_reduction(x, scope) for x in parts):
            name = taken.again("once")
            yield node, functools.partial(_once, name)


def _is_reduction(node: ast.AST, scope: Scope) -> bool:
    """Whether an expression makes a number of arrays."""
    if not isinstance(node, ast.Call):
        return False
    full = scope.resolve(node.func)
    if full or not isinstance(node.func, ast.Attribute):
        return full.startswith("numpy.") and lookup(full).kind is Kind.REDUCTION
    return lookup_method(node.func.attr).kind is Kind.REDUCTION


def _once(name: str, node: ast.AST) -> ast.stmt:
    """A statement as its branches, in a loop of one round: it is one in the source.

    Args:
        name: of the variable of the loop. node: the statement.
    """
    assert isinstance(node, ast.Assign)
    return placed([_branches(node)], node, name)


def _branches(node: ast.Assign) -> ast.stmt:
    """A statement as its branches."""
    value = _choice(node)
    assert value is not None
    found: list[ast.stmt] = []
    for one in (value.body, value.orelse):
        made = ast.Assign(copy.deepcopy(node.targets), one)
        found.append(made if _choice(made) is None else _branches(made))
    return ast.If(value.test, [found[0]], [found[1]])
