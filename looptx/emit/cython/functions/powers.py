"""Powers and shifts in C: those of Python raise, or leave the loops to it."""

from __future__ import annotations

from looptx.emit.cython.functions.exact_powers import POW, REST
from looptx.emit.cython.helpers import Helper, integer, loud, quiet

_D2 = "double a, double b"

_FUNCTIONS = (
    loud(
        "double",
        "lx_pow_again",
        _D2,
        "if (a < 0 && b != floor(b) && isfinite(a) && isfinite(b))"
        " return lx_raise(LX_OTHER);"
        " return lx_py_pow(a, b);",
        "lx_py_pow",
    ),
    loud(
        "double",
        "lx_py_pow",
        _D2,
        "if (a != a && b != 0) return a;"
        " double r = lx_power(a, b);"
        " if (a == 0 && b < 0 && isfinite(b)) return lx_raise(LX_POWER);"
        " int over = isinf(r) && isfinite(a) && isfinite(b);"
        " return over ? lx_raise(LX_POWER_RANGE) : r;",
        "lx_libm_pow",
    ),
    loud(
        "double",
        "lx_py_pow_found",
        "double r, double a, double b",
        "return __builtin_expect(isfinite(r), 1) ? r : lx_py_pow(a, b);",
        "lx_py_pow",
    ),
    quiet("double", "lx_pow_f64", _D2, "return lx_power(a, b);", "lx_libm_pow"),
    quiet("int", "lx_pow_known", "", "return LX_BOUNDED;", "lx_libm_pow"),
    quiet(
        "double",
        "lx_pow_near",
        _D2,
        "double off; return lx_product(a, b, &off);",
        "lx_libm_pow",
    ),
    quiet(
        "double",
        "lx_pow_other",
        _D2,
        "double off, r = lx_product(a, b, &off); return lx_rest(off, 1.125, -r);",
        "lx_libm_pow",
    ),
    quiet(
        "double",
        "lx_pow_other_sure",
        _D2,
        "double r = lx_pow_other(a, b);"
        " return (fabs(r) < 0x1p-900) & (a != 0) ? NAN : r;",
        "lx_pow_other",
    ),
    quiet("int64_t", "lx_unequal", _D2, "return -(int64_t)(a != b);"),
    quiet(
        "float",
        "lx_pow_f32",
        "float a, float b",
        "return lx_powerf(a, b);",
        "lx_libm_pow",
    ),
    quiet(
        "int64_t",
        "lx_ipow",
        "int64_t a, int64_t n",
        "int64_t r = 1; for (; n; n >>= 1, a *= a) if (n & 1) r *= a; return r;",
    ),
    integer(
        "lx_ipow_again",
        "int64_t a, int64_t n",
        "int64_t r = 1; int far = 0; if (n < 0) return lx_word(LX_OTHER);"
        " for (; n > 0 && !far; ) {"
        " if (n & 1) far |= __builtin_mul_overflow(r, a, &r);"
        " if (n >>= 1) far |= __builtin_mul_overflow(a, a, &a); }"
        " return far || r == INT64_MIN ? lx_word(LX_AGAIN) : r;",
    ),
    integer(
        "lx_lshift_again",
        "int64_t a, int64_t n",
        "if (n < 0) return lx_word(LX_SHIFT);"
        " int64_t c = n < 63 ? (int64_t)((uint64_t)a << n) : 0;"
        " int far = c >> (n < 63 ? n : 0) != a || c == INT64_MIN;"
        " return far ? lx_word(LX_AGAIN) : c;",
    ),
    loud(
        "int64_t",
        "lx_py_lshift",
        "int64_t a, int64_t n",
        "if (n < 0) return lx_raise(LX_SHIFT);"
        " return n < 63 ? (int64_t)((uint64_t)a << n) : 0;",
    ),
    loud(
        "int64_t",
        "lx_py_rshift",
        "int64_t a, int64_t n",
        "if (n < 0) return lx_raise(LX_SHIFT); return a >> (n < 63 ? n : 63);",
    ),
    quiet(
        "int64_t",
        "lx_mirrored",
        "int64_t a, int n",
        "if (n <= 32) {"
        " uint32_t v = __builtin_bswap32((uint32_t)a);"
        " v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;"
        " v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;"
        " v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;"
        " return v >> (32 - n); }"
        " uint64_t v = __builtin_bswap64((uint64_t)a);"
        " v = (v >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f))"
        " | (v & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;"
        " v = (v >> 2 & UINT64_C(0x3333333333333333))"
        " | (v & UINT64_C(0x3333333333333333)) << 2;"
        " v = (v >> 1 & UINT64_C(0x5555555555555555))"
        " | (v & UINT64_C(0x5555555555555555)) << 1;"
        " return (int64_t)(v >> (64 - n));",
    ),
    quiet(
        "int64_t",
        "lx_lshift",
        "int64_t a, int64_t n, int bits",
        "uint64_t some = -(uint64_t)((uint64_t)n < (uint64_t)bits);"
        " return (int64_t)((uint64_t)a << (n & 63) & some);",
    ),
    quiet(
        "int64_t",
        "lx_rshift",
        "int64_t a, int64_t n, int bits",
        "return a >> ((uint64_t)n < (uint64_t)bits ? n : 63);",
    ),
)

HELPERS = {
    "lx_rest": Helper(REST),
    "lx_libm_pow": Helper(POW, needs=("lx_libm", "lx_rest")),
} | {one.declarations[0].split("(")[0].split()[-1]: one for one in _FUNCTIONS}
