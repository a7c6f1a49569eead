"""Statements on arrays as parts of other statements: loops over elements in there."""

from __future__ import annotations

import ast
from typing import TypeVar

Node = TypeVar("Node", bound=ast.AST)


def noted(loops: Node) -> Node:
    """Loops over the elements of one, which may be a part of another statement."""
    for node in ast.walk(loops):
        if isinstance(node, ast.stmt):
            vars(node)["slices"] = True
    return loops


def test(stmt: ast.If) -> ast.If:
    """A condition under which such loops, which are its body, mean the same."""
    vars(stmt)["of_slices"] = True
    return stmt


def is_test(stmt: ast.If) -> bool:
    """Whether a statement is such a condition; Python runs what is no such loop."""
    return "of_slices" in vars(stmt)


def is_noted(stmt: ast.stmt) -> bool:
    """Whether a statement is one of those, or what these do."""
    return "slices" in vars(stmt)


def is_elementwise(node: ast.AST) -> bool:
    """Whether a statement is a part of one on arrays, or of what that is."""
    return "agrees" in vars(node)
