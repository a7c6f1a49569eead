"""Trees that name what they compute: renamed, chosen, and put together."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence

from looptx.model.callees.quietness import uses
from looptx.model.callees.views import Row, is_whole, row
from looptx.model.trees import copied, walk


class Renamed(ast.NodeTransformer):
    """A tree with other expressions for names."""

    def __init__(self, meant: Mapping[str, ast.expr]) -> None:
        self.meant = meant

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """An element, or a size, of what may be a row of an array."""
        base = node.value
        sized = isinstance(base, ast.Attribute) and base.attr == "shape"
        name = base.value if isinstance(base, ast.Attribute) else base
        given = self.meant.get(name.id) if isinstance(name, ast.Name) else None
        made = self.generic_visit(node)
        if given is None or not isinstance(given, ast.Subscript):
            assert isinstance(made, ast.expr)
            return made
        found = row(given)
        assert found is not None and isinstance(made, ast.Subscript)
        if sized:
            axis = found.axis(ast.literal_eval(made.slice))
            shape = ast.Attribute(found.array, "shape", ast.Load())
            return ast.Subscript(shape, ast.Constant(axis), ast.Load())
        place = made.slice
        parts = place.elts if isinstance(place, ast.Tuple) else [place]
        kept = tuple(None if is_whole(one) else one for one in parts)
        if None not in kept and found.head is not None:
            # An error counts the axes of the row.
            return ast.Subscript(found.head, place, node.ctx)
        return placed(found.below(Row(found.array, kept)).node, node.ctx)

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
        for node in walk(line)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def stores(block: Sequence[ast.stmt]) -> bool:
    """Whether statements may assign an element of an array."""
    return any(
        isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
        for line in block
        for node in walk(line)
    )


def selects(node: ast.AST) -> bool:
    """Whether an expression reads an element of an array."""
    return any(isinstance(part, ast.Subscript) for part in walk(node))


def is_nothing(node: ast.expr) -> bool:
    """Whether an expression is None."""
    return isinstance(node, ast.Constant) and node.value is None


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
    return value if is_nothing(value) else ast.IfExp(test, value, other)


def substituted(value: ast.expr, lines: Sequence[ast.stmt]) -> ast.expr:
    """A value with the expressions that lines before it assign."""
    meant: dict[str, ast.expr] = {}
    for line in lines:
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
            meant[line.targets[0].id] = renamed(line.value, meant)
    return renamed(value, meant)


def renamed(value: ast.expr, meant: Mapping[str, ast.expr]) -> ast.expr:
    """An expression with others for names."""
    made = Renamed(meant).visit(copied(value))
    assert isinstance(made, ast.expr)
    return made


def moved(node: ast.stmt, meant: Mapping[str, ast.expr]) -> ast.stmt:
    """A statement with other expressions for names."""
    made = Renamed(meant).visit(copied(node))
    assert isinstance(made, ast.stmt)
    return made
