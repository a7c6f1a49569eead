"""Longer pieces of C that generated text may contain, as ``helpers`` names them."""

from __future__ import annotations

from looptx.lower.limits import INDICES, SIZES
from looptx.model.execution.leaving import APART, OTHER, OUTGROWN, RAISED

RAISE = """\
enum { LX_ZERO, LX_ZERO_REST, LX_ZERO_FLOAT, LX_ZERO_DIV, LX_ZERO_FLOORDIV, LX_ZERO_MOD,
       LX_ZERO_COMPLEX, LX_POWER, LX_STEP,
       LX_DOMAIN, LX_NAN, LX_RANGE, LX_INF, LX_LARGE, LX_POWER_RANGE, LX_INDEX,
       LX_INDEX_WORD, LX_SHIFT, LX_SIZE, LX_ROOT, LX_AGAIN, LX_OTHER, LX_LEFT,
       LX_APART };
static __attribute__((cold, noinline)) int lx_raise(int what) {
    /* Python raises the error itself: its words differ between versions. */
    static const char *const text[] = {
        "1 // 0", "1 % 0", "1.0 / 0.0", "1 / 0", "1.0 // 0.0", "1.0 % 0.0",
        "1j / 0j", "0.0 ** -1.0", "range(0, 1, 0)",
        "__import__('math').sqrt(-1.0)", "int(float('nan'))",
        "__import__('math').exp(1e6)", "int(float('inf'))",
        "__import__('numpy').zeros(1, 'int64').fill(2**64)", "1e300 ** 2.0",
        "__import__('numpy').zeros(1)[2**64]", "__import__('numpy').zeros(1)[2**63]",
        "1 << -1", "abs(1.5e308 + 1.5e308j)", "__import__('math').isqrt(-1)",
        {LEAVING} };
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *names = PyDict_New(), *kind, *value, *trace;
    if (names) Py_XDECREF(PyRun_String(text[what], Py_eval_input, names, names));
    Py_XDECREF(names);
    PyErr_Fetch(&kind, &value, &trace);
    Py_XDECREF(trace);
    PyErr_Restore(kind, value, NULL);
    PyGILState_Release(gil);
    return -1;
}""".replace(
    "{LEAVING}",
    ",\n        ".join(
        f"\"(None for _ in '_').throw(NotImplementedError('{reason}'))\""
        for reason in (OUTGROWN, OTHER, RAISED, APART)
    ),
)

WORD = """\
static __attribute__((cold, noinline)) int64_t lx_word(int what) {
    lx_raise(what);
    return INT64_MIN;
}"""
"""What no integer is whose size is looked at says that there is none."""

INDEX = """\
static __attribute__((cold, noinline)) Py_ssize_t
lx_outside(Py_ssize_t i, Py_ssize_t n, int axis) {
    PyGILState_STATE gil = PyGILState_Ensure();
    char told[32] = "";
    if (axis >= 0) snprintf(told, sizeof told, "axis %d with ", axis);
    if (axis < -1)
        PyErr_Format(PyExc_IndexError, "%s index out of range",
                     axis == -2 ? "tuple" : axis == -3 ? "list" : "list assignment");
    else PyErr_Format(PyExc_IndexError,
                 "index %zd is out of bounds for %ssize %zd", i, told, n);
    PyGILState_Release(gil);
    return -1;
}
static inline Py_ssize_t lx_at(Py_ssize_t i, Py_ssize_t n, int axis) {
    if (__builtin_expect((size_t)i < (size_t)n, 1)) return i;
    Py_ssize_t k = i + n;
    return __builtin_expect(i >= 0 || k < 0, 0) ? lx_outside(i, n, axis) : k;
}"""

BEYOND = """\
/* The float of which an end of 64 bits is the int, for what Python says of it. */
static __thread double lx_beyond;
static __attribute__((cold, noinline)) int64_t lx_trunc_beyond(double x) {
    if (x != x || isinf(x)) return lx_raise(x != x ? LX_NAN : LX_INF);
    lx_beyond = x;
    return x > 0 ? INT64_MAX : INT64_MIN;
}
static inline int lx_is_beyond(int64_t i) {
    return (i == INT64_MAX || (i == INT64_MIN && lx_beyond != -0x1p63)) && lx_beyond;
}
static __attribute__((cold, noinline)) Py_ssize_t
lx_at_beyond(int64_t i, Py_ssize_t n, int axis) {
    double x = lx_beyond;
    if (!lx_is_beyond(i)) return lx_at(i, n, axis);
    int word = axis >= -1 && x >= 0x1p63 && x < 0x1p64;
    return lx_raise(word ? LX_INDEX_WORD : LX_INDEX);
}"""

BIT = """\
static inline int lx_bit(int b) {
#ifndef __ASSOCIATIVE_MATH__
    __asm__ ("" : "+r"(b));
#endif
    return b;
}"""
"""A number that C is not to make a branch of; a sum in lanes has none anyway."""

ROUND_TO = """\
static __attribute__((cold, noinline)) double lx_to_decimal(double x, int digits) {
    char text[64];
    if (!(fabs(x) < 0x1p53)) return x;
    snprintf(text, sizeof text, "%.*f", digits, x);
    return strtod(text, NULL);
}
static inline double lx_round_to(double x, double scale, int digits) {
    double y = x * scale, whole = rint(y), tie = fabs(fabs(y - whole) - 0.5);
    return fabs(y) < 0x1p40 && tie > 0x1p-10 ? whole / scale : lx_to_decimal(x, digits);
}"""
"""The next decimal: away from ties the product tells which, else C's exact digits."""

POLL = """\
static __attribute__((cold, noinline)) int lx_poll(void) {
    /* Taking the GIL may mean waiting for it: once a second is enough for a person. */
    static __thread time_t last;
    time_t now = time(NULL);
    if (now == last) return 0;
    last = now;
    PyGILState_STATE gil = PyGILState_Ensure();
    int result = PyErr_CheckSignals();
    PyGILState_Release(gil);
    return result;
}"""

FIT = """\
static __attribute__((cold, noinline)) int lx_unfit(int64_t i, const char *type) {
    PyGILState_STATE gil = PyGILState_Ensure();
    PyErr_Format(PyExc_OverflowError, "Python integer %lld out of bounds for %s",
                 (long long)i, type);
    PyGILState_Release(gil);
    return -1;
}"""

REFUSED = """\
static __attribute__((cold, noinline)) int lx_refused(double x, const char *type) {
    /* NumPy raises the error itself: a float as an element of this type. */
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *cell = numpy ? PyObject_CallMethod(numpy, "zeros", "is", 1, type) : NULL;
    Py_XDECREF(cell ? PyObject_CallMethod(cell, "__setitem__", "id", 0, x) : NULL);
    Py_XDECREF(cell); Py_XDECREF(numpy);
    PyGILState_Release(gil);
    return -1;
}"""

HALF = """\
static inline float lx_as_float(uint32_t i) { float x; memcpy(&x, &i, 4); return x; }
static inline uint32_t lx_as_bits(float x) { uint32_t i; memcpy(&i, &x, 4); return i; }
static inline float lx_nearest_half(double x) {
    double size = fabs(x), step;
    uint64_t i;
    if (x != x) return lx_as_float(lx_as_bits((float)x) & 0xffffe000);
    if (size >= 65520) return copysign(HUGE_VAL, x);
    /* What is added moves the last of 11 bits, or 2**-24, to the end of a double. */
    memcpy(&i, &size, 8);
    i = (i >> 52 < 1009 ? 1009 : i >> 52) + 42 << 52 | UINT64_C(1) << 51;
    memcpy(&step, &i, 8);
    return copysign(size + step - step, x);
}
static inline float lx_from_half(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = (uint32_t)(h & 0x7fff) << 13;
    uint32_t finite = lx_as_bits(lx_as_float(rest) * 0x1p112f);
    return lx_as_float(sign | (rest < 0x0f800000 ? finite : rest | 0x7f800000));
}
static inline uint16_t lx_to_half(float x) {
    uint32_t i = lx_as_bits(x), sign = i >> 16 & 0x8000, rest = i & 0x7fffffff;
    uint32_t finite = lx_as_bits(lx_as_float(rest) * 0x1p-112f);
    return sign | (rest < 0x7f800000 ? finite : rest & 0x0fffffff) >> 13;
}"""
"""Numbers of 16 bits: in C a float that is one of them, in memory their bits."""

SPAN = f"#define LX_SIZES (INT64_C(1) << {SIZES.bit_length() - 1})\n"
SPAN += """\
typedef struct { const char *low, *high; int plain; } lx_box;
static lx_box lx_span(const lx_array *array, int ndim, int item, int align) {
    const Py_ssize_t *shape = array->shape, *strides = array->strides;
    const char *data = (const char *)array->data;
    lx_box box = { data, data, 1 };
    if ((uintptr_t)data % align) box.plain = 0;
    int empty = 0;
    for (int k = 0; k < ndim; k++) {
        /* Only steps of 0 make an axis so long. */
        if (strides[k] % item || shape[k] >= LX_SIZES) box.plain = 0;
        if (shape[k] == 0) empty = 1;
        else if (strides[k] < 0) box.low += (shape[k] - 1) * strides[k];
        else box.high += (shape[k] - 1) * strides[k];
    }
    if (empty) box.low = box.high = data;
    else box.high += item;
    return box;
}
static int lx_meet(lx_box a, lx_box b) { return a.low < b.high && b.low < a.high; }
static int lx_ordered(const lx_array *array, int ndim, int item) {
    Py_ssize_t reach = item;
    for (int k = ndim - 1; k >= 0; k--) {
        if (array->shape[k] == 1) continue;
        if (array->strides[k] < reach) return 0;
        reach = array->strides[k] * array->shape[k];
    }
    return 1;
}
/* Of a single element, too, NumPy's loops see where the next one would be. */
static int lx_backwards(const lx_array *array, int ndim, int item) {
    for (int k = 0; k < ndim; k++) if (array->strides[k] < 0) return 1;
    (void)item;
    return 0;
}
static int lx_folded(const lx_array *array, int ndim, int item) {
    const Py_ssize_t *shape = array->shape, *strides = array->strides;
    int used[LX_AXES] = {0};
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

UFUNC = """\
typedef void (*lx_loop)(char **, const Py_ssize_t *, const Py_ssize_t *, void *);
typedef struct {
    PyObject_HEAD
    int nin, nout, nargs, identity;
    lx_loop *functions;
    void *const *data;
    int ntypes, reserved;
    const char *name, *types;
} lx_ufunc;
typedef struct { lx_loop loop; void *data; int apart; } lx_slot;
static int lx_find(lx_slot *slot, PyObject *object, PyObject *kind, const char *name,
                   int type, int result) {
    lx_ufunc *ufunc = (lx_ufunc *)object;
    /* Somebody may have put something else there, as tests do. */
    if ((PyObject *)Py_TYPE(object) != kind || strcmp(ufunc->name, name)) {
        PyErr_Format(PyExc_TypeError, "numpy.%s is not NumPy's function", name);
        return -1;
    }
    for (int k = 0; k < ufunc->ntypes; k++) {
        int same = 1;
        for (int a = 0; a < ufunc->nargs; a++)
            same &= ufunc->types[k * ufunc->nargs + a]
                    == (a < ufunc->nin ? type : result);
        if (same) {
            slot->loop = ufunc->functions[k];
            slot->data = ufunc->data ? ufunc->data[k] : NULL;
            return 0;
        }
    }
    PyErr_SetString(PyExc_TypeError, "a numpy function has no loop of this type");
    return -1;
}"""

RUN = """\
static inline void lx_run(const lx_slot *slot, char **p, int operands, Py_ssize_t n,
                          const Py_ssize_t *s) {
    if (!slot->apart) { slot->loop(p, &n, s, slot->data); return; }
    for (Py_ssize_t k = 0, one = 1; k < n; k++) {
        char *q[3];
        for (int a = 0; a < operands; a++) q[a] = p[a] + k * s[a];
        slot->loop(q, &one, s, slot->data);
    }
}"""

DIVMOD = """\
static inline %(t)s lx_divmod_%(s)s(%(t)s a, %(t)s b, %(t)s *q) {
    %(t)s m = fmod%(f)s(a, b), d;
    if (b == 0) { *q = a / b; return m; }
    d = (a - m) / b;
    if (m != 0) { if ((b < 0) != (m < 0)) { m += b; d -= 1; } }
    else m = copysign%(f)s(0, b);
    if (d != 0) { %(t)s w = floor%(f)s(d); if (d - w > (%(t)s)0.5) w += 1; *q = w; }
    else *q = copysign%(f)s(0, a / b);
    return m;
}"""

WORK = """\
#pragma GCC diagnostic ignored "-Wattributes"
#define lx_work __attribute__((noinline, noipa)) int"""
"""What the loops of a nest run in. gcc 12 writes the address of ``A[2 * i]`` as ``-A``
and a multiple of that of ``A[i]``, finds that ``-A`` points to nothing, so that such a
function stores nothing, and drops the call: it is not to look into it from there."""

THREADS = """\
static inline int lx_threads(int given, int wanted) {
    return given == 1 || wanted <= 0 ? (given > 0 ? given : 1) : wanted;
}"""

WORTH = """\
static int lx_always;
static __attribute__((constructor)) void lx_read_always(void) {
    const char *said = getenv("LOOPTX_ALWAYS_PARALLEL");
    lx_always = said && *said && strcmp(said, "0");
}
static inline int lx_worth(int threads, double amount, double least) {
    return amount < least && !lx_always ? 1 : threads;
}"""

THREAD = """\
#ifdef _OPENMP
#include <omp.h>
static inline int lx_thread(void) { return omp_get_thread_num(); }
static inline int lx_team(void) { return omp_get_num_threads(); }
#else
static inline int lx_thread(void) { return 0; }
static inline int lx_team(void) { return 1; }
#endif"""

BARRIER = """\
static inline void lx_barrier(void) {
#ifdef _OPENMP
    #pragma omp barrier
#endif
}"""

WIDE = """\
static __attribute__((cold, noinline)) double lx_wide_div(int64_t a, int64_t b) {
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *x = PyLong_FromLongLong(a), *y = PyLong_FromLongLong(b);
    PyObject *q = x && y ? PyNumber_TrueDivide(x, y) : NULL;
    double r = q ? PyFloat_AsDouble(q) : -1.0;
    Py_XDECREF(x); Py_XDECREF(y); Py_XDECREF(q);
    PyGILState_Release(gil);
    return r;
}"""

REACH = f"#define LX_INDICES (INT64_C(1) << {INDICES.bit_length() - 1})\n"
REACH += """\
typedef struct { int64_t low, high; } lx_reach;"""

REACHING = """\
static lx_reach %(name)s(const void *from, const Py_ssize_t *shape,
                         const Py_ssize_t *strides, int ndim) {
    const char *data = (const char *)from;
    const int64_t most = LX_INDICES;
    lx_reach all = { most, -most };
    Py_ssize_t n = shape[0], step = strides[0];
    if (ndim > 1) {
        for (Py_ssize_t k = 0; k < n; k++) {
            lx_reach one = %(name)s(data + k * step, shape + 1, strides + 1, ndim - 1);
            if (one.low > one.high) continue;
            if (one.low < all.low) all.low = one.low;
            if (one.high > all.high) all.high = one.high;
        }
    } else if (step == sizeof(%(type)s)) {
        const %(type)s *row = (const %(type)s *)data;
        %(type)s low = n ? row[0] : 0, high = low;
        for (Py_ssize_t k = 0; k < n; k++) {
            low = row[k] < low ? row[k] : low;
            high = row[k] > high ? row[k] : high;
        }
        /* What has no sign may not fit. */
        if (n) all.low = low > most ? most + 1 : low;
        if (n) all.high = high > most ? most + 1 : high;
    } else {
        for (Py_ssize_t k = 0; k < n; k++) {
            %(type)s cell = *(const %(type)s *)(data + k * step);
            int64_t value = cell > most ? most + 1 : cell;
            if (value < all.low) all.low = value;
            if (value > all.high) all.high = value;
        }
    }
    /* Wider than any axis: no sum with the range of another array fits again. */
    if (all.low < -most || all.high > most) all.low = -most, all.high = most;
    return all;
}"""
