"""The C functions that generated text may use, each with what it needs.

A name is looked up once it occurs in a text; nothing that is not used is printed. What
raises takes the GIL in a cold function of its own and returns -1.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Helper:
    """A piece of C, the Cython declarations of what it defines, and its own needs."""

    c: str
    declarations: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


def _inline(
    result: str, name: str, arguments: str, body: str, fails: str, needs: tuple[str, ...]
) -> Helper:
    """A one-line C function; ``fails`` is Cython's exception clause."""
    c = f"static inline {result.replace('bint', 'int')} {name}({arguments}) {{ {body} }}"
    declared = f"{result} {name}({arguments}) {fails} nogil".replace("_Complex", "complex")
    return Helper(c, (declared,), needs)


def quiet(result: str, name: str, arguments: str, body: str, *needs: str) -> Helper:
    """A C function that cannot fail."""
    return _inline(result, name, arguments, body, "noexcept", needs)


def loud(result: str, name: str, arguments: str, body: str, *needs: str) -> Helper:
    """A C function that may raise; it returns -1 then."""
    value = "-1.0" if result == "double" else "-1"
    return _inline(result, name, arguments, body, f"except? {value}", ("lx_raise", *needs))


_RAISE = """\
enum { LX_ZERO, LX_ZERO_FLOAT, LX_ZERO_DIV, LX_ZERO_FLOORDIV, LX_ZERO_MOD, LX_ZERO_COMPLEX,
       LX_POWER, LX_DOMAIN, LX_NAN, LX_RANGE, LX_INF, LX_LARGE, LX_POWER_RANGE };
static __attribute__((cold, noinline)) int lx_raise(int what) {
    static const char *const text[] = {
        "integer division or modulo by zero", "float division by zero",
        "division by zero", "float floor division by zero", "float modulo",
        "complex division by zero", "0.0 cannot be raised to a negative power",
        "math domain error", "cannot convert float NaN to integer",
        "math range error", "cannot convert float infinity to integer",
        "Python int too large to convert to C long",
        "(34, 'Numerical result out of range')" };
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *kind = what <= LX_POWER ? PyExc_ZeroDivisionError
        : what <= LX_NAN ? PyExc_ValueError : PyExc_OverflowError;
    PyErr_SetString(kind, text[what]);
    PyGILState_Release(gil);
    return -1;
}"""

_INDEX = """\
static __attribute__((cold, noinline)) Py_ssize_t
lx_outside(Py_ssize_t i, Py_ssize_t n, int axis) {
    PyGILState_STATE gil = PyGILState_Ensure();
    PyErr_Format(PyExc_IndexError,
                 "index %zd is out of bounds for axis %d with size %zd", i, axis, n);
    PyGILState_Release(gil);
    return -1;
}
static inline Py_ssize_t lx_at(Py_ssize_t i, Py_ssize_t n, int axis) {
    Py_ssize_t k = i < 0 ? i + n : i;
    return __builtin_expect(k < 0 || k >= n, 0) ? lx_outside(i, n, axis) : k;
}"""

_FIT = """\
static __attribute__((cold, noinline)) int lx_unfit(int64_t i, const char *type) {
    PyGILState_STATE gil = PyGILState_Ensure();
    PyErr_Format(PyExc_OverflowError, "Python integer %lld out of bounds for %s",
                 (long long)i, type);
    PyGILState_Release(gil);
    return -1;
}"""

_SPAN = """\
typedef struct { const char *low, *high; int plain; } lx_box;
static lx_box lx_span(const void *data, const Py_ssize_t *shape,
                      const Py_ssize_t *strides, int ndim, int item, int align) {
    lx_box box = { (const char *)data, (const char *)data, 1 };
    if ((uintptr_t)data % align) box.plain = 0;
    for (int k = 0; k < ndim; k++) {
        if (shape[k] == 0) { box.high = box.low; return box; }
        if (strides[k] % align) box.plain = 0;
        if (strides[k] < 0) box.low += (shape[k] - 1) * strides[k];
        else box.high += (shape[k] - 1) * strides[k];
    }
    box.high += item;
    return box;
}
static int lx_meet(lx_box a, lx_box b) { return a.low < b.high && b.low < a.high; }
static int lx_folded(const Py_ssize_t *shape, const Py_ssize_t *strides,
                     int ndim, int item) {
    int used[32] = {0};
    Py_ssize_t reach = item;
    for (int n = 0; n < ndim; n++) {
        int next = -1;
        for (int k = 0; k < ndim; k++)
            if (!used[k] && (next < 0 || Py_ABS(strides[k]) < Py_ABS(strides[next])))
                next = k;
        used[next] = 1;
        if (shape[next] == 0) return 0;
        if (shape[next] == 1) continue;
        if (Py_ABS(strides[next]) < reach) return 1;
        reach += (shape[next] - 1) * Py_ABS(strides[next]);
    }
    return 0;
}"""

_UFUNC = """\
typedef void (*lx_loop)(char **, const Py_ssize_t *, const Py_ssize_t *, void *);
typedef struct {
    PyObject_HEAD
    int nin, nout, nargs, identity;
    lx_loop *functions;
    void *const *data;
    int ntypes, reserved;
    const char *name, *types;
} lx_ufunc;
typedef struct { lx_loop loop; void *data; } lx_slot;
static int lx_find(lx_slot *slot, PyObject *object, int type) {
    lx_ufunc *ufunc = (lx_ufunc *)object;
    for (int k = 0; k < ufunc->ntypes; k++) {
        int same = 1;
        for (int a = 0; a < ufunc->nargs; a++)
            same &= ufunc->types[k * ufunc->nargs + a] == type;
        if (same) {
            slot->loop = ufunc->functions[k];
            slot->data = ufunc->data ? ufunc->data[k] : NULL;
            return 0;
        }
    }
    PyErr_SetString(PyExc_TypeError, "a numpy function has no loop of this type");
    return -1;
}"""

_POW = """\
static double (*volatile lx_libm_pow)(double, double) = pow;
static float (*volatile lx_libm_powf)(float, float) = powf;"""

_DIVMOD = """\
static inline %(t)s lx_np_divmod_%(s)s(%(t)s a, %(t)s b, %(t)s *q) {
    %(t)s m = fmod%(f)s(a, b), d;
    if (b == 0) { *q = a / b; return m; }
    d = (a - m) / b;
    if (m != 0) { if ((b < 0) != (m < 0)) { m += b; d -= 1; } }
    else m = copysign%(f)s(0, b);
    if (d != 0) { %(t)s w = floor%(f)s(d); if (d - w > (%(t)s)0.5) w += 1; *q = w; }
    else *q = copysign%(f)s(0, a / b);
    return m;
}"""

_CDIV = """\
static inline double _Complex lx_cdiv_(double _Complex a, double _Complex b, int scale) {
    double ar = __real__ a, ai = __imag__ a, br = __real__ b, bi = __imag__ b, r, d;
    double _Complex z;
    if (fabs(br) >= fabs(bi)) {
        if (br == 0 && bi == 0) return lx_complex(ar / fabs(br), ai / fabs(br));
        r = bi / br; d = br + bi * r;
        ar = ar + ai * r; ai = ai - (__real__ a) * r;
    } else {
        double t = ar;
        r = br / bi; d = bi + br * r;
        ar = ar * r + ai; ai = ai * r - t;
    }
    if (scale) { d = 1.0 / d; return lx_complex(ar * d, ai * d); }
    __real__ z = ar / d; __imag__ z = ai / d;
    return z;
}"""

_WORK = """\
#pragma GCC diagnostic ignored "-Wattributes"
#define lx_work __attribute__((noinline)) int"""

_THREADS = """\
static inline int lx_threads(int given, int wanted) {
    return given == 1 || wanted <= 0 ? (given > 0 ? given : 1) : wanted;
}"""

_WIDE = """\
static __attribute__((cold, noinline)) double lx_wide_div(int64_t a, int64_t b) {
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *x = PyLong_FromLongLong(a), *y = PyLong_FromLongLong(b);
    PyObject *q = x && y ? PyNumber_TrueDivide(x, y) : NULL;
    double r = q ? PyFloat_AsDouble(q) : -1.0;
    Py_XDECREF(x); Py_XDECREF(y); Py_XDECREF(q);
    PyGILState_Release(gil);
    return r;
}"""

_D2 = "double a, double b"
_I2 = "int64_t a, int64_t b"
_C2 = "double _Complex a, double _Complex b"
_FLOORDIV = "int64_t q = a / b; return q - (q * b != a && (a < 0) != (b < 0));"
_MOD = "int64_t m = a % b; return m + (m && (m < 0) != (b < 0) ? b : 0);"


def _table() -> dict[str, Helper]:
    """The helpers with a fixed name."""
    found = {
        "lx_raise": Helper(_RAISE),
        "lx_unfit": Helper(_FIT),
        "lx_at": Helper(
            _INDEX, ("Py_ssize_t lx_at(Py_ssize_t i, Py_ssize_t n, int axis) except -1 nogil",)
        ),
        "lx_box": Helper(
            _SPAN,
            (
                "ctypedef struct lx_box:\n    bint plain",
                "lx_box lx_span(const void *data, const Py_ssize_t *shape,"
                " const Py_ssize_t *strides, int ndim, int item, int align) noexcept nogil",
                "bint lx_meet(lx_box a, lx_box b) noexcept nogil",
                "bint lx_folded(const Py_ssize_t *shape, const Py_ssize_t *strides,"
                " int ndim, int item) noexcept nogil",
            ),
        ),
        "lx_work": Helper(_WORK, ("ctypedef int lx_work",)),
        "lx_threads": Helper(
            _THREADS, ("int lx_threads(int given, int wanted) noexcept nogil",)
        ),
        "lx_inf": Helper("", ("const double lx_inf \"HUGE_VAL\"",)),
        "lx_nan": Helper("", ("const double lx_nan \"NAN\"",)),
        "lx_fit_u8": _inline(
            "int",
            "lx_fit_u8",
            "int64_t i",
            'return i >= 0 && i <= 255 ? (int)i : lx_unfit(i, "uint8");',
            "except -1",
            ("lx_unfit",),
        ),
        "lx_fit_i32": _inline(
            "int64_t",
            "lx_fit_i32",
            "int64_t i",
            'return i == (int32_t)i ? i : lx_unfit(i, "int32") - 4294967296;',
            "except -4294967297",
            ("lx_unfit",),
        ),
        "lx_libm_pow": Helper(_POW),
        "lx_slot": Helper(
            _UFUNC,
            (
                "ctypedef struct lx_slot:\n    pass",
                "int lx_find(lx_slot *slot, object ufunc, int type) except -1",
            ),
        ),
        "lx_np_divmod_f64": Helper(_DIVMOD % {"t": "double", "s": "f64", "f": ""}),
        "lx_np_divmod_f32": Helper(_DIVMOD % {"t": "float", "s": "f32", "f": "f"}),
        "lx_wide_div": Helper(_WIDE),
        "lx_cdiv_": Helper(_CDIV, (), ("lx_complex",)),
    }
    return found | {helper.declarations[0].split("(")[0].split()[-1]: helper
                    for helper in _FUNCTIONS}


_FUNCTIONS = (
    quiet("int64_t", "lx_wrap", "int64_t i, int64_t n", "return i < 0 ? i + n : i;"),
    quiet("int64_t", "lx_floordiv", _I2, _FLOORDIV),
    quiet("int64_t", "lx_mod", _I2, _MOD),
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
        "return b == 0 || b == -1 ? 0 : lx_mod(a, b);",
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
        "return b == 0 ? lx_raise(LX_ZERO) : lx_np_mod(a, b);",
        "lx_np_mod",
    ),
    quiet(
        "int64_t",
        "lx_whole",
        "int64_t low, int64_t high, int64_t size",
        "return high > low ? high - (high - low) % size : low;",
    ),
    quiet(
        "int64_t",
        "lx_cut",
        "int64_t low, int64_t high, int64_t step, int64_t parts, int64_t part",
        "int64_t n = step > 0 ? (high - low + step - 1) / step"
        " : (low - high - step - 1) / -step;"
        " if (step > 0 ? high <= low : high >= low) n = 0;"
        " return low + step * (n / parts * part + n % parts * part / parts);",
    ),
    quiet(
        "int64_t",
        "lx_ipow",
        "int64_t a, int64_t n",
        "int64_t r = 1; for (; n; n >>= 1, a *= a) if (n & 1) r *= a; return r;",
    ),
    quiet("int64_t", "lx_abs", "int64_t i", "return i < 0 ? -i : i;"),
    quiet(
        "int64_t",
        "lx_lshift",
        "int64_t a, int64_t n, int bits",
        "return n >= 0 && n < bits ? (int64_t)((uint64_t)a << n) : 0;",
    ),
    quiet(
        "int64_t",
        "lx_rshift",
        "int64_t a, int64_t n, int bits",
        "return n >= 0 && n < bits ? a >> n : a < 0 ? -1 : 0;",
    ),
    loud(
        "int64_t",
        "lx_trunc",
        "double x",
        "if (x > -9223372036854775808.0 && x < 9223372036854775808.0) return (int64_t)x;"
        " if (x == -9223372036854775808.0) return INT64_MIN;"
        " return lx_raise(x != x ? LX_NAN : isinf(x) ? LX_INF : LX_LARGE);",
    ),
    loud(
        "double", "lx_py_div_f64", _D2, "return b == 0 ? lx_raise(LX_ZERO_FLOAT) : a / b;"
    ),
    loud(
        "double",
        "lx_py_div_i64",
        _I2,
        "if (b == 0) return lx_raise(LX_ZERO_DIV);"
        " const int64_t big = INT64_C(1) << 53;"
        " if (-big <= a && a <= big && -big <= b && b <= big) return (double)a / (double)b;"
        " return lx_wide_div(a, b);",
        "lx_wide_div",
    ),
    loud(
        "double",
        "lx_py_floordiv_f64",
        _D2,
        "double q; if (b == 0) return lx_raise(LX_ZERO_FLOORDIV);"
        " lx_np_divmod_f64(a, b, &q); return q;",
        "lx_np_divmod_f64",
    ),
    loud(
        "double",
        "lx_py_mod_f64",
        _D2,
        "double q; if (b == 0) return lx_raise(LX_ZERO_MOD);"
        " return lx_np_divmod_f64(a, b, &q);",
        "lx_np_divmod_f64",
    ),
    loud(
        "double",
        "lx_py_pow",
        _D2,
        "double r = lx_libm_pow(a, b);"
        " if (a == 0 && b < 0 && b == b) return lx_raise(LX_POWER);"
        " return isinf(r) && isfinite(a) && isfinite(b) ? lx_raise(LX_POWER_RANGE) : r;",
        "lx_libm_pow",
    ),
    quiet("double", "lx_pow_f64", _D2, "return lx_libm_pow(a, b);", "lx_libm_pow"),
    quiet(
        "float", "lx_pow_f32", "float a, float b", "return lx_libm_powf(a, b);", "lx_libm_pow"
    ),
    quiet("bint", "lx_isnan", "double x", "return x != x;"),
    quiet("bint", "lx_isinf", "double x", "return isinf(x) != 0;"),
    quiet("bint", "lx_isfinite", "double x", "return isfinite(x) != 0;"),
    quiet(
        "double _Complex",
        "lx_complex",
        "double re, double im",
        "double _Complex z; __real__ z = re; __imag__ z = im; return z;",
    ),
    quiet("double", "lx_real", "double _Complex z", "return __real__ z;"),
    quiet("double", "lx_imag", "double _Complex z", "return __imag__ z;"),
    quiet("double", "lx_cabs", "double _Complex z", "return hypot(__real__ z, __imag__ z);"),
    quiet(
        "double _Complex",
        "lx_cmul",
        _C2,
        "double ar = __real__ a, ai = __imag__ a, br = __real__ b, bi = __imag__ b;"
        " return lx_complex(ar * br - ai * bi, ar * bi + ai * br);",
        "lx_complex",
    ),
    quiet("double _Complex", "lx_cdiv", _C2, "return lx_cdiv_(a, b, 1);", "lx_cdiv_"),
    loud(
        "double _Complex",
        "lx_py_cdiv",
        _C2,
        "if (b == 0) { lx_raise(LX_ZERO_COMPLEX); return -1; } return lx_cdiv_(a, b, 0);",
        "lx_cdiv_",
    ),
)

HELPERS = _table()
"""Every helper with a fixed name."""
