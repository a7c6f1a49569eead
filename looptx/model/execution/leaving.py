"""Why a native nest leaves its loops to Python in the middle."""

from __future__ import annotations

OUTGROWN = "an integer is too large for C"
"""Python's integers have no bound."""

COMPLEX = "a power of a negative number is complex"
"""What comes behind it has another type."""

RAISED = "the loops raise an exception"
"""They come to a ``raise``: Python's own loops do what comes before, and raise it."""
