"""Texts as statements and expressions, which stand where others do."""

from __future__ import annotations

import ast

from looptx.source.spelling.edits import Node


def statement(text: str) -> ast.stmt:
    """A statement that stands nowhere yet."""
    (stmt,) = ast.parse(text).body
    return _nowhere(stmt)


def expression(text: str) -> ast.expr:
    """An expression that stands nowhere yet."""
    return _nowhere(ast.parse(text, mode="eval").body)


def stored(text: str) -> ast.expr:
    """What is assigned, and stands nowhere yet."""
    made = expression(text)
    made.ctx = ast.Store()  # type: ignore[attr-defined]
    return made


def _nowhere(made: Node) -> Node:
    for node in ast.walk(made):
        for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            vars(node).pop(name, None)
    return made


def placed(made: Node, place: ast.AST) -> Node:
    """New nodes at the place of another one; those of the source stay where they are.

    Args:
        made: these. place: the other one.
    """
    for node in ast.walk(made):
        if isinstance(node, ast.expr | ast.stmt) and "lineno" not in vars(node):
            ast.copy_location(node, place)
    return made
