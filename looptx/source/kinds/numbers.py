"""Which expressions and names are single numbers, never arrays, as a function says it.

NumPy's functions give numbers for numbers and arrays for arrays, but for those that
reduce a whole array to a number. An argument without a type may be an array, and so may
everything that is made of one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection

from looptx.model.dtypes import PYTHON
from looptx.model.functions import Kind, lookup
from looptx.model.trees import dotted
from looptx.source.names.arrays import COUNTS
from looptx.source.names.calls import called, conjugated, is_constant
from looptx.source.names.scope import Binding, Scope
from looptx.source.names.subscripts import subscripts


class Numbers:
    """The single numbers of a function.

    Args:
        scope: its names.
        arrays: the names that are used as arrays.
        known: those that are used as numbers.
        is_view: whether a subscript may select more than one element.

    Attributes:
        names: those that only ever hold numbers (the greatest fixed point).
    """

    def __init__(
        self,
        scope: Scope,
        arrays: Collection[str],
        known: Collection[str],
        is_view: Callable[[ast.expr], bool],
    ) -> None:
        self.scope = scope
        self.arrays = arrays
        self.is_view = is_view
        self.names = frozenset(scope.bindings) - scope.foreign - frozenset(arrays)
        while True:
            kept = frozenset(
                name
                for name in self.names
                if all(
                    self._gives_number(one, name in known)
                    for one in scope.bindings[name]
                )
            )
            if kept == self.names:
                break
            self.names = kept

    def has(self, node: ast.expr) -> bool:
        """Whether an expression is known to be a number."""
        match node:
            case ast.Constant(value):
                return isinstance(value, (int, float, complex))
            case ast.Name(name):
                return name in self.names or is_constant(self.scope.resolve(node))
            case ast.Attribute(value, "real" | "imag"):
                return self.has(value)
            case ast.Attribute(value, attr):
                counts = attr in COUNTS and dotted(value) in self.arrays
                return counts or is_constant(self.scope.resolve(node))
            case ast.Subscript():
                _, indices = subscripts(node)
                several = any(dotted(index) in self.arrays for index in indices)
                return not several and not self.is_view(node)
            case ast.BinOp(left, _, right):
                return self.has(left) and self.has(right)
            case ast.UnaryOp(_, value) | ast.NamedExpr(_, value):
                return self.has(value)
            case ast.BoolOp(_, values):
                return all(map(self.has, values))
            case ast.Compare(left, _, others):
                return all(map(self.has, (left, *others)))
            case ast.IfExp(_, value, other):
                return self.has(value) and self.has(other)
            case ast.Call():
                return self._is_called(node)
        return False

    def _is_called(self, node: ast.Call) -> bool:
        """Whether a call gives a number: by its function alone, or for numbers."""
        callee = self.scope.callee(node)
        if callee is not None:
            given = callee.given(node) or {}
            return all(self.has(x) for y, x in given.items() if y not in callee.arrays)
        of = conjugated(node, self.scope)
        if of is not None:
            return self.has(of)
        row, args = called(node, self.scope), node.args
        if not row.number:
            return False
        if row.kind is Kind.ELEMENTWISE:
            plain = not node.keywords and all(map(self.has, args))
            return plain and row.reads(len(args))
        if not row.module:
            return not args and not node.keywords
        if row.module == "numpy":
            listed = any(isinstance(arg, ast.Starred) for arg in args)
            whole = all(k.arg == "dtype" for k in node.keywords) and not listed
            return whole and len(args) == 1
        return True

    def _is_one_of(self, node: ast.expr | None) -> bool:
        """Whether what a value is taken from are the numbers that a function gives."""
        if not isinstance(node, ast.Call):
            return False
        callee = self.scope.callee(node)
        return callee is not None and callee.results > 0 and self._is_called(node)

    def _gives_number(self, binding: Binding, used: bool) -> bool:
        if binding.kind == "range":
            return True
        if binding.kind == "arg":
            return used or _is_number(binding.annotation)
        if binding.kind == "other":
            return self._is_one_of(binding.value)
        return (
            binding.kind in ("value", "swap")
            and binding.value is not None
            and self.has(binding.value)
        )


def _is_number(annotation: str) -> bool:
    """Whether an annotation is the type of a number."""
    name = annotation.rpartition(".")[2]
    return name in PYTHON or lookup(f"numpy.{name}").is_type
