"""What is known to raise nothing: operations of numbers, by the kinds of these.

Only what stands here is quiet. It is what NumPy 2 and CPython do, and the tests compare
each entry with them on the extremes of all kinds. NumPy's numbers warn where Python's
raise (``x / 0``, an overflow), but refuse Python's integers that they do not have:
``uint8 + 300``. Python's floats raise in divisions by zero and in powers, and take no
integer of more than 1023 bits.

Loops and sizes count as integers of 30 bits, so that the product of two and twice that
has 63, and sums as long as what is added: nobody runs a loop of Python that far. (Sums
of Python's integers do not come to where 64 bits end in ``exact_reductions``, either.)
Other integers that a caller gives count as ones of 1023 bits, which floats take.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TypeAlias

from looptx.model.dtypes import DTYPES, Dtype, made_complex, promoted
from looptx.model.records import dataclass, replace
from looptx.model.types import ScalarType

HUGE = 1024
"""As many bits are too many for a float."""

_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_EQUAL = (ast.Eq, ast.NotEq)


@dataclass(frozen=True, slots=True)
class Number:
    """What is known of a number.

    Attributes:
        dtype: as of a ``ScalarType``. weak: whether it is one of Python's.
        bits: of Python's integers, how many they have at most.
        value: the only one that it may be, if that is known.
        boxed: whether it may be an array without axes, as ``np.where`` gives.
    """

    dtype: str
    weak: bool = False
    bits: int = 0
    value: complex | None = None
    boxed: bool = False

    @property
    def row(self) -> Dtype:
        """What is known of its type."""
        return DTYPES[self.dtype]

    @property
    def is_integer(self) -> bool:
        """Whether it is an integer, or a truth value."""
        return self.row.kind in "bui"

    @property
    def is_truth(self) -> bool:
        """Whether it is a truth value."""
        return self.row.kind == "b"

    @property
    def is_weak_integer(self) -> bool:
        """Whether it is one of Python's integers, no truth value."""
        return self.weak and self.row.is_integer

    def fits(self, dtype: str) -> bool:
        """Whether a type takes it, which is one of Python's integers."""
        row = DTYPES[dtype]
        if row.is_inexact:
            return self.bits < HUGE
        low, high = DTYPES["int64" if row.kind == "b" else dtype].range
        if self.value is not None:
            return low <= self.value.real <= high
        return low < 0 and self.bits <= 63 == high.bit_length()


Numbers: TypeAlias = frozenset[Number]
"""All that a number may be; nothing where it has no value yet."""

FLOAT: Numbers = frozenset((Number("float64"),))
PYTHON_FLOAT: Numbers = frozenset((Number("float64", True),))
NUMBER: Numbers = FLOAT | PYTHON_FLOAT
"""A number of which nothing is known counts as a float, NumPy's or Python's."""

COUNT: Numbers = frozenset((Number("int64", True, bits=30),))
"""Loops and sizes."""

TRUTH: Numbers = frozenset((Number("bool", True, bits=1),))


def integer(bits: int, value: int | None = None) -> Number:
    """One of Python's integers, of at most so many bits."""
    return Number("int64", True, min(bits, HUGE), value)


def constant(value: object) -> Numbers | None:
    """A constant of the source; None where it is no number."""
    match value:
        case bool():
            return frozenset((Number("bool", True, 1, value),))
        case int():
            return frozenset((integer(value.bit_length(), value),))
        case float() | complex():
            name = "float64" if isinstance(value, float) else "complex128"
            return frozenset((Number(name, True, 0, value),))
    return None


def typed(kind: ScalarType) -> Number:
    """A number of a type; an integer of Python's may be as long as a float takes it."""
    # Whether C has an int without a sign is no matter of what Python does with it.
    dtype = "int64" if kind.weak and kind.dtype == "uint64" else kind.dtype
    bits = {"bool": 1, "int64": HUGE - 1}.get(dtype, 0) if kind.weak else 0
    return Number(dtype, kind.weak, bits)


def endless(of: Numbers) -> Numbers:
    """A number that is added to or multiplied for ever."""
    return frozenset(
        replace(one, bits=HUGE, value=None) if one.is_weak_integer else one
        for one in of
    )


def parts(of: Numbers, name: str) -> Numbers | None:
    """An attribute of a number; None where it may have none."""
    if name not in ("real", "imag"):
        return None
    return frozenset(
        Number(one.row.real.name, one.weak, one.bits, boxed=one.boxed) for one in of
    )


def joined(several: Iterable[Numbers]) -> Numbers:
    """A number that is one of several."""
    found: dict[tuple[str, bool], Number] = {}
    for one in (number for part in several for number in part):
        other = found.setdefault((one.dtype, one.weak), one)
        if other != one:
            bits = max(one.bits, other.bits)
            boxed = one.boxed or other.boxed
            found[one.dtype, one.weak] = Number(one.dtype, one.weak, bits, boxed=boxed)
    return frozenset(found.values())


def each(
    rule: Callable[..., Number | None], *operands: Numbers | None
) -> Numbers | None:
    """What a rule gives for numbers that may be one of several; None: it may raise.

    Args:
        rule: for one, or for two; None where that may raise.
        operands: as many; None for what may be no number.
    """
    rows: list[tuple[Number, ...]] = [()]
    for operand in operands:
        if operand is None:
            return None
        rows = [(*row, one) for row in rows for one in operand]
    found = [rule(*row) for row in rows]
    known = [frozenset((one,)) for one in found if one is not None]
    return joined(known) if len(known) == len(found) else None


def operation(op: ast.operator, left: Number, right: Number) -> Number | None:
    """What an operation gives; None where it may raise.

    Args:
        op: the operator. left, right: its operands.
    """
    if not meet(left, right):
        return None
    # A complex number of Python takes a float64 of NumPy for one of its own floats.
    taken = left.row.is_complex and right.dtype == "float64"
    if left.weak and (right.weak or taken):
        return None if right.boxed else _pythons(op, left, right)
    kind = common(left, right)
    row = DTYPES[kind]
    match op:
        case ast.Add() | ast.Mult():
            return Number(kind)
        case ast.Sub() if row.kind != "b":
            return Number(kind)
        case ast.Div():
            return Number(kind if row.is_inexact else "float64")
        case ast.FloorDiv() | ast.Mod() if not row.is_complex:
            return Number("int8" if row.kind == "b" else kind)
        # What a power of an array without axes is hangs on the version of NumPy.
        case ast.Pow() if left.boxed and left.row.kind == "b":
            return None
        case ast.Pow() if row.is_inexact or (row.is_integer and _is_natural(right)):
            return Number(kind, boxed=left.boxed)
        case ast.LShift() | ast.RShift() if row.is_integer:
            return Number(kind)
        case ast.BitAnd() | ast.BitOr() | ast.BitXor() if not row.is_inexact:
            return Number(kind)
    return None


def comparison(op: ast.cmpop, left: Number, right: Number) -> Number | None:
    """What a comparison gives; None where it may raise.

    Args:
        op: the operator. left, right: its operands.
    """
    weak = left.weak and right.weak
    rows, truths = (left.row, right.row), (left.is_truth, right.is_truth)
    if any(row.is_complex for row in rows) and (isinstance(op, _ORDERED) or not weak):
        return None
    if any(row.is_inexact for row in rows):
        plain = left.fits("float64") and right.fits("float64")
    else:
        plain = weak or not any(truths) or meet(left, right)
    known = isinstance(op, _ORDERED + _EQUAL) and plain
    return Number("bool", weak, int(weak)) if known else None


def negation(op: ast.unaryop, of: Number) -> Number | None:
    """What one of the operators ``-``, ``+`` and ``~`` gives; None: it may raise.

    Args:
        op: the operator. of: its operand.
    """
    if of.row.kind == "b" and (of.weak or isinstance(op, ast.Invert)):
        return integer(2) if of.weak else replace(of, boxed=False)
    inverts = isinstance(op, ast.Invert)
    if of.row.kind == "b" or (inverts and of.row.is_inexact):
        return None
    if not inverts and of.value is not None:
        return replace(of, value=-of.value if isinstance(op, ast.USub) else of.value)
    return replace(of, value=None, boxed=False)


def stored(dtype: str, value: Number) -> Number | None:
    """What a cell or a type of NumPy makes of a value; None where it may refuse it.

    Args:
        dtype: the type. value: what is given to it.
    """
    row, own = DTYPES[dtype], value.row
    if row.kind in "ui" and own.kind != "b":
        # Cells without a sign wrap NumPy's integers around, those with one do not.
        wraps = row.kind == "u" or row.holds(own)
        takes = own.is_integer and (value.fits(dtype) if value.weak else wraps)
    else:
        real = row.kind != "f" or not own.is_complex
        takes = row.kind == "b" or (real and value.fits("float64"))
    return Number(dtype) if takes else None


def _is_natural(number: Number) -> bool:
    """Whether it is known, an integer, and not negative."""
    value = number.value
    return number.is_integer and value is not None and value.real >= 0


def meet(left: Number, right: Number) -> bool:
    """Whether neither is one of Python's integers that the other does not take.

    Args:
        left, right: two numbers.
    """
    for one, other in ((left, right), (right, left)):
        python = other.is_integer and other.weak
        if one.is_weak_integer and not python and not one.fits(other.dtype):
            return False
    return True


def common(left: Number, right: Number) -> str:
    """The type of what is made of two, of which one is NumPy's.

    Args:
        left, right: two numbers.
    """
    order = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
    for weak, other in ((left, right), (right, left)):
        if weak.weak and order[weak.row.kind] <= order[other.row.kind]:
            return other.dtype
        if weak.weak and weak.row.is_complex:
            return made_complex(other.dtype)
    return promoted(left.dtype, right.dtype)


def _pythons(op: ast.operator, left: Number, right: Number) -> Number | None:
    """What an operation of two of Python's numbers gives."""
    if not (left.is_integer and right.is_integer):
        kind = promoted(left.dtype, right.dtype)
        whole = isinstance(op, ast.FloorDiv | ast.Mod)
        divides = isinstance(op, ast.Div) or (whole and kind == "float64")
        plain = isinstance(op, ast.Add | ast.Sub | ast.Mult)
        quiet = plain or (divides and bool(right.value))
        return Number(kind, True) if quiet else None
    if left.value is not None and right.value is not None:
        folded = _folded(op, left, right)
        if folded is not None:
            return folded
    return _integers(op, left, right)


def _integers(op: ast.operator, left: Number, right: Number) -> Number | None:
    """What an operation of two of Python's integers gives."""
    both = max(left.bits, right.bits)
    match op:
        case ast.Add() | ast.Sub():
            return integer(both)
        case ast.Mult():
            return integer(left.bits + right.bits)
        case ast.BitAnd() | ast.BitOr() | ast.BitXor():
            truth = left.dtype == right.dtype == "bool"
            return Number("bool", True, 1) if truth else integer(both)
        case ast.Div() if right.value and left.fits("float64"):
            return Number("float64", True)
        case ast.FloorDiv() if right.value:
            return integer(left.bits)
        case ast.Mod() if right.value:
            return integer(right.bits)
    if not _is_natural(right) or right.value is None:
        return None
    count = int(right.value.real)
    match op:
        case ast.Pow():
            return integer(left.bits * count)
        case ast.LShift() if count < HUGE:
            return integer(left.bits + count)
        case ast.RShift():
            return integer(left.bits)
    return None


def _folded(op: ast.operator, left: Number, right: Number) -> Number | None:
    """The sum, difference or product of two constants."""
    if left.value is None or right.value is None or left.bits + right.bits > HUGE:
        return None
    one, other = int(left.value.real), int(right.value.real)
    match op:
        case ast.Add():
            value = one + other
        case ast.Sub():
            value = one - other
        case ast.Mult():
            value = one * other
        case _:
            return None
    return integer(value.bit_length(), value)
