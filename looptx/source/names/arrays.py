"""What NumPy makes arrays with, and what arrays say of themselves."""

from __future__ import annotations

MADE = frozenset(("zeros", "ones", "empty", "full"))
"""Functions that are given a shape."""

SHAPED = frozenset(f"numpy.{name}" for name in MADE)
LIKE = frozenset(f"numpy.{name}_like" for name in MADE)
"""Functions that are given an array of the same shape."""

COUNTS = frozenset(("size", "ndim", "itemsize", "nbytes"))
"""Attributes that are integers, and never negative."""

SIZES = COUNTS | {"shape", "strides", "dtype"}
"""Attributes that say nothing of what the cells hold."""

VIEWS = frozenset(("T", "mT", "real", "imag", "flat"))
"""Attributes that show the array's own cells."""

TELLING = (SIZES | VIEWS) - {"size", "real", "imag"}
"""Attributes that tell an array: numbers have ``real``, and much more has a size."""
