"""Reductions of parts of arrays with several axes, in the order of NumPy.

NumPy sorts the axes by how far their elements are apart, joins those that lie as one,
and copies what is no row into a buffer: of as many inner axes as fit in, and of as much
of the next one. Its loop reduces that. Other versions of NumPy may do otherwise: when a
module is loaded, the same of some arrays shows whether this one does.
"""

from __future__ import annotations

from looptx.emit.cython.functions.reductions.few import FEW, few
from looptx.emit.cython.functions.reductions.reducing import averaged
from looptx.emit.cython.functions.unlike import loop as tried
from looptx.emit.cython.helpers import Helper, in_c
from looptx.lower.tree import Intrinsic
from looptx.lower.values.reducing import AXES, LOOPS, MOST_AXES
from looptx.model.dtypes import DTYPES

BUFFER = 8192
"""How many elements NumPy copies at a time."""

_SORT = """\
static int lx_sort_axes(Py_ssize_t *n, Py_ssize_t *s) {
    Py_ssize_t m[%(axes)d], t[%(axes)d];
    int count = 0, last = 0;
    for (int k = %(axes)d - 1; k >= 0; k--) {
        if (n[k] == 1) continue;
        int at = count;
        for (int j = count - 1; j >= 0; j--) {
            Py_ssize_t own = Py_ABS(s[k]), other = Py_ABS(t[j]);
            if (!own || !other) continue;
            if (other <= own) break;
            at = j;
        }
        for (int j = count; j > at; j--) m[j] = m[j - 1], t[j] = t[j - 1];
        m[at] = n[k], t[at] = s[k], count++;
    }
    if (!count) m[0] = 1, t[0] = 0, count = 1;
    for (int k = 0; k < count; k++)
        if (k && t[k] == s[last] * n[last]) n[last] *= m[k];
        else last = k ? last + 1 : 0, n[last] = m[k], s[last] = t[k];
    return last + 1;
}"""
"""The axes of more than one position, the inner ones first."""

_WALK = """\
static %(cell)s *%(name)s_copied(%(cell)s *to, const %(cell)s *a, const Py_ssize_t *n,
                                 const Py_ssize_t *s, int at) {
    for (Py_ssize_t k = 0; k < n[at]; k++)
        if (at) to = %(name)s_copied(to, a + k * s[at], n, s, at - 1);
        else *to++ = a[k * s[0]];
    return to;
}
static void %(name)s_row(const lx_slot *slot, %(cell)s *r, const %(cell)s *a,
                         Py_ssize_t n, Py_ssize_t step, int *begun) {
    int less = !*begun;
    char *p[] = { (char *)r, (char *)(a + less * step), (char *)r };
    Py_ssize_t s[] = { 0, step * (Py_ssize_t)sizeof *a, 0 }, m = n - less;
    if (m > 0) slot->loop(p, &m, s, slot->data);
    *begun = 1;
}
static void %(name)s_walk(const lx_slot *slot, %(cell)s *r, const %(cell)s *a,
                          Py_ssize_t *n, const Py_ssize_t *s, int at, int inner,
                          Py_ssize_t most, int *begun, %(cell)s *copied) {
    Py_ssize_t all = n[at];
    if (at > inner)
        for (Py_ssize_t k = 0; k < all; k++)
            %(name)s_walk(slot, r, a + k * s[at], n, s, at - 1, inner, most, begun,
                          copied);
    else if (!at) %(name)s_row(slot, r, a, all, s[0], begun);
    else for (Py_ssize_t k = 0; k < all; k += most) {
        n[at] = all - k < most ? all - k : most;
        %(cell)s *end = %(name)s_copied(copied, a + k * s[at], n, s, at);
        %(name)s_row(slot, r, copied, end - copied, 1, begun);
        n[at] = all;
    }
}
/* Without a first result the first element is that. */
static %(cell)s %(name)s(const lx_slot *slot, const %(cell)s *first, const %(cell)s *a,
                         Py_ssize_t *n, Py_ssize_t *s) {
    Py_ssize_t core = 1;
    int count = lx_sort_axes(n, s), inner = 0, begun = first != a;
    %(cell)s r = *first, copied[%(buffer)d];
    while (inner < count - 1 && core * n[inner] <= %(buffer)d) core *= n[inner++];
    %(name)s_walk(slot, &r, a, n, s, count - 1, inner, %(buffer)d / core, &begun,
                  copied);
    return r;
}"""

_TRIED = """\
static lx_slot %(name)s_slot;
static int %(name)s(void) { return %(name)s_slot.apart; }
static int %(name)s_try(PyObject *numpy) {
    static const char text[] =
        "lambda np: [(x, np.add.reduce(x, axis=None)) for x in (lambda a: ["
        "a[:2, :2], a[:13, :29], a[:700, :29].T[::-1], a[:, 1:40], a[::3, ::-2],"
        "a.reshape(-1, 8, 5, 8)[::2, :3, 1:, :7], a.reshape(4, -1)[:3, 9:9000]])"
        "((np.arange(64000) * 0.37 %% 1%(scale)s).reshape(-1, 64)"
        ".astype('%(dtype)s'))]";
    PyObject *names = PyDict_New(), *call = NULL, *pairs = NULL;
    if (names) call = PyRun_String(text, Py_eval_input, names, names);
    if (call) pairs = PyObject_CallOneArg(call, numpy);
    %(name)s_slot.apart = 0;
    for (Py_ssize_t k = 0; pairs && k < PyList_GET_SIZE(pairs); k++) {
        PyObject *pair = PyList_GET_ITEM(pairs, k);
        Py_buffer v;
        Py_ssize_t n[%(axes)d], s[%(axes)d];
        static const %(cell)s start = 0;
        if (PyObject_GetBuffer(PyTuple_GET_ITEM(pair, 0), &v, PyBUF_STRIDES)) break;
        for (int axis = 0; axis < %(axes)d; axis++) {
            n[axis] = axis < v.ndim ? v.shape[axis] : 1;
            s[axis] = axis < v.ndim ? v.strides[axis] / v.itemsize : 0;
        }
        %(cell)s r = %(walk)s(&%(name)s_slot, &start, (const %(cell)s *)v.buf, n, s);
        Py_complex right = PyComplex_AsCComplex(PyTuple_GET_ITEM(pair, 1));
        if (__real__ r != right.real || __imag__ r != right.imag)
            %(name)s_slot.apart = 1;
        PyBuffer_Release(&v);
    }
    Py_XDECREF(pairs); Py_XDECREF(call); Py_XDECREF(names);
    return PyErr_Occurred() ? -1 : 0;
}"""

HELPERS = {"lx_sort_axes": Helper(_SORT % {"axes": MOST_AXES})}


def loop(one: Intrinsic) -> str:
    """The function of NumPy whose loop reduces floats; empty for others."""
    if one.rules != AXES or not DTYPES[one.dtype].is_inexact:
        return ""
    return "add" if one.operation == "mean" else LOOPS.get(one.operation, "")


def few_of(one: Intrinsic) -> str:
    """The function that adds few floats as that loop does; empty without one."""
    return few(one.dtype) if loop(one) == "add" else ""


def is_tried(one: Intrinsic) -> bool:
    """Whether it tells if NumPy reduces parts of arrays in the order of this module."""
    return tried(one) == AXES


def walk(dtype: str) -> tuple[str, Helper]:
    """The name of what reduces floats of a type in NumPy's order, and itself.

    Args:
        dtype: the type.
    """
    row = DTYPES[dtype]
    name = f"lx_walk_{row.short}"
    words = {"name": name, "cell": in_c(row.in_memory.c), "buffer": BUFFER}
    return name, Helper(_WALK % words, (), ("lx_slot", "lx_sort_axes"))


WALKS = dict(map(walk, ("float32", "float64", "complex64", "complex128")))


def attempt(name: str, one: Intrinsic) -> Helper:
    """What tells whether NumPy has another order.

    Args:
        name: of it. one: it.
    """
    row = DTYPES[one.dtype]
    own, _ = walk(one.dtype)
    words = {"name": name, "cell": in_c(row.in_memory.c), "axes": MOST_AXES}
    scale = " * (1 - 0.7j)" if row.is_complex else ""
    text = _TRIED % {**words, "dtype": row.name, "walk": own, "scale": scale}
    declared = (
        f"lx_slot {name}_slot",
        f"bint {name}() noexcept nogil",
        f"int {name}_try(object numpy) except -1",
    )
    return Helper(text, declared, ("lx_slot", own))


def helper(name: str, one: Intrinsic) -> Helper:
    """The function that reduces a part of an array.

    Args:
        name: of it. one: what it computes.
    """
    row, operation = DTYPES[one.dtype], one.operation
    cell = row.in_memory.c
    needs: list[str] = []
    given = ", ".join(f"Py_ssize_t n{k}, Py_ssize_t s{k}" for k in range(MOST_AXES))
    head = f"{name}(const {cell} *a, Py_ssize_t at, {given})"
    count = " * ".join(f"n{k}" for k in range(MOST_AXES))
    lines = [f"Py_ssize_t count = {count};"]
    fails = operation in ("min", "max", "mean")
    divides = row.is_complex and operation == "mean"
    none = f'lx_of_none("{operation}", "{row.name}")'
    if divides:
        needs += averaged(row, "count")[1]
        lines.append(f"if (!count && {none} == -1.0) return -1;")
    elif fails:
        lines.append(f"if (!count) return {none};")
    if fails:
        needs.append("lx_of_none")
    slot, declared, result = "", [], cell
    if loop(one):
        slot = f"static lx_slot {name}_slot;\n"
        declared.append(f"lx_slot {name}_slot")
        own, _ = walk(one.dtype)
        needs += ["lx_slot", own, *filter(None, (few_of(one),))]
        lines += _by_walk(name, one, own)
    else:
        result, more = _one_by_one(one)
        lines += more
    body = "\n".join(f"    {line}" for line in lines)
    c = in_c(f"{slot}static {result} {head} {{\n{body}\n}}")
    ending = "except *" if divides else "except? -1" if fails else "noexcept"
    declared.append(f"{result} {head} {ending} nogil")
    return Helper(c, (*declared,), (*needs,), raises=fails)


def _by_walk(name: str, one: Intrinsic, walked: str) -> list[str]:
    """The lines that reduce floats.

    Args:
        name: of the function. one: what it computes. walked: what walks through them.
    """
    cell = DTYPES[one.dtype].in_memory.c
    counts, steps = (", ".join(f"{x}{k}" for k in range(MOST_AXES)) for x in "ns")
    start = {"sum": "0", "mean": "0", "prod": "1"}.get(one.operation)
    mean = f"({cell})((double)r / (double)count)"
    if DTYPES[one.dtype].is_complex:
        mean, _ = averaged(DTYPES[one.dtype], "count")
    last = f"return {mean if one.operation == 'mean' else 'r'};"
    lines: list[str] = []
    if start is None:
        first = "a + at"
    else:
        # A C compiler has NaN of another sign for what it computes itself.
        lines += [f"volatile {cell} begin = {start};", f"{cell} start = begin;"]
        lines.append(f"if (!count) {{ {cell} r = start; {last} }}")
        first = "&start"
    if few_of(one):
        lines += _by_few(name, one, last)
    # Not before: what has an address is stored, whether it is used or not.
    lines.append(f"Py_ssize_t n[] = {{ {counts} }}, s[] = {{ {steps} }};")
    lines.append(f"{cell} r = {walked}(&{name}_slot, {first}, a + at, n, s);")
    return [*lines, last]


def _by_few(name: str, one: Intrinsic, last: str) -> list[str]:
    """The lines that add few floats where NumPy need not sort the axes.

    Args:
        name: of the function. one: what it computes. last: what is done with the sum.
    """
    cell, axes = DTYPES[one.dtype].in_memory.c, range(MOST_AXES)
    pairs = [f"Py_ABS(s{k}) >= Py_ABS(s{k + 1})" for k in axes[:-1]]
    place, loops = _loops()
    # With -0.0 in front the sum begins with its first number, whatever that is.
    return [
        f"if (count < {FEW} && !{name}_slot.apart && {' && '.join(pairs)}) {{",
        f"    {cell} few = -0.0;",
        *(f"    {line}" for line in loops),
        f"    {'    ' * MOST_AXES}few += a[{place}];",
        f"    {cell} r = start + few;",
        f"    {last}",
        "}",
    ]


def _loops() -> tuple[str, list[str]]:
    """The place of an element, and the loops through all."""
    axes = range(MOST_AXES)
    heads = (f"for (Py_ssize_t k{k} = 0; k{k} < n{k}; k{k}++)" for k in axes)
    loops = [f"{'    ' * k}{head}" for k, head in enumerate(heads)]
    return " + ".join(["at", *(f"k{k} * s{k}" for k in axes)]), loops


def _one_by_one(one: Intrinsic) -> tuple[str, list[str]]:
    """The type of what does not hang on the order, and the lines that compute it.

    Args:
        one: what is computed.
    """
    row, operation = DTYPES[one.dtype], one.operation
    cell, x = row.in_memory.c, "x" + (" != 0" if row.kind == "b" else "")
    begin, step, result = "", "", cell
    match operation:
        case "sum" | "prod":
            result = "uint64_t" if row.kind == "u" else "int64_t"
            begin = f"uint64_t r = {int(operation == 'prod')};"
            step = f"r {'+' if operation == 'sum' else '*'}= (uint64_t)({x});"
        case "count_nonzero":
            result, begin = "int64_t", "int64_t r = 0;"
            step = "r += x != 0;"
        case "min" | "max":
            begin = f"{cell} r = a[at];"
            step = f"if (x {'<' if operation == 'min' else '>'} r) r = x;"
        case "any" | "all":
            result, begin = "bint", f"int r = {int(operation == 'all')};"
            found = "!=" if operation == "any" else "=="
            step = f"if (x {found} 0) return {int(operation == 'any')};"
    place, loops = _loops()
    inner = f"{'    ' * MOST_AXES}{{ {cell} x = a[{place}]; {step} }}"
    return result, ["(void)count;", begin, *loops, inner, "return r;"]
