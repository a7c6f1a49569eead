"""NumPy's reductions in C: integers in any order, floats by NumPy's own loop."""

from __future__ import annotations

from looptx.emit.cython.functions.reductions.absent import of_present
from looptx.emit.cython.functions.reductions.few import few
from looptx.emit.cython.functions.reductions.looping import by_loop, is_few
from looptx.emit.cython.functions.reductions.places import place
from looptx.emit.cython.helpers import Helper, in_c, quiet
from looptx.lower.tree import Intrinsic
from looptx.lower.values.reducing import ABSENT, LOOPS, NORM, PRODUCTS, SPREADS
from looptx.model.dtypes import DTYPES, Dtype

_GIVEN = "Py_ssize_t at, Py_ssize_t n, Py_ssize_t step"

_NONE = """\
static __attribute__((cold, noinline)) double
lx_of_none(const char *name, const char *type) {
    /* NumPy itself says what it thinks of no elements, but for the float it makes. */
    static const char text[] =
        "lambda name, kind: (lambda n: n.errstate(all='ignore')(getattr(n, name))"
        "(n.empty(0, kind)).real)(__import__('numpy'))";
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *names = PyDict_New(), *call = NULL, *made = NULL;
    if (names) call = PyRun_String(text, Py_eval_input, names, names);
    if (call) made = PyObject_CallFunction(call, "ss", name, type);
    double found = made ? PyFloat_AsDouble(made) : -1.0;
    Py_XDECREF(made); Py_XDECREF(call); Py_XDECREF(names);
    PyGILState_Release(gil);
    return found;
}"""

_AVERAGES = ("mean", "nansum", "nanmean", *SPREADS)
"""Those that add floats, whatever they are given."""

BLOCK = 8192
"""As many integers NumPy makes floats of at a time, for their mean."""

_CLIP = "if (i < 0) i += n; return i < 0 ? 0 : i > n ? n : i;"

_AGREE = """\
static __attribute__((cold, noinline)) Py_ssize_t
lx_unlike(Py_ssize_t a, Py_ssize_t b) {
    PyGILState_STATE gil = PyGILState_Ensure();
    PyErr_Format(PyExc_ValueError, "operands could not be broadcast together with "
                 "shapes (%zd,) (%zd,) ", a, b);
    PyGILState_Release(gil);
    return -1;
}
static inline Py_ssize_t lx_agree(Py_ssize_t a, Py_ssize_t b) {
    return a == b || b == 1 ? a : a == 1 ? b : lx_unlike(a, b);
}"""

_MASKED = """\
static __attribute__((cold, noinline)) int
lx_other_mask(Py_ssize_t size, Py_ssize_t mask) {
    PyGILState_STATE gil = PyGILState_Ensure();
    PyErr_Format(PyExc_IndexError, "boolean index did not match indexed array along "
                 "axis 0; size of axis is %zd but size of corresponding boolean "
                 "axis is %zd", size, mask);
    PyGILState_Release(gil);
    return -1;
}
static inline int lx_masked(Py_ssize_t size, Py_ssize_t mask) {
    return size == mask ? 0 : lx_other_mask(size, mask);
}"""

_SOME = """\
/* Whether one of 64 bytes is not 0; of fewer, that is not asked. */
static inline int lx_some(const void *bytes, Py_ssize_t at, Py_ssize_t stop) {
    uint64_t words[8];
    if (at + 64 > stop) return 1;
    memcpy(words, (const char *)bytes + at, 64);
    return (words[0] | words[1] | words[2] | words[3] | words[4] | words[5] | words[6]
            | words[7]) != 0;
}"""

_MEMORY = """\
static __attribute__((cold, noinline)) int lx_memory(void) {
    PyGILState_STATE gil = PyGILState_Ensure();
    PyErr_NoMemory();
    PyGILState_Release(gil);
    return -1;
}"""

_TEMP = """\
static char lx_nothing[1];
static inline int lx_missing(const void *cells) { return !cells; }
static inline void lx_release(void *cells) { if (cells != lx_nothing) free(cells); }"""

_ABSENT = """\
static __attribute__((cold, noinline)) int
lx_of_nan(const char *name, const char *type) {
    /* NumPy itself says what it thinks of numbers of which none is one. */
    static const char text[] =
        "lambda name, kind: (lambda n: getattr(n, name)(n.full(1, n.nan, kind)))"
        "(__import__('numpy'))";
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *names = PyDict_New(), *call = NULL, *made = NULL;
    if (names) call = PyRun_String(text, Py_eval_input, names, names);
    if (call) made = PyObject_CallFunction(call, "ss", name, type);
    int failed = !made;
    Py_XDECREF(made); Py_XDECREF(call); Py_XDECREF(names);
    PyGILState_Release(gil);
    return failed;
}"""

HELPERS = {
    "lx_of_nan": Helper(_ABSENT),
    "lx_agree": Helper(
        _AGREE,
        ("Py_ssize_t lx_agree(Py_ssize_t a, Py_ssize_t b) except -1 nogil",),
        raises=True,
    ),
    "lx_masked": Helper(
        _MASKED,
        ("int lx_masked(Py_ssize_t size, Py_ssize_t mask) except -1 nogil",),
        raises=True,
    ),
    "lx_some": Helper(
        _SOME,
        ("bint lx_some(const void *a, Py_ssize_t at, Py_ssize_t to) noexcept nogil",),
    ),
    "lx_memory": Helper(_MEMORY, ("int lx_memory() except -1 nogil",), raises=True),
    "lx_nothing": Helper(_TEMP),
    "lx_missing": Helper(
        "", ("bint lx_missing(const void *cells) noexcept nogil",), ("lx_nothing",)
    ),
    "lx_release": Helper(
        "", ("void lx_release(void *cells) noexcept nogil",), ("lx_nothing",)
    ),
    "lx_of_none": Helper(_NONE),
    "lx_clip": quiet("int64_t", "lx_clip", "int64_t i, int64_t n", _CLIP),
}


def loop(one: Intrinsic) -> str:
    """The function of NumPy whose inner loop reduces floats; empty for others."""
    if one.rules != "reduce" or not one.dtype:
        return ""
    if one.operation in _AVERAGES:
        return "add"
    if one.operation in (*PRODUCTS.values(), NORM):
        return "matmul"
    return LOOPS.get(one.operation, "") if DTYPES[one.dtype].is_inexact else ""


def looped(one: Intrinsic) -> str:
    """The type of the numbers of which that loop is."""
    whole = one.operation in _AVERAGES and not DTYPES[one.dtype].is_inexact
    return "float64" if whole else one.dtype


def few_of(one: Intrinsic) -> str:
    """The function that adds few floats as that loop does; empty without one."""
    adds = loop(one) == "add" and DTYPES[one.dtype].is_inexact
    return few(one.dtype) if adds else ""


def temp(name: str, dtype: str) -> Helper:
    """The function that gives memory for elements of a type, of which none may be.

    Args:
        name: of it. dtype: of the elements.
    """
    cell = DTYPES[dtype].in_memory.c
    c = (
        f"static inline {cell} *{name}(Py_ssize_t n) {{\n"
        f"    return ({cell} *)(n > 0 ? malloc(n * sizeof({cell})) : lx_nothing);\n}}"
    )
    declared = (f"{cell} *{name}(Py_ssize_t n) noexcept nogil",)
    return Helper(in_c(c), declared, ("lx_nothing",))


def helper(name: str, one: Intrinsic) -> Helper:
    """The function that reduces elements of one type.

    Args:
        name: of it. one: what it computes.
    """
    row = DTYPES[one.dtype]
    cell, needs = row.in_memory.c, []
    result, body = _body(name, one)
    slot = ""
    declared = []
    if loop(one):
        slot = f"static lx_slot {name}_slot;\n"
        declared.append(f"lx_slot {name}_slot")
        needs += ["lx_slot", *filter(None, (few_of(one),))]
    fails = "noexcept"
    if "lx_of_none" in body:
        needs.append("lx_of_none")
        fails = "except? -1"
    if row.is_complex and one.operation == "mean":
        needs += averaged(row, "n")[1]
        fails = "except *"
    needs += [one for one in ("lx_memory", "lx_of_nan") if one in body]
    if "return -1" in body or "lx_memory" in body:
        fails = "except? -1" if fails == "noexcept" else fails
    less = ", Py_ssize_t less" if one.operation in SPREADS else ""
    head = f"{name}(const {cell} *a, {_GIVEN}{less})"
    c = f"{slot}static inline {result} {head} {{\n{body}\n}}"
    declared.append(f"{result} {head} {fails} nogil")
    return Helper(in_c(c), (*declared,), (*needs,), raises=fails != "noexcept")


def _body(name: str, one: Intrinsic) -> tuple[str, str]:
    """The type of the result, and what computes it.

    Args:
        name: of the function. one: what it computes.
    """
    operation, row = one.operation, DTYPES[one.dtype]
    if operation in ABSENT:
        return row.in_memory.c, of_present(name, one, few_of(one))
    none = f'if (n == 0) return lx_of_none("{operation}", "{row.name}");'
    inexact, cell = row.is_inexact, row.in_memory.c
    match operation:
        case "sum" | "prod" if not inexact:
            start, sign = (0, "+") if operation == "sum" else (1, "*")
            value = "a[at + k * step]"
            taken = f"({value} != 0)" if row.kind == "b" else value
            loops = _both(f"r {sign}= (uint64_t){taken};")
            result = "uint64_t" if row.kind == "u" else "int64_t"
            return result, f"    uint64_t r = {start};\n{loops}\n    return r;"
        case "sum" | "prod":
            start = 0 if operation == "sum" else 1
            given = f"{start}", "at", "n", "return r;"
            return cell, by_loop(name, cell, *given, few=few_of(one))
        case "min" | "max" if not inexact:
            sign = "<" if operation == "min" else ">"
            value = "a[at + k * step]"
            loops = _both(f"r = {value} {sign} r ? {value} : r;")
            return cell, f"    {none}\n    {cell} r = a[at];\n{loops}\n    return r;"
        case "min" | "max":
            body = by_loop(name, cell, "a[at]", "at + step", "n - 1", "return r;")
            return cell, f"    {none}\n{body}"
        case "mean" if row.is_complex:
            last = f"return {averaged(row, 'n')[0]};"
            none = f'lx_of_none("mean", "{row.name}")'
            body = by_loop(name, cell, "0", "at", "n", last)
            return cell, f"    if (n == 0 && {none} == -1.0) return -1;\n{body}"
        case "mean" if inexact:
            last = f"return ({cell})((double)r / (double)n);"
            body = by_loop(name, cell, "0", "at", "n", last, few=few_of(one))
            return cell, f"    {none}\n{body}"
        case "mean":
            last = "return r / (double)n;"
            return "double", f"    {none}\n{_mean(name, row.kind == 'b', last)}"
        case "count_nonzero":
            loops = _both("r += a[at + k * step] != 0;")
            return "int64_t", f"    int64_t r = 0;\n{loops}\n    return r;"
        case "var" | "std":
            return _spread(name, one)
        case "argmin" | "argmax":
            return "int64_t", f"    {none}\n{place(operation, row)}"
    found, other = ("!= 0", 1) if operation == "any" else ("== 0", 0)
    test = f"if (a[at + k * step] {found}) return {other};"
    line = f"    for (Py_ssize_t k = 0; k < n; k++) {test}"
    return "bint", f"{line}\n    return {1 - other};"


def averaged(row: Dtype, count: str) -> tuple[str, tuple[str, ...]]:
    """The quotient ``r / count`` of complex numbers in C, and what it needs.

    NumPy divides by an integer of 64 bits, which is complex128 beside complex64.
    """
    needs = "lx_cdiv_c128", "lx_complex_c128"
    found = f"lx_cdiv_c128(r, lx_complex_c128((double){count}, 0))"
    if row.bits == 128:
        return found, needs
    return f"lx_{row.short}({found})", (*needs, f"lx_{row.short}")


def _both(line: str) -> str:
    """A loop over all elements; C has vectors where they are neighbours."""
    head = "for (Py_ssize_t k = 0; k < n; k++)"
    near = line.replace(" * step", "")
    return f"    if (step == 1) {head} {near}\n    else {head} {line}"


def _mean(name: str, truths: bool, last: str) -> str:
    """The sum of integers, of which NumPy makes floats block by block.

    Args:
        name: of the function. truths: whether they are true or false.
        last: what is done with it.
    """
    value = "a[at + (k + j) * step]" + (" != 0" if truths else "")
    return (
        f"    double r = 0, block[{BLOCK}];\n"
        f"    for (Py_ssize_t k = 0; k < n; k += {BLOCK}) {{\n"
        f"        Py_ssize_t m = n - k < {BLOCK} ? n - k : {BLOCK};\n"
        f"        for (Py_ssize_t j = 0; j < m; j++) block[j] = (double)({value});\n"
        "        char *p[] = { (char *)&r, (char *)block, (char *)&r };\n"
        "        Py_ssize_t s[] = { 0, sizeof(double), 0 };\n"
        f"        {name}_slot.loop(p, &m, s, {name}_slot.data);\n"
        "    }\n"
        f"    {last}"
    )


def _spread(name: str, one: Intrinsic) -> tuple[str, str]:
    """The mean of squared distances from the mean, or its root, as ``_body`` has it.

    NumPy warns where it divides by 0, and divides.

    Args:
        name: of the function. one: what it computes.
    """
    row = DTYPES[one.dtype]
    cell = row.in_memory.c if row.is_inexact else "double"
    middle = f"middle = ({cell})((double)r / (double)n);"
    if row.is_inexact:
        added = by_loop(name, cell, "0", "at", "n", middle, few=few_of(one))
    else:
        added = _mean(name, row.kind == "b", middle)
    value = "a[at + k * step]" + (" != 0" if row.kind == "b" else "")
    root = "sqrtf" if cell == "float" else "sqrt"
    found = f"({cell})((double)q / (double)(n > less ? n - less : 0))"
    last = f"{root}({found})" if one.operation == "std" else found
    none = f'lx_of_none("{one.operation}", "{row.name}")'
    called = f"if (n > 0) {name}_slot.loop(to, &n, by, {name}_slot.data);"
    if few_of(one):
        alone = f"q = {few_of(one)}(q, far, n, 1);"
        called = f"if ({is_few(name, 'n')}) {alone}\n    else {called}"
    body = (
        f"    if (n <= less && {none} == -1.0) return -1;\n"
        f"    {cell} middle, q = 0;\n    {{\n{added}\n    }}\n"
        f"    {cell} near[64], *far = near;\n"
        f"    if (n > 64) far = ({cell} *)malloc(n * sizeof({cell}));\n"
        "    if (!far) return lx_memory();\n"
        "    for (Py_ssize_t k = 0; k < n; k++) {\n"
        f"        {cell} d = ({cell})({value}) - middle;\n"
        "        far[k] = d * d;\n"
        "    }\n"
        "    char *to[] = { (char *)&q, (char *)far, (char *)&q };\n"
        "    Py_ssize_t by[] = { 0, sizeof *far, 0 };\n"
        f"    {called}\n"
        f"    if (far != near) free(far);\n    return {last};"
    )
    return cell, body
