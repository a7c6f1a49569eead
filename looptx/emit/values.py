"""Typed C expressions: a text, how tightly it binds, what Python type it stands for.

A C variable has one type, a Python name may hold several: ``s = 0.0`` and then
``s += A[i]`` makes ``s`` a Python float or a ``numpy.float64``. A ``Kind`` is the set
of Python types a value may have, with the one C type that holds all of them exactly.

C computes in the types of its texts, so a value becomes one of another kind by
``as_kind``, which converts it.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, replace
from typing import NoReturn

from looptx.emit.limits import WORD
from looptx.emit.types import INTEGERS, RANK, c_name
from looptx.errors import Place, Unsupported
from looptx.model.types import ScalarType

CHOICE, OR, AND, NOT, COMPARE, BITOR, XOR, BITAND, SHIFT, SUM, PRODUCT, UNARY, ATOM = (
    range(13)
)

Number = bool | int | float | complex
RANGES = {"uint8": (0, 2**8 - 1), "int32": (-(2**31), 2**31 - 1)}
RANGES["int64"] = (-WORD - 1, WORD)

INT = ScalarType("int64", weak=True)
FLOAT = ScalarType("float64", weak=True)
BOOL = ScalarType("bool", weak=True)
COMPLEX = ScalarType("complex128", weak=True)

_EXACT = {
    "bool": ("uint8", "int32", "int64", "float32", "float64", "complex128"),
    "uint8": ("int32", "int64", "float32", "float64", "complex128"),
    "int32": ("int64", "float64", "complex128"),
    "int64": (),
    "float32": ("float64", "complex128"),
    "float64": ("complex128",),
    "complex128": (),
}


def fail(reason: str, place: Place | None = None, hint: str = "") -> NoReturn:
    """Raise LX504: this nest cannot be compiled natively."""
    raise Unsupported(
        "LX504",
        f"not compiled natively: {reason}",
        place,
        hint=hint or "the loops run as Python; rewrite this expression to compile them",
    )


@dataclass(frozen=True, slots=True)
class Kind:
    """The Python types a value may have and the dtype whose C type holds it.

    ``numbers`` lists the values a Python number among them can have, when they are all
    literals; None when they are not known.
    """

    dtype: str
    members: frozenset[ScalarType]
    numbers: frozenset[Number] | None = None

    @property
    def weak(self) -> bool:
        """Whether it is always a Python number."""
        return all(member.weak for member in self.members)

    @property
    def c(self) -> str:
        """The C type."""
        if self.dtype == "int64" and self.weak:
            return "Py_ssize_t"
        return c_name(self.dtype)


def of(kind: ScalarType, *numbers: Number) -> Kind:
    """The kind of one type; ``numbers`` when it is a literal."""
    known = frozenset(numbers) if numbers else None
    return Kind(kind.dtype, frozenset((kind,)), known)


@dataclass(frozen=True, slots=True)
class Value:
    """A typed piece of C.

    The text has the C type of the kind, or, where that is an integer's, another that
    holds its value: a literal and a condition are an ``int``. ``literal`` is its value
    when it is a literal, ``facts`` what is known of another: see ``checks``.
    """

    text: str
    binds: int
    kind: Kind
    literal: Number | None = None
    facts: frozenset[str] = frozenset()

    def at(self, least: int) -> str:
        """The text, in parentheses where something must bind at least so tightly."""
        return self.text if self.binds >= least else f"({self.text})"

    @property
    def wide(self) -> bool:
        """Whether C computes in 64 bits with it, whatever stands beside it."""
        return self.kind.dtype == "int64" and self.literal is None


def exact(number: Number, dtype: str) -> bool:
    """Whether a literal is a value of ``dtype``."""
    if isinstance(number, complex):
        return dtype == "complex128"
    if dtype == "bool":
        return isinstance(number, bool)
    if dtype in INTEGERS:
        low, high = RANGES[dtype]
        return not isinstance(number, float) and low <= number <= high
    try:
        if dtype == "float32":
            return bool(struct.unpack("f", struct.pack("f", number))[0] == number)
        return float(number) == number
    except OverflowError:
        return False


def _holds(dtype: str, kind: Kind) -> bool:
    """Whether the C type of ``dtype`` holds every value of ``kind`` exactly."""
    if kind.dtype == dtype or dtype in _EXACT[kind.dtype]:
        return True
    if not kind.weak:
        return False
    if kind.numbers is not None:
        return all(exact(number, dtype) for number in kind.numbers)
    # A Python int that is not huge; ints beyond 2**53 in a float variable are refused
    # on entry and do not arise from loop counts.
    return kind.dtype == "int64" and dtype in ("float64", "complex128")


def join(*kinds: Kind) -> Kind:
    """What holds any of several values.

    Raises:
        Unsupported: LX504 when no C type holds them all exactly.
    """
    first, *rest = kinds
    if all(kind.dtype == first.dtype for kind in rest):
        dtype = first.dtype
    else:
        strong = {k.dtype for k in kinds if not k.weak}
        candidates = strong or {k.dtype for k in kinds}
        dtype = max(candidates, key=RANK.__getitem__)
        wrong = [kind for kind in kinds if not _holds(dtype, kind)]
        if wrong:
            fail(f"one name holds both {names(wrong[0])} and {dtype}")
    numbers: frozenset[Number] | None = frozenset()
    for kind in kinds:
        if kind.weak:
            known = kind.numbers is not None and numbers is not None
            numbers = numbers | kind.numbers if known else None  # type: ignore[operator]
    members = frozenset().union(*(kind.members for kind in kinds))
    return Kind(dtype, members, numbers)


def names(kind: Kind) -> str:
    """The types of a kind, for messages."""
    return " or ".join(sorted(map(str, kind.members)))


def cast(value: Value, dtype: str) -> Value:
    """The value in the C type of ``dtype``, by C's conversion."""
    if value.kind.dtype == dtype:
        return value
    if dtype == "bool":
        return truth(value)
    kind = Kind(dtype, value.kind.members, value.kind.numbers)
    name = c_name(dtype)
    if (
        isinstance(value.literal, int)
        and dtype == "float64"
        and abs(value.literal) < 2**53
    ):
        text = repr(float(value.literal))
        return Value(text, ATOM if value.literal >= 0 else UNARY, kind, value.literal)
    if dtype == "complex128":  # C's conversion, as Cython writes it, loses a sign of 0.
        number = value.literal
        real = value.text
        if isinstance(number, (int, float)):
            real = repr(float(number))
        return Value(f"lx_complex({real}, 0.0)", ATOM, kind, value.literal)
    return Value(f"<{name}>{value.at(UNARY)}", UNARY, kind, value.literal)


def as_kind(value: Value, kind: Kind) -> Value:
    """The value as one of another kind, in its C type."""
    return replace(cast(value, kind.dtype), kind=kind)


def widened(value: Value) -> Value:
    """An integer in 64 bits of C."""
    if value.wide:
        return value
    return Value(
        f"<int64_t>{value.at(UNARY)}", UNARY, Kind("int64", value.kind.members)
    )


def c_integer(number: int) -> str:
    """An integer in C: without the suffix Cython makes a Python object of a large one.

    Raises:
        Unsupported: LX504 beyond 64 bits.
    """
    if not exact(number, "int64"):
        fail(f"the integer {number} does not fit into 64 bits")
    if number < -WORD:
        return f"(-{WORD}LL - 1)"
    return f"{number}LL" if abs(number) >= 1 << 31 else str(number)


def literal(number: Number) -> Value:
    """A Python literal.

    Raises:
        Unsupported: LX504 for an integer beyond 64 bits.
    """
    if isinstance(number, bool):
        return Value(str(number), ATOM, of(BOOL, number), number)
    if isinstance(number, int):
        binds = ATOM if number >= 0 else UNARY
        return Value(c_integer(number), binds, of(INT, number), number)
    if isinstance(number, complex):
        text = f"lx_complex({number.real!r}, {number.imag!r})"
        return Value(text, ATOM, of(COMPLEX, number), number)
    if math.isnan(number):
        return Value("lx_nan", ATOM, of(FLOAT))
    if math.isinf(number):
        return Value("lx_inf" if number > 0 else "-lx_inf", UNARY, of(FLOAT))
    binds = ATOM if math.copysign(1.0, number) > 0 else UNARY
    return Value(repr(number), binds, of(FLOAT, number), number)


def truth(value: Value) -> Value:
    """The value as a condition."""
    if value.kind.dtype == "bool":
        return value
    return Value(f"{value.at(BITOR)} != 0", COMPARE, of(BOOL))
