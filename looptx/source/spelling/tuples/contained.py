"""Membership in numbers that the source writes out: ``x in (0, n - 1)``.

That is ``not (x != 0 and x != n - 1)``, which is a bool of Python's whatever is
compared, as ``in`` is. Python takes an object for itself before it compares, which
counts for NaN alone: names stand among the numbers only where ``x`` is a new object
each time, or where a loop counts with it. A set looks at hashes first, which those of
numbers that are equal after rounding are not: it may have small integers.
"""

from __future__ import annotations

import ast

from looptx.source.ast_tools import walked
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.cells import sourced
from looptx.source.spelling.edits import Changes, spelling
from looptx.source.spelling.stretches import MOST_WRITTEN, PURE
from looptx.source.spelling.whole.reading.axes import literal

_NEW = (ast.Subscript, ast.BinOp)
"""What gives an object that no name has."""

_EXACT = 2048
"""Integers up to here are exact in every type of numbers."""

_SUMS = (ast.Add, ast.Sub, ast.Mult)
"""What the numbers may be made with: it raises nothing."""


def _asked(node: ast.AST) -> list[ast.expr]:
    """The numbers among which a node asks for one; none for other nodes."""
    match node:
        case ast.Compare(
            left,
            [ast.In() | ast.NotIn()],
            [ast.Tuple(numbers) | ast.List(numbers) | ast.Set(numbers) as given],
        ) if len(numbers) <= MOST_WRITTEN:
            pure = all(isinstance(part, PURE) for part in walked(left))
            may_be = _is_exact if isinstance(given, ast.Set) else _is_number
            return numbers if pure and all(map(may_be, numbers)) else []
    return []


def _is_exact(node: ast.expr) -> bool:
    """Whether an expression is a number whose hash any equal one has."""
    found = literal(node)
    return found is not None and abs(found) <= _EXACT


def _is_number(node: ast.expr) -> bool:
    """Whether an expression may be a number that is known to exist."""
    match node:
        case ast.Constant(value):
            return isinstance(value, int | float)
        case ast.UnaryOp(ast.USub(), operand):
            return _is_number(operand)
        case ast.BinOp(left, op, right):
            return isinstance(op, _SUMS) and _is_number(left) and _is_number(right)
    return isinstance(node, ast.Name)


@spelling(_asked)
def with_contained(function: Function, scope: Scope) -> Changes:
    """Comparisons with numbers of such a tuple, list or set are one with each."""
    for node in walked(function):
        numbers = _asked(node)
        if numbers:
            assert isinstance(node, ast.Compare)
            named = any(isinstance(one, ast.Name) for one in numbers)
            if not named or _is_new(node.left, scope):
                yield node, _compared


def _is_new(node: ast.expr, scope: Scope) -> bool:
    """Whether an object is no other's, or at least no NaN."""
    if isinstance(node, ast.Name):
        bindings = scope.bindings.get(node.id, ())
        return bool(bindings) and all(one.kind == "range" for one in bindings)
    return isinstance(node, _NEW)


def _compared(node: ast.AST) -> ast.AST:
    """The comparisons that a test of membership stands for."""
    assert isinstance(node, ast.Compare)
    left, inside = ast.unparse(node.left), isinstance(node.ops[0], ast.In)
    tests = (f"({left}) != ({ast.unparse(one)})" for one in _asked(node))
    outside = f"({' and '.join(tests)})"
    return sourced(f"not {outside}" if inside else f"not not {outside}", node)
