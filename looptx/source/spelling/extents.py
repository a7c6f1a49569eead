"""Of what shape and type an array is that is computed of others, as texts.

The type is that of the same operations on arrays of no elements, of which nothing is
computed, and for which nothing is warned of.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from looptx.model.functions import Kind, lookup
from looptx.model.trees import dotted
from looptx.source.names.scope import Scope
from looptx.source.names.subscripts import index_list
from looptx.source.spelling.axes import Reader, Unlike

_OPERATIONS = (ast.Add, ast.Sub, ast.Mult, ast.Div)


class Extents:
    """Reads the shapes and types of expressions.

    Args:
        scope: of the function. ranks: how many axes its arrays have, as far as known.
        numpy: the name of NumPy in it.
    """

    def __init__(self, scope: Scope, ranks: Mapping[str, int], numpy: str) -> None:
        self.scope = scope
        self.ranks = ranks
        self.numpy = numpy

    def call(self, value: ast.expr) -> str:
        """What makes an array of the shape and type of an expression.

        Raises:
            Unlike: the expression is no array, or not known to be a new one.
        """
        extents = self.of(value)
        if not extents or not self.numpy:
            raise Unlike
        shape = "".join(f"{one}, " for one in extents)
        return f"{self.numpy}.empty(({shape}), ({self._type(value)}).dtype)"

    def of(self, node: ast.expr) -> list[str]:
        """The extents of an expression; none for a number.

        Raises:
            Unlike: it is made by something else than operations on elements.
        """
        match node:
            case ast.Constant(value) if type(value) in (int, float):
                return []
            case ast.Subscript(ast.Attribute(attr="shape"), ast.Constant(int())):
                return []
            case ast.Subscript() | ast.Name() | ast.Attribute():
                return self._selected(node)
            case ast.UnaryOp(ast.USub(), operand):
                return self.of(operand)
            case ast.BinOp(left, op, right) if isinstance(op, _OPERATIONS):
                return max(self.of(left), self.of(right), key=len)
            case ast.Call(function, args, []) if self._is_elementwise(function):
                return max(map(self.of, args), key=len)
        raise Unlike

    def _is_elementwise(self, function: ast.expr) -> bool:
        row = lookup(self.scope.resolve(function))
        numpy = row.name.startswith("numpy.") and not row.is_type
        return numpy and row.kind is Kind.ELEMENTWISE

    def _selected(self, node: ast.expr) -> list[str]:
        """The extents of what is taken of an array."""
        array, indices = dotted(node), list[ast.expr]()
        if isinstance(node, ast.Subscript):
            array, indices = dotted(node.value), index_list(node)
        if not array or not (indices or array in self.ranks):
            if isinstance(node, ast.Name):
                return []
            raise Unlike
        names = {x.id for i in indices for x in ast.walk(i) if isinstance(x, ast.Name)}
        if names & self.ranks.keys():
            raise Unlike
        axes = Reader(self.ranks).axes(array, indices, self.ranks.get(array, 0))
        return ["1" if one.new else one.count for one in axes if not one.plain]

    def _type(self, node: ast.expr) -> str:
        """An expression of the same type, of arrays of no elements."""
        match node:
            case ast.Subscript(ast.Attribute(attr="shape")):
                return ast.unparse(node)
            case ast.Subscript(value):
                return f"{self.numpy}.empty(0, {ast.unparse(value)}.dtype)"
            case ast.Name() | ast.Attribute() if dotted(node) in self.ranks:
                return f"{self.numpy}.empty(0, {dotted(node)}.dtype)"
            case ast.UnaryOp(_, operand):
                return f"-({self._type(operand)})"
            case ast.BinOp(left, op, right):
                signs = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
                sign = signs[type(op)]
                return f"({self._type(left)}) {sign} ({self._type(right)})"
            case ast.Call(function, args, []):
                given = ", ".join(map(self._type, args))
                return f"{ast.unparse(function)}({given})"
        return ast.unparse(node)
