"""What runs in front of a statement, where it may raise in another order."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.lower.kinds import fail
from looptx.lower.scope import Scope
from looptx.lower.tree import If, Stmt, dangers, expressions
from looptx.lower.values.views import has_arrays
from looptx.model.records import replace

MEMORY = "too little memory"
"""What Python may raise anywhere: nothing is to be ordered by it."""


def check_order(
    scope: Scope, node: ast.stmt, before: Sequence[Stmt], lines: Sequence[Stmt]
) -> None:
    """Make sure that what runs in front of a statement may do so.

    Args:
        scope: the nest. node: the statement.
        before: what runs in front of it. lines: the rest of it.

    Raises:
        Unsupported: LX504 where Python would raise another error first, or none.
    """
    if isinstance(node, ast.While):
        fail("a reduction of what is computed in the condition of a loop")
    if {*dangers(expressions(before))} - {MEMORY}:
        whole = node.test if isinstance(node, ast.If) else node
        perhaps = (part for x in ast.walk(whole) for part in _perhaps(x))
        own = [
            replace(x, body=(), orelse=()) if isinstance(x, If) else x for x in lines
        ]
        late = any(has_arrays(part, scope) for part in perhaps)
        if late or dangers(expressions(own)):
            fail("a reduction that may raise beside what may raise, too")


def _perhaps(node: ast.AST) -> list[ast.expr]:
    """The parts of an expression that Python may not evaluate."""
    match node:
        case ast.BoolOp(_, values):
            return values[1:]
        case ast.IfExp(_, body, orelse):
            return [body, orelse]
        case ast.Compare(_, _, values):
            return values[1:]
    return []
