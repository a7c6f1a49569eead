"""What is known of the functions of Python: builtins, and the module ``math``."""

from __future__ import annotations

from functools import partial

from looptx.model.functions.rows import Kind, Native, Reach, When, rows

_LIBM, _OWN, _CALL = Native.LIBM, Native.OWN, Native.CALL
_builtin = partial(rows, "builtins", kind=Kind.SCALAR)
_elementwise = partial(rows, "builtins", kind=Kind.ELEMENTWISE)
_extreme = partial(_elementwise, fresh=False, least=2, integer=When.ALL, native=_OWN)
_other = partial(rows, "builtins", kind=Kind.OTHER, number=False)
_looking = partial(_other, pure=False, fresh=False)
_math = partial(rows, "math", kind=Kind.SCALAR)
_whole = partial(_math, integer=When.ALWAYS)

_DOMAIN, _RANGE, _EITHER = ("domain",), ("range",), ("domain", "range")

ROWS = (
    *_builtin("bool complex", native=_OWN),
    *_builtin("float", nonnegative=When.FIRST, native=_OWN),
    *_builtin("int", integer=When.ALWAYS, nonnegative=When.FIRST, native=_OWN),
    *_builtin("len", integer=When.ALWAYS, nonnegative=When.ALWAYS, native=_OWN),
    *_builtin("isinstance"),
    *_builtin("range", number=False),
    *_elementwise("abs", integer=When.ALL, nonnegative=When.ALWAYS, native=_OWN),
    *_extreme("max", nonnegative=When.ANY, combines="max"),
    *_extreme("min", nonnegative=When.ALL, combines="min"),
    # With three arguments the last one says the sign.
    *_elementwise("pow", nonnegative=When.ALL, native=_OWN),
    *_elementwise("round", nonnegative=When.FIRST, native=_OWN),
    *_elementwise("divmod", number=False),
    *rows("builtins", "all any hash id", Kind.REDUCTION),
    *rows("builtins", "sum", Kind.REDUCTION, number=False, fresh=False),
    *_other("repr str"),
    *_other("print", pure=False),
    *_looking("dir", reach=Reach.VARIABLES),
    *_looking("locals vars", reach=Reach.VARIABLES | Reach.NAMESPACE),
    *_looking("globals", reach=Reach.NAMESPACE),
    *_looking("eval exec", reach=Reach.VARIABLES | Reach.CODE),
    *_looking("__import__", reach=Reach.CODE),
    *rows(
        "importlib",
        "import_module",
        Kind.OTHER,
        number=False,
        pure=False,
        fresh=False,
        reach=Reach.CODE,
    ),
    *_math("acos acosh asin atanh cos log log10 log1p", errors=_DOMAIN, native=_LIBM),
    *_math("log2 sin sqrt tan", errors=_DOMAIN, native=_LIBM),
    *_math("asinh atan cbrt erf erfc tanh", native=_LIBM),
    *_math("cosh exp exp2 expm1 sinh", errors=_RANGE, native=_LIBM),
    *_math("atan2 copysign degrees fabs isfinite isinf isnan radians", native=_OWN),
    *_math("isclose nextafter ulp", native=_OWN),
    *_math("fmod remainder", errors=_DOMAIN, native=_OWN),
    *_math("ldexp", errors=_RANGE, native=_OWN),
    *_math("pow", errors=_EITHER, native=_OWN),
    *_math("hypot", native=_CALL),
    *_math("gamma lgamma", errors=_EITHER, native=_CALL),
    *_whole("ceil floor trunc", errors=_EITHER, native=_OWN),
    *_whole("gcd", nonnegative=When.ALWAYS, native=_OWN),
    *_whole("lcm"),
    *_whole("isqrt", nonnegative=When.ALWAYS, errors=_DOMAIN, native=_OWN),
    *_whole("comb factorial perm", errors=_EITHER),
    *_math("fma", errors=_EITHER),
    *_math("frexp modf", number=False),
    *rows("math", "dist fsum prod sumprod", Kind.REDUCTION),
)
"""Whatever version of Python has them."""
