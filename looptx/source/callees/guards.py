"""Exceptions of a function as guards, each in front of what runs where it is none.

``if x > 0: return f(x)`` and a ``raise`` behind it is ``if not x > 0: raise`` and a
``return`` behind that. What leads to a ``raise`` alone is left out: the loops around
the call start again as written.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.model.callees.structure import falls, returns


def guarded(
    code: Sequence[ast.stmt], behind: Sequence[ast.stmt] = ()
) -> list[ast.stmt]:
    """Statements of a function with what raises outside of loops as guards.

    Args:
        code: the statements. behind: what follows them, with guards.
    """
    found = [*behind]
    for node in reversed(code):
        match node:
            case ast.Raise():
                found = [node]
            case ast.If():
                found = _chosen(node, found)
            case ast.For() | ast.While() if returns(node) and raises(found):
                found = [node, found[-1]]
            case _:
                found = [node, *found]
    return found


def raises(block: Sequence[ast.stmt]) -> bool:
    """Whether all ways through a block end with a ``raise``."""
    return (
        bool(block)
        and isinstance(block[-1], ast.Raise)
        and not any(map(returns, block))
    )


def _chosen(node: ast.If, behind: list[ast.stmt]) -> list[ast.stmt]:
    """A decision between two ways, with what follows it.

    Args:
        node: it. behind: what follows.
    """
    body, orelse = guarded(node.body), guarded(node.orelse)
    otherwise = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
    if raises(body):
        return [_guard(node, node.test), *guarded(node.orelse, behind)]
    if raises(orelse):
        return [_guard(node, otherwise), *guarded(node.body, behind)]
    if not falls(body):
        rest = guarded(node.orelse, behind)
        if raises(rest):
            return [_guard(node, otherwise), *body]
        return [_decided(node, node.test, body), *rest]
    if orelse and not falls(orelse):
        rest = guarded(node.body, behind)
        if raises(rest):
            return [_guard(node, node.test), *orelse]
        return [_decided(node, otherwise, orelse), *rest]
    made = _decided(node, node.test, body)
    made.orelse = orelse
    return [made, *behind]


def _guard(node: ast.If, test: ast.expr) -> ast.stmt:
    """A guard in the place of a decision."""
    return _decided(node, test, [ast.copy_location(ast.Raise(), node)])


def _decided(node: ast.If, test: ast.expr, body: list[ast.stmt]) -> ast.If:
    """A decision in the place of another one.

    Args:
        node: that. test: the condition. body: what runs where it holds.
    """
    return ast.copy_location(ast.If(test, body, []), node)
