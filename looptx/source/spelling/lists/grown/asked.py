"""Loops that ask for an element of a list that they change, and may raise there.

``while path[-1] != (0, 0)`` looks at a list before each round. As an endless loop that
asks first and breaks off, it does so in a statement, which Python can run where there
is no such element.
"""

from __future__ import annotations

import ast

from looptx.source.ast_tools import walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Changes, spelling
from looptx.source.spelling.lists.operations import (
    METHODS,
    Operation,
    Parents,
    is_there,
    operation,
    parents,
)


def _asking(node: ast.AST) -> bool:
    """Whether a loop asks for elements, and does nothing else when it ends."""
    if not isinstance(node, ast.While) or node.orelse:
        return False
    return any(isinstance(x, ast.Subscript) for x in walked(node.test))


@spelling(_asking)
def with_asked(function: Function, scope: Scope) -> Changes:
    """Loops ask for elements of lists in a statement."""
    nodes = own_nodes(function)
    around = parents(nodes)
    changed = {
        node.value.id
        for node in nodes
        if isinstance(node, ast.Attribute) and node.attr in METHODS
        if isinstance(node.value, ast.Name)
    }
    for loop in filter(_asking, nodes):
        assert isinstance(loop, ast.While)
        found = [
            operation(use, scope, around)
            for use in walked(loop.test)
            if isinstance(use, ast.Name) and use.id in changed
        ]
        asked = [one for one in found if one and one.at and not is_there(one, around)]
        always = {_element(one) for one in asked if _is_sure(one.node, loop, around)}
        # What a condition keeps from being looked at need not be there.
        if asked and always.issuperset(map(_element, asked)):
            yield loop, _endless


def _element(one: Operation) -> tuple[str, str]:
    """Which element of which list an operation looks at."""
    assert one.at is not None
    return one.name, ast.unparse(one.at)


def _is_sure(node: ast.AST, loop: ast.While, around: Parents) -> bool:
    """Whether a part of what a loop asks is evaluated before each round.

    Args:
        node: the part. loop: it. around: what nodes stand in.
    """
    while (outer := around[node]) is not loop:
        match outer:
            case ast.BoolOp(_, [first, *_]) | ast.IfExp(test=first):
                known = first is node
            case ast.Compare(left, _, [second, *_]):
                known = node in (left, second)
            case _:
                known = not isinstance(outer, ast.comprehension | ast.Lambda)
        if not known:
            return False
        node = outer
    return True


def _endless(node: ast.AST) -> ast.AST:
    """A loop that breaks off where what it asks for does not hold."""
    assert isinstance(node, ast.While)
    ends = ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], [])
    endless = ast.While(ast.Constant(True), [ends, *node.body], [])
    return ast.fix_missing_locations(ast.copy_location(endless, node))
