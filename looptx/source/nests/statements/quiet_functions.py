"""What is known to raise nothing: functions of numbers, by the kinds of these."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations

from looptx.model.dtypes import promoted
from looptx.model.functions import Function, Kind, When
from looptx.model.functions.operators import COMPARISONS, OPERATORS, UNARY
from looptx.model.records import replace
from looptx.source.nests.statements.quiet import (
    PYTHON_FLOAT,
    TRUTH,
    Number,
    Numbers,
    common,
    comparison,
    each,
    integer,
    joined,
    meet,
    negation,
    operation,
    stored,
)

_OPERATORS: Mapping[str, type[ast.operator]] = {
    **OPERATORS,
    "fmod": ast.Mod,
    "power": ast.Pow,
}
_ANY = frozenset(
    (
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "sin",
        "cos",
        "tan",
        "arcsin",
        "arccos",
        "arctan",
        "sinh",
        "cosh",
        "tanh",
        "arcsinh",
        "arccosh",
        "arctanh",
        "sqrt",
        "sinc",
        "float_power",
    )
)
"""Functions of NumPy of all numbers, which give what is inexact."""

_REAL = frozenset(
    (
        "cbrt",
        "rint",
        "fabs",
        "deg2rad",
        "rad2deg",
        "degrees",
        "radians",
        "spacing",
        "arctan2",
        "hypot",
        "copysign",
        "logaddexp",
        "logaddexp2",
        "heaviside",
        "nextafter",
    )
)
"""Functions of NumPy of numbers that are not complex, which give floats."""

_TRUTHS = frozenset(
    (
        "isnan",
        "isinf",
        "isfinite",
        "logical_not",
        "logical_and",
        "logical_or",
    )
)
_SAME = frozenset(
    (
        "square",
        "conjugate",
        "reciprocal",
        "minimum",
        "maximum",
        "fmin",
        "fmax",
    )
)
_OF_TWO = frozenset(("atan2", "copysign", "hypot", "isclose", "nextafter"))
"""Functions of ``math``."""


def call(row: Function, args: Sequence[Numbers | None]) -> Numbers | None:
    """What a function gives for numbers; None where it may raise.

    Args:
        row: the function. args: what it is given, without names.
    """
    if row.module == "numpy" and row.kind is Kind.ELEMENTWISE:
        return _numpys(row, args) if row.takes(len(args)) else None
    if row.module == "math" and row.kind is Kind.SCALAR and row.number:
        return _maths(row, args)
    if row.module == "builtins":
        return _builtin(row.own, args)
    return None


def _given(found: Numbers | None, then: Numbers) -> Numbers | None:
    """A value, where the arguments are known to be quiet and have values."""
    return then if found else found


def _maths(row: Function, args: Sequence[Numbers | None]) -> Numbers | None:
    """What a function of ``math`` gives."""
    if len(args) != (2 if row.own in _OF_TWO else 1):
        return None
    if row.own in ("ceil", "floor"):
        return each(_rounded, *args)
    quiet = row.integer is When.NEVER and not row.errors
    found = each(_floats, *args) if len(args) > 1 else each(_real, *args)
    truth = row.own.startswith("is")
    return _given(found, TRUTH if truth else PYTHON_FLOAT) if quiet else None


def _builtin(name: str, args: Sequence[Numbers | None]) -> Numbers | None:
    """What a builtin gives."""
    match name, len(args):
        case "bool", 1:
            return _given(each(lambda one: one, *args), TRUTH)
        case "float", 1:
            return _given(each(_real, *args), PYTHON_FLOAT)
        case "complex", 1 | 2:
            found = each(partial(stored, "complex128"), args[0])
            found = found if len(args) == 1 else each(_floats, *args)
            return _given(found, frozenset((Number("complex128", True),)))
        case "int", 1:
            return each(_whole, *args)
        case "round", 1:
            return each(_rounded, *args)
        case "abs", 1:
            return each(_absolute, *args)
        case "pow", 2:
            return each(partial(operation, ast.Pow()), *args)
        case "min" | "max", count if count > 1:
            pairs = [
                each(partial(comparison, ast.Lt()), one, other)
                for one, other in combinations(args, 2)
            ]
            known = [one for one in args if one is not None]
            return None if None in pairs else joined(known)
    return None


def _whole(of: Number) -> Number | None:
    """An integer as one of Python's."""
    return integer(of.bits if of.weak else of.row.bits) if of.is_integer else None


def _rounded(of: Number) -> Number | None:
    """An integer as one of Python's: NumPy's truth values are not rounded."""
    return None if of.is_truth or of.boxed else _whole(of)


def _real(of: Number) -> Number | None:
    """A number as one of Python's floats."""
    real = not of.row.is_complex and of.fits("float64")
    return Number("float64", True) if real else None


def _floats(one: Number, other: Number) -> Number | None:
    """Two numbers that both can be floats."""
    return _real(one) and _real(other)


def _absolute(of: Number) -> Number | None:
    """The absolute value of a number: that of a complex one may be too large."""
    if of.row.is_complex:
        return None if of.weak else Number(of.row.real.name)
    if of.weak and of.is_integer:
        return integer(of.bits)
    return Number(of.dtype, of.weak)


def _numpys(row: Function, args: Sequence[Numbers | None]) -> Numbers | None:
    """What a function of NumPy gives, of as many arguments as it reads."""
    name = row.alias or row.own
    if row.is_type:
        return each(partial(stored, row.converts or "float64"), *args)
    if name in _OPERATORS:
        return each(partial(_operated, _OPERATORS[name]()), *args)
    if name in COMPARISONS:
        found = each(partial(comparison, COMPARISONS[name]()), *args)
        return _given(found, frozenset((Number("bool"),)))
    if name in UNARY:
        return each(partial(_signed, UNARY[name]()), *args)
    for names, rule in _RULES:
        if name in names:
            return each(rule, *args)
    return None


def _met(*args: Number) -> Number | None:
    """A number of the type in which NumPy computes; None where it refuses one."""
    if not all(meet(one, other) for one, other in combinations(args, 2)):
        return None
    numpys = [one.dtype for one in args if not one.weak]
    if not numpys:
        taken = [_numpy(one) for one in args]
        known = [one.dtype for one in taken if one is not None]
        return Number(promoted(*known)) if len(known) == len(args) else None
    kind = promoted(*numpys)
    weak = (common(one, Number(kind)) for one in args if one.weak)
    return Number(promoted(kind, *weak))


def _numpy(of: Number) -> Number | None:
    """A number as NumPy takes it."""
    takes = not of.is_weak_integer or of.fits("int64")
    return Number(of.dtype) if takes else None


def _operated(op: ast.operator, left: Number, right: Number) -> Number | None:
    """What a function gives that is an operator."""
    first: Number | None = left
    if left.weak and (right.weak or left.row.is_complex):
        first = _numpy(left)
    if right.is_weak_integer and not right.fits("int64"):
        return None
    return None if first is None else operation(op, first, right)


def _signed(op: ast.unaryop, of: Number) -> Number | None:
    """What a function gives that is an operator of one number."""
    one = _numpy(of)
    return None if one is None else negation(op, one)


def _inexact(*args: Number) -> Number | None:
    """A float, or a complex number."""
    found = _met(*args)
    if found is None or found.row.is_inexact:
        return found
    return Number("float64")


def _float(*args: Number) -> Number | None:
    """A float, of numbers that are not complex."""
    found = _inexact(*args)
    return None if found is None or found.row.is_complex else found


def _integral(of: Number) -> Number | None:
    """A number, or the next integer of its type."""
    found = _same(of)
    return None if found is None or found.row.is_complex else found


def _nearest(of: Number, *digits: Number) -> Number | None:
    """A number, or the next one of its type of so many digits."""
    found = _integral(of)
    return None if digits or found is None or found.dtype == "bool" else found


def _clipped(of: Number, low: Number, high: Number) -> Number | None:
    """A number, or one of its bounds."""
    found = _met(of, low, high)
    if found is None or found.row.is_complex:
        return None
    return found if found.row.is_inexact or found == Number(of.dtype) else None


def _truth(*args: Number) -> Number | None:
    """A truth value."""
    return _met(*args) and Number("bool")


def _same(*args: Number) -> Number | None:
    """What has the type of what it is made of."""
    found = _met(*args)
    return found if found is None or found.row.kind != "b" else None


def _absolutes(of: Number) -> Number | None:
    """What has the type of the parts of what it is made of."""
    found = _same(of)
    return found if found is None else Number(found.row.real.name)


def _chosen(condition: Number, then: Number, other: Number) -> Number | None:
    """One of two numbers, in an array without axes."""
    found = _met(condition) and _met(then, other)
    return found and replace(found, boxed=True)


_RULES: tuple[tuple[frozenset[str], Callable[..., Number | None]], ...] = (
    (_ANY, _inexact),
    (_REAL, _float),
    (frozenset(("floor", "ceil", "trunc", "sign")), _integral),
    (frozenset(("round", "around")), _nearest),
    (frozenset(("clip",)), _clipped),
    (_TRUTHS, _truth),
    (_SAME, _same),
    (frozenset(("absolute",)), _absolutes),
    (frozenset(("where",)), _chosen),
)
