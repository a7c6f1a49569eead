"""Trees that name what they compute: renamed, chosen, and put together."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence

from looptx.model.callees.quietness import uses


class Renamed(ast.NodeTransformer):
    """A tree with other expressions for names."""

    def __init__(self, meant: Mapping[str, ast.expr]) -> None:
        self.meant = meant

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """What stands for a name."""
        found = self.meant.get(node.id)
        return node if found is None else placed(found, node.ctx)


def reads(node: ast.AST, name: str) -> bool:
    """Whether a tree reads a name."""
    return any(one == name for one, _ in uses(node))


def stored(block: Sequence[ast.stmt]) -> set[str]:
    """The names that statements may assign."""
    return {
        node.id
        for line in block
        for node in ast.walk(line)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def assign(target: ast.expr, value: ast.expr) -> ast.Assign:
    """An assignment."""
    return ast.Assign([placed(target, ast.Store())], value, lineno=0)


def placed(node: ast.expr, context: ast.expr_context) -> ast.expr:
    """An expression as it is written where it is read, or assigned."""
    if not isinstance(node, ast.Name | ast.Tuple | ast.Subscript):
        return node
    made = copy.copy(node)
    made.ctx = context
    if isinstance(made, ast.Tuple):
        made.elts = [placed(part, context) for part in made.elts]
    return made


def count(value: ast.expr) -> int:
    """How many numbers a value is."""
    return sum(map(count, value.elts)) if isinstance(value, ast.Tuple) else 1


def chosen(test: ast.expr, value: ast.expr, other: ast.expr) -> ast.expr:
    """One of two values; of several at once each is one of two.

    Args:
        test: which. value: where it holds. other: where it does not.
    """
    if isinstance(value, ast.Tuple) and isinstance(other, ast.Tuple):
        pairs = zip(value.elts, other.elts, strict=True)
        return ast.Tuple([chosen(test, x, y) for x, y in pairs], ast.Load())
    return ast.IfExp(test, value, other)


def substituted(value: ast.expr, lines: Sequence[ast.stmt]) -> ast.expr:
    """A value with the expressions that lines before it assign."""
    meant: dict[str, ast.expr] = {}
    for line in lines:
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
            meant[line.targets[0].id] = renamed(line.value, meant)
    return renamed(value, meant)


def renamed(value: ast.expr, meant: Mapping[str, ast.expr]) -> ast.expr:
    """An expression with others for names."""
    made = Renamed(meant).visit(copy.deepcopy(value))
    assert isinstance(made, ast.expr)
    return made
