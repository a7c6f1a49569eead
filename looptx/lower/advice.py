"""What helps where a nest cannot be compiled natively, by what the reason says."""

from __future__ import annotations

import re

_CONVERT = "convert it where it is assigned or read: `int(...)`, `float(...)`"
_ELEMENTS = "write it as a loop over the elements, or compute it before the nest"
_ROW = "loop over its elements; reductions can be given it as it is: `np.sum(A[i])`"

_ADVICE = (
    (
        r"outgrow",
        "keep it small (`& 0xFFFFFFFF`, `% m`), or let it be `np.int64(...)`",
    ),
    (r"wrap around as a small", "widen what it is made of first: `int(x[i])`"),
    (
        r"type of `.*` after the nest depends",
        "let each assignment give it the same kind of number: `float(...)`, `int(...)`",
    ),
    (r"depends on whether a value is|one name holds both", _CONVERT),
    (
        r"the assignment to `\(",
        "give each name its own element: `x, y = p[i, 0], p[i, 1]`",
    ),
    (r"the expression `\(", "keep the parts under names of their own: `a, b = i, j`"),
    (r"is not one element", _ROW),
    (r"the expression `[^`(]*:|is no part of", _ELEMENTS),
    (r"` is \w+\[[:,1 ]+\]|`@` operator", _ELEMENTS),
    (
        r"a call of |the call `\w+\.?\w*\(",
        "call it before the nest, into an array that the nest reads",
    ),
    (r"the call `", _ELEMENTS),
    (r"no integers?$", "make an integer of it before the nest: `int(...)`"),
)
"""Parts of reasons, with what helps; the first that is found counts."""

_ELSE = "write it with numbers, elements of arrays and functions of `math` and NumPy"


def advice(reason: str) -> str:
    """What helps; the loops run as Python otherwise."""
    helps = (text for part, text in _ADVICE if re.search(part, reason))
    return next(helps, _ELSE)
