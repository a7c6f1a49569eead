"""The functions a nest may call: Python's, ``math``'s and NumPy's, on typed values.

``math`` functions come from the C library with Python's errors. NumPy functions that
are exact (``sqrt``, ``floor``, ``minimum`` ...) are written out; the others (``exp``,
``sin`` ...) go through the inner loop of NumPy's own ufunc, so that bits agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from looptx.emit.operators import SHORT, binary, call, compare, fit
from looptx.emit.types import FLOATS, INTEGERS, c_name, common
from looptx.emit.values import (
    ATOM,
    BOOL,
    CHOICE,
    COMPLEX,
    FLOAT,
    INT,
    OR,
    UNARY,
    Kind,
    Value,
    cast,
    exact,
    fail,
    join,
    of,
    truth,
)
from looptx.model.types import ScalarType

CONSTANTS = {
    "math.pi": math.pi,
    "math.e": math.e,
    "math.tau": math.tau,
    "math.inf": math.inf,
    "math.nan": math.nan,
    "numpy.pi": math.pi,
    "numpy.e": math.e,
    "numpy.inf": math.inf,
    "numpy.nan": math.nan,
    "numpy.euler_gamma": 0.5772156649015329,
}

MATH_DOMAIN = frozenset(
    {"sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "tanh", "asinh", "acosh"}
    | {"atanh", "log", "log2", "log10", "log1p"}
)
MATH_RANGE = frozenset({"exp", "expm1", "sinh", "cosh"})

UFUNCS = frozenset(
    {"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan"}
    | {"arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh"}
    | {"arctanh", "cbrt"}
)
UFUNCS2 = frozenset({"arctan2", "hypot", "fmod", "copysign", "logaddexp"})

_ROUNDING = {"floor": "floor", "ceil": "ceil", "trunc": "trunc", "rint": "rint"}
ROUNDING = {
    "int": "",
    "round": "rint",
    "math.floor": "floor",
    "math.ceil": "ceil",
    "math.trunc": "",
}
"""What makes an int of a float, and the C function that does it before the cast."""

_TYPES = {
    "numpy.float64": "float64",
    "numpy.double": "float64",
    "numpy.float32": "float32",
    "numpy.single": "float32",
    "numpy.int64": "int64",
    "numpy.intp": "int64",
    "numpy.int_": "int64",
    "numpy.int32": "int32",
    "numpy.intc": "int32",
    "numpy.uint8": "uint8",
    "numpy.ubyte": "uint8",
    "numpy.bool_": "bool",
    "numpy.bool": "bool",
    "numpy.complex128": "complex128",
    "numpy.cdouble": "complex128",
}


def constant(name: str) -> Value | None:
    """The value of ``math.pi`` and its like."""
    number = CONSTANTS.get(name)
    if number is None:
        return None
    return literal(number)


def literal(number: bool | int | float | complex) -> Value:
    """A Python literal."""
    if isinstance(number, bool):
        return Value(str(number), ATOM, of(BOOL, number), number)
    if isinstance(number, int):
        if not exact(number, "int64"):
            fail(f"the integer {number} does not fit into 64 bits")
        # Without the suffix Cython takes what is beyond 32 bits for a Python object.
        text = f"{number}LL" if abs(number) >= 1 << 31 else str(number)
        return Value(text, ATOM if number >= 0 else UNARY, of(INT, number), number)
    if isinstance(number, complex):
        text = f"lx_complex({number.real!r}, {number.imag!r})"
        return Value(text, ATOM, of(COMPLEX, number), number)
    if math.isnan(number):
        return Value("lx_nan", ATOM, of(FLOAT))
    if math.isinf(number):
        return Value("lx_inf" if number > 0 else "-lx_inf", UNARY, of(FLOAT))
    binds = ATOM if math.copysign(1.0, number) > 0 else UNARY
    return Value(repr(number), binds, of(FLOAT, number), number)


def apply(name: str, args: Sequence[Value], *, again: bool = False) -> Value:
    """The value of a call.

    Args:
        name: the full name: ``abs``, ``math.exp``, ``numpy.minimum``.
        args: positional arguments.
        again: whether the loops as written may start again where this fails.

    Raises:
        Unsupported: LX504 for a function that is not known, or not on these types.
    """
    if name in _TYPES and len(args) == 1:
        return construct(args[0], _TYPES[name])
    if name == "math.trunc" and len(args) == 1 and not _truncates(args[0]):
        fail("math.trunc of a NumPy number that is no float64 (Python refuses it)")
    if name in ROUNDING and len(args) == 1 and args[0].kind.dtype in FLOATS:
        return _rounded(args[0], ROUNDING[name], again=again)
    module, _, last = name.rpartition(".")
    if module == "math":
        value = _math(last, args)
    elif module == "numpy":
        value = _numpy(last, args)
    else:
        maker = _BUILTINS.get(name)
        value = maker(args) if maker else None
    if value is None:
        fail(f"a call of {name} with {len(args)} arguments")
    return value


def construct(value: Value, dtype: str) -> Value:
    """``np.float32(x)`` and its like."""
    kind = of(ScalarType(dtype))
    if dtype == "bool":
        inner = truth(value)
        return Value(inner.text, inner.binds, kind)
    if value.kind.dtype == "complex128" and dtype != "complex128":
        fail("a complex number made real")
    if dtype in INTEGERS:
        weak = any(member.weak for member in value.kind.members)
        if value.kind.dtype in FLOATS and weak:
            value = truncated(value)
        if value.kind.dtype == "int64" and weak and dtype != "int64":
            return fit(value, dtype)
    inner = cast(value, dtype)
    return Value(inner.text, inner.binds, kind, inner.literal)


def truncated(value: Value) -> Value:
    """``int(x)`` of a float: nan and inf raise as in Python."""
    return call("lx_trunc", of(INT), value)


AGAIN = "lx_trunc_again"
"""What leaves the loops to Python when a float has no exact int in C."""


def _truncates(value: Value) -> bool:
    """Whether a number has ``__trunc__``: Python's have, and numpy.float64 is one."""
    return all(m.weak or m.dtype == "float64" for m in value.kind.members)


def _rounded(value: Value, rounding: str, *, again: bool) -> Value:
    """A float as an int; beyond 64 bits it is saturated, or Python takes over."""
    value = _real(value)
    whole = call(rounding, of(FLOAT), value) if rounding else value
    return call(AGAIN if again else "lx_trunc_near", of(INT), whole)


def _real(value: Value) -> Value:
    if value.kind.dtype == "complex128":
        fail("a real function of a complex number")
    inner = cast(value, "float64")
    return Value(inner.text, inner.binds, of(FLOAT), inner.literal)


def _math(name: str, args: Sequence[Value]) -> Value | None:
    if len(args) == 2 and name in ("pow", "atan2", "copysign", "fmod"):
        return call(f"lx_math_{name}", of(FLOAT), *map(_real, args))
    if len(args) == 2 and name == "log":
        parts = [call("lx_math_log", of(FLOAT), _real(arg)) for arg in args]
        return binary("/", *parts)
    if len(args) != 1:
        return None
    value = args[0]
    if name in ("floor", "ceil", "trunc"):
        if ScalarType("int64") in value.kind.members:
            fail(f"math.{name} of numpy.int64 (Python makes a float of it first)")
        if value.kind.dtype in (*INTEGERS, "bool"):
            return Value(value.text, value.binds, of(INT), value.literal)
        return None
    value = _real(value)
    if name in MATH_DOMAIN or name in MATH_RANGE:
        return call(f"lx_math_{name}", of(FLOAT), value)
    if name == "fabs":
        return call("fabs", of(FLOAT), value)
    if name in ("isnan", "isinf", "isfinite"):
        return call(f"lx_{name}", of(BOOL), value)
    if name in ("radians", "degrees"):
        factor = math.pi / 180 if name == "radians" else 180 / math.pi
        return binary("*", value, literal(factor))
    return None


def _strong(value: Value) -> Value:
    """A ufunc's view of its argument: a Python number has its default dtype."""
    members = frozenset(ScalarType(member.dtype) for member in value.kind.members)
    return Value(
        value.text, value.binds, Kind(value.kind.dtype, members), value.literal
    )


def _floating(name: str, args: Sequence[Value]) -> tuple[str, list[Value]]:
    """The dtype in which a float ufunc computes, and its arguments in it."""
    found = None
    for arg in args:
        for member in arg.kind.members:
            found = member if found is None else common(found, member)
            if found is None:
                fail(f"numpy.{name} of these types")
    assert found is not None
    dtype = found.dtype
    if dtype == "complex128":
        fail(f"numpy.{name} of a complex number")
    if dtype in ("bool", "uint8"):
        fail(f"numpy.{name} of {dtype} (its result is a float16)")
    if dtype in INTEGERS:
        dtype = "float64"
    return dtype, [cast(arg, dtype) for arg in args]


def _numpy(name: str, args: Sequence[Value]) -> Value | None:
    if name == "where" and len(args) == 3:
        return _where(*args)
    if name in ("minimum", "maximum") and len(args) == 2:
        return _extreme_ufunc(name, *args)
    if name in UFUNCS2 and len(args) == 2:
        dtype, values = _floating(name, args)
        return call(f"lx_np_{name}_{SHORT[dtype]}", of(ScalarType(dtype)), *values)
    if len(args) != 1:
        return None
    value = args[0]
    if name in UFUNCS:
        dtype, values = _floating(name, args)
        return call(f"lx_np_{name}_{SHORT[dtype]}", of(ScalarType(dtype)), *values)
    if name == "sqrt" or name in _ROUNDING:
        if name != "sqrt" and value.kind.dtype not in FLOATS:
            return None
        dtype, values = _floating(name, args)
        suffix = "f" if dtype == "float32" else ""
        return call(name + suffix, of(ScalarType(dtype)), *values)
    if name in ("abs", "absolute", "fabs"):
        value = _floating(name, args)[1][0] if name == "fabs" else value
        return _absolute([_strong(value)])
    if name == "square":
        return binary("*", _strong(value), _strong(value))
    if name in ("isnan", "isinf", "isfinite"):
        if value.kind.dtype not in FLOATS:
            return None
        return call(f"lx_{name}", of(ScalarType("bool")), value)
    return None


def _extreme_ufunc(name: str, left: Value, right: Value) -> Value:
    """``np.minimum``: NaN wins, a tie gives the second."""
    kinds = {common(a, b) for a in left.kind.members for b in right.kind.members}
    found = kinds.pop()
    if found is None or kinds or found.dtype == "complex128":
        fail(f"numpy.{name} of these types")
    dtype = found.dtype
    values = (cast(left, dtype), cast(right, dtype))
    if dtype in ("uint8", "int32"):
        values = tuple(  # type: ignore[assignment]
            fit(v, dtype) if v.kind.weak and v.kind.dtype == "int64" else cast(v, dtype)
            for v in (left, right)
        )
    return call(f"lx_{name}_{SHORT[dtype]}", of(ScalarType(dtype)), *values)


def _where(cond: Value, left: Value, right: Value) -> Value:
    kinds = {common(a, b) for a in left.kind.members for b in right.kind.members}
    found = kinds.pop()
    if found is None or kinds:
        fail("numpy.where of these types")
    return choice(
        truth(cond), cast(left, found.dtype), cast(right, found.dtype), strong=True
    )


def choice(cond: Value, left: Value, right: Value, *, strong: bool = False) -> Value:
    """``left if cond else right``."""
    kind = join(left.kind, right.kind)
    texts = [cast(value, kind.dtype).at(OR) for value in (left, right)]
    if strong:
        kind = of(ScalarType(kind.dtype))
    return Value(f"{texts[0]} if {cond.at(OR)} else {texts[1]}", CHOICE, kind)


def _absolute(args: Sequence[Value]) -> Value | None:
    if len(args) != 1:
        return None
    value = args[0]
    dtype, kind = value.kind.dtype, Kind(value.kind.dtype, value.kind.members)
    if dtype in FLOATS:
        return call("fabs" if dtype == "float64" else "fabsf", kind, value)
    if dtype == "complex128":
        if kind.weak:
            fail("abs of a Python complex number")
        return call("lx_cabs", of(ScalarType("float64")), value)
    if dtype == "bool":
        if kind.weak:
            return Value(f"<Py_ssize_t>{value.at(UNARY)}", UNARY, of(INT))
        return value
    wide = call("lx_abs", of(ScalarType("int64")), value)
    if dtype == "int64":
        return Value(wide.text, ATOM, kind)
    return Value(f"<{c_name(dtype)}>{wide.text}", UNARY, kind)


def _extreme(name: str) -> Callable[[Sequence[Value]], Value | None]:
    """``min`` and ``max`` in Python's order: the first of equals, NaN never wins."""

    def make(args: Sequence[Value]) -> Value | None:
        if len(args) < 2:
            return None
        best = args[0]
        for arg in args[1:]:
            kind = join(best.kind, arg.kind)
            compare("<", best, arg)
            parts = [cast(value, kind.dtype) for value in (best, arg)]
            best = call(f"lx_{name}_{SHORT[kind.dtype]}", kind, *parts)
        return best

    return make


def _int(args: Sequence[Value]) -> Value | None:
    if len(args) != 1 or args[0].kind.dtype == "complex128":
        return None
    value = args[0]
    if value.kind.dtype == "bool":
        return Value(f"<Py_ssize_t>{value.at(UNARY)}", UNARY, of(INT))
    return Value(value.text, value.binds, of(INT), value.literal)


def _float(args: Sequence[Value]) -> Value | None:
    if len(args) != 1 or args[0].kind.dtype == "complex128":
        return None
    value = cast(args[0], "float64")
    return Value(value.text, value.binds, of(FLOAT), value.literal)


def _bool(args: Sequence[Value]) -> Value | None:
    if len(args) != 1:
        return None
    value = truth(args[0])
    return Value(value.text, value.binds, of(BOOL))


def _complex(args: Sequence[Value]) -> Value | None:
    if len(args) == 1:
        value = cast(args[0], "complex128")
        return Value(value.text, value.binds, of(COMPLEX))
    return (
        call("lx_complex", of(COMPLEX), *map(_real, args)) if len(args) == 2 else None
    )


_BUILTINS: dict[str, Callable[[Sequence[Value]], Value | None]] = {
    "abs": _absolute,
    "min": _extreme("min"),
    "max": _extreme("max"),
    "int": _int,
    "float": _float,
    "bool": _bool,
    "complex": _complex,
    "pow": lambda args: binary("**", *args) if len(args) == 2 else None,
}
