"""Bounds of slices that elements of arrays say, as numbers in front of a statement.

``y[s[i]:s[i + 1]] = x[i]`` is ``n = x[i]``, ``a = s[i]``, ``b = s[i + 1]`` and
``y[a:b] = n``: all that Python looks up for the statement, in its order.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import suppress

from looptx.source.names.subscripts import index_list, may_be_number
from looptx.source.spelling.whole.reading.axes import Unlike
from looptx.source.spelling.whole.reading.extents import Extents

_LAZY = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.NamedExpr)


def has_bounds(node: ast.AST) -> bool:
    """Whether there are such bounds in an expression or statement, and no choices."""
    parts = [*ast.walk(node)]
    lazy = any(isinstance(x, _LAZY) for x in parts)
    sliced = (index_list(x) for x in parts if isinstance(x, ast.Subscript))
    indices = (x for one in sliced if any(map(_is_slice, one)) for x in one)
    return not lazy and any(map(_is_looked_up, (y for x in indices for y in _of(x))))


def _is_slice(node: ast.expr) -> bool:
    return isinstance(node, ast.Slice)


def _of(index: ast.expr) -> tuple[ast.expr | None, ...]:
    """The numbers of a subscript."""
    return (index.lower, index.upper) if isinstance(index, ast.Slice) else (index,)


_SUM = (
    *(ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.expr_context),
    *(ast.Add, ast.Sub, ast.Mult, ast.USub),
)


def _is_looked_up(bound: ast.expr | None) -> bool:
    """Whether a bound is more than a sum of names."""
    parts = () if bound is None else ast.walk(bound)
    return not all(isinstance(x, _SUM) for x in parts)


class Bounds(ast.NodeTransformer):
    """Takes bounds of slices, and elements beside them, out of an expression.

    Args:
        new: makes a name. extents: reads how many axes expressions have.

    Attributes:
        lines: what gives them their names.
    """

    def __init__(self, new: Callable[[str], str], extents: Extents) -> None:
        self.new = new
        self.extents = extents
        self.lines: list[ast.stmt] = []

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """A part of an array, or the name of an element."""
        read = isinstance(node.ctx, ast.Load)
        if read and all(map(may_be_number, index_list(node))) and self._is_single(node):
            return self._named(node, "element")
        node.value = self.visit(node.value)
        indices = index_list(node)
        if any(map(_is_slice, indices)):
            found = [self.visit(x) if _is_slice(x) else self._at(x) for x in indices]
            node.slice = ast.Tuple(found, ast.Load()) if found[1:] else found[0]
        else:
            node.slice = self.visit(node.slice)
        return node

    def _at(self, index: ast.expr, stem: str = "at") -> ast.expr:
        """A position on one axis, by a name where it is looked up.

        Args:
            index: it. stem: what the name says of it.

        Raises:
            Unlike: it may be anything.
        """
        if not _is_looked_up(index):
            return index
        if not self._is_single(index):
            raise Unlike
        return self._named(index, stem)

    def visit_Slice(self, node: ast.Slice) -> ast.Slice:
        """A slice with names for its bounds."""
        if node.lower is not None:
            node.lower = self._at(node.lower, "start")
        if node.upper is not None:
            node.upper = self._at(node.upper, "stop")
        return node

    def _means(self, function: ast.expr) -> str:
        """The function of Python that an expression is."""
        return self.extents.scope.resolve(function).removeprefix("builtins.")

    def _is_single(self, node: ast.expr) -> bool:
        """Whether an expression is one number."""
        match node:
            case ast.BinOp(left, _, right):
                return self._is_single(left) and self._is_single(right)
            case ast.UnaryOp(_, operand):
                return self._is_single(operand)
            case ast.Call(function, [of], []) if self._means(function) == "len":
                return isinstance(of, ast.Name | ast.Subscript)
            case ast.Call(function, args, []):
                known = self._means(function) in ("int", "min", "max")
                return known and all(map(self._is_single, args))
        with suppress(Unlike):
            return not self.extents.of(node)
        return False

    def _named(self, node: ast.expr, stem: str) -> ast.expr:
        """The name of a number."""
        name = self.new(stem)
        self.lines.append(ast.Assign([ast.Name(name, ast.Store())], node))
        return ast.Name(name, ast.Load())
