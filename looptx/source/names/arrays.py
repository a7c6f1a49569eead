"""What arrays say of themselves."""

from __future__ import annotations

COUNTS = frozenset(("size", "ndim", "itemsize", "nbytes"))
"""Attributes that are integers, and never negative."""

SIZES = COUNTS | {"shape", "strides", "dtype"}
"""Attributes that say nothing of what the cells hold."""

VIEWS = frozenset(("T", "mT", "real", "imag", "flat"))
"""Attributes that show the array's own cells."""

TELLING = (SIZES | VIEWS) - {"size", "real", "imag"}
"""Attributes that tell an array: numbers have ``real``, and much more has a size."""
