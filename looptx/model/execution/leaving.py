"""Why a native nest leaves its loops to Python in the middle."""

from __future__ import annotations

OUTGROWN = "an integer is too large for C"
"""Python's integers have no bound."""

OTHER = "a power has another type than in C"
"""It is complex, or it is a fraction of integers."""

APART = "slices differ in size, leave their array, or overlap"
"""NumPy does something else than loops over elements, or raises."""

RAISED = "the loops raise an exception"
"""They come to a ``raise``: Python's own loops do what comes before, and raise it."""

FEW = "arrays of its lists take longer to make than its loops"
"""The loops look at few elements of long lists."""

EMPTY = "without elements"
"""A list says nothing of the type of elements that it might have."""
