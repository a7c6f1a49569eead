"""The functions a nest may call: Python's and ``math``'s, on typed values.

``mathematics`` has the functions of ``math``, ``ufuncs`` those of NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from looptx.lower import advice
from looptx.lower.checks import SATURATED
from looptx.lower.kinds import BOOL, COMPLEX, FLOAT, INT, fail, join, names, of
from looptx.lower.tree import Expr, Intrinsic, intrinsic
from looptx.lower.values.alternatives import each, own, picked, told
from looptx.lower.values.comparing import compare
from looptx.lower.values.conversions import NO_INT, construct, signed
from looptx.lower.values.integers.unsigned import called, is_unsigned
from looptx.lower.values.literals import LARGE, as_kind, composed, literal, shared
from looptx.lower.values.mathematics import (
    FLOATING,
    compensated,
    mathematical,
    quick,
    real_number,
)
from looptx.lower.values.operators import binary
from looptx.lower.values.ufuncs import SETTLING, absolute, to_digits, ufunc
from looptx.model.dtypes import FLOATS
from looptx.model.functions import CONSTANTS, SUMMING, Native, lookup
from looptx.model.records import replace

SUMMED = frozenset(SUMMING)
"""What ``sum`` is made of: it takes integers as they are, and gives no large one."""

ROUNDING = {
    "int": "",
    "round": "rint",
    "math.floor": "floor",
    "math.ceil": "ceil",
    "math.trunc": "",
}
"""What makes an int of a float, and the C function that does it before the cast."""


def constant(name: str) -> Expr | None:
    """The value of ``math.pi`` and its like."""
    number = CONSTANTS.get(name)
    if number is None:
        return None
    return literal(number)


def apply(
    name: str,
    args: Sequence[Expr],
    *,
    again: bool = False,
    inexact: bool = False,
    looks: bool = True,
) -> Expr:
    """The value of a call.

    Args:
        name: the full name: ``abs``, ``math.exp``, ``numpy.minimum``.
        args: positional arguments.
        again: whether the loops as written may start again where this fails.
        inexact: whether other functions may stand for those that are named.
        looks: whether an integer without a sign is looked at as it becomes Python's.

    Raises:
        Unsupported: LX504 for a function that is not known, or not on these types.
    """
    if any(map(is_unsigned, args)):
        return called(name, args)
    if name in ("min", "max"):
        return _applied(name, args, again=again)
    row = lookup(name)
    settled = row.own in SETTLING if row.module == "numpy" else row.own in FLOATING

    def make(*single: Expr) -> Expr:
        given = single if settled else [*map(own, single)]
        found = quick(name, given) if inexact else None
        if looks and name == "int" and given and given[0].kind.dtype == "uint64":
            return _unsigned(given[0], again=again)
        return found or _applied(name, given, again=again)

    return each(make, *args, what=f"what {name} gives")


def _applied(name: str, args: Sequence[Expr], *, again: bool) -> Expr:
    """The value of a call of values of one type each, but for ``min`` and ``max``."""
    row = lookup(name)
    if row.is_type and row.converts and len(args) == 1:
        return construct(args[0], row.converts)
    if name == "math.trunc" and len(args) == 1 and not _truncates(args[0]):
        fail("math.trunc of a NumPy number that is no float64 (Python refuses it)")
    if name in ROUNDING and len(args) == 1 and args[0].kind.dtype in FLOATS:
        return _rounded(args[0], ROUNDING[name], again=again)
    if name == "round" and len(args) == 2:
        return _answered(to_digits(*args), name, args)
    module, _, last = name.rpartition(".")
    if module == "math":
        value = mathematical(last, args, again=again)
    elif module == "numpy":
        value = ufunc(row.alias or last, args)
    elif name in SUMMING:
        value = compensated(last, *args)
    else:
        maker = _BUILTINS.get(name)
        value = maker(args) if maker else None
    return _answered(value, name, args)


def _answered(value: Expr | None, name: str, args: Sequence[Expr]) -> Expr:
    """The value of a call that has one.

    Args:
        value: it, or None. name, args: as of ``apply``.
    """
    if value is None:
        fail(f"a call of {_unknown(name, args)}", hint=advice.BEFORE)
    return value


def _unknown(name: str, args: Sequence[Expr]) -> str:
    """A call that has no value, in words: the function, or what it is given.

    Args:
        name: as of ``apply``. args: the arguments.
    """
    row = lookup(name)
    if row.native is Native.NO:
        return name
    if not row.takes(len(args)):
        return f"{name} with {len(args)} argument{'s' * (len(args) != 1)}"
    return f"{name} of {' and '.join(names(one.kind) for one in args)}"


AGAIN = Intrinsic("trunc_again")
"""What leaves the loops to Python when a float has no exact int in C."""

BEYOND = Intrinsic("signed_again", "uint64")
"""What does when an integer without a sign is beyond 64 bits with one."""

LEAVE = Intrinsic("leave_off")
"""What leaves them to Python at a ``raise``."""

APART = Intrinsic("slices_apart")
"""What leaves them to Python where slices are not what loops over elements do."""


def _truncates(value: Expr) -> bool:
    """Whether a number has ``__trunc__``: Python's have, and numpy.float64 is one."""
    return all(m.weak or m.dtype == "float64" for m in value.kind.members)


def _rounded(value: Expr, rounding: str, *, again: bool) -> Expr:
    """A float as an int; beyond 64 bits it saturates, or the nest runs as Python."""
    value = real_number(value)
    whole = (
        intrinsic(rounding, of(FLOAT), value, dtype="float64", rules="c")
        if rounding
        else value
    )
    if again:
        return intrinsic(AGAIN.operation, of(INT), whole, raises=NO_INT)
    near = intrinsic("trunc_near", of(INT), whole, raises=NO_INT)
    return replace(near, facts=frozenset((SATURATED,)))


def _unsigned(value: Expr, *, again: bool) -> Expr:
    """An integer without a sign as an int; beyond 64 bits Python takes over, or raises.

    Only as a subscript it may raise, as Python does: see ``intervals.ranges``.
    """
    if not again:
        return replace(signed(value), kind=of(INT))
    called = BEYOND.operation
    return intrinsic(called, of(INT), value, dtype="uint64", raises=LARGE)


def _extreme(name: str) -> Callable[[Sequence[Expr]], Expr | None]:
    """``min`` and ``max`` in Python's order: the first of equals, NaN never wins."""

    def make(args: Sequence[Expr]) -> Expr | None:
        if len(args) < 2:
            return None
        best = args[0]
        for arg in args[1:]:
            kind = join(best.kind, arg.kind)
            # Both are evaluated in the order of the source: they may raise.
            other = compare(">" if name == "min" else "<", best, arg)
            parts = [shared(value, kind) for value in (best, arg)]
            facts = (best.facts | arg.facts) & {SATURATED}
            tag = picked(other, arg, best)
            best = intrinsic(name, kind, *parts, dtype=kind.dtype)
            best = told(replace(best, facts=facts), tag)
        return best

    return make


def _int(args: Sequence[Expr]) -> Expr | None:
    if len(args) != 1 or args[0].kind.is_complex:
        return None
    return as_kind(args[0], of(INT))


def _float(args: Sequence[Expr]) -> Expr | None:
    if len(args) != 1 or args[0].kind.is_complex:
        return None
    return as_kind(args[0], of(FLOAT))


def _bool(args: Sequence[Expr]) -> Expr | None:
    return as_kind(args[0], of(BOOL)) if len(args) == 1 else None


def _complex(args: Sequence[Expr]) -> Expr | None:
    if len(args) == 1:
        return as_kind(args[0], of(COMPLEX))
    return composed(of(COMPLEX), *map(real_number, args)) if len(args) == 2 else None


_BUILTINS: dict[str, Callable[[Sequence[Expr]], Expr | None]] = {
    "abs": absolute,
    "min": _extreme("min"),
    "max": _extreme("max"),
    "int": _int,
    "float": _float,
    "bool": _bool,
    "complex": _complex,
    "pow": lambda args: binary("**", *args) if len(args) == 2 else None,
}
