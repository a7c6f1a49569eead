"""How the statements of a function end."""

from __future__ import annotations

import ast
from collections.abc import Sequence


def returns(node: ast.AST) -> bool:
    """Whether a statement, or one inside of it, returns."""
    return any(isinstance(part, ast.Return) for part in ast.walk(node))


def falls(block: Sequence[ast.stmt]) -> bool:
    """Whether what stands behind a block may run."""
    for node in block:
        if isinstance(node, ast.Return):
            return False
        if isinstance(node, ast.If) and not (falls(node.body) or falls(node.orelse)):
            return False
    return True
