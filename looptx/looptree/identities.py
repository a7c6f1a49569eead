"""What the parts of a reduction begin with: the identity of its operation.

It is neutral bit by bit: what is combined with it is what it was, negative zeros too.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import replace

from looptx.errors import Unproven
from looptx.model.dtypes import DTYPES, FLOATS
from looptx.model.program import Statement
from looptx.model.schedule import Schedule
from looptx.model.storage import Start
from looptx.model.trees import dotted
from looptx.model.types import ArrayType, Type


def started(
    schedule: Schedule,
    statement: Statement,
    types: Mapping[str, Type],
    integers: frozenset[str],
) -> Statement:
    """The statement that gives a part its first value, with that value.

    Args:
        schedule: the schedule. statement: one of its statements.
        types: what is known of names where the nest starts.
        integers: targets whose arithmetic is exact in any order.

    Returns:
        Any other statement as it is.

    Raises:
        Unproven: LX212 where no value is neutral, or where only the type says which.
    """
    if statement.start is None:
        return statement
    start = replace(statement.start, target=schedule.cached(statement.start.target))
    exact = start.target in integers
    kind = types.get(start.target)
    is_array = isinstance(kind, ArrayType) or bool(statement.elements)
    # What is only known where the nest starts may be another integer in it.
    known = kind is not None and (is_array or not exact)
    dtype = kind.dtype if kind is not None and known else ""
    if not dtype and not exact and _is_float(start.operand, types):
        dtype = "float64"
    value = _identity(start.op, dtype, exact=exact, is_array=is_array)
    if value is None and start.compares and not is_array:
        # In Python every number is above or below.
        value = -math.inf if start.op == "max" else math.inf
    if value is None:
        raise _unknown(start, dtype)
    (code,) = statement.code
    assert isinstance(code, ast.Assign)
    number: ast.expr = ast.Constant(value)
    if start.op == "+" and dtype.startswith("complex"):
        # As a complex number -0.0 has one zero with the other sign.
        number = ast.UnaryOp(ast.USub(), ast.Constant(0j))
    changed = ast.copy_location(ast.Assign(code.targets, number), code)
    return replace(statement, code=(ast.fix_missing_locations(changed),))


def _identity(
    op: str, dtype: str, *, exact: bool, is_array: bool
) -> bool | int | float | None:
    """A neutral number. An element of an array converts it to its own type."""
    known = DTYPES.get(dtype)
    floats = known is not None and not known.is_integer
    if dtype.startswith("complex") and op == "*":
        return None
    if dtype == "bool":
        # `+` is "or" and `*` is "and" where a cell holds the result.
        return op in ("*", "&", "min")
    match op:
        case "+":
            # 0.0 + -0.0 is 0.0. A scalar may be an integer for all that is known.
            return -0.0 if not exact and (floats or is_array) else 0
        case "*":
            return 1
        case "|" | "^":
            # For a scalar that may be a bool as well as an integer.
            return 0 if exact or is_array else False
        case "&":
            if known is None or not known.is_integer:
                return -1 if exact else None
            low, high = known.range
            return -1 if low else high
    if known is None:
        return None
    least, most = known.range if known.is_integer else (-math.inf, math.inf)
    return least if op == "max" else most


def _is_float(value: ast.expr, types: Mapping[str, Type]) -> bool:
    """Whether a number is known to be a float: arithmetic with one gives one."""
    match value:
        case ast.Constant(number):
            return isinstance(number, float)
        case ast.Name() | ast.Attribute() | ast.Subscript():
            while isinstance(value, ast.Subscript):
                value = value.value
            kind = types.get(dotted(value))
            return kind is not None and kind.dtype in FLOATS
        case ast.UnaryOp(ast.USub() | ast.UAdd(), operand):
            return _is_float(operand, types)
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right):
            return _is_float(left, types) or _is_float(right, types)
    return False


def _unknown(start: Start, dtype: str) -> Unproven:
    target, op = start.target, start.op
    if dtype:
        return Unproven(
            "LX212",
            f"unknown: what parts of `{target}` begin with",
            detail=(f"`{op}` of {dtype} leaves no number what it is, bit by bit",),
            hint="leave `rfactor` out",
        )
    return Unproven(
        "LX212",
        f"unknown: what parts of `{target}` begin with",
        detail=(f"that depends on its type: for `{op}` it is the largest or smallest",),
        hint=f"annotate `{target}`, or the array whose element it is",
    )
