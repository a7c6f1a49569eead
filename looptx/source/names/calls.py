"""The functions a nest may call: pure, and known to be."""

from __future__ import annotations

import builtins
import math

from looptx.model import dtypes

_SINGLE_TEXT = """
abs bool complex divmod float int isinstance len max min pow range round
"""
_SINGLE = frozenset(_SINGLE_TEXT.split())
BUILTINS = _SINGLE | {"all", "any", "hash", "repr", "str", "sum"}

DTYPES = (dtypes.NAMES.keys() - {"bool"}) | {"complex64", "longdouble"}
"""NumPy's names of types of numbers; native code does not have the last two."""

_NUMPY_TEXT = """
abs absolute fabs sign signbit copysign negative positive sqrt cbrt square
reciprocal exp exp2 expm1 log log2 log10 log1p logaddexp logaddexp2 power
float_power sin cos tan arcsin arccos arctan arctan2 asin acos atan atan2 sinh
cosh tanh arcsinh arccosh arctanh asinh acosh atanh hypot deg2rad rad2deg
degrees radians floor ceil trunc rint minimum maximum fmin fmax add subtract
multiply divide true_divide floor_divide mod remainder fmod divmod where clip
isnan isinf isfinite conj conjugate real imag angle logical_and logical_or
logical_not logical_xor bitwise_and bitwise_or bitwise_xor invert left_shift
right_shift less less_equal equal not_equal greater greater_equal nextafter
spacing ldexp gcd lcm heaviside sinc
"""
NUMPY = DTYPES | frozenset(_NUMPY_TEXT.split())

_REDUCING_TEXT = """
sum prod mean std var median average min max amin amax ptp any all argmin argmax
count_nonzero nansum nanmean nanmin nanmax linalg.norm
"""
REDUCING = frozenset(_REDUCING_TEXT.split())
"""Functions and methods that make one number of a whole array."""

_BINARY_TEXT = """
copysign logaddexp logaddexp2 power float_power arctan2 atan2 hypot minimum maximum
fmin fmax add subtract multiply divide true_divide floor_divide mod remainder fmod
divmod logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor left_shift
right_shift less less_equal equal not_equal greater greater_equal nextafter ldexp gcd
lcm heaviside angle
"""
_INPUTS = {**dict.fromkeys(_BINARY_TEXT.split(), 2), "where": 3, "clip": 3}

CONSTANTS = {
    "math": frozenset(("pi", "e", "tau", "inf", "nan")),
    "numpy": frozenset(("pi", "e", "inf", "nan", "euler_gamma", "newaxis")),
}

INTEGER_TYPES = frozenset(
    f"numpy.{name}" for name, dtype in dtypes.NAMES.items() if dtype in dtypes.INTEGERS
)
"""NumPy's integers: unlike Python's they wrap around."""

INTEGER = frozenset(
    (
        "builtins.int",
        "builtins.len",
        "math.floor",
        "math.ceil",
        "math.trunc",
        "math.gcd",
    )
)
"""Functions that always give an integer."""

KEEPING = frozenset(("builtins.min", "builtins.max", "builtins.abs"))
"""Functions that give an integer for integers."""


def is_known(name: str) -> bool:
    """Whether a full name is a function that a nest may call (a pure one)."""
    module, _, function = name.rpartition(".")
    if module == "builtins":
        return function in BUILTINS and hasattr(builtins, function)
    if module == "math":
        return callable(getattr(math, function, None))
    return module == "numpy" and function in NUMPY


def is_single(name: str, given: int) -> bool:
    """Whether a full name is a known function that is given single numbers.

    ``max`` of one argument looks through an array.
    """
    module, _, function = name.rpartition(".")
    if module == "builtins":
        return function in _SINGLE and (function not in ("max", "min") or given > 1)
    listed = ("math.fsum", "math.prod", "math.dist", "math.sumprod")
    return is_known(name) and name not in listed


def is_constant(name: str) -> bool:
    """Whether a full name is a constant of ``math`` or ``numpy``."""
    module, _, constant = name.rpartition(".")
    return constant in CONSTANTS.get(module, ())


def inputs(function: str) -> int:
    """How many arguments of a NumPy function are read; one more is its output."""
    return _INPUTS.get(function, 1)
