"""Values of Python numbers: literals, conversions, conditions.

C computes in the types of its operands, so a value becomes one of another kind by
``as_kind``, which converts it.
"""

from __future__ import annotations

import math

from looptx.lower.kinds import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    LOOKED_AT,
    UNSIGNED,
    Kind,
    Number,
    exact,
    fail,
    of,
)
from looptx.lower.tree import Expr, constant, intrinsic
from looptx.lower.types import c_name
from looptx.model.dtypes import DTYPES, is_converted
from looptx.model.records import replace

HOLDS = "held_again"
"""What leaves the loops to Python where a float does not hold an integer exactly."""

FITS = "fit_again"
"""What leaves them where an integer does not fit into a type."""

_FAR = "an integer that a float does not hold"

LARGE = "an integer beyond 64 bits"
"""What is, in words."""


def cast(value: Expr, dtype: str) -> Expr:
    """The value in the C type of ``dtype``, by C's conversion."""
    if value.kind.dtype == dtype:
        return value
    if dtype == "bool":
        return truth(value)
    kind = Kind(dtype, value.kind.members, value.kind.numbers)
    number = value.literal
    if DTYPES[dtype].computed or value.kind.is_complex:
        return rounded(value, kind)
    if isinstance(number, int) and dtype == "float64" and abs(number) < 2**53:
        return constant(float(number), kind, number)
    if kind.is_complex:  # C's conversion, as Cython writes it, loses a sign of 0.
        real = value
        if isinstance(number, int | float):
            real = constant(float(number), kind)
        made = composed(kind, real, constant(0.0, of(FLOAT)))
        return replace(made, literal=number)
    return converted(value, c_name(dtype), kind, number)


def shared(value: Expr, kind: Kind) -> Expr:
    """A value in the C type of a kind that has others, too.

    A float has no place for all integers of 64 bits: Python goes on at a larger one.
    """
    if kind.members == {UNSIGNED}:
        return unsigned(value)
    have, own = DTYPES[value.kind.dtype], DTYPES[kind.dtype]
    if have.is_integer and not own.is_integer and LOOKED_AT & value.kind.members:
        dtype = have.name if have.is_unsigned else ""
        small = Kind("int64", value.kind.members)
        value = intrinsic(HOLDS, small, value, dtype=dtype, raises=_FAR)
    return cast(value, kind.dtype)


def composed(kind: Kind, real: Expr, imag: Expr) -> Expr:
    """A complex number of two parts."""
    return intrinsic("complex", kind, real, imag, dtype=kind.dtype)


def converted(
    value: Expr, c_type: str, kind: Kind, literal: Number | None = None
) -> Expr:
    """A value in a C type, by C's conversion."""
    return Expr("cast", kind, (value,), c_type, literal=literal)


def rounded(value: Expr, kind: Kind) -> Expr:
    """A value as the nearest number of a type, by looptx's own conversion."""
    made = intrinsic("as", kind, value, dtype=kind.dtype)
    return replace(made, literal=value.literal)


def loaded(cell: Expr, bits: Expr | None = None) -> Expr:
    """What a cell in memory holds; ``bits`` of it, where not all of them count."""
    own = DTYPES[cell.kind.dtype]
    if bits is not None:
        return nonzero(Expr("&", of(INT), (cell, bits)), cell.kind)
    if own.kind == "b":
        # Any byte but 0 is True, as a view of other data as bool may have it.
        return nonzero(cell, cell.kind)
    return intrinsic("load", cell.kind, cell, dtype=own.name) if own.stored else cell


def encoded(value: Expr) -> Expr:
    """A value as a cell in memory holds it."""
    own = DTYPES[value.kind.dtype]
    bits = own.stored and own.kind != "b"
    return intrinsic("store", value.kind, value, dtype=own.name) if bits else value


def as_kind(value: Expr, kind: Kind) -> Expr:
    """The value as one of another kind, in its C type."""
    return replace(cast(value, kind.dtype), kind=kind)


def in_type(value: Expr, kind: Kind) -> Expr:
    """An int64 result of C as the integer type of ``kind``."""
    if is_converted(kind.dtype):
        return converted(value, c_name(kind.dtype), kind)
    return replace(value, kind=kind)


def widened(value: Expr) -> Expr:
    """An integer in 64 bits of C, with a sign but for those that have none."""
    if value.wide:
        return value
    return converted(value, "int64_t", Kind("int64", value.kind.members))


def literal(number: Number) -> Expr:
    """A Python literal.

    Raises:
        Unsupported: LX504 for an integer beyond 64 bits.
    """
    if isinstance(number, bool):
        kind = of(BOOL, number)
    elif isinstance(number, int):
        if not exact(number, "int64"):
            return _large(number)
        kind = of(INT, number)
    elif isinstance(number, complex):
        kind = of(COMPLEX, number)
        parts = number.real, number.imag
        ends = (constant(part, kind) for part in parts)
        return replace(composed(kind, *ends), literal=number)
    elif math.isfinite(number):
        kind = of(FLOAT, number)
    else:
        # A kind lists no NaN, which is not itself.
        return constant(number, of(FLOAT))
    return constant(number, kind, number)


def _large(number: int) -> Expr:
    """A literal beyond 63 bits, of which C gets the lowest ones.

    Raises:
        Unsupported: LX504 for an integer beyond 64 bits.
    """
    if not exact(number, "uint64"):
        fail(f"the integer {number} does not fit into 64 bits")
    bits = constant(number - (1 << 64), of(INT))
    return converted(bits, c_name("uint64"), of(UNSIGNED, number), number)


def unsigned(value: Expr) -> Expr:
    """An integer of Python without a sign; a negative one leaves the loops."""
    kind = of(UNSIGNED)
    if value.kind.members == {UNSIGNED}:
        return value
    known, (inner, *_) = value.literal, (*value.parts, value)
    # What was made of one of these is small, see ``integers``.
    small = value.op == "cast" and inner.kind.members == {UNSIGNED}
    positive = isinstance(known, int) and known >= 0
    if not (positive or small or value.kind.members == {BOOL}):
        value = intrinsic(FITS, value.kind, value, dtype=kind.dtype, raises=LARGE)
    return converted(value, c_name(kind.dtype), kind)


def truth(value: Expr) -> Expr:
    """The value as a condition."""
    if value.kind.dtype == "bool":
        return value
    return nonzero(value, of(BOOL))


def nonzero(value: Expr, kind: Kind) -> Expr:
    """Whether a value is not 0."""
    return Expr("!=", kind, (value, constant(0, of(INT))))
