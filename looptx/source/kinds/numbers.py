"""Which expressions and names are single numbers, never arrays, as a function says it.

NumPy's functions give numbers for numbers and arrays for arrays, but for those that
reduce a whole array to a number. An argument without a type may be an array, and so may
everything that is made of one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection

from looptx.model.trees import dotted
from looptx.source.names.arrays import COUNTS
from looptx.source.names.calls import DTYPES, NUMPY, REDUCING, inputs, is_constant
from looptx.source.names.scope import Binding, Scope
from looptx.source.names.subscripts import subscripts

_PYTHON = frozenset(("int", "float", "complex", "bool"))

_ALWAYS = frozenset(f"builtins.{name}" for name in (*_PYTHON, "len", "hash", "id"))
_OF_NUMBERS = frozenset(f"builtins.{n}" for n in ("abs", "pow", "round", "min", "max"))
NOT_NUMBERS = frozenset(("where", "divmod"))
"""NumPy's ``where`` gives an array of no dimensions for numbers."""


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
        name = self.scope.resolve(node.func)
        module, _, function = name.partition(".")
        listed = any(isinstance(arg, ast.Starred) for arg in node.args)
        whole = all(k.arg == "dtype" for k in node.keywords) and not listed
        if module == "numpy" and function in REDUCING:
            return whole and len(node.args) == 1
        if not name and isinstance(node.func, ast.Attribute):
            return node.func.attr in REDUCING | {"item"} and not (
                node.args or node.keywords
            )
        if module == "math" or name in _ALWAYS:
            return True
        plain = not node.keywords and all(map(self.has, node.args))
        if module == "numpy":
            known = function in NUMPY and function not in NOT_NUMBERS
            return known and plain and len(node.args) <= inputs(function)
        return name in _OF_NUMBERS and plain

    def _gives_number(self, binding: Binding, used: bool) -> bool:
        if binding.kind == "range":
            return True
        if binding.kind == "arg":
            return used or _is_number(binding.annotation)
        return (
            binding.kind in ("value", "swap")
            and binding.value is not None
            and self.has(binding.value)
        )


def _is_number(annotation: str) -> bool:
    """Whether an annotation is the type of a number."""
    return annotation.rpartition(".")[2] in _PYTHON | DTYPES
