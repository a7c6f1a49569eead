"""How the statements of a function end."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.model.trees import walk

DEEPEST = 400
"""So many calls of itself are one loop; Python allows a thousand frames in all."""

TOO_DEEP = "RecursionError"
"""What such a loop raises behind them."""


def returns(node: ast.AST) -> bool:
    """Whether a statement, or one inside of it, returns."""
    return any(isinstance(part, ast.Return) for part in walk(node))


def falls(block: Sequence[ast.stmt]) -> bool:
    """Whether what stands behind a block may run."""
    for node in block:
        if isinstance(node, ast.Return | ast.Break | ast.Continue | ast.Raise):
            return False
        if isinstance(node, ast.For | ast.While) and is_endless(node):
            return False
        if isinstance(node, ast.If) and not (falls(node.body) or falls(node.orelse)):
            return False
    return True


def is_guard(node: ast.stmt) -> bool:
    """Whether a statement raises under a condition, and does nothing else."""
    match node:
        case ast.If(_, [ast.Raise()], []):
            return True
    return False


def splits(node: ast.stmt) -> int:
    """How many ``if`` of a statement may return, or be left both ways."""
    return sum(
        isinstance(part, ast.If)
        and returns(part)
        and falls(part.body)
        and falls(part.orelse)
        for part in walk(node)
    )


def running(node: ast.AST) -> int:
    """How many calls of functions that call themselves may run at once in loops."""
    inner = max(map(running, ast.iter_child_nodes(node)), default=0)
    own = isinstance(node, ast.While) and _counts(node)
    return inner + DEEPEST if own else inner


def _counts(node: ast.AST) -> bool:
    """Whether a loop raises where a function has called itself too often."""
    for part in ast.iter_child_nodes(node):
        match part:
            case ast.Raise(ast.Name(name)) if name == TOO_DEEP:
                return True
            case ast.While():
                continue
        if _counts(part):
            return True
    return False


def is_endless(node: ast.For | ast.While) -> bool:
    """Whether nothing behind a loop runs: it returns there, or in its ``else``."""
    if _breaks(node.body):
        return False
    if isinstance(node, ast.While) and isinstance(node.test, ast.Constant):
        return bool(node.test.value)
    return bool(node.orelse) and not falls(node.orelse)


def _breaks(block: Sequence[ast.stmt]) -> bool:
    """Whether statements of a loop may leave it by ``break``."""
    for node in block:
        match node:
            case ast.Break():
                return True
            case ast.If(_, body, orelse):
                if _breaks([*body, *orelse]):
                    return True
            case ast.For(orelse=orelse) | ast.While(orelse=orelse):
                if _breaks(orelse):
                    return True
    return False
