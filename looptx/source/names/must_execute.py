"""The nodes of a function that must be executed whenever one of its nests is.

What stands under a condition, or behind a statement that may leave a block, need not
be. Loops are taken to run, and names to keep what they are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from looptx.model.trees import children
from looptx.source.ast_tools import blocks, once, walked
from looptx.source.names.enclosing import enclosing
from looptx.source.names.imports import FUNCTIONS

_ELSEWHERE = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.AsyncFor,
    ast.AsyncWith,
    ast.Try,
    ast.Match,
    ast.Assert,
)
"""Constructs whose body may not execute: later, never, or not to its end."""

_JUMPS = (ast.Break, ast.Continue)
_LEAVING = (ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)


def must_execute(
    function: ast.FunctionDef | ast.AsyncFunctionDef, root: ast.For | ast.While | ast.If
) -> frozenset[ast.AST]:
    """The nodes that are evaluated when a nest is.

    Args:
        function: the function.
        root: the outermost loop of the nest, or the ``if`` that holds joined nests.
    """
    nest = _reached(root.body if isinstance(root, ast.If) else [root])
    return _evaluated([*_around(function, root), *nest], _whenever(function))


def rebound(
    function: ast.FunctionDef | ast.AsyncFunctionDef, root: ast.stmt
) -> frozenset[str]:
    """The names that have a new value in any case before a nest runs."""
    found: set[str] = set()
    for stmt in enclosing(function, root)[0].before:
        if isinstance(stmt, ast.Assign):
            targets = (node for one in stmt.targets for node in walked(one))
            found |= {node.id for node in targets if _is_stored(node)}
    return frozenset(found)


def _is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


@once
def _whenever(function: ast.AST) -> frozenset[ast.AST]:
    """The nodes that are evaluated when a function is called."""
    assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
    return within(function.body)


def within(body: Sequence[ast.stmt]) -> frozenset[ast.AST]:
    """The nodes that are evaluated when a block is."""
    return _evaluated(_reached(body))


def leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether nothing behind a block runs after it."""
    return bool(body) and isinstance(body[-1], (ast.Return, ast.Raise, *_JUMPS))


def jumps(body: Sequence[ast.stmt]) -> Iterator[ast.Break | ast.Continue]:
    """The ``break`` and ``continue`` in the body of a loop that are its own."""
    for stmt in body:
        if isinstance(stmt, ast.Break | ast.Continue):
            yield stmt
        elif isinstance(stmt, ast.For | ast.AsyncFor | ast.While):
            yield from jumps(stmt.orelse)
        elif not isinstance(stmt, FUNCTIONS | ast.ClassDef):
            for block in blocks(stmt):
                yield from jumps(block)


def _around(function: ast.stmt, root: ast.stmt) -> Iterator[ast.stmt]:
    """The statements that dominate a nest, or follow it whenever it runs."""
    for step in enclosing(function, root):
        yield from step.before
        yield from _reached(step.block[step.at :])


def _evaluated(
    nodes: Sequence[ast.AST], known: frozenset[ast.AST] = frozenset()
) -> frozenset[ast.AST]:
    """The nodes, and what is evaluated whenever they are, besides what is known."""
    pending, found = list(nodes), set(known)
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            pending += _inside(node)
    return frozenset(found)


def _reached(body: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """The statements of a block up to the first after which others may not run."""
    for number, stmt in enumerate(body, 1):
        if _may_leave(stmt):
            return body[:number]
    return body


@once
def _may_leave(stmt: ast.AST) -> bool:
    if any(isinstance(node, _LEAVING) for node in walked(stmt)):
        return True
    return isinstance(stmt, ast.stmt) and any(jumps([stmt]))


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
        case ast.With(items):
            return items
        case ast.AnnAssign(target=target, value=value):
            return [target, *([value] if value else [])]
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return [node.generators[0].iter]
    return [] if isinstance(node, _ELSEWHERE) else children(node)
