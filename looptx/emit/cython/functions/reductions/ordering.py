"""Numbers in the middle of a row, or anywhere else in its order, in C.

A copy is put in order only as far as its k-th number (Hoare's Find, Comm. ACM 4, 1961;
with a bound, Musser, Software: Practice and Experience 27, 1997). What hangs on how
NumPy does it, as which of two zeros stands at a place, NumPy is asked.
"""

from __future__ import annotations

from looptx.emit.cython.arrays import NUMPY
from looptx.emit.cython.helpers import Helper, in_c
from looptx.lower.tree import Intrinsic
from looptx.model.dtypes import DTYPES, ROWS, Dtype

BY_DOUBLES = "lx_by_doubles"
"""The variable that says whether NumPy finds places among floats of 32 bits by doubles,
as from 2.4 on."""

START = (
    f"{BY_DOUBLES} = {NUMPY}.quantile({NUMPY}.arange(4, dtype='float32'), 0.3) < 0.9"
)
"""Cython that a module begins with which looks for such places."""

_ASKED = """\
static __attribute__((cold, noinline)) double
lx_in_order(const char *name, const char *type, const char *cells, Py_ssize_t size,
            Py_ssize_t n, Py_ssize_t step, const double *parts, int count, int at) {
    /* NumPy itself says what it makes of them, or what it thinks of that. */
    static const char text[] =
        "lambda name, kind, cells, at, parts: (lambda n: (lambda found: found[at] if "
        "at >= 0 else found)(n.errstate(all='ignore')(getattr(n, name))(n.ndarray("
        "len(cells) // n.dtype(kind).itemsize, kind, cells), *(lambda q: [q] if at >= 0"
        " else q.tolist())(n.ndarray(len(parts) // 8, 'd', parts)))))"
        "(__import__('numpy'))";
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *names = PyDict_New(), *call = NULL, *made = NULL;
    PyObject *kept = PyBytes_FromStringAndSize(NULL, n * size);
    for (Py_ssize_t k = 0; kept && k < n; k++)
        memcpy(PyBytes_AS_STRING(kept) + k * size, cells + k * step * size, size);
    if (names && kept) call = PyRun_String(text, Py_eval_input, names, names);
    if (call) made = PyObject_CallFunction(
        call, "ssOiy#", name, type, kept, at, count ? (const char *)parts : "",
        count * (Py_ssize_t)sizeof *parts);
    double found = made ? PyFloat_AsDouble(made) : -1.0;
    Py_XDECREF(made); Py_XDECREF(call); Py_XDECREF(names); Py_XDECREF(kept);
    PyGILState_Release(gil);
    return found;
}"""

_SELECT = """\
static void %(name)s_heap(%(cell)s *a, Py_ssize_t n) {
    for (Py_ssize_t i = n / 2, end = n; end > 1;) {
        %(cell)s x;
        if (i > 0) x = a[--i];
        else { x = a[--end]; a[end] = a[0]; }
        Py_ssize_t at = i;
        for (Py_ssize_t j = 2 * i + 1; j < end; j = 2 * j + 1) {
            j += j + 1 < end && a[j] < a[j + 1];
            if (a[j] <= x) break;
            a[at] = a[j];
            at = j;
        }
        a[at] = x;
    }
}
static inline %(cell)s %(name)s_mid(%(cell)s x, %(cell)s y, %(cell)s z) {
    %(cell)s low = x < y ? x : y, high = x < y ? y : x;
    return z < low ? low : z < high ? z : high;
}
/* Put the k-th in its place, what is less in front of it and what is more behind. */
static void %(name)s(%(cell)s *a, Py_ssize_t n, Py_ssize_t k) {
    int rounds = 8;
    for (Py_ssize_t m = n; m > 1; m >>= 1) rounds += 2;
    while (n > 24) {
        if (!rounds--) { %(name)s_heap(a, n); return; }
        Py_ssize_t s = n / 9;
        %(cell)s p = %(name)s_mid(
            %(name)s_mid(a[0], a[s], a[2 * s]),
            %(name)s_mid(a[3 * s], a[4 * s], a[5 * s]),
            %(name)s_mid(a[6 * s], a[7 * s], a[8 * s]));
        Py_ssize_t less = 0;
        for (Py_ssize_t j = 0; j < n; j++) {
            %(cell)s x = a[j];
            a[j] = a[less];
            a[less] = x;
            less += x < p;
        }
        if (k < less) { n = less; continue; }
        a += less; n -= less; k -= less;
        if (less > n / 8) continue;
        Py_ssize_t same = 0;
        for (Py_ssize_t j = 0; j < n; j++) {
            %(cell)s x = a[j];
            a[j] = a[same];
            a[same] = x;
            same += x <= p;
        }
        if (k < same) return;
        a += same; n -= same; k -= same;
    }
    for (Py_ssize_t i = 1; i < n; i++) {
        %(cell)s x = a[i];
        Py_ssize_t j = i;
        for (; j > 0 && x < a[j - 1]; j--) a[j] = a[j - 1];
        a[j] = x;
    }
}"""

_KEPT = """\
    %(cell)s near[64], *kept = near;
    if (n > 64) kept = (%(cell)s *)malloc(n * sizeof(%(cell)s));
    if (!kept) return lx_memory();
    Py_ssize_t m = 0;
%(taken)s
    %(result)s r;
    do {
        if (m == 0%(beyond)s) goto asked;
%(found)s
    } while (0);
    if (kept != near) free(kept);
    return r;
asked:
    if (kept != near) free(kept);
    return lx_in_order("%(operation)s", "%(dtype)s", (const char *)(a + at), sizeof *a,
                       n, step, %(parts)s);"""

_ALL = "    for (; m < n; m++) kept[m] = a[at + m * step];"

_NUMBERS = """\
    for (Py_ssize_t k = 0; k < n; k++) {
        kept[m] = a[at + k * step];
        m += kept[m] == kept[m];
    }"""

_ODD = """\
    Py_ssize_t odd = -1, other = 0;
    for (; m < n; m++) {
        kept[m] = a[at + m * step];
        if (kept[m] == kept[m]) continue;
        if (odd < 0) odd = m;
        else other |= memcmp(kept + m, kept + odd, sizeof *kept);
    }"""

_NAN = """\
        if (odd >= 0) {
            if (other) goto asked;
            r = kept[odd];
            break;
        }
"""

_MIDDLE = """\
        Py_ssize_t k = m / 2;
        %(select)s(kept, m, k);
        if (m %% 2) { r = (%(result)s)0 + (%(result)s)kept[k]; break; }
        %(cell)s low = kept[0];
        for (Py_ssize_t j = 1; j < k; j++) low = kept[j] > low ? kept[j] : low;
        r = ((%(result)s)0 + (%(result)s)low + (%(result)s)kept[k]) / 2;"""

_BETWEEN = """\
        double at_last = (double)(m - 1), place = at_last * part;
        Py_ssize_t k = place >= at_last ? m - 1 : (Py_ssize_t)place;
        double t = place - (place >= at_last ? -1.0 : (double)k);
        %(select)s(kept, m, k);
        %(cell)s low = kept[k], high = low;
        if (place < at_last) {
            high = kept[k + 1];
            for (Py_ssize_t j = k + 2; j < m; j++)
                high = kept[j] < high ? kept[j] : high;
        }
%(zeros)s
        %(cell)s d = %(apart)s;
        if (t >= 0.5) r = (%(result)s)high - (%(result)s)d * (%(result)s)(1.0 - t);
        else r = (%(result)s)low + (%(result)s)d * (%(result)s)t;"""

_ZEROS = """\
        if (low == 0 || high == 0) {
            int signs = 0;
            for (Py_ssize_t j = 0; j < m; j++)
                if (kept[j] == 0) signs |= signbit(kept[j]) ? 2 : 1;
            if (signs == 3) goto asked;
        }"""


def _select(row: Dtype) -> str:
    return f"lx_select_{row.short}"


def _selecting(row: Dtype) -> Helper:
    """The function that puts elements of a type in order as far as one of them."""
    return Helper(in_c(_SELECT % {"name": _select(row), "cell": row.in_memory.c}))


HELPERS = {
    "lx_in_order": Helper(_ASKED),
    BY_DOUBLES: Helper(f"static int {BY_DOUBLES};", (f"int {BY_DOUBLES}",)),
    **{
        _select(row): _selecting(row)
        for row in ROWS
        if not row.is_complex and not row.computed
    },
}


def helper(name: str, one: Intrinsic) -> Helper:
    """The function that finds a number in the order of a row.

    Args:
        name: of it.
        one: what it finds, as ``percentile_0_of_2`` the first of two that NumPy finds
            at once, and the type of the elements.
    """
    row = DTYPES[one.dtype]
    operation, _, told = one.operation.partition("_")
    at, _, count = told.partition("_of_")
    present = operation.startswith("nan")
    cell = "uint8_t" if row.kind == "b" else row.in_memory.c
    words = {
        "cell": cell,
        "result": cell if row.is_inexact else "double",
        "select": _select(row),
        "operation": operation,
        "dtype": row.name,
        "taken": _ALL,
        "zeros": "",
        "beyond": "",
        "parts": "NULL, 0, -1",
        "apart": f"({cell})((uint64_t)high - (uint64_t)low)",
    }
    found = _MIDDLE
    if not operation.endswith("median"):
        found = _BETWEEN
        words["beyond"] = " || !(part >= 0 && part <= 1)"
        if row.name == "float32":
            words["beyond"] += f" || !{BY_DOUBLES}"
        words["parts"] = f"given, {count or 1}, {at or -1}"
    if row.is_inexact:
        words |= {"zeros": _ZEROS, "apart": "high - low"}
        words["taken"] = _NUMBERS if present else _ODD
        found = found if present else _NAN + found
    words["found"] = found % words
    body = _KEPT % words
    head = f"const {row.in_memory.c} *a, Py_ssize_t at, Py_ssize_t n, Py_ssize_t step"
    if found.endswith(_BETWEEN):
        names = [f"given_{k}" for k in range(int(count or 1))]
        head += "".join(f", double {one}" for one in names)
        percent = " / 100.0" if operation.endswith("percentile") else ""
        begin = f"    const double given[] = {{ {', '.join(names)} }};\n"
        body = f"{begin}    double part = given[{at or 0}]{percent};\n{body}"
    head = f"{words['result']} {name}({head})"
    needs = ["lx_memory", "lx_in_order", _select(row)]
    if found.endswith(_BETWEEN) and row.name == "float32":
        needs.append(BY_DOUBLES)
    c = f"static inline {head} {{\n{body}\n}}"
    return Helper(in_c(c), (f"{head} except? -1 nogil",), (*needs,), raises=True)
