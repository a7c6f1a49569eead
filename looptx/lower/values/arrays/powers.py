"""The powers that NumPy takes of arrays in another way than ``pow`` does."""

from __future__ import annotations

import ast
from collections.abc import Callable

from looptx.lower.kinds import fail
from looptx.lower.tree import Expr
from looptx.lower.values import calls, operators
from looptx.model.dtypes import DTYPES

_POWERS: dict[float, Callable[[Expr], Expr | None]] = {
    2: lambda value: operators.binary("*", value, value),
    0.5: lambda value: calls.apply("numpy.sqrt", [value]),
}


def is_known(exponent: float, base: Expr) -> bool:
    """Whether a power is one of these, and has the type that its base has."""
    row = DTYPES[base.kind.dtype]
    alike = row.is_inexact or (row.is_integer and isinstance(exponent, int))
    return exponent in _POWERS and alike


def taken(exponent: float, base: Expr, node: ast.expr) -> Expr:
    """A power of an element.

    Args:
        exponent: of those that are known. base: the element. node: the power.
    """
    value = _POWERS[exponent](base)
    if value is None:
        fail(f"the array `{ast.unparse(node)}`")
    return value
