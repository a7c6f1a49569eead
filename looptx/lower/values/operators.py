"""Python's operators on typed values, each with exactly NumPy's or Python's result."""

from __future__ import annotations

import ast
import sys

from looptx.lower import advice
from looptx.lower.checks import HELD, NONZERO
from looptx.lower.kinds import FLOAT, INT, RANGES, UNSIGNED, WIDE, Kind, fail, of
from looptx.lower.limits import EXACT
from looptx.lower.tree import Expr, inside, intrinsic
from looptx.lower.types import RANK, c_name, promote
from looptx.lower.values.alternatives import (
    by_types,
    chosen,
    each,
    integral,
    own,
    real,
    several,
)
from looptx.lower.values.integers import unsigned
from looptx.lower.values.integers.folding import folded, possible, python_int
from looptx.lower.values.literals import (
    as_kind,
    cast,
    converted,
    in_type,
    literal,
    rounded,
    truth,
    widened,
)
from looptx.lower.values.powers import power
from looptx.model.dtypes import DTYPES, FLOATS, INTEGERS, is_converted
from looptx.model.expr import variables
from looptx.model.records import dataclass, replace
from looptx.model.types import ScalarType

SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
NEGATIVE_SHIFT = "a shift by a negative number"
ZERO_DIVISION = "division by zero"
"""What dividing may raise, in words."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A binary operation: its result, and its operands when it is a C operator."""

    value: Expr
    left: Expr | None = None
    right: Expr | None = None


def binary(op: str, left: Expr, right: Expr) -> Expr:
    """``left op right``."""
    return operation(op, left, right).value


def operation(op: str, left: Expr, right: Expr) -> Operation:
    """``left op right`` with its converted operands.

    Raises:
        Unsupported: LX504 where Python raises TypeError, or nothing tells which of
            several types an operand has and the result depends on it.
    """
    if not several(left, right):
        return _operation(op, left, right)
    found = {
        types: _operation(op, *single)
        for types, single in by_types((left, right)).items()
    }
    made = {types: one.value for types, one in found.items()}
    value = chosen(made, (left, right), f"the type of `{op}`")
    alike = (one for one in found.values() if one.value == value)
    same = next(alike, Operation(value))
    return replace(same, value=value)


def _operation(op: str, left: Expr, right: Expr) -> Operation:
    """An operation on values of one type each."""
    (one,), (two,) = left.kind.members, right.kind.members
    member = promote(op, one, two)
    if UNSIGNED in (one, two):
        return _unsigned(op, left, right)
    if member is None:
        fail(f"`{op}` of {one} and {two}")
    kind = of(member)
    known = folded(op, left, right)
    if known is not None:
        return Operation(known)
    if member.weak:
        kind = replace(kind, numbers=possible(op, left.kind, right.kind))
    if DTYPES[kind.dtype].is_integer or kind.dtype == "bool":
        left, right = _in_range(left, kind), _in_range(right, kind)
    elif not kind.is_complex:
        left, right = real(left), real(right)
    _unmixed(op, left.kind, right.kind, kind)
    wider = DTYPES[kind.dtype].computed
    if wider:
        one_, two_ = (computed(value, kind.dtype) for value in (left, right))
        return Operation(rounded(binary(op, one_, two_), kind))
    first = adopt(left, kind, right.kind)
    second = adopt(right, kind, left.kind)
    if kind.is_complex and op in ("*", "/", "**"):
        return Operation(_of_complex(op, left, right, kind))
    if op == "**":
        return Operation(power(first, second, kind))
    if op in ("//", "%"):
        raises = checked(left, right) and NONZERO not in right.facts
        return Operation(_division(op, first, second, kind, checked=raises))
    if op == "/" and (checked(left, right) or of_integers(left, right)):
        return _true_division(left, right, kind)
    if op in ("<<", ">>"):
        return Operation(_shift(op, first, second, kind))
    return _infix(op, first, second, kind)


_DOUBLE = ScalarType("float64")


def _unsigned(op: str, left: Expr, right: Expr) -> Operation:
    """An operation on integers of Python of which one may be beyond 63 bits."""
    known = folded(op, left, right)
    if known is not None:
        return Operation(known)
    both = left.kind.members | right.kind.members
    if FLOAT in both or _DOUBLE in both:
        return _operation(op, unsigned.floating(left), unsigned.floating(right))
    if unsigned.NUMPY in both:
        return _operation(op, unsigned.of_numpy(left), unsigned.of_numpy(right))
    return Operation(unsigned.operation(op, left, right))


def _in_range(value: Expr, kind: Kind) -> Expr:
    """A value of one type, to compute integers of a kind with in C."""
    return value if DTYPES[kind.dtype].holds(DTYPES[value.kind.dtype]) else own(value)


def computed(value: Expr, dtype: str) -> Expr:
    """A value as a number of ``dtype``, to compute with as C does."""
    wider = ScalarType(DTYPES[dtype].computed)
    return replace(cast(value, dtype), kind=of(wider))


def _unmixed(op: str, left: Kind, right: Kind, kind: Kind) -> None:
    """Refuse what Python 3.14 no longer makes complex first: ``2.0 * 1j``.

    C's rules for a real and a complex operand differ in zeros and infinities.

    Raises:
        Unsupported: LX504.
    """
    mixed = left.dtype != right.dtype and kind.is_complex
    weak = any(member.weak for member in kind.members)
    if mixed and weak and sys.version_info >= (3, 14):
        fail(f"`{op}` of a real number and a complex one of Python")


def adopt(value: Expr, kind: Kind, other: Kind) -> Expr:
    """An operand in the type of the operation: a Python int must fit into it."""
    dtype = kind.dtype
    if value.kind.dtype == dtype or dtype not in RANGES:
        return value
    if value.kind.dtype == "int64" and any(m.weak for m in value.kind.members):
        return fit(value, dtype) if not other.weak else value
    return value


def fit(value: Expr, dtype: str) -> Expr:
    """A Python int as ``dtype``; OverflowError where NumPy raises it."""
    if value.literal is not None and isinstance(value.literal, int):
        low, high = RANGES[dtype]
        if not low <= value.literal <= high:
            fail(f"{value.literal} is out of bounds for {dtype}")
        return replace(value, kind=of(ScalarType(dtype)))
    if dtype in value.facts:
        return replace(value, kind=of(ScalarType(dtype)), literal=None)
    reason = "an integer too large for its array"
    kind = of(ScalarType(dtype))
    return intrinsic("fit", kind, value, dtype=dtype, raises=reason)


def _infix(op: str, left: Expr, right: Expr, kind: Kind) -> Operation:
    """A C operator whose usual arithmetic conversions give the right type."""
    dtype = kind.dtype
    if dtype == "bool":  # NumPy's sum is "or", its product "and".
        op = {"+": "|", "*": "&"}.get(op, op)
    if dtype == "bool":
        return Operation(Expr(op, kind, (left, right)))
    left, right = steer(left, right, dtype)
    if op in ("+", "-") and dtype in FLOATS and any(map(_perhaps_zero, (left, right))):
        word = "plus" if op == "+" else "minus"
        return Operation(intrinsic(word, kind, left, right, dtype=dtype))
    value = Expr(op, kind, (left, right))
    if is_converted(dtype):
        value = converted(value, c_name(dtype), kind)
    return Operation(value, left, right)


def _perhaps_zero(value: Expr) -> bool:
    """Whether C may see a constant zero in a float.

    Where it stands beside ``|x|`` or an integer, gcc 12 takes ``0 - x`` for ``-x`` even
    without optimisation, and ``-x + 0``, too: 0.0 becomes -0.0. Functions hide it.
    """
    if value.literal is not None:
        return value.literal == 0
    return not any(
        part.op in ("name", "cell", "local cell", "call")
        or isinstance(part.number, bool)
        or (part.index is not None and variables(part.index))
        for part in inside(value)
    )


def steer(left: Expr, right: Expr, dtype: str) -> tuple[Expr, Expr]:
    """Operands for which C computes in ``dtype``, with as few casts as needed."""
    if dtype in INTEGERS:
        # Cython computes what is made of literals as a Python int.
        literals = left.literal is not None and right.literal is not None
        wide = DTYPES[dtype].bits == 64
        narrow = not (left.wide or right.wide) if wide else literals
        return (widened(left) if narrow else left), right
    if DTYPES[dtype].computed:
        return cast(left, dtype), cast(right, dtype)
    left, right = (
        cast(value, dtype) if RANK[value.kind.dtype] > RANK[dtype] else value
        for value in (left, right)
    )
    if DTYPES[dtype].is_complex:
        return cast(left, dtype), cast(right, dtype)
    if dtype not in (left.kind.dtype, right.kind.dtype):
        if right.literal is not None:
            return left, cast(right, dtype)
        return cast(left, dtype), right
    for value, other in ((left, right), (right, left)):
        if value.literal is not None and value.kind.dtype == "int64":
            changed = cast(value, dtype)
            return (changed, other) if value is left else (other, changed)
    return left, right


def checked(left: Expr, right: Expr) -> bool:
    """Whether dividing by zero must raise: Python numbers, divisor no literal."""
    both = any(m.weak for m in left.kind.members) and any(
        m.weak for m in right.kind.members
    )
    return both and not right.literal


def of_integers(left: Expr, right: Expr) -> bool:
    """Whether Python ints may be divided, which is rounded once, at any size."""
    return all(
        any(one.weak and one.dtype in ("bool", "int64") for one in value.kind.members)
        for value in (left, right)
    )


def _of_complex(op: str, left: Expr, right: Expr, kind: Kind) -> Expr:
    """A product, a quotient or a power of complex numbers: powers are NumPy's."""
    dtype, given = kind.dtype, (cast(left, kind.dtype), cast(right, kind.dtype))
    word = {"*": "cmul", "/": "cdiv", "**": "power"}[op]
    rules, raises = "numpy" if op == "**" else "", ""
    if op == "/" and kind.weak:
        rules, raises = "python", ZERO_DIVISION
    return intrinsic(word, kind, *given, dtype=dtype, rules=rules, raises=raises)


def _true_division(left: Expr, right: Expr, kind: Kind) -> Operation:
    """Python's own, which raises unless the divisor is known not to be zero."""
    whole, nonzero = of_integers(left, right), right.literal or NONZERO in right.facts
    if nonzero and (not whole or (_is_held(left) and _is_held(right))):
        return _infix("/", left, right, kind)
    if whole:  # Of floats another message is raised.
        left, right = integral(left), integral(right)
    whole = whole and not any(DTYPES[x.kind.dtype].is_inexact for x in (left, right))
    dtype = "int64" if whole else "float64"
    rules, raises = ("", "") if nonzero else ("python", ZERO_DIVISION)
    value = intrinsic("div", kind, left, right, dtype=dtype, rules=rules, raises=raises)
    return Operation(value)


def _is_held(value: Expr) -> bool:
    """Whether a double holds a Python int; what shares a variable with floats does."""
    known = isinstance(value.literal, int) and abs(value.literal) <= EXACT
    return known or DTYPES[value.kind.dtype].is_inexact or HELD in value.facts


def _division(op: str, left: Expr, right: Expr, kind: Kind, *, checked: bool) -> Expr:
    word = "floordiv" if op == "//" else "mod"
    dtype = kind.dtype
    if dtype == "bool":
        fail(f"`{op}` of bool values")
    if dtype in FLOATS:
        parts = cast(left, dtype), cast(right, dtype)
        rules, raises = ("python", ZERO_DIVISION) if checked else ("", "")
        return intrinsic(word, kind, *parts, dtype=dtype, rules=rules, raises=raises)
    if dtype == "uint64":
        return intrinsic(word, kind, left, right, dtype="uint64")
    nonzero = isinstance(right.literal, int) and right.literal not in (0, -1)
    rules = "" if nonzero else "python" if checked else "numpy"
    raises = ZERO_DIVISION if rules == "python" else ""
    value = intrinsic(word, WIDE, left, right, rules=rules, raises=raises)
    return in_type(value, kind)


def _shift(op: str, left: Expr, right: Expr, kind: Kind) -> Expr:
    bits = DTYPES[kind.dtype].bits
    count = right.literal
    if isinstance(count, int) and 0 <= count < bits - (op == "<<"):
        wide = of(ScalarType("uint64")) if kind.dtype == "uint64" else WIDE
        return in_type(Expr(op, wide, (converted(left, wide.c, wide), right)), kind)
    if kind.weak:
        word = "lshift" if op == "<<" else "rshift"
        given = widened(left), widened(right)
        return intrinsic(word, kind, *given, rules="python", raises=NEGATIVE_SHIFT)
    word = "lshift" if op == "<<" else "rshift"
    if op == ">>" and kind.dtype == "uint64":
        return intrinsic("rshift", kind, left, right, dtype="uint64")
    value = intrinsic(word, kind, left, right, literal(bits))
    return in_type(value, kind)


def unary(op: ast.unaryop, value: Expr) -> Expr:
    """``-x``, ``+x``, ``~x``, ``not x``."""
    if isinstance(op, ast.Not):
        kind = of(ScalarType("bool", weak=True))
        return Expr("not", kind, (truth(value),))
    return each(lambda one: _unary(op, own(one)), value, what="the sign")


def _unary(op: ast.unaryop, value: Expr) -> Expr:
    """The sign of a value of one type, or its bits."""
    if unsigned.is_unsigned(value) and not isinstance(op, ast.UAdd):
        fail("the sign of an integer that may be beyond 63 bits", hint=unsigned.MASKED)
    dtype = value.kind.dtype
    strong_bool = dtype == "bool" and not value.kind.weak
    if isinstance(op, ast.Invert):
        if strong_bool:
            return Expr("not", value.kind, (value,))
        if dtype not in (*INTEGERS, "bool"):
            fail("`~` of a number that is no integer", hint=advice.INTEGER)
    elif strong_bool:
        fail("the sign of a NumPy bool")
    kind = of(INT) if dtype == "bool" else value.kind
    if isinstance(op, ast.UAdd):
        return as_kind(value, kind)
    sign = "~" if isinstance(op, ast.Invert) else "neg"
    known, whole = value.literal, python_int(value)
    if whole is not None:
        return literal(~whole if sign == "~" else -whole)
    if dtype == "int64":
        value = widened(value)
    if known is not None and dtype not in INTEGERS:
        (member,) = kind.members
        return Expr(sign, of(member, -known), (value,), literal=-known)
    if is_converted(dtype):
        return converted(Expr(sign, kind, (value,)), c_name(dtype), kind)
    if dtype == "bool":
        value = converted(value, "Py_ssize_t", kind)
    return Expr(sign, Kind(kind.dtype, kind.members), (value,))
