"""The functions of Python's ``math`` in C: C's own, CPython's short ones, and calls."""

from __future__ import annotations

from looptx.emit.cython.functions.libm import libm
from looptx.emit.cython.helpers import Helper, integer, loud, quiet
from looptx.lower.values.mathematics import CALLED, LIBM
from looptx.model.functions import lookup

_ONE, _TWO = "double x", "double a, double b"

_CALL = """\
static __attribute__((noinline)) double
lx_python(PyObject **kept, const char *name, int n, const double *given) {
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *math = *kept ? NULL : PyImport_ImportModule("math");
    if (math) *kept = PyObject_GetAttrString(math, name);
    Py_XDECREF(math);
    PyObject *args = *kept ? PyTuple_New(n) : NULL, *made = NULL;
    for (int k = 0; args && k < n; k++) {
        PyObject *one = PyFloat_FromDouble(given[k]);
        if (one) PyTuple_SET_ITEM(args, k, one); else Py_CLEAR(args);
    }
    if (args) made = PyObject_CallObject(*kept, args);
    double found = made ? PyFloat_AsDouble(made) : -1.0;
    Py_XDECREF(made); Py_XDECREF(args);
    PyGILState_Release(gil);
    return found;
}"""

_HYPOT = """\
static inline int lx_short(double x) { return x == 0 || (x > 0x1p-400 && x < 0x1p400); }
static inline double lx_math_hypot(double a, double b) {
    double x = fabs(a), y = fabs(b), xx = x * x, yy = y * y, s = xx + yy, t = s - xx;
    double h = sqrt(s), off = xx - (s - t) + (yy - t) + lx_rest(x, x, xx);
    off = (off + lx_rest(y, y, yy) - lx_rest(h, h, s)) / (h + h);
    double r = h + off;
    if (x + y == 0) return 0;
    if (lx_short(x) & lx_short(y) && lx_near(r, off - (r - h))) return r;
    static PyObject *kept;
    double given[] = { a, b };
    return lx_python(&kept, "hypot", 2, given);
}"""
"""Python's is off by less than half a unit and a millionth of one (``vector_norm`` in
``mathmodule.c``, since 3.10): it is the only float that is near enough, mostly."""

_GCD = (
    "uint64_t x = a < 0 ? -(uint64_t)a : (uint64_t)a,"
    " y = b < 0 ? -(uint64_t)b : (uint64_t)b;"
    " while (y) { uint64_t r = x % y; x = y; y = r; }"
)
_ROOT = (
    "if (n < 0) return lx_raise(LX_ROOT); int64_t r = (int64_t)sqrt((double)n);"
    " while (r > 3037000499 || r * r > n) r--;"
    " while (r < 3037000499 && (r + 1) * (r + 1) <= n) r++; return r;"
)
_ULP = (
    "if (x != x) return x; x = fabs(x); if (isinf(x)) return x;"
    " double y = nextafter(x, HUGE_VAL);"
    " return isinf(y) ? x - nextafter(x, -HUGE_VAL) : y - x;"
)
_CLOSE = (
    "if (a == b) return 1; if (isinf(a) || isinf(b)) return 0;"
    " double d = fabs(b - a);"
    " return d <= fabs(1e-09 * b) || d <= fabs(1e-09 * a) || d <= 0.0;"
)
_NEAR = (
    "double d = fabs(a - b), far = 1e-08 + 1e-05 * fabs(b);"
    " return ((d <= far) & (isfinite(b) != 0)) | (a == b);"
)
_REST = (
    "if (a != a) return a; if (b != b) return b;"
    " if (isinf(a) || b == 0) return lx_raise(LX_DOMAIN);"
    " return isinf(b) ? a : remainder(a, b);"
)
_LDEXP = (
    "if (x == 0 || !isfinite(x)) return x;"
    " double r = ldexp(x, (int)(n > 4096 ? 4096 : n < -4096 ? -4096 : n));"
    " return isinf(r) ? lx_raise(LX_RANGE) : r;"
)
_POW = (
    "if (isnan(a) && b != 0) return a;"
    " double r = lx_power(a, b);"
    " if (isfinite(r) || !isfinite(a) || !isfinite(b)) return r;"
    " return isnan(r) ? lx_raise(LX_DOMAIN) : lx_raise(a == 0 ? LX_DOMAIN : LX_RANGE);"
)
# Python's own NaN, whatever NaN was given.
_ATAN2 = "return isnan(a) || isnan(b) ? (double)NAN : lx_libm_atan2(a, b);"
_FMOD = "double r = fmod(a, b);"
_FMOD += " return isnan(r) && a == a && b == b ? lx_raise(LX_DOMAIN) : r;"

HELPERS = {
    "lx_python": Helper(_CALL),
    "lx_math_hypot": Helper(
        _HYPOT,
        ("double lx_math_hypot(double a, double b) noexcept nogil",),
        ("lx_python", "lx_rest"),
    ),
    "lx_gcd_again": integer(
        "lx_gcd_again",
        "int64_t a, int64_t b",
        f"{_GCD} return x > INT64_MAX ? lx_word(LX_AGAIN) : (int64_t)x;",
    ),
}


_SUM_LOST = "double t = a + b; return fabs(a) >= fabs(b) ? (a - t) + b : (b - t) + a;"
_SUM_REST = "return b != 0 && isfinite(b) ? b : -0.0;"


def helper(name: str, word: str) -> Helper:
    """A function of the ``math`` module.

    Args:
        name: what it is called in C. word: what it is called in Python.
    """
    if name in HELPERS:
        return HELPERS[name]
    if word in LIBM:
        return _libm(name, word)
    if word in CALLED:
        return _called(name, word)
    whole = "int64_t a, int64_t b"
    table = {
        "atan2": quiet("double", name, _TWO, _ATAN2, "lx_libm_atan2"),
        "copysign": quiet("double", name, _TWO, "return copysign(a, b);"),
        "fmod": loud("double", name, _TWO, _FMOD),
        "gcd": quiet("int64_t", name, whole, f"{_GCD} return (int64_t)x;"),
        "isclose": quiet("bint", name, _TWO, _CLOSE),
        "near": quiet("bint", name, _TWO, _NEAR),
        "isqrt": loud("int64_t", name, "int64_t n", _ROOT),
        "ldexp": loud("double", name, "double x, int64_t n", _LDEXP),
        "nextafter": quiet("double", name, _TWO, "return nextafter(a, b);"),
        "pow": loud("double", name, _TWO, _POW, "lx_libm_pow"),
        "remainder": loud("double", name, _TWO, _REST),
        "sum_lost": quiet("double", name, _TWO, _SUM_LOST),
        "sum_rest": quiet("double", name, _TWO, _SUM_REST),
        "ulp": quiet("double", name, _ONE, _ULP),
    }
    return table[word]


def _libm(name: str, word: str) -> Helper:
    """C's own, with Python's errors."""
    own = libm(word)
    if not LIBM[word]:
        return quiet("double", name, _ONE, f"return {own}(x);", own)
    other = "RANGE" if "range" in LIBM[word] else "DOMAIN"
    body = (
        f"double r = {own}(x); if (isfinite(r) || !(x == x)) return r;"
        " return isnan(r) ? lx_raise(LX_DOMAIN)"
        f" : isfinite(x) ? lx_raise(LX_{other}) : r;"
    )
    return loud("double", name, _ONE, body, own)


def _called(name: str, word: str) -> Helper:
    """Python's own, with the errors it has."""
    count = CALLED[word]
    names = "abcd"[:count]
    arguments = ", ".join(f"double {one}" for one in names)
    own = word.rstrip("34")
    body = (
        f"static PyObject *kept; double given[] = {{ {', '.join(names)} }};"
        f' return lx_python(&kept, "{own}", {count}, given);'
    )
    made = loud if lookup(f"math.{own}").errors else quiet
    return made("double", name, arguments, body, "lx_python")
