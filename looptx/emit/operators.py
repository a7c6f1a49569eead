"""Python's operators on typed values, each with exactly NumPy's or Python's result."""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass

from looptx.emit.checks import NONZERO, SATURATED
from looptx.emit.folding import folded, python_int
from looptx.emit.types import FLOATS, INTEGERS, RANK, c_name, common, promote
from looptx.emit.values import (
    ATOM,
    BITAND,
    BITOR,
    CHOICE,
    COMPARE,
    INT,
    NOT,
    OR,
    PRODUCT,
    RANGES,
    SHIFT,
    SUM,
    UNARY,
    XOR,
    Kind,
    Value,
    as_kind,
    cast,
    fail,
    join,
    literal,
    names,
    of,
    truth,
    widened,
)
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
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*\b(?!>)")
"""A variable or a function, but no number and no type of a conversion."""
_BINDS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT}
_BINDS |= {"&": BITAND, "|": BITOR, "^": XOR, "<<": SHIFT, ">>": SHIFT}
SHORT = {
    "bool": "b",
    "uint8": "u8",
    "int32": "i32",
    "int64": "i64",
    "float32": "f32",
    "float64": "f64",
    "complex128": "c128",
}
"""The endings of the helper functions, by dtype."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A binary operation: its result, and its operands when it is a C operator."""

    value: Value
    left: Value | None = None
    right: Value | None = None


def binary(op: str, left: Value, right: Value) -> Value:
    """``left op right``."""
    return operation(op, left, right).value


def operation(op: str, left: Value, right: Value) -> Operation:
    """``left op right`` with its converted operands.

    Raises:
        Unsupported: LX504 where Python raises TypeError, or the result depends on which
            of several types an operand has.
    """
    kind = result_kind(op, left.kind, right.kind)
    known = folded(op, left, right)
    if known is not None:
        return Operation(known)
    _unmixed(op, left.kind, right.kind, kind)
    one = adopt(left, kind, right.kind)
    two = adopt(right, kind, left.kind)
    if op == "**":
        return Operation(_power(one, two, kind))
    if op in ("//", "%"):
        raises = checked(left, right) and NONZERO not in right.facts
        return Operation(_division(op, one, two, kind, checked=raises))
    if op == "/" and checked(left, right):
        return _true_division(left, right, kind)
    if kind.dtype == "complex128" and op in ("*", "/"):
        helper = "lx_cmul" if op == "*" else "lx_cdiv"
        if op == "/" and kind.weak:
            helper = "lx_py_cdiv"
        return Operation(
            call(helper, kind, cast(one, "complex128"), cast(two, "complex128"))
        )
    if op in ("<<", ">>"):
        return Operation(_shift(op, one, two, kind))
    return _infix(op, one, two, kind)


def _unmixed(op: str, left: Kind, right: Kind, kind: Kind) -> None:
    """Refuse what Python 3.14 no longer makes complex first: ``2.0 * 1j``.

    C's rules for a real and a complex operand differ in zeros and infinities.

    Raises:
        Unsupported: LX504.
    """
    mixed = left.dtype != right.dtype and kind.dtype == "complex128"
    weak = any(member.weak for member in kind.members)
    if mixed and weak and sys.version_info >= (3, 14):
        fail(f"`{op}` of a real number and a complex one of Python")


def result_kind(op: str, left: Kind, right: Kind) -> Kind:
    """The kind of ``left op right``, for every type either may have."""
    found: set[ScalarType] = set()
    for one in left.members:
        for two in right.members:
            kind = promote(op, one, two)
            if kind is None:
                fail(f"`{op}` of {one} and {two}")
            found.add(kind)
    dtypes = {kind.dtype for kind in found}
    if len(dtypes) > 1:
        fail(f"the type of `{op}` depends on whether a value is {names(left)}")
    return Kind(dtypes.pop(), frozenset(found))


def adopt(value: Value, kind: Kind, other: Kind) -> Value:
    """An operand in the type of the operation: a Python int must fit into it."""
    dtype = kind.dtype
    if value.kind.dtype == dtype or dtype not in RANGES:
        return value
    if value.kind.dtype == "int64" and any(m.weak for m in value.kind.members):
        return fit(value, dtype) if not other.weak else value
    return value


def fit(value: Value, dtype: str) -> Value:
    """A Python int as ``dtype``; OverflowError where NumPy raises it."""
    if value.literal is not None and isinstance(value.literal, int):
        low, high = RANGES[dtype]
        if not low <= value.literal <= high:
            fail(f"{value.literal} is out of bounds for {dtype}")
        return Value(value.text, value.binds, of(ScalarType(dtype)), value.literal)
    if dtype in value.facts:
        return Value(value.text, value.binds, of(ScalarType(dtype)))
    return call(f"lx_fit_{SHORT[dtype]}", of(ScalarType(dtype)), value)


def call(name: str, kind: Kind, *args: Value) -> Value:
    """``name(args...)``."""
    return Value(f"{name}({', '.join(arg.text for arg in args)})", ATOM, kind)


def _infix(op: str, left: Value, right: Value, kind: Kind) -> Operation:
    """A C operator whose usual arithmetic conversions give the right type."""
    dtype = kind.dtype
    if dtype == "bool":  # NumPy's sum is "or", its product "and".
        op = {"+": "|", "*": "&"}.get(op, op)
    binds = _BINDS[op]
    if dtype == "bool":
        return Operation(
            Value(f"{left.at(binds)} {op} {right.at(binds + 1)}", binds, kind)
        )
    left, right = _steer(left, right, dtype)
    if op in ("+", "-") and dtype in FLOATS and any(map(_perhaps_zero, (left, right))):
        word = "plus" if op == "+" else "minus"
        return Operation(call(f"lx_{word}_{SHORT[dtype]}", kind, left, right))
    text = f"{left.at(binds)} {op} {right.at(binds + 1)}"
    if dtype in ("uint8", "int32"):
        wrapped = Value(f"<{c_name(dtype)}>({text})", UNARY, kind)
        return Operation(wrapped, left, right)
    return Operation(Value(text, binds, kind), left, right)


def _perhaps_zero(value: Value) -> bool:
    """Whether C may see a constant zero in the text of a float.

    Where it stands beside ``|x|`` or an integer, gcc 12 takes ``0 - x`` for ``-x`` even
    without optimisation, and ``-x + 0``, too: 0.0 becomes -0.0. Functions hide it.
    """
    if value.literal is not None:
        return value.literal == 0
    return _NAME.search(value.text) is None


def _steer(left: Value, right: Value, dtype: str) -> tuple[Value, Value]:
    """Operands for which C computes in ``dtype``, with as few casts as needed."""
    if dtype in INTEGERS:
        # Cython computes what is made of literals as a Python int.
        literals = left.literal is not None and right.literal is not None
        narrow = not (left.wide or right.wide) if dtype == "int64" else literals
        return (widened(left) if narrow else left), right
    left, right = (
        cast(value, dtype) if RANK[value.kind.dtype] > RANK[dtype] else value
        for value in (left, right)
    )
    if dtype == "complex128":
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


def checked(left: Value, right: Value) -> bool:
    """Whether dividing by zero must raise: Python numbers, divisor no literal."""
    both = any(m.weak for m in left.kind.members) and any(
        m.weak for m in right.kind.members
    )
    return both and not right.literal


def _true_division(left: Value, right: Value, kind: Kind) -> Operation:
    """Python's own, which raises unless the divisor is known not to be zero."""
    if kind.dtype == "complex128":
        parts = cast(left, kind.dtype), cast(right, kind.dtype)
        return Operation(call("lx_py_cdiv", kind, *parts))
    nonzero = NONZERO in right.facts
    if left.kind.dtype in ("bool", "int64") and right.kind.dtype in ("bool", "int64"):
        helper = "lx_div_i64" if nonzero else "lx_py_div_i64"
        return Operation(call(helper, kind, left, right))
    if nonzero:
        return _infix("/", left, right, kind)
    return Operation(call("lx_py_div_f64", kind, left, right))


def _division(
    op: str, left: Value, right: Value, kind: Kind, *, checked: bool
) -> Value:
    word = "floordiv" if op == "//" else "mod"
    dtype = kind.dtype
    if dtype == "bool":
        fail(f"`{op}` of bool values")
    if dtype in FLOATS:
        left, right = cast(left, dtype), cast(right, dtype)
        return call(
            f"lx_{'py_' if checked else ''}{word}_{SHORT[dtype]}", kind, left, right
        )
    nonzero = isinstance(right.literal, int) and right.literal not in (0, -1)
    who = "" if nonzero else "py_" if checked else "np_"
    value = call(f"lx_{who}{word}", of(ScalarType("int64")), left, right)
    return _narrow(value, kind)


def _narrow(value: Value, kind: Kind) -> Value:
    """An int64 result as the smaller integer type of ``kind``."""
    if kind.dtype in ("uint8", "int32"):
        return Value(f"<{c_name(kind.dtype)}>{value.at(UNARY)}", UNARY, kind)
    return Value(value.text, value.binds, kind)


def _shift(op: str, left: Value, right: Value, kind: Kind) -> Value:
    bits = {"uint8": 8, "int32": 32, "int64": 64}[kind.dtype]
    count = right.literal
    if isinstance(count, int) and 0 <= count < bits - 1:
        text = f"<int64_t>{left.at(UNARY)} {op} {right.at(SUM)}"
        wide = Value(text, SHIFT, of(ScalarType("int64")))
        return _narrow(Value(f"({text})", ATOM, wide.kind), kind)
    if kind.weak:
        fail("a shift of Python ints by a number that is no small literal")
    word = "lshift" if op == "<<" else "rshift"
    value = call(f"lx_{word}", kind, left, right, literal(bits))
    return _narrow(value, kind)


def _power(left: Value, right: Value, kind: Kind) -> Value:
    exponent = right.literal
    if kind.dtype in INTEGERS:
        if not isinstance(exponent, int) or exponent < 0:
            fail("an integer power whose exponent is no literal")
        return _narrow(call("lx_ipow", of(ScalarType("int64")), left, right), kind)
    if kind.dtype == "bool":
        fail("a power of bool values")
    left, right = cast(left, kind.dtype), cast(right, kind.dtype)
    if any(m.weak for m in kind.members):
        whole = exponent is not None and float(exponent.real).is_integer()
        positive = isinstance(left.literal, (int, float)) and left.literal > 0
        if not (whole or positive):
            fail("a power of Python floats (a negative base gives a complex number)")
        return call("lx_py_pow", kind, left, right)
    return call(f"lx_pow_{SHORT[kind.dtype]}", kind, left, right)


def unary(op: ast.unaryop, value: Value) -> Value:
    """``-x``, ``+x``, ``~x``, ``not x``."""
    if isinstance(op, ast.Not):
        kind = of(ScalarType("bool", weak=True))
        return Value(f"not {truth(value).at(NOT)}", NOT, kind)
    dtype = value.kind.dtype
    strong_bool = dtype == "bool" and not value.kind.weak
    if isinstance(op, ast.Invert):
        if strong_bool:
            return Value(f"not {value.at(NOT)}", NOT, value.kind)
        if dtype not in (*INTEGERS, "bool"):
            fail("`~` of a number that is no integer")
    elif strong_bool:
        fail("the sign of a NumPy bool")
    kind = of(INT) if dtype == "bool" else value.kind
    if isinstance(op, ast.UAdd):
        return as_kind(value, kind)
    sign = "~" if isinstance(op, ast.Invert) else "-"
    number, whole = value.literal, python_int(value)
    if whole is not None:
        return literal(~whole if sign == "~" else -whole)
    if dtype == "int64":
        value = widened(value)
    text = f"{sign}{value.at(UNARY)}"
    if number is not None and dtype not in INTEGERS:
        member = next(iter(kind.members))
        return Value(text, UNARY, of(member, -number), -number)
    if dtype in ("uint8", "int32"):
        return Value(f"<{c_name(dtype)}>({text})", UNARY, kind)
    if dtype == "bool":
        text = f"{sign}<Py_ssize_t>{value.at(UNARY)}"
    return Value(text, UNARY, Kind(kind.dtype, kind.members))


def choice(cond: Value, left: Value, right: Value, *, strong: bool = False) -> Value:
    """``left if cond else right``."""
    kind = join(left.kind, right.kind)
    texts = [cast(value, kind.dtype).at(OR) for value in (left, right)]
    if strong:
        kind = of(ScalarType(kind.dtype))
    facts = (left.facts | right.facts) & {SATURATED}
    text = f"{texts[0]} if {cond.at(OR)} else {texts[1]}"
    return Value(text, CHOICE, kind, facts=facts)


def compare(op: str, left: Value, right: Value) -> Value:
    """``left op right`` as a condition."""
    kinds: set[ScalarType] = set()
    dtypes: set[str] = set()
    for one in left.kind.members:
        for two in right.kind.members:
            kind = common(one, two)
            if kind is None:
                fail(f"`{op}` of {one} and {two}")
            dtype = kind.dtype
            if dtype in ("uint8", "int32") and one.weak != two.weak:
                dtype = "int64"  # NumPy compares any Python int exactly.
            dtypes.add(dtype)
            kinds.add(ScalarType("bool", one.weak and two.weak))
    if len(dtypes) > 1:
        fail(f"how `{op}` compares depends on whether a value is {names(left.kind)}")
    dtype = dtypes.pop()
    if dtype == "complex128" and op not in ("==", "!="):
        fail("the order of complex numbers")
    if dtype in (*FLOATS, "complex128"):
        left, right = _steer(left, right, dtype)
    return Value(
        f"{left.at(COMPARE + 1)} {op} {right.at(COMPARE + 1)}",
        COMPARE,
        Kind("bool", frozenset(kinds)),
    )
