"""Numbers made others: by NumPy's constructors, and by what an array keeps of them."""

from __future__ import annotations

from collections.abc import Sequence

from looptx.lower.kinds import INT, WIDE, Kind, fail, names, of
from looptx.lower.scope import Scope
from looptx.lower.tree import Expr, inside, intrinsic
from looptx.lower.types import c_name
from looptx.lower.values.alternatives import each, integral, own, real
from looptx.lower.values.integers import unsigned
from looptx.lower.values.literals import (
    LARGE,
    as_kind,
    cast,
    converted,
    encoded,
    truth,
)
from looptx.lower.values.operators import fit
from looptx.model.dtypes import DTYPES, FLOATS, INTEGERS
from looptx.model.types import ScalarType

NO_INT = "nan or infinity as an integer"


def truncated(value: Expr) -> Expr:
    """``int(x)`` of a float: nan and inf raise as in Python."""
    return intrinsic("trunc", of(INT), value, raises=NO_INT)


def part_of(value: Expr, which: str) -> Expr:
    """``z.real`` or ``z.imag`` of a number that may be complex.

    Raises:
        Unsupported: LX504 for truths of Python, whose parts are integers.
    """
    kind = value.kind
    if not kind.is_complex:
        if any(member.weak and member.dtype == "bool" for member in kind.members):
            fail(f"a part of {names(kind)}")
        return value
    part = DTYPES[kind.dtype].real.name
    members = (ScalarType(DTYPES[m.dtype].real.name, m.weak) for m in kind.members)
    given = Kind(part, frozenset(members))
    return intrinsic(which, given, value, dtype=kind.dtype)


def conjugated(value: Expr, method: str = "conjugate") -> Expr:
    """The complex conjugate of a number, as NumPy's function gives it, or a method.

    Raises:
        Unsupported: LX504 for numbers of Python that are not complex, and truths.
    """
    return each(lambda one: _conjugated(own(one), method), value, what="the conjugate")


def _conjugated(value: Expr, method: str) -> Expr:
    """The complex conjugate of a number of one type."""
    (member,) = value.kind.members
    row = DTYPES[member.dtype]
    odd = member.weak and (method == "conj" or not row.is_complex)
    if odd or row.kind == "b":
        fail(f"the conjugate of {names(value.kind)}")
    if not row.is_complex:
        return value
    return intrinsic("conjugate", of(member), value, dtype=row.name)


def signed(value: Expr) -> Expr:
    """An integer without a sign as ``int64``; OverflowError where it is too large."""
    return intrinsic("signed", WIDE, value, dtype="uint64", raises=LARGE)


def signed_bound(value: Expr, scope: Scope) -> Expr:
    """An end of a ``range`` in C, which would count without a sign.

    Beyond 64 bits the loops are left to Python. Where they cannot be, it is the last
    integer there: nothing is counted between two such ends.

    Args:
        value: it. scope: the nest.
    """
    if not DTYPES[value.kind.dtype].is_unsigned:
        return value
    if value.kind.dtype != "uint64":
        return as_kind(value, WIDE)
    if not scope.again:
        return intrinsic("saturated", WIDE, value, dtype="uint64")
    return intrinsic("signed_again", WIDE, value, dtype="uint64", raises=LARGE)


def construct(value: Expr, dtype: str) -> Expr:
    """``np.float32(x)`` and its like."""
    have = value.kind.dtype
    if value.kind.is_complex and not DTYPES[dtype].is_complex:
        fail("a complex number made real")
    if dtype in INTEGERS:
        weak = any(member.weak for member in value.kind.members)
        if have in FLOATS:
            value = _fitted(value, dtype) if weak else _wrapped(value, dtype)
        elif have == "int64" and weak and dtype != "int64":
            return fit(value, dtype)
    return as_kind(value, of(ScalarType(dtype)))


def stored(value: Expr, dtype: str) -> Expr:
    """A value as ``A[i] = value`` puts it into the memory of an array of ``dtype``."""
    unsigned.check_stored(value, dtype)
    settled = integral if dtype in INTEGERS else real
    kept = each(lambda one: _kept(settled(one), dtype), value, what="what is stored")
    return encoded(kept) if kept.kind.dtype == dtype else kept


def whole(value: Expr, dtype: str) -> None:
    """Statements on arrays store what does not change, or is a float as before.

    Raises:
        Unsupported: LX504 for what NumPy stores otherwise than one by one.
    """
    have, own = value.kind.dtype, DTYPES[dtype]
    check_rounded(value)
    if DTYPES[have].kind == "c" != own.kind:
        fail(_COMPLEX)
    if own.kind == "c":
        return
    weak = any(member.weak for member in value.kind.members)
    kept = have == dtype or dtype in FLOATS or (weak and have in INTEGERS)
    if dtype == "bool" or not kept:
        # An operator makes numbers of truths that no array of truths takes.
        kept = own.holds(DTYPES[have])
    if not kept or (have in FLOATS and dtype not in FLOATS):
        fail(f"{names(value.kind)} stored in slices of an array of {dtype}")


_COMPLEX = "what NumPy computes of complex arrays, and rounds in a way of its own"


def check_rounded(value: Expr) -> None:
    """Make sure that NumPy rounds an element of an array as one number.

    Raises:
        Unsupported: LX504 for products of complex numbers, and the like.
    """
    if any(map(_is_rounded, inside(value))):
        fail(_COMPLEX)


_PLAIN = frozenset(("real", "imag", "conjugate", "complex", "as"))
"""What is exact, or rounds each part by itself."""


def _is_rounded(part: Expr) -> bool:
    """Whether it is of complex numbers what NumPy rounds otherwise for arrays."""
    given = (part, *part.parts)
    if not any(one.kind.is_complex for one in given):
        return False
    if part.intrinsic is None:
        return part.op in ("*", "/")
    return part.intrinsic.operation not in _PLAIN


def as_row(values: Sequence[Kind], dtype: str) -> None:
    """NumPy makes an array of a tuple first: that may round, or wrap.

    Args:
        values: what the tuple holds. dtype: of the array that it is stored in.

    Raises:
        Unsupported: LX504 where it stores something else than the values one by one.
    """
    whole = dtype == "int64" and all(
        one.dtype in ("bool", "int64") or DTYPES["int64"].holds(DTYPES[one.dtype])
        for one in values
    )
    same = all(one.dtype == dtype and not one.weak for one in values)
    wide = dtype == "float64" and not any(one.is_complex for one in values)
    if not (same or wide or whole):
        what = ", ".join(dict.fromkeys(map(names, values)))
        fail(f"a tuple of {what} stored in a row of {dtype}")


def _kept(value: Expr, dtype: str) -> Expr:
    """What an array keeps of a value."""
    have = value.kind.dtype
    weak = any(member.weak for member in value.kind.members)
    if have == dtype:
        return value
    if dtype == "bool":
        return truth(value)
    own = DTYPES[dtype]
    if value.kind.is_complex and not own.is_complex:
        fail(f"a complex number stored in an array of {dtype}")
    if dtype not in INTEGERS:
        plain = own.kind == "f" and not own.computed
        by_c = plain and (have not in FLOATS or own.holds(DTYPES[have]))
        return value if by_c else cast(value, dtype)
    if own.kind == "u" and not weak:
        return _wrapped(value, dtype)
    if have in FLOATS:
        return _fitted(value, dtype)
    if have == "uint64":
        value = signed(value)
    return value if own.holds(DTYPES[value.kind.dtype]) else fit(value, dtype)


def _wrapped(value: Expr, dtype: str) -> Expr:
    """A number of NumPy's as an integer, by C's conversion where C defines one.

    Where a float does not fit, what C does is what it does for the wider integers.
    """
    kind = of(ScalarType(dtype))
    bits = DTYPES[dtype].bits
    if value.kind.dtype in FLOATS and dtype == "uint64":
        return intrinsic("as", kind, value, dtype="uint64")
    if value.kind.dtype in FLOATS and (bits < 32 or dtype == "uint32"):
        wide = "int" if bits < 32 else "int64_t"
        value = converted(value, wide, of(INT))
    return converted(value, c_name(dtype), kind)


def _fitted(value: Expr, dtype: str) -> Expr:
    """A float as an integer; it must be a number, and must not be too large."""
    if DTYPES[dtype].is_unsigned and all(m.weak for m in value.kind.members):
        kind = of(ScalarType(dtype))
        return intrinsic("whole", kind, value, dtype=dtype, raises=NO_INT)
    whole = truncated(value)
    return whole if dtype == "int64" else fit(whole, dtype)
