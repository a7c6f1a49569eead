"""Sets of Python types that a value may have, and the C type that holds them.

A C variable has one type, a Python name may hold several: ``s = 0.0`` and then
``s += A[i]`` makes ``s`` a Python float or a ``numpy.float64``.
"""

from __future__ import annotations

import struct
from typing import NoReturn

from looptx.errors import Place, Unsupported
from looptx.lower.advice import CONVERT, NUMBERS
from looptx.lower.types import RANK, c_name
from looptx.model.callees.callee import told
from looptx.model.dtypes import DTYPES, INTEGERS, Dtype
from looptx.model.records import dataclass
from looptx.model.types import ScalarType

Number = bool | int | float | complex
RANGES = {name: DTYPES[name].range for name in INTEGERS}

_PACKED = {16: "e", 32: "f", 64: "d"}
"""The letters of ``struct`` for floats, by their bits."""

INT = ScalarType("int64", weak=True)
FLOAT = ScalarType("float64", weak=True)
BOOL = ScalarType("bool", weak=True)
COMPLEX = ScalarType("complex128", weak=True)
UNSIGNED = ScalarType("uint64", weak=True)
"""An int of Python below 2**64, and not below 0: C has it without a sign. A name that
may hold one holds smaller ints as such, too."""

TAG = ScalarType("int32")
"""Of what tells in C which of several types a value has: an ``int``."""


def fail(reason: str, place: Place | None = None, hint: str = NUMBERS) -> NoReturn:
    """Raise LX504: this nest cannot be compiled natively.

    Args:
        reason: why. place: of what, if not of the statement. hint: what helps.
    """
    message = f"not compiled natively: {told(reason)}"
    raise Unsupported("LX504", message, place, hint=told(hint))


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
    def is_complex(self) -> bool:
        """Whether it is a complex number."""
        return DTYPES[self.dtype].is_complex

    @property
    def c(self) -> str:
        """The C type."""
        if self.dtype == "int64" and self.weak:
            return "Py_ssize_t"
        return c_name(self.dtype)


LOOKED_AT = frozenset((ScalarType("int64"), ScalarType("uint64")))
"""What a float holds where it is small: see ``values.literals.shared``."""

_WIDE = ("int64", "float64", "complex128")
"""The C types that hold all of several values where the type of none of them does."""


def of(kind: ScalarType, *numbers: Number) -> Kind:
    """The kind of one type; ``numbers`` when it is a literal."""
    known = frozenset(numbers) if numbers else None
    return Kind(kind.dtype, frozenset((kind,)), known)


WIDE = of(ScalarType("int64"))
"""NumPy's integers in which C has those of Python."""


def exact(number: Number, dtype: str) -> bool:
    """Whether a literal is a value of ``dtype``."""
    if isinstance(number, complex):
        part, ends = DTYPES[dtype].part, (number.real, number.imag)
        return bool(part) and all(exact(end, part) for end in ends)
    if dtype == "bool":
        return isinstance(number, bool)
    if dtype in INTEGERS:
        low, high = RANGES[dtype]
        return not isinstance(number, float) and low <= number <= high
    try:
        code = _PACKED[DTYPES[dtype].real.bits]
        return bool(struct.unpack(code, struct.pack(code, number))[0] == number)
    except OverflowError:
        return False


def _has_all(own: Dtype, other: Dtype) -> bool:
    """Whether numbers of a type have the parts that those of another one have.

    The sign of a zero is one, and so is what stands behind the point.
    """
    complexes = own.is_complex or not other.is_complex
    return complexes and (own.is_inexact or not other.is_inexact)


def _holds(dtype: str, kind: Kind) -> bool:
    """Whether the C type of ``dtype`` holds every value of ``kind`` exactly."""
    own = DTYPES[dtype]
    if own.holds(DTYPES[kind.dtype]):
        return True
    left = {one for one in kind.members if not own.holds(DTYPES[one.dtype])}
    looked_at = left & LOOKED_AT
    left -= looked_at
    if looked_at and not (own.is_inexact and own.python):
        return False
    if not all(one.weak and _has_all(own, DTYPES[one.dtype]) for one in left):
        return False
    if kind.numbers is not None:
        return all(exact(number, dtype) for number in kind.numbers)
    # A Python int that is not huge; ints beyond 2**53 in a float variable are refused
    # on entry and do not arise from loop counts.
    return left <= {INT} and own.is_inexact and bool(own.python)


def join(*kinds: Kind, what: str = "one value") -> Kind:
    """What holds any of several values.

    Args:
        kinds: theirs. what: what has any of them, in words.

    Raises:
        Unsupported: LX504 when no C type holds them all exactly.
    """
    first, *rest = kinds
    members = frozenset[ScalarType]().union(*(kind.members for kind in kinds))
    if UNSIGNED in members:
        if not members <= {INT, UNSIGNED}:
            fail(f"{what} may be {names(*kinds)}", hint=CONVERT)
        return of(UNSIGNED)
    if all(kind.dtype == first.dtype for kind in rest):
        dtype = first.dtype
    else:
        strong = {k.dtype for k in kinds if not k.weak}
        candidates = strong or {k.dtype for k in kinds}
        dtype = max(candidates, key=RANK.__getitem__)
        wrong = [kind for kind in kinds if not _holds(dtype, kind)]
        wide = (one for one in _WIDE if all(_holds(one, kind) for kind in kinds))
        if wrong and not (dtype := next(wide, "")):
            others = names(*(one for one in kinds if one != wrong[0]))
            fail(f"{what} may be {names(wrong[0])} and {others}", hint=CONVERT)
    numbers: frozenset[Number] | None = frozenset()
    for kind in kinds:
        if any(member.weak for member in kind.members):
            known = kind.numbers is not None and numbers is not None
            numbers = numbers | kind.numbers if known else None  # type: ignore[operator]
    return Kind(dtype, members, numbers)


def names(*kinds: Kind) -> str:
    """The types of some kinds, for messages."""
    members = {member for kind in kinds for member in kind.members}
    return " or ".join(sorted(map(str, members)))
