"""What makes a function of an element that of the whole array."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.lower.kinds import fail
from looptx.lower.scope import Scope
from looptx.lower.tree import Expr, inside
from looptx.model.dtypes import DTYPES
from looptx.model.functions import Native, lookup
from looptx.model.functions.powers import is_power
from looptx.model.trees import dotted

POWERS = "powers"
"""What is asked of ``numpy.power`` where the exponent is written out, see there."""

UNLIKE = "unlike"
"""The rules of what tells that a loop has other bits for one number than for many."""


def note_alike(scope: Scope, full: str, given: Sequence[ast.expr], value: Expr) -> None:
    """Note what makes a function of an element that of the array.

    NumPy's loops compute each number by itself, but nobody promises it; backwards
    through memory, or over 16 bits, they do it in another way.

    Args:
        scope: the nest. full: the name of the function.
        given: its arguments in the source. value: the call.

    Raises:
        Unsupported: LX504 for 16 bits, and for angles.
    """
    row = lookup(full)
    if row.own == "angle":
        # NumPy has a loop through parts of complex numbers, which are far apart.
        fail("numpy.angle of arrays")
    if row.native is not Native.UFUNC:
        return
    called = (part.intrinsic for part in inside(value))
    # Operators on integers, which have no loop, stand in no type.
    found = {one.dtype for one in called if one and one.rules == "numpy" and one.dtype}
    if any(DTYPES[dtype].computed for dtype in found):
        fail(f"{full} of arrays of 16 bits")
    name = row.alias or row.own
    if name == "power" and is_power(given[1]):
        name = POWERS
    scope.checks.alike.update((name, dtype) for dtype in found)
    scope.checks.rows.update(
        dotted(one.value) for one in given if isinstance(one, ast.Subscript)
    )
