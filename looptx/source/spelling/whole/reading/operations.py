"""Operations on arrays in one form: ``np.add(a, b)`` is ``a + b``."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from looptx.model.functions import Kind, lookup, operators
from looptx.model.functions.complexes import OF_COMPLEX
from looptx.source.names.scope import Scope

EXACT = (ast.Add, ast.Sub, ast.Mult, ast.Div)
"""What NumPy computes of arrays as it does of their elements, to the last bit."""

BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)
"""The same of integers and of truths."""

WHOLE = (*EXACT, *BITS, ast.LShift, ast.RShift)
"""All of these, with what moves the bits of integers."""

COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)

_OPERATORS: Mapping[str, type[ast.operator]] = {
    **{f"numpy.{x}": y for x, y in operators.OPERATORS.items() if y in WHOLE},
    "numpy.true_divide": ast.Div,
    "numpy.power": ast.Pow,
}
_COMPARISONS = {f"numpy.{x}": y for x, y in operators.COMPARISONS.items()}
_LOGICAL = {f"numpy.{x}": y for x, y in operators.LOGICAL.items()}
_TESTS = ("numpy.isnan", "numpy.isinf", "numpy.isfinite")

ABS = "builtins.abs"
"""Of an array it is NumPy's."""

_CAST = ("bool", "int32", "int64", "float32", "float64")
"""Types that C makes of all others as NumPy does."""


class Outer(NamedTuple):
    """An operation on each element of one array with each of another."""

    left: ast.expr
    right: ast.expr
    operation: ast.expr


def simple(node: ast.expr, scope: Scope) -> ast.expr:
    """An expression in the form that is read; itself if there is no simpler one.

    Args:
        node: the expression. scope: what its names mean.
    """
    if not isinstance(node, ast.Call) or node.keywords:
        return node
    found = _simple(scope.resolve(node.func), node)
    if found is not None:
        return ast.fix_missing_locations(ast.copy_location(found, node))
    return node


def _simple(full: str, node: ast.Call) -> ast.expr | None:
    """The same for a call of a function.

    Args:
        full: its full name. node: the call.
    """
    match node.args:
        case [left, right] if full in _OPERATORS:
            return ast.BinOp(left, _OPERATORS[full](), right)
        case [left, right] if full in _COMPARISONS:
            return ast.Compare(left, [_COMPARISONS[full]()], [right])
        case [left, right] if full in _LOGICAL and is_truth(left) and is_truth(right):
            return ast.BinOp(left, _LOGICAL[full](), right)
        case [value] if full == "numpy.negative":
            return ast.UnaryOp(ast.USub(), value)
        case [value] if full in ("numpy.real", "numpy.imag"):
            return ast.Attribute(value, full.removeprefix("numpy."), ast.Load())
        case [value, low, high] if full == "numpy.clip":
            lower = _bounded(node.func, value, ast.Lt(), low)
            return lower and _bounded(node.func, lower, ast.Gt(), high)
    return None


def _bounded(
    function: ast.expr, value: ast.expr, beyond: ast.cmpop, bound: ast.expr
) -> ast.expr | None:
    """A value, or a bound where it is beyond that, or where the bound is NaN.

    A zero keeps its sign where the bound is the other one.

    Args:
        function: ``np.clip``. value, bound: the two. beyond: how they compare then.
    """
    if not isinstance(function, ast.Attribute):
        return None
    where = ast.Attribute(function.value, "where", ast.Load())
    outside = ast.Compare(value, [beyond], [bound])
    wrong = ast.Compare(bound, [ast.NotEq()], [bound])
    test = ast.BinOp(outside, ast.BitOr(), wrong)
    return ast.Call(where, [test, bound, value], [])


def is_truth(node: ast.expr) -> bool:
    """Whether the elements of an expression surely are true or false."""
    match node:
        case ast.Compare():
            return True
        case ast.BinOp(left, op, right) if isinstance(op, BITS):
            return is_truth(left) and is_truth(right)
    return False


def tells(node: ast.expr, scope: Scope, known: frozenset[str] = frozenset()) -> bool:
    """Whether the elements of an expression, or of what it names, are true or false.

    Args:
        node: the expression. scope: what its names mean.
        known: names of which that is asked.
    """
    match node:
        case ast.Name(name) if name in known:
            return True
        case ast.Name(name):
            values = [one.value for one in scope.bindings.get(name, ())]
            inside = known | {name}
            return bool(values) and all(x and tells(x, scope, inside) for x in values)
        case ast.BinOp(left, op, right) if isinstance(op, BITS):
            return tells(left, scope, known) and tells(right, scope, known)
        case ast.UnaryOp(ast.Invert(), operand):
            return tells(operand, scope, known)
        case ast.Call(function, [_], []) if scope.resolve(function) in _TESTS:
            return True
    return is_truth(simple(node, scope))


def cast(node: ast.expr, scope: Scope) -> tuple[ast.expr, str] | None:
    """What a call makes numbers of another type of, and that type.

    Args:
        node: the expression. scope: what its names mean.
    """
    match node:
        case ast.Call(ast.Attribute(of, "astype"), [told], []):
            name = lookup(scope.resolve(told)).converts
            if name in _CAST and not scope.resolve(node.func):
                return of, name
    return None


def of_complex(node: ast.expr, scope: Scope) -> tuple[str, ast.expr] | None:
    """What a loop of NumPy makes of one array, where that is of complex numbers.

    Args:
        node: the expression. scope: what its names mean.

    Returns:
        What NumPy calls the function, and the array.
    """
    match node:
        case ast.BinOp(of, ast.Pow(), ast.Constant(int(2))):
            return "square", of
        case ast.Call(ast.Attribute(of, "conj" | "conjugate"), [], []):
            return None if scope.resolve(node.func) else ("conjugate", of)
        case ast.Call(function, [of], []):
            row = lookup(scope.resolve(function))
            name = "absolute" if row.name == ABS else row.alias or row.own
            numpy = row.name == ABS or row.name.startswith("numpy.")
            return (name, of) if numpy and name in OF_COMPLEX else None
    return None


def outer(node: ast.expr, scope: Scope) -> Outer | None:
    """``np.add.outer(a, b)`` and the like, as an operation on two names.

    Args:
        node: the expression. scope: what its names mean.
    """
    match node:
        case ast.Call(function, [left, right], []):
            full = scope.resolve(function)
        case _:
            return None
    if full == "numpy.outer":
        made: ast.expr = ast.BinOp(left, ast.Mult(), right)
        return Outer(left, right, ast.copy_location(made, node))
    match function:
        case ast.Attribute(of, "outer") if full.startswith("numpy."):
            call = ast.copy_location(ast.Call(of, [left, right], []), node)
            made = simple(call, scope)
            known = made is not call or is_elementwise(scope.resolve(of))
            return Outer(left, right, made) if known else None
    return None


def is_elementwise(full: str) -> bool:
    """Whether NumPy's function of that name goes through arrays element by element."""
    row = lookup(full)
    numpy = row.name.startswith("numpy.") and not row.is_type
    return numpy and row.kind is Kind.ELEMENTWISE


def is_of_numbers(full: str) -> bool:
    """Whether Python's function of that name makes a number of numbers."""
    row = lookup(full)
    single = row.kind in (Kind.SCALAR, Kind.ELEMENTWISE) and row.number
    return row.module in ("math", "builtins") and row.pure and single
