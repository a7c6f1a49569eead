"""Powers of typed values, each exactly NumPy's or Python's."""

from __future__ import annotations

from looptx.lower.kinds import WIDE, Kind, fail
from looptx.lower.tree import Expr, intrinsic
from looptx.lower.values.literals import LARGE, cast, in_type
from looptx.model.dtypes import INTEGERS
from looptx.model.types import ScalarType

COMPLEX_POWER = "pow_again"
"""What leaves the loops to Python where a power of floats is complex."""


def power(left: Expr, right: Expr, kind: Kind) -> Expr:
    """A power of numbers that are not complex, in the type of the result."""
    exponent = right.literal
    if kind.dtype in INTEGERS:
        if isinstance(exponent, int) and exponent >= 0:
            return in_type(intrinsic("ipow", WIDE, left, right), kind)
        if kind.weak and exponent is None:
            return intrinsic("ipow_again", kind, left, right, raises=LARGE)
        fail("an integer power whose exponent is no literal, or negative")
    if kind.dtype == "bool":
        fail("a power of bool values")
    alike = left.kind.members | right.kind.members
    whole = right.kind.dtype in ("bool", *INTEGERS)
    whole |= exponent is not None and float(exponent.real).is_integer()
    left, right = cast(left, kind.dtype), cast(right, kind.dtype)
    if any(m.weak for m in kind.members):
        reason = "a power of Python numbers"
        if whole or _is_positive(left):
            return intrinsic("pow", kind, left, right, rules="python", raises=reason)
        return intrinsic(COMPLEX_POWER, kind, left, right, raises=reason)
    # NumPy takes C's function where one is of the type already, and else its own: for a
    # Python float and an integer of NumPy's, too, which converts both.
    own = ScalarType(kind.dtype) in alike
    word, rules = ("pow", "") if own else ("power", "numpy")
    return intrinsic(word, kind, left, right, dtype=kind.dtype, rules=rules)


def _is_positive(value: Expr) -> bool:
    """Whether a number is known not to be negative."""
    known = value.kind.numbers
    if isinstance(value.literal, int | float):
        known = frozenset((value.literal,))
    return known is not None and all(
        not isinstance(one, complex) and one >= 0 for one in known
    )
