"""The functions of ``math`` on typed values, with Python's errors.

What CPython takes from C's library is taken from there. Where it has code of its own,
that is written out if it is short and exact (*Modules/mathmodule.c*), and else called.
Where the user allows it, functions that have vectors stand for some.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

from looptx.lower import advice
from looptx.lower.kinds import BOOL, COMPLEX, FLOAT, INT, RANGES, fail, of
from looptx.lower.tree import Expr, intrinsic
from looptx.lower.values.literals import as_kind, cast, literal
from looptx.lower.values.operators import binary
from looptx.model.dtypes import DTYPES, INTEGERS
from looptx.model.functions import FUNCTIONS, Native, lookup
from looptx.model.records import replace
from looptx.model.types import ScalarType

_MATH = [row for row in FUNCTIONS.values() if row.module == "math"]
LIBM = {row.own: row.errors for row in _MATH if row.native is Native.LIBM}
"""The functions of ``math`` that C computes, with the errors Python has for them."""

CALLED = {row.own: 1 for row in _MATH if row.native is Native.CALL} | {
    f"hypot{count}": count for count in range(3, 5)
}
"""Those that only Python's own compute, by the names of intrinsics: of how many."""
CALLED["hypot"] = 2

_OF_TWO = ("atan2", "copysign", "fmod", "hypot", "nextafter", "pow", "remainder")
_OF_ONE = (*LIBM, "gamma", "lgamma", "ulp")
FLOATING = frozenset(row.own for row in _MATH) - {"gcd", "isqrt"}
"""Those that take numbers in other types of C than their own, and convert them."""

QUICK = frozenset(("exp", "log", "log2", "log10", "sin", "cos", "tanh"))
"""Those that have vectors, and raise nothing, where the user lets others stand for
them."""

_SUMS_COMPLEX = sys.version_info >= (3, 14)
"""Whether ``sum`` keeps what is lost of complex numbers, and adds integers likewise."""

_WORD = RANGES["int64"][1]


def real_number(value: Expr) -> Expr:
    """A number as the float that ``math`` makes of it.

    Raises:
        Unsupported: LX504 for a complex one.
    """
    if value.kind.is_complex:
        fail("a real function of a complex number")
    inner = cast(value, "float64")
    return replace(inner, kind=of(FLOAT), facts=frozenset())


def mathematical(name: str, args: Sequence[Expr], *, again: bool) -> Expr | None:
    """A call of a function of ``math``; None for one that is not known.

    Args:
        name: its name in the module. args: positional arguments.
        again: whether the loops as written may start again where this fails.
    """
    if not hasattr(math, name):
        return None
    if name in ("gcd", "isqrt"):
        return _whole(name, args, again=again)
    if name in ("floor", "ceil", "trunc"):
        return _rounded(name, *args) if len(args) == 1 else None
    match name, args:
        case "log", [value, base]:
            return binary("/", *(_call(name, each) for each in (value, base)))
        case "ldexp", [value, power]:
            if any(member != INT for member in power.kind.members):
                fail(
                    "math.ldexp by a number that is no int of Python",
                    hint=advice.INTEGER,
                )
            return _call(name, value, whole=power)
        case "isclose", [one, other]:
            given = map(real_number, (one, other))
            return intrinsic(name, of(BOOL), *given, rules="math")
        case "fabs", [value]:
            value = real_number(value)
            return intrinsic(name, of(FLOAT), value, dtype="float64", rules="c")
        case (("isnan" | "isinf" | "isfinite"), [value]):
            return intrinsic(name, of(BOOL), real_number(value))
        case (("radians" | "degrees"), [value]):
            factor = math.pi / 180 if name == "radians" else 180 / math.pi
            return binary("*", real_number(value), literal(factor))
        case "hypot", [_, _, _, *_]:
            name += str(len(args))
    of_so_many = {1: _OF_ONE, 2: _OF_TWO}.get(len(args), CALLED)
    return _call(name, *args) if name in of_so_many else None


def _call(name: str, *args: Expr, whole: Expr | None = None) -> Expr:
    """A function of floats, and perhaps of one integer behind them."""
    raises = f"math.{name}" if lookup(f"math.{name}").errors else ""
    given = [*map(real_number, args), *([] if whole is None else [whole])]
    return intrinsic(name, of(FLOAT), *given, rules="math", raises=raises)


def _rounded(name: str, value: Expr) -> Expr | None:
    """An integer, which is itself."""
    for member in value.kind.members:
        if not (member.weak or DTYPES["float64"].holds(DTYPES[member.dtype])):
            what = f"numpy.{member.dtype}"
            fail(f"math.{name} of {what} (Python makes a float of it first)")
    if value.kind.dtype in (*INTEGERS, "bool"):
        return as_kind(value, of(INT))
    return None


def _whole(name: str, args: Sequence[Expr], *, again: bool) -> Expr | None:
    """A function of integers, of Python or of NumPy, that gives one of Python."""
    if len(args) != (2 if name == "gcd" else 1):
        return None
    members = {member for arg in args for member in arg.kind.members}
    if any(one.dtype not in INTEGERS for one in members - {ScalarType("bool", True)}):
        fail(f"math.{name} of a number that is no integer", hint=advice.INTEGER)
    if any(RANGES.get(one.dtype, (0, 0))[1] > _WORD for one in members):
        fail(f"math.{name} of integers of 64 bits without a sign")
    if name == "gcd" and ScalarType("int64") in members and not again:
        fail("math.gcd of numpy.int64, which may be 2**63")
    given = (as_kind(arg, of(INT)) for arg in args)
    raises = "math.isqrt" if name == "isqrt" else ""
    if name == "gcd" and ScalarType("int64") in members:
        return intrinsic("gcd_again", of(INT), *given, raises="math.gcd")
    return intrinsic(name, of(INT), *given, rules="math", raises=raises)


def compensated(name: str, total: Expr, one: Expr) -> Expr:
    """What rounding loses of a sum, and what has to be added to it for that.

    Since Python 3.12 ``sum`` keeps that of floats of Python (Neumaier's variant of
    Kahan's sum, *Python/bltinmodule.c*), from the first of them on; an integer behind
    it is added as it is.

    Args:
        name: ``lost`` or ``rest``.
        total: the sum. one: the next number, or all that was lost.

    Raises:
        Unsupported: LX504 where a number of another kind comes behind such floats.
    """
    whole, kind = total.kind.members, one.kind.members
    if _SUMS_COMPLEX and name == "lost" and kind == {COMPLEX}:
        fail("`sum` of complex numbers of Python", hint=advice.BEFORE)
    if whole != {FLOAT}:
        return literal(0.0 if name == "lost" else 0)
    if name == "lost" and kind <= {INT, BOOL} and not _SUMS_COMPLEX:
        return literal(0.0)
    if kind != {FLOAT}:
        fail("`sum` of floats of Python and of other numbers", hint=advice.BEFORE)
    return intrinsic(f"sum_{name}", of(FLOAT), total, one, rules="math")


def quick(name: str, args: Sequence[Expr]) -> Expr | None:
    """A call of a function with ``fastmath="functions"``; None for what stays as it is.

    A few units in the last place may differ, and what has no value is inf or nan.

    Args:
        name: its full name, ``math.exp``; NumPy's are those of float64.
        args: what it is given.
    """
    module, _, own = name.rpartition(".")
    if len(args) != 1:
        return None
    (value,) = args
    if module == "math" and own == "sqrt":
        return intrinsic(own, of(FLOAT), real_number(value), dtype="float64", rules="c")
    if own not in QUICK:
        return None
    if module == "math":
        value, kind = real_number(value), of(FLOAT)
    elif module == "numpy" and value.kind.dtype == "float64":
        kind = of(ScalarType("float64"))
    else:
        return None
    return intrinsic(own, kind, value, dtype="float64", rules="quick")
