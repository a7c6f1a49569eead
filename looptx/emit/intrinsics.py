"""What intrinsics are called in C."""

from __future__ import annotations

from looptx.lower.tree import Intrinsic
from looptx.model.dtypes import DTYPES

_RULES = {
    **{"": "", "python": "py_", "numpy": "np_", "math": "math_"},
    **{"reduce": "of_", "strip": "strip_", "planes": "planes_", "axes": "parts_"},
    **{"quick": "quick_", "unlike": "unlike_", "search": "search_"},
    **{"order": "order_", "draw": "draw_"},
}
_CONVERSIONS = {"as": "", "load": "_of", "store": "_bits"}
"""A number as one of a dtype, and one from its bits and to them."""


def c_function(one: Intrinsic) -> str:
    """The name of the function of C that an intrinsic is."""
    if one.rules == "c":
        return one.operation + ("" if DTYPES[one.dtype].c == "double" else "f")
    if one.operation in _CONVERSIONS:
        return f"lx_{DTYPES[one.dtype].short}{_CONVERSIONS[one.operation]}"
    ending = f"_{DTYPES[one.dtype].short}" if one.dtype else ""
    if one.lanes > 1:
        ending += f"x{one.lanes}"
    if one.machine:
        ending += f"_{one.machine}"
    return f"lx_{_RULES[one.rules]}{one.operation}{ending}"
