"""Expressions that count: quasi-affine in what the loops and the entry know."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from looptx.lower.scope import Scope
from looptx.lower.values.extents import extent
from looptx.model.dtypes import DTYPES
from looptx.model.expr import (
    Const,
    IntExpr,
    Var,
    add,
    floordiv,
    linear,
    mod,
    mul,
    neg,
    sub,
)
from looptx.model.expr.polynomial import Polynomial
from looptx.model.program import Statement
from looptx.model.shapes import axis_of
from looptx.model.types import ScalarType


class Affine:
    """The quasi-affine expressions of a statement.

    Args:
        scope: the nest. statement: the statement.
        ids: the loops around it and its places, by the names that it reads.
    """

    def __init__(
        self, scope: Scope, statement: Statement, ids: Mapping[str, str]
    ) -> None:
        self.scope = scope
        self.statement = statement
        self.ids = ids

    def proven(self, array: str, axis: int, expr: IntExpr) -> bool:
        """Whether this subscript is one of those that the entry check covers."""
        wanted = linear(expr)
        for access in self.statement.accesses:
            if access.array == array and axis < len(access.subscripts):
                known = access.subscripts[axis]
                if known is not None and linear(known) == wanted:
                    return True
        return False

    def _inside(self, array: str, axis: int, node: ast.expr) -> bool:
        """Whether a subscript never raises once the entry has checked what it can."""
        expr = self.integer(node)
        return expr is not None and self.proven(array, axis, expr)

    def covered(self, array: str, axis: int) -> bool:
        """Whether the entry check covers whatever the statement touches there.

        A scalar such as ``j = i + 1`` was replaced by its value in the accesses.
        """
        places = [
            access.subscripts[axis] if axis < len(access.subscripts) else None
            for access in self.statement.accesses
            if access.array == array
        ]
        checked = array not in self.scope.planned.unchecked
        return checked and bool(places) and None not in places

    def product(self, array: str, axis: int, node: ast.expr) -> IntExpr | None:
        """A subscript that is inside by its digits, as a sum of loops times sizes.

        A scalar such as ``k = i * w + j`` was replaced by its value in the accesses,
        which can be told where all are of one place.

        Returns:
            It; None for another subscript, and for one that cannot be told.
        """
        if (self.statement.name, array, axis) not in self.scope.checks.digits:
            return None
        known = self.integer(node, products=True)
        if known is not None:
            return known
        places = {
            one.subscripts[axis] or one.products[axis]
            for one in self.statement.accesses
            if one.array == array
        }
        place = places.pop() if len(places) == 1 else None
        return place.expr if isinstance(place, Polynomial) else None

    def integer(self, node: ast.expr, *, products: bool = False) -> IntExpr | None:
        """A quasi-affine expression over loop ids and parameters, None for another.

        Args:
            node: the expression. products: whether loops times sizes count, too.
        """
        match node:
            case ast.Constant(value=int() as number) if not isinstance(number, bool):
                return Const(number)
            case ast.Name(id=name) if name in self.ids:
                return Var(self.ids[name])
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = self.integer(operand, products=products)
                return None if inner is None else neg(inner)
            case ast.BinOp(left, op, right):
                ours = self.integer(left, products=products)
                theirs = self.integer(right, products=products)
                if products and isinstance(op, ast.Mult) and ours and theirs:
                    return mul(ours, theirs)
                return self._arithmetic(op, ours, theirs)
        return self._parameter(node)

    def _parameter(self, node: ast.expr) -> IntExpr | None:
        nest = self.scope.planned.nest
        text = extent(node, self.scope, self._inside) or ast.unparse(node)
        text = nest.entry.equal.get(text, text)
        if text in nest.parameters:
            return Var(text)
        if text in nest.scalars:
            return None
        axis = axis_of(text)
        known = axis[0] in self.scope.types if axis else self._is_plain(text)
        return Var(text) if known else None

    def _is_plain(self, name: str) -> bool:
        """Whether C computes with an integer as with one of Python's."""
        kind = self.scope.type_of(name)
        return self.scope.is_integer(name) and not (
            isinstance(kind, ScalarType) and DTYPES[kind.dtype].is_unsigned
        )

    @staticmethod
    def _arithmetic(
        op: ast.operator, left: IntExpr | None, right: IntExpr | None
    ) -> IntExpr | None:
        if left is None or right is None:
            return None
        positive = isinstance(right, Const) and right.value > 0
        match op:
            case ast.Add():
                return add(left, right)
            case ast.Sub():
                return sub(left, right)
            case ast.Mult() if isinstance(left, Const) or isinstance(right, Const):
                return mul(left, right)
            case ast.FloorDiv() if positive:
                return floordiv(left, right)
            case ast.Mod() if positive:
                return mod(left, right)
        return None
