"""The nodes of a function that are evaluated whenever one of its nests is.

What stands under a condition, or behind a statement that may leave a block, need not
be. Loops are taken to run.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.source.nodes import children
from looptx.source.walking import once, walked

_LATER = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.GeneratorExp,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.Try,
    ast.Match,
)
"""What runs another time, never, or is left where something fails."""

_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def surely(
    function: ast.FunctionDef | ast.AsyncFunctionDef, root: ast.For | ast.If
) -> frozenset[int]:
    """The nodes that are evaluated when a nest is, by ``id``.

    Args:
        function: the function.
        root: the outermost loop of the nest, or the ``if`` that holds joined nests.
    """
    pending: list[ast.AST] = []
    for stmt in function.body[len(_reached(function.body)) :]:
        if root in walked(stmt):
            pending = [*function.body[: function.body.index(stmt) + 1]]
    pending += _reached(root.body if isinstance(root, ast.If) else [root])
    return _whenever(function) | _evaluated(pending)


@once
def _whenever(function: ast.AST) -> frozenset[int]:
    """The nodes that are evaluated when a function is called."""
    assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
    return within(function.body)


def within(body: Sequence[ast.stmt]) -> frozenset[int]:
    """The nodes that are evaluated when a block is, by ``id``."""
    return _evaluated([*_reached(body)])


def _evaluated(pending: list[ast.AST]) -> frozenset[int]:
    found: set[int] = set()
    while pending:
        node = pending.pop()
        if id(node) not in found:
            found.add(id(node))
            pending += _inside(node)
    return frozenset(found)


def _reached(body: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """The statements of a block up to the first after which others may not run."""
    for number, stmt in enumerate(body, 1):
        if any(isinstance(node, _LEAVING) for node in walked(stmt)):
            return body[:number]
    return body


def _inside(node: ast.AST) -> Sequence[ast.AST]:
    """The nodes directly inside one that are evaluated whenever it is."""
    match node:
        case ast.If(test) | ast.IfExp(test) | ast.While(test):
            return [test]
        case ast.BoolOp(values=values):
            return values[:1]
        case ast.Compare(left, _, others):
            return [left, others[0]]
        case ast.For(_, source, body):
            return [source, *_reached(body)]
    return [] if isinstance(node, _LATER) else children(node)
