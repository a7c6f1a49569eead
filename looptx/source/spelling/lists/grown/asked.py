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
        for use in walked(loop.test):
            if not isinstance(use, ast.Name) or use.id not in changed:
                continue
            one = operation(use, scope, around)
            if one and one.at is not None and not is_there(one, around):
                yield loop, _endless
                break


def _endless(node: ast.AST) -> ast.AST:
    """A loop that breaks off where what it asks for does not hold."""
    assert isinstance(node, ast.While)
    test = node.test
    wrong = ast.copy_location(ast.UnaryOp(ast.Not(), test), test)
    leave = ast.copy_location(ast.Break(), test)
    ends = ast.copy_location(ast.If(wrong, [leave], []), test)
    endless = ast.copy_location(ast.Constant(True), test)
    return ast.copy_location(ast.While(endless, [ends, *node.body], []), node)
