"""Which numbers are never negative, from the expressions they come from.

Sizes are not, nor are sums, products, quotients and the like of what is not. Of a name
it is enough that all its values are: a greatest set, as a name may depend on itself.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from looptx.model.functions import lookup
from looptx.model.shapes import is_extent
from looptx.model.trees import dotted
from looptx.source.kinds.integers import Kinds
from looptx.source.names.arrays import COUNTS
from looptx.source.names.scope import Binding
from looptx.source.nests.sizes.affine import constant
from looptx.source.nests.sizes.extents import size_text

_BOTH = (ast.Add, ast.Mult, ast.Div, ast.FloorDiv, ast.BitOr, ast.BitXor)
_FIRST = (ast.Pow, ast.LShift, ast.RShift)


def never_negative(kinds: Kinds) -> frozenset[str]:
    """The names of a function that have no value below zero, whenever it is."""
    scope = kinds.scope
    found = frozenset(
        name
        for name, bindings in scope.bindings.items()
        if name not in scope.shared
        and all(one.kind in ("value", "swap", "range") for one in bindings)
    )
    while True:
        kept = frozenset(
            name
            for name in found
            if all(_stays(one, kinds, found) for one in scope.bindings[name])
        )
        if kept == found:
            return found
        found = kept


def _stays(binding: Binding, kinds: Kinds, known: frozenset[str]) -> bool:
    value = binding.value
    if binding.kind != "range" or not isinstance(value, ast.Call):
        return value is not None and nonnegative(value, kinds, known.__contains__)
    match value.args:
        case [_]:
            return True
        case [start, _]:
            return nonnegative(start, kinds, known.__contains__)
        case [start, stop, step]:
            by = constant(step)
            if by is not None and by < 0:
                last = constant(stop) == -1
                return last or nonnegative(stop, kinds, known.__contains__)
            return by is not None and nonnegative(start, kinds, known.__contains__)
    return False


def nonnegative(node: ast.expr, kinds: Kinds, known: Callable[[str], bool]) -> bool:
    """Whether a number is never below zero.

    Args:
        node: what makes it.
        kinds: what names are.
        known: whether a name is never below zero.
    """

    def visit(node: ast.expr) -> bool:
        match node:
            case ast.Constant(int(value) | float(value)):
                return value >= 0
            case ast.Name(name):
                return known(name)
            case ast.Attribute(attr=attr):
                return attr in COUNTS and dotted(node.value) in kinds.arrays
            case ast.Subscript():
                return is_extent(size_text(node, kinds))
            case ast.BinOp(left, ast.Mod(), right):
                return visit(right)
            case ast.BinOp(left, ast.BitAnd(), right):
                return visit(left) or visit(right)
            case ast.BinOp(left, op, right):
                first = isinstance(op, _FIRST) or (
                    isinstance(op, _BOTH) and visit(right)
                )
                return first and visit(left)
            case ast.UnaryOp(ast.UAdd(), value):
                return visit(value)
            case ast.IfExp(_, value, other):
                return visit(value) and visit(other)
            case ast.Call(args=[*args], keywords=[]) if args:
                return called(kinds.scope.resolve(node.func), args)
        return False

    def called(name: str, args: list[ast.expr]) -> bool:
        if any(isinstance(arg, ast.Starred) for arg in args):
            return False
        row = lookup(name)
        return len(args) >= row.least and row.nonnegative.holds(map(visit, args))

    return visit(node)
