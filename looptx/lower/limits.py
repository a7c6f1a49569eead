"""How large integers may be in generated code, and why; each limit is said here only.

What exceeds a limit is no error: the entry of the nest hands it to Python.
"""

from __future__ import annotations

WORD = (1 << 63) - 1
"""The largest integer of C (``int64_t``)."""

EXACT = 1 << 53
"""A double holds every integer up to here."""

NEAR = 1 << 62
"""An integer up to here compares with a saturated one as with the true one."""

SIZES = 1 << 40
"""Sizes, parameters and the bounds of loops are less.

No machine has memory for more, and it leaves 23 bits for what a schedule multiplies
them by, so that subscripts and bounds of loops rarely need a test of their own.
"""

INDICES = 1 << 50
"""An integer array with elements beyond it counts as one that reaches from -it to it.

It is more than any axis has, so that such an array fails the test of subscripts, and
still leaves 13 bits for the arithmetic of subscripts (``4 * col[p] + 3``).
"""

MEASURED = 1 << 12
"""How many elements are looked through to spare loops in the order of the source what
they would test as they go: that takes a microsecond."""

AXES = 32
"""The most axes of an array in C; NumPy 1 had no more."""

RUNS = 1 << 55
"""More often no statement runs: at a nanosecond each it would take a year."""
