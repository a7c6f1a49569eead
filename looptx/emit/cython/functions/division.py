"""Quotients and rests of integers, rounded down as Python rounds."""

from __future__ import annotations

from looptx.emit.cython.helpers import loud, quiet

_I2 = "int64_t a, int64_t b"
TWOS = "if (__builtin_constant_p(b) && b > 0 && !(b & (b - 1))) return "
# Without branches: a compiler moves what is the same for a row out of its loop then.
_FLOORDIV = "int64_t q = a / b; return q - ((q * b != a) & ((a ^ b) < 0));"
_MOD = "int64_t m = a % b; return m + (b & -(int64_t)((m != 0) & ((m ^ b) < 0)));"
# What goes round an axis is mostly in it already, and a division is slow.
_AROUND = "if (a >= 0 && a < b) return a;"
_FUNCTIONS = (
    quiet("int64_t", "lx_floordiv", _I2, f"{TWOS}a >> __builtin_ctzll(b); {_FLOORDIV}"),
    quiet("int64_t", "lx_mod", _I2, f"{TWOS}a & (b - 1); {_MOD}"),
    quiet(
        "int64_t",
        "lx_np_floordiv",
        _I2,
        "return b == 0 ? 0 : b == -1 ? -a : lx_floordiv(a, b);",
        "lx_floordiv",
    ),
    quiet(
        "int64_t",
        "lx_np_mod",
        _I2,
        f"{_AROUND} return b == 0 || b == -1 ? 0 : lx_mod(a, b);",
        "lx_mod",
    ),
    loud(
        "int64_t",
        "lx_py_floordiv",
        _I2,
        "return b == 0 ? lx_raise(LX_ZERO) : lx_np_floordiv(a, b);",
        "lx_np_floordiv",
    ),
    loud(
        "int64_t",
        "lx_py_mod",
        _I2,
        "return b == 0 ? lx_raise(LX_ZERO_REST) : lx_np_mod(a, b);",
        "lx_np_mod",
    ),
)

_NATURAL = (
    quiet(
        "int64_t",
        f"lx_{word}_u{bits}",
        f"uint{bits}_t a, uint{bits}_t b",
        f"return (int64_t)(a {op} b);",
    )
    for bits in (32, 64)
    for word, op in (("quotient", "/"), ("rest", "%"))
)
# Of what is not negative; of few bits they are quick. What meets them has signs.

HELPERS = {
    one.declarations[0].split("(")[0].split()[-1]: one
    for one in (*_FUNCTIONS, *_NATURAL)
}
