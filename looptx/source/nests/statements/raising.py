"""Which statements may raise for the values they compute with.

NumPy's numbers warn where Python's raise: ``x / 0`` is an infinity of NumPy. Subscripts
outside of an array do not count where they are affine: that depends on sizes alone.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from looptx.model.dtypes import DTYPES, INTEGERS
from looptx.model.functions import Kind, lookup
from looptx.model.program import Nest, Statement
from looptx.model.storage import allocated
from looptx.model.trees import dotted
from looptx.model.types import ArrayType, ScalarType, Type
from looptx.source.ast_tools import walked
from looptx.source.names.subscripts import subscripts
from looptx.source.nests.statements.exact_reductions import Integers, holds

_DIVISIONS = (ast.Div, ast.FloorDiv, ast.Mod)
_SHIFTS = (ast.LShift, ast.RShift)
_QUIET = {"abs", "bool", "complex", "float", "len", "max", "min"}
"""Builtins that take all numbers."""


def with_raises(nest: Nest, types: Mapping[str, Type]) -> Nest:
    """The nest with its statements knowing whether they may raise.

    Args:
        nest: the nest.
        types: what is known of the names it reads, where it starts.
    """
    values = _Values(nest, types)
    statements = {
        name: replace(one, raises=values.may_raise(one))
        for name, one in nest.statements.items()
    }
    return replace(nest, statements=statements)


class _Values:
    """The expressions of a nest: whose numbers they are, and whether they may raise."""

    def __init__(self, nest: Nest, types: Mapping[str, Type]) -> None:
        self.nest = nest
        self.types = {**types, **allocated(nest.allocations, types)}
        self.integers = Integers(nest, self.types)

    def may_raise(self, statement: Statement) -> bool:
        """Whether a statement may raise, whatever the sizes."""
        if statement.effects or any(None in x.subscripts for x in statement.accesses):
            return True
        return any(
            self._raises(node) for code in statement.code for node in walked(code)
        )

    def _raises(self, node: ast.AST) -> bool:
        """Whether one operation may raise."""
        match node:
            case ast.Raise() | ast.Assert():
                return True
            case ast.BinOp(left, op, right):
                return self._operation(left, op, right)
            case ast.AugAssign(target, op, value):
                return self._operation(target, op, value) or self._stores(target, value)
            case ast.Assign(targets, value):
                return any(self._stores(target, value) for target in targets)
            case ast.AnnAssign(target, _, ast.expr() as value):
                return self._stores(target, value)
            case ast.Call(function, args):
                row = lookup(self.nest.functions.get(dotted(function), ""))
                if row.module == "numpy":
                    return row.kind is not Kind.ELEMENTWISE
                if row.module == "math":
                    return bool(row.errors)
                exact = all(self.integers.of(one) is not None for one in args)
                return not (
                    row.own in _QUIET or (row.own in ("int", "round") and exact)
                )
        return False

    def _operation(self, left: ast.expr, op: ast.operator, right: ast.expr) -> bool:
        """Whether an operation of two numbers may raise."""
        known = right.value if isinstance(right, ast.Constant) else None
        if isinstance(op, _DIVISIONS):
            return not known and not (self._is_numpy(left) or self._is_numpy(right))
        small = isinstance(known, int) and known >= 0
        if isinstance(op, ast.Pow):
            # A float of Python raises where it becomes too large.
            exact = self._is_numpy(left) or self.integers.of(left) is not None
            return not (small and exact)
        return isinstance(op, ast.MatMult) or (isinstance(op, _SHIFTS) and not small)

    def _stores(self, target: ast.expr, value: ast.expr) -> bool:
        """Whether a cell of integers may refuse a value, as one that may be none."""
        if not isinstance(target, ast.Subscript):
            return False
        kind = self.types.get(dotted(subscripts(target)[0]))
        if kind is None or kind.dtype not in INTEGERS:
            return False
        own, found = DTYPES[kind.dtype], self.integers.of(value)
        if found is None:
            return True
        # It takes those of Python's numbers, and with a sign of NumPy's, that it holds.
        small = "" in found and own.bits < 64
        return small or (own.kind == "i" and not holds((own.name,), found))

    def _is_numpy(self, node: ast.expr) -> bool:
        """Whether an expression is one of NumPy's numbers."""
        match node:
            case ast.Subscript():
                name = dotted(subscripts(node)[0])
                return name in self.nest.allocations or isinstance(
                    self.types.get(name), ArrayType
                )
            case ast.Name(name):
                kind = self.types.get(name)
                known = isinstance(kind, ScalarType) and not kind.weak
                return known and name not in self.nest.scalars
            case ast.UnaryOp(_, value):
                return self._is_numpy(value)
            case ast.BinOp(left, _, right):
                return self._is_numpy(left) or self._is_numpy(right)
            case ast.IfExp(_, then, other):
                return self._is_numpy(then) and self._is_numpy(other)
            case ast.Call(function):
                row = lookup(self.nest.functions.get(dotted(function), ""))
                return row.module == "numpy" and row.kind is Kind.ELEMENTWISE
        return False
