"""The one table of known functions: one row each, all else follows from it.

A function that is added gets a row in ``python`` or ``numpy``. The rows say what it
means for a nest; how validation and native code compute it is said where they do, by
the names of rows (``native`` tells whether native code does).
"""

from __future__ import annotations

import math

from looptx.model.functions import numpy, python
from looptx.model.functions.rows import FILLED, Function, Kind, Native, Reach, When

FUNCTIONS = {row.name: row for row in (*python.ROWS, *numpy.ROWS)}
"""The functions by their full names: ``builtins.abs``, ``math.sqrt``."""

DRAWS = "looptx.draws."
"""What the full names of functions begin with that draw from arrays."""

DRAWING = {
    f"{DRAWS}{name}": Function(f"{DRAWS}{name}", Kind.SCALAR, native=Native.OWN)
    for name in ("fraction", "below", "bell")
}
"""Those that ``source.callees.mersenne`` draws with."""

METHODS = {row.name: row for row in numpy.METHODS}
"""Methods of arrays, containers and generators of random numbers, by name."""

SUMS = "looptx.sums."
"""What the full names of functions begin with that ``sum`` is made of."""

SUMMING = {
    f"{SUMS}{name}": Function(f"{SUMS}{name}", Kind.SCALAR, inputs=2, native=Native.OWN)
    for name in ("lost", "rest")
}
"""Those that keep what rounding loses."""

_BOTH = {"pi", "e", "inf", "nan"}
CONSTANTS: dict[str, float | None] = {
    **{f"math.{name}": getattr(math, name) for name in _BOTH | {"tau"}},
    **{f"numpy.{name}": getattr(math, name) for name in _BOTH},
    "numpy.euler_gamma": 0.5772156649015329,
    "numpy.newaxis": None,
}
"""The values of the modules' constants."""

UNKNOWN = Function("", Kind.OTHER, pure=False, fresh=False, number=False)
"""What is known of any other function: nothing."""


def lookup(name: str) -> Function:
    """The row of a full name."""
    return FUNCTIONS.get(name) or DRAWING.get(name) or SUMMING.get(name, UNKNOWN)


def lookup_method(name: str) -> Function:
    """The row of a method."""
    return METHODS.get(name, UNKNOWN)


__all__ = [
    "CONSTANTS",
    "DRAWING",
    "DRAWS",
    "FILLED",
    "FUNCTIONS",
    "METHODS",
    "SUMMING",
    "SUMS",
    "UNKNOWN",
    "Function",
    "Kind",
    "Native",
    "Reach",
    "When",
    "lookup",
    "lookup_method",
]
