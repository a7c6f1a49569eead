"""The functions of NumPy that a nest may call, on typed values.

Those that are exact (``sqrt``, ``floor``, ``minimum`` ...) are written out; the others
(``exp``, ``sin`` ...) go through the inner loop of NumPy's own ufunc, so that bits
agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from looptx.lower.kinds import COMPLEX, FLOAT, INT, WIDE, Kind, fail, names, of
from looptx.lower.tree import Expr, intrinsic
from looptx.lower.types import c_name, common
from looptx.lower.values import comparing
from looptx.lower.values.alternatives import choice, own, real
from looptx.lower.values.comparing import compare
from looptx.lower.values.conversions import conjugated, part_of
from looptx.lower.values.literals import cast, converted, literal, rounded, truth
from looptx.lower.values.operators import SIGNS, binary, fit, unary
from looptx.model.dtypes import DTYPES, FLOATS, INTEGERS, is_converted, promoted
from looptx.model.functions import FUNCTIONS, Native, When
from looptx.model.functions.complexes import OF_COMPLEX, REAL
from looptx.model.functions.operators import COMPARISONS, LOGICAL, OPERATORS, UNARY
from looptx.model.records import replace
from looptx.model.types import ScalarType

_BY_UFUNC = frozenset(
    row for row in FUNCTIONS.values() if row.native is Native.UFUNC and not row.alias
)
UFUNCS = frozenset(row.own for row in _BY_UFUNC if row.inputs == 1)
UFUNCS2 = frozenset(row.own for row in _BY_UFUNC if row.inputs == 2)
SETTLING = UFUNCS | UFUNCS2 | {"sqrt", "minimum", "maximum", "where"}
"""Those that take numbers in other types of C than their own, and convert them."""
_EXACT_TOO = frozenset(row.own for row in _BY_UFUNC if row.integer is When.ALL)
"""Those that compute with integers as integers."""

_STEPS = ("floor", "ceil", "trunc")


def _strong(value: Expr) -> Expr:
    """A ufunc's view of its argument: a Python number has its default dtype."""
    members = frozenset(ScalarType(member.dtype) for member in value.kind.members)
    return replace(value, kind=Kind(value.kind.dtype, members), facts=frozenset())


def _floating(name: str, args: Sequence[Expr]) -> tuple[str, list[Expr]]:
    """The dtype in which a float ufunc computes, and its arguments in it."""
    whole = all(any(m.dtype not in FLOATS for m in arg.kind.members) for arg in args)
    if whole and name in _EXACT_TOO:
        fail(f"numpy.{name} of {' and '.join(names(arg.kind) for arg in args)}")
    found = {_float(*each) for each in product(*(arg.kind.members for arg in args))}
    if any(dtype and DTYPES[dtype].is_complex for dtype in found):
        fail(f"numpy.{name} of a complex number")
    if len(found) > 1 or None in found:
        fail(f"numpy.{name} of these types")
    dtype = found.pop()
    assert dtype is not None
    return dtype, [cast(arg, dtype) for arg in args]


def _float(one: ScalarType, *two: ScalarType) -> str | None:
    """The first type of floats that has the values of one number, or of each of two.

    A number of Python adopts the type of another before, or has one of its own.
    """
    for other in two:
        if one.weak or other.weak:
            kind = common(one, other)
            return None if kind is None else _float(kind)
        return promoted(one.dtype, other.dtype, FLOATS[0])
    return promoted(one.dtype, FLOATS[0])


def ufunc(name: str, args: Sequence[Expr]) -> Expr | None:
    """A call of a function of NumPy; None for one that is not known.

    Raises:
        Unsupported: LX504 where it is not known on these types.
    """
    if len(args) == 3:
        return _OF_THREE[name](*args) if name in _OF_THREE else None
    if any(one.kind.is_complex for one in args) and _is_of_complex(name, args):
        return _of_complex(name, args)
    if len(args) == 2:
        return _of_two(name, *args)
    if len(args) != 1:
        return None
    value = args[0]
    if name in UFUNCS:
        dtype, values = _floating(name, args)
        return intrinsic(
            name, of(ScalarType(dtype)), *values, dtype=dtype, rules="numpy"
        )
    if name in ("round", "around"):
        if value.kind.dtype in INTEGERS:
            return _strong(value)
        name = "rint"
    if name in _STEPS and value.kind.dtype in ("bool", *INTEGERS):
        return _strong(value)
    if name in ("sqrt", "rint", *_STEPS):
        dtype, values = _floating(name, args)
        kind = of(ScalarType(dtype))
        whole = intrinsic(name, kind, *values, dtype=dtype, rules="c")
        inexact = name == "sqrt" and DTYPES[dtype].computed
        return rounded(whole, kind) if inexact else whole
    if name == "fabs":
        dtype, (value,) = _floating(name, args)
        return absolute([replace(value, kind=of(ScalarType(dtype)))])
    if name == "absolute":
        value = _strong(value)
        if value.kind.is_complex:
            # It rounds in a way of its own.
            return _size("absolute", value, dtype=value.kind.dtype, rules="numpy")
        return absolute([value])
    if name == "square":
        if value.kind.dtype == "bool":
            return converted(value, c_name("int8"), of(ScalarType("int8")))
        if value.kind.is_complex:
            # Which products NumPy rounds hangs on its version and on the processor.
            fail("numpy.square of complex numbers", hint="write a product, `z * z`")
        return binary("*", _strong(value), _strong(value))
    if name == "conjugate":
        return conjugated(_strong(value))
    if name == "logical_not":
        return _is_zero(value, "==")
    if name in UNARY:
        return unary(UNARY[name](), _strong(value))
    if name in ("real", "imag", "angle") and value.kind.is_complex:
        return _part(name, value)
    if name in ("isnan", "isinf", "isfinite"):
        return _tested(name, value)
    return _sign(value) if name == "sign" else None


_PRESENT = {"fmin": "minimum", "fmax": "maximum"}
"""What passes over NaN, which no integer is. Which of two zeros NumPy takes hangs on
how they lie."""


def _is_natural(left: Expr, right: Expr) -> bool:
    """Whether a number of NumPy's, an integer, has an exponent that is written out."""
    whole = all(not one.weak and one.dtype in INTEGERS for one in left.kind.members)
    return whole and isinstance(right.literal, int) and right.literal >= 0


def _of_two(name: str, left: Expr, right: Expr) -> Expr | None:
    """A call of a function of two numbers; None for one that is not known."""
    if name in _PRESENT and not _has_floats(left, right):
        name = _PRESENT[name]
    if name in ("minimum", "maximum"):
        return _extreme_ufunc(name, left, right)
    if name == "power" and _is_natural(left, right):
        return binary("**", _strong(left), right)
    if name in LOGICAL:
        return binary(SIGNS[LOGICAL[name]], _is_zero(left, "!="), _is_zero(right, "!="))
    if name in OPERATORS or name in COMPARISONS:
        return _operated(name, left, right)
    if name == "isclose":
        return _near(left, right)
    if name in ("round", "around"):
        return to_digits(_strong(left), right)
    if name not in UFUNCS2:
        return None
    dtype, values = _floating(name, (left, right))
    return intrinsic(name, of(ScalarType(dtype)), *values, dtype=dtype, rules="numpy")


def _near(left: Expr, right: Expr) -> Expr:
    """``np.isclose(x, y)``, which is not the same for the numbers in turn."""
    for value in (left, right):
        odd = value.kind.is_complex or DTYPES[value.kind.dtype].is_inexact
        if odd and value.kind.dtype != "float64":
            fail(f"numpy.isclose of {names(value.kind)}")
    values = (cast(value, "float64") for value in (left, right))
    return intrinsic("near", of(ScalarType("bool")), *values, rules="math")


def _has_floats(*values: Expr) -> bool:
    """Whether a number may be a float, or complex: only these may be NaN."""
    exact = {"bool", *INTEGERS}
    return any(one.dtype not in exact for x in values for one in x.kind.members)


_MOST_DIGITS = 15
"""Behind the point: powers of ten up to that are exact, in a double."""


def to_digits(value: Expr, digits: Expr) -> Expr | None:
    """``round(x, 2)``: the next decimal of Python's floats, NumPy's are scaled."""
    count, dtype = digits.literal, value.kind.dtype
    if type(count) is not int or not 0 <= count <= _MOST_DIGITS:
        return None
    if dtype in INTEGERS:
        return value
    if dtype not in FLOATS:
        return None
    scale = literal(10.0**count)
    if value.kind.weak:
        return intrinsic("round_to", of(FLOAT), value, scale, digits)
    if not count:
        return ufunc("rint", [value])
    whole = ufunc("rint", [binary("*", value, scale)])
    return whole and binary("/", whole, scale)


def _operated(name: str, left: Expr, right: Expr) -> Expr:
    """What an operator computes, of numbers of NumPy: of two of Python, too."""
    weak = {member.weak for one in (left, right) for member in one.kind.members}
    if weak == {True}:
        left, right = _strong(left), _strong(right)
    elif left.kind.weak == right.kind.weak and weak != {False}:
        fail(f"numpy.{name} of numbers of Python, or of NumPy")
    if name in COMPARISONS:
        return compare(comparing.COMPARISONS[COMPARISONS[name]], left, right)
    return binary(SIGNS[OPERATORS[name]], left, right)


def _is_zero(value: Expr, op: str) -> Expr:
    """Whether a number is zero (``==``), or is not (``!=``), as NumPy says it."""
    value = _strong(value)
    return compare(op, value, cast(literal(0), value.kind.dtype))


def _sign(value: Expr) -> Expr | None:
    """``np.sign(x)``: 1, -1, 0 without a sign, or the NaN that x is."""
    if value.kind.dtype not in (*INTEGERS, *FLOATS):
        return None
    value = _strong(value)
    return intrinsic("sign", value.kind, value, dtype=value.kind.dtype)


def _tested(name: str, value: Expr) -> Expr:
    """``np.isnan(x)`` and the like; integers are finite."""
    if value.kind.is_complex:
        fail(f"numpy.{name} of a complex number")
    if value.kind.dtype in FLOATS:
        return intrinsic(name, of(ScalarType("bool")), value)
    value = _strong(value)
    return compare("==" if name == "isfinite" else "!=", value, value)


_BY_LOOP = OF_COMPLEX - REAL - {"square", "conjugate"}
"""Functions whose loops give one complex number the same bits as NumPy's own calls."""


def _is_of_complex(name: str, args: Sequence[Expr]) -> bool:
    """Whether NumPy's loop computes a function of complex numbers."""
    return (name == "power" and len(args) == 2) or (name in _BY_LOOP and len(args) == 1)


def _of_complex(name: str, args: Sequence[Expr]) -> Expr:
    """A function of complex numbers, by NumPy's loop."""
    members = product(*(one.kind.members for one in args))
    kinds = {common(one[0], one[-1]) for one in members}
    found = kinds.pop()
    if found is None or kinds:
        fail(f"numpy.{name} of these types")
    values = [cast(one, found.dtype) for one in args]
    kind = of(ScalarType(found.dtype))
    return intrinsic(name, kind, *values, dtype=found.dtype, rules="numpy")


def _part(name: str, value: Expr) -> Expr:
    """A part of a complex number, or its angle: NumPy's ``arctan2`` of its parts."""
    if name != "angle":
        return part_of(value, name)
    parts = [_strong(part_of(value, part)) for part in ("imag", "real")]
    dtype, values = _floating("arctan2", parts)
    kind = of(ScalarType(dtype))
    return intrinsic("arctan2", kind, *values, dtype=dtype, rules="numpy")


def _extreme_ufunc(name: str, left: Expr, right: Expr) -> Expr:
    """``np.minimum``: NaN wins, a tie gives the second."""
    kinds = {common(a, b) for a in left.kind.members for b in right.kind.members}
    found = kinds.pop()
    if found is None or kinds or DTYPES[found.dtype].is_complex:
        fail(f"numpy.{name} of these types")
    dtype = found.dtype
    left, right = _in_type(dtype, left), _in_type(dtype, right)
    values = (cast(left, dtype), cast(right, dtype))
    if is_converted(dtype):
        values = tuple(  # type: ignore[assignment]
            fit(v, dtype) if v.kind.weak and v.kind.dtype == "int64" else cast(v, dtype)
            for v in (left, right)
        )
    return intrinsic(name, of(ScalarType(dtype)), *values, dtype=dtype)


def _clipped(value: Expr, low: Expr, high: Expr) -> Expr:
    """``np.clip``: NaN wins, and a zero keeps its sign where a bound is the other.

    Args:
        value: the number. low, high: its bounds, of no type with more values than its.
    """
    value = _strong(value)
    dtype = value.kind.dtype
    for bound in (low, high):
        weak = any(one.weak for one in bound.kind.members)
        kinds = {common(a, b) for a in value.kind.members for b in bound.kind.members}
        # Its own way with bounds that no small integer is, and with zeros of 16 bits.
        odd = DTYPES[dtype].computed or (weak and is_converted(dtype))
        if odd or kinds != value.kind.members:
            fail("numpy.clip of these types")
    return _extreme_ufunc("minimum", high, _extreme_ufunc("maximum", low, value))


def _where(cond: Expr, left: Expr, right: Expr) -> Expr:
    kinds = {common(a, b) for a in left.kind.members for b in right.kind.members}
    found = kinds.pop()
    if found is None or kinds:
        fail("numpy.where of these types")
    left, right = (cast(_in_type(found.dtype, x), found.dtype) for x in (left, right))
    return choice(truth(own(cond)), left, right, strong=True)


_OF_THREE = {"where": _where, "clip": _clipped}


def _in_type(dtype: str, value: Expr) -> Expr:
    """A value of one type on its way into another: none of the floats on the way."""
    return real(value) if dtype in FLOATS else own(value)


def _size(operation: str, value: Expr, **which: str) -> Expr:
    """``abs`` of a complex number of NumPy's, by this intrinsic."""
    if value.kind != of(ScalarType(value.kind.dtype)):
        fail(f"abs of {names(value.kind)}")
    kind = of(ScalarType(DTYPES[value.kind.dtype].part))
    return intrinsic(operation, kind, value, **which)


def absolute(args: Sequence[Expr]) -> Expr | None:
    """``abs(x)``, of Python numbers as of NumPy's; None for another number of them."""
    if len(args) != 1:
        return None
    value = args[0]
    dtype, kind = value.kind.dtype, Kind(value.kind.dtype, value.kind.members)
    if dtype in FLOATS:
        return intrinsic("fabs", kind, value, dtype=dtype, rules="c")
    if kind.is_complex and kind.members == {COMPLEX}:
        reason = "abs of a complex number"
        rules = {"dtype": dtype, "rules": "python", "raises": reason}
        return intrinsic("cabs", of(FLOAT), value, **rules)
    if kind.is_complex:
        return _size("cabs", value, dtype=dtype)
    if dtype == "bool":
        if kind.weak:
            return converted(value, "Py_ssize_t", of(INT))
        return value
    if DTYPES[dtype].kind == "u":
        return value
    wide = intrinsic("abs", WIDE, value)
    if dtype == "int64":
        return replace(wide, kind=kind)
    return converted(wide, c_name(dtype), kind)
