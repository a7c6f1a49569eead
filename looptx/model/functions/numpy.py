"""What is known of the functions of NumPy, and of methods.

A method is told by its name alone: what it is of is not known.
"""

from __future__ import annotations

from functools import partial

from looptx.model.dtypes import NAMES
from looptx.model.functions.rows import FILLED, Kind, Native, When, rows

_one = partial(rows, "numpy", kind=Kind.ELEMENTWISE, inputs=1)
_two = partial(rows, "numpy", kind=Kind.ELEMENTWISE, inputs=2)
_three = partial(rows, "numpy", kind=Kind.ELEMENTWISE, inputs=3)
_made = partial(rows, "numpy", kind=Kind.ARRAY, number=False)
_method = partial(rows, "", inputs=1)

_REDUCING = """
sum prod mean std var median average min max amin amax ptp any all argmin argmax
count_nonzero nansum nanprod nanmean nanmin nanmax nanvar nanstd nanmedian
"""
_FLOATS = """
exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh
arcsinh arccosh arctanh cbrt
"""

ROWS = (
    *_one(" ".join(NAMES), fresh=False, is_type=True, native=Native.OWN),
    *_one("longdouble", fresh=False, is_type=True),
    *_one(_FLOATS, native=Native.UFUNC),
    *_one("sqrt rint fabs isnan isinf isfinite floor ceil trunc", native=Native.OWN),
    *_one("absolute square sign", integer=When.ALL, native=Native.OWN),
    *_one("abs", integer=When.ALL, alias="absolute", native=Native.OWN),
    *_one("negative positive invert", integer=When.ALL, native=Native.OWN),
    *_one("conjugate", integer=When.ALL, native=Native.OWN),
    *_one("conj", integer=When.ALL, alias="conjugate", native=Native.OWN),
    *_one(
        "bitwise_not bitwise_invert",
        integer=When.ALL,
        alias="invert",
        native=Native.OWN,
    ),
    *_one("real imag", integer=When.ALL, fresh=False, native=Native.OWN),
    *_one("signbit sinc"),
    *_one("deg2rad rad2deg degrees radians spacing", native=Native.UFUNC),
    *_one("reciprocal", integer=When.ALL, native=Native.UFUNC),
    *_one("logical_not", native=Native.OWN),
    *_one("asin", alias="arcsin", native=Native.UFUNC),
    *_one("acos", alias="arccos", native=Native.UFUNC),
    *_one("atan", alias="arctan", native=Native.UFUNC),
    *_one("asinh", alias="arcsinh", native=Native.UFUNC),
    *_one("acosh", alias="arccosh", native=Native.UFUNC),
    *_one("atanh", alias="arctanh", native=Native.UFUNC),
    *_two("arctan2 hypot copysign logaddexp", native=Native.UFUNC),
    *_two("fmod power", integer=When.ALL, native=Native.UFUNC),
    *_two("minimum", integer=When.ALL, combines="min", native=Native.OWN),
    *_two("maximum", integer=When.ALL, combines="max", native=Native.OWN),
    *_two("add subtract multiply", integer=When.ALL, native=Native.OWN),
    *_two("floor_divide remainder", integer=When.ALL, native=Native.OWN),
    *_two("fmin fmax", integer=When.ALL, native=Native.OWN),
    *_two("gcd lcm", integer=When.ALL),
    *_two("bitwise_and bitwise_or bitwise_xor", integer=When.ALL, native=Native.OWN),
    *_two("left_shift right_shift", integer=When.ALL, native=Native.OWN),
    *_two("mod", integer=When.ALL, alias="remainder", native=Native.OWN),
    *_two("pow", integer=When.ALL, alias="power", native=Native.UFUNC),
    *_two(
        "bitwise_left_shift", integer=When.ALL, alias="left_shift", native=Native.OWN
    ),
    *_two(
        "bitwise_right_shift", integer=When.ALL, alias="right_shift", native=Native.OWN
    ),
    *_two("logaddexp2 heaviside nextafter", native=Native.UFUNC),
    *_two("float_power ldexp"),
    *_two("divide isclose", native=Native.OWN),
    *_two("angle", least=1, native=Native.OWN),
    *_two("true_divide", alias="divide", native=Native.OWN),
    *_two("atan2", alias="arctan2", native=Native.UFUNC),
    *_two("logical_and logical_or logical_xor", native=Native.OWN),
    *_two("less less_equal equal not_equal", native=Native.OWN),
    *_two("greater greater_equal", native=Native.OWN),
    *_two("divmod", number=False),
    *_two("round around", least=1, native=Native.OWN),
    *_three("clip", integer=When.ALL, native=Native.OWN),
    # An array of no dimensions for numbers.
    *_three("where", number=False, native=Native.OWN),
    *rows("numpy", f"{_REDUCING} linalg.norm", Kind.REDUCTION, inputs=2),
    *_made("zeros", fill="0", dtype=1),
    *_made("ones", fill="1", dtype=1),
    *_made("empty", fill="", dtype=1),
    *_made("full", fill=FILLED, dtype=2),
    *_made("zeros_like", fill="0", dtype=1, like=True),
    *_made("ones_like", fill="1", dtype=1, like=True),
    *_made("empty_like", fill="", dtype=1, like=True),
    *_made("full_like", fill=FILLED, dtype=2, like=True),
    *_made("arange linspace logspace eye tile"),
    *_made("identity", dtype=1),
    *_made("array", inputs=2, dtype=1),
    # Behind shape and type comes the memory that it is of.
    *_made("ndarray copy repeat concatenate stack vstack hstack", inputs=2),
    *_made("column_stack outer cumsum cumprod sort argsort", inputs=2),
    *_made("dot matmul", inputs=2, looks=True),
    *_made("searchsorted", inputs=3, looks=True),
    *_made("percentile quantile nanpercentile nanquantile", inputs=2, looks=True),
    *_made("tri tril triu", inputs=2),
    *_made("random.rand random.randn random.random", inputs=2, pure=False),
    *_made("random.standard_normal random.uniform", inputs=2, pure=False),
)

_KEEPING = """
append appendleft extend extendleft insert add update setdefault push put fill
__setitem__ __setattr__
"""

METHODS = (
    *_method(_REDUCING, Kind.REDUCTION),
    *_method("item", Kind.SCALAR),
    *_method("dot tolist", Kind.OTHER, number=False),
    *_method(_KEEPING, Kind.OTHER, number=False, pure=False, fresh=False, keeps=True),
    *_method("copy astype flatten cumsum cumprod argsort", Kind.ARRAY),
    *_method("ravel reshape squeeze swapaxes transpose view", Kind.ARRAY, fresh=False),
    *_method("random standard_normal uniform", Kind.OTHER, number=False, pure=False),
    *_method("integers normal", Kind.OTHER, number=False, pure=False),
)
