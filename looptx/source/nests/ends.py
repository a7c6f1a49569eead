"""Loops whose end data decide: by jumps in their body, or as parts of a ``while``."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from looptx.model.program import KeptLoop
from looptx.source.ast_tools import walked
from looptx.source.names.must_execute import jumps
from looptx.source.nests.headers import Obstacle
from looptx.source.text.parse import Parsed

_AROUND = "name a loop around it, or schedule it in a function of its own"


def early_end(loop: ast.For) -> tuple[ast.stmt, Obstacle] | None:
    """What in a loop decides which iterations run, and why it cannot be scheduled."""
    for jump in jumps(loop.body):
        what = "may end at its `break`"
        if isinstance(jump, ast.Continue):
            what = "has a `continue`"
        return jump, Obstacle(f"it {what}", _AROUND)
    if loop.orelse:
        hint = "a loop without `break` always runs it: write it after the loop"
        return loop.orelse[0], Obstacle("it has an `else`", hint)
    return None


def ending(root: ast.stmt, parsed: Parsed) -> dict[ast.AST, KeptLoop]:
    """The inner loops that are parts of opaque statements, as their text says.

    Args:
        root: the outermost loop of a nest. parsed: the module.
    """
    found: dict[ast.AST, KeptLoop] = {}
    for node in walked(root):
        if node is root or node in found:
            continue
        if isinstance(node, ast.While):
            found |= kept(node, Obstacle("it stands in a `while`", _AROUND), parsed)
        elif isinstance(node, ast.For) and (end := early_end(node)) is not None:
            found |= kept(node, end[1], parsed)
    return found


def kept(node: ast.stmt, why: Obstacle, parsed: Parsed) -> Mapping[ast.AST, KeptLoop]:
    """The loops of a statement that becomes opaque.

    Args:
        node: the statement. why: what is wrong with it. parsed: the module.
    """
    found: dict[ast.AST, KeptLoop] = {}
    for loop in walked(node):
        if isinstance(loop, ast.For):
            reason = why.reason
            if loop is not node and isinstance(node, ast.For):
                outer = ast.unparse(node.target)
                where = f"it stands in the loop `{outer}` of line {node.lineno}"
                reason = f"{where}, of which {reason}"
            place = parsed.place(loop)
            found[loop] = KeptLoop(ast.unparse(loop.target), place, reason, why.hint)
    return found
