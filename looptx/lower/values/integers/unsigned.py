"""Python's integers up to 2**64, which hashes and generators of random numbers have.

They come of masks, ``(x * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF``, and C has them
without a sign. What is computed with them is right where their type is known to hold
it; sums and products are, behind another mask (see ``modular``).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.lower.kinds import BOOL, FLOAT, INT, UNSIGNED, fail, of
from looptx.lower.limits import WORD
from looptx.lower.tree import Expr, constant, intrinsic
from looptx.lower.types import c_name
from looptx.lower.values.literals import LARGE, converted, truth, unsigned
from looptx.model.intervals.symbolic import ANY, Interval, within
from looptx.model.records import replace
from looptx.model.types import ScalarType

KIND = of(UNSIGNED)
NUMPY = ScalarType("uint64")

MASKED = "mask what sums and products give: `(a * b) & 0xFFFFFFFFFFFFFFFF`"
SMALL = "make it smaller before (`x >> 1`, `x % n`), or a float (`float(x)`)"

ABOVE = "above_again"
"""What leaves the loops to Python where an integer is not above 0."""

_GROWING = ("+", "-", "*", "<<", "**")

_MOST = (1 << 64) - 1

_STORED = ("uint64", "float64")
"""The arrays that take such an integer as C does."""


def is_unsigned(value: Expr) -> bool:
    """Whether a value may be one of these integers."""
    return UNSIGNED in value.kind.members


def without(value: Expr, node: ast.expr) -> Expr:
    """The value of an expression that is none of them.

    Args:
        value: it. node: the expression.

    Raises:
        Unsupported: LX504 where it may be one.
    """
    if is_unsigned(value):
        text = ast.unparse(node)
        fail(f"`{text}` may be an integer beyond 63 bits here", hint=SMALL)
    return value


def operation(op: str, left: Expr, right: Expr) -> Expr:
    """``left op right`` where one of them is such an integer, the other one, too, or
    another of Python's.

    Args:
        op: the operation. left, right: its operands.

    Raises:
        Unsupported: LX504 where C has no type for the result.
    """
    both = left.kind.members | right.kind.members
    if both <= {UNSIGNED, INT, BOOL}:
        if op == "&":
            return _common(left, right)
        if op in ("|", "^"):
            return Expr(op, KIND, (unsigned(left), unsigned(right)))
        value = _part(op, left, right)
        if value is not None:
            return value
    hint = MASKED if op in _GROWING else SMALL
    fail(f"`{op}` of an integer that may be beyond 63 bits", hint=hint)


def _common(left: Expr, right: Expr) -> Expr:
    """The bits that both have: those of a negative one go on without end."""
    value = Expr("&", KIND, (_bits(left), _bits(right)))
    known = (one.literal for one in (left, right))
    few = any(isinstance(one, int) and 0 <= one <= WORD for one in known)
    return _signed(value) if few else value


def _part(op: str, left: Expr, right: Expr) -> Expr | None:
    """A shift to the right, a quotient or a remainder; None where it cannot be told."""
    number = right.literal if isinstance(right.literal, int) else None
    if op == ">>" and is_unsigned(left):
        return _shifted(left, number)
    if op == "/":
        return None if number is None else quotient(left, number)
    if op not in ("//", "%") or (number is not None and number < 1):
        return None
    word = "floordiv" if op == "//" else "mod"
    if number is None:
        if right.kind.members != {INT}:
            return None
        right = intrinsic(ABOVE, of(INT), right, raises=LARGE)
    value = intrinsic(word, KIND, unsigned(left), _bits(right), dtype="uint64")
    divided = number is not None and number > 1
    small = divided if op == "//" else not is_unsigned(right)
    return _signed(value) if small else value


def _shifted(left: Expr, count: int | None) -> Expr | None:
    if count is None or not 0 <= count < 64:
        return None
    if count == 0:
        return left
    return _signed(Expr(">>", KIND, (left, constant(count, of(INT), count))))


def part_of(op: ast.operator, number: int | None) -> Interval:
    """The bound of what is left of such an integer behind an operation.

    Args:
        op: it. number: its right operand, if it is one.
    """
    if number is not None and number > 0:
        if isinstance(op, ast.RShift):
            return within(0, _MOST >> number)
        if isinstance(op, ast.FloorDiv) and number > 1:
            return within(0, _MOST // number)
    return ANY


def quotient(left: Expr, divisor: int) -> Expr | None:
    """An integer of Python by a power of two, which no rounding but that of the integer
    itself comes of; None for another divisor."""
    power = divisor > 0 and divisor & (divisor - 1) == 0 and divisor < 1 << 512
    if not power or not left.kind.members <= {INT, UNSIGNED}:
        return None
    return Expr("/", of(FLOAT), (floating(left), constant(float(divisor), of(FLOAT))))


def floating(value: Expr) -> Expr:
    """A number as a float, an int rounded as Python rounds it."""
    if not value.kind.members <= {INT, BOOL, UNSIGNED}:
        return value
    return converted(value, c_name("float64"), of(FLOAT))


def of_numpy(value: Expr) -> Expr:
    """Such an integer as the number of NumPy's that it becomes beside others."""
    if not is_unsigned(value):
        return value
    return replace(value, kind=of(NUMPY), literal=None)


def called(name: str, args: Sequence[Expr]) -> Expr:
    """What a function gives for such an integer.

    Args:
        name: the full name of the function. args: what it is given.

    Raises:
        Unsupported: LX504 for most.
    """
    if len(args) == 1:
        match name:
            case "int" | "abs":
                return args[0]
            case "float":
                return floating(args[0])
            case "bool":
                return truth(args[0])
            case "numpy.uint64":
                return of_numpy(args[0])
    fail(f"{name} of an integer that may be beyond 63 bits", hint=SMALL)


def check_stored(value: Expr, dtype: str) -> None:
    """See that an array takes a value, if it is such an integer.

    Args:
        value: it. dtype: of the array; empty for a list.

    Raises:
        Unsupported: LX504 where it may not fit.
    """
    if is_unsigned(value) and dtype not in _STORED:
        where = f"an array of {dtype}" if dtype else "a list"
        fail(f"an integer that may be beyond 63 bits, stored in {where}", hint=SMALL)


def _bits(value: Expr) -> Expr:
    """The lowest 64 bits of an integer of Python."""
    return value if is_unsigned(value) else converted(value, c_name("uint64"), KIND)


def _signed(value: Expr) -> Expr:
    """One that is small, as most integers of Python are in C."""
    return converted(value, of(INT).c, of(INT))
