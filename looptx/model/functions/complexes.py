"""What NumPy computes of arrays of complex numbers by loops of its own.

Which of its products and sums are rounded hangs on its version and on the processor,
and is not what C makes of one number: nothing but the same loop gives the same bits.
"""

from __future__ import annotations

REAL = frozenset(("absolute",))
"""Those that make numbers which are not complex."""

OF_COMPLEX = REAL | frozenset(
    (
        *("square", "conjugate", "sqrt", "exp", "exp2", "expm1"),
        *("log", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh"),
        *("arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh"),
    )
)
"""The functions of one number."""


def hangs_on_direction(operation: str, dtype: str) -> bool:
    """Whether NumPy computes other bits where an operand lies backwards in memory.

    Args:
        operation: what NumPy calls it. dtype: of the operands.
    """
    narrow = operation == "multiply" and dtype == "complex64"
    return operation in OF_COMPLEX or narrow
