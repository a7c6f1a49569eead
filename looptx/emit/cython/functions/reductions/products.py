"""Products of two rows in C: what NumPy's loop makes of them, which calls its BLAS.

The order of its sums hangs on the machine and on how far elements are apart, so that
nothing but the same call gives the same bits.
"""

from __future__ import annotations

from looptx.emit.cython.helpers import Helper
from looptx.lower.tree import Intrinsic
from looptx.lower.values.reducing import NORM
from looptx.model.dtypes import DTYPES

_UNLIKE = """\
static __attribute__((cold, noinline)) double
lx_unaligned(int dot, Py_ssize_t n, Py_ssize_t m) {
    PyGILState_STATE gil = PyGILState_Ensure();
    if (dot)
        PyErr_Format(PyExc_ValueError, "shapes (%zd,) and (%zd,) not aligned: "
                     "%zd (dim 0) != %zd (dim 0)", n, m, n, m);
    else
        PyErr_Format(PyExc_ValueError, "matmul: Input operand 1 has a mismatch in its "
                     "core dimension 0, with gufunc signature (n?,k),(k,m?)->(n?,m?) "
                     "(size %zd is different from %zd)", m, n);
    PyGILState_Release(gil);
    return -1.0;
}"""

_FORWARDS = """\
static __attribute__((cold, noinline)) void *
lx_forwards(const void *cells, Py_ssize_t n, Py_ssize_t step, size_t size) {
    /* As np.dot copies what does not lie forwards. */
    char *copy = (char *)malloc(n * size);
    if (!copy) {
        PyGILState_STATE gil = PyGILState_Ensure();
        PyErr_NoMemory();
        PyGILState_Release(gil);
        return NULL;
    }
    step *= (Py_ssize_t)size;
    for (Py_ssize_t k = 0; k < n; k++)
        memcpy(copy + k * size, (const char *)cells + k * step, size);
    return copy;
}"""

HELPERS = {
    "lx_unaligned": Helper(_UNLIKE),
    "lx_forwards": Helper(_FORWARDS),
}

_DOT = """\
    %(cell)s *p = NULL, *q = NULL;
    if (step <= 0 && n > 1) {
        p = (%(cell)s *)lx_forwards(a + at, n, step, sizeof *a);
        if (!p) return -1;
        a = p; at = 0; step = 1;
    }
    if (far <= 0 && n > 1) {
        q = (%(cell)s *)lx_forwards(b + by, n, far, sizeof *b);
        if (!q) { free(p); return -1; }
        b = q; by = 0; far = 1;
    }"""

_PRODUCT = """\
static lx_slot %(name)s_slot;
static inline %(cell)s %(head)s {
    const Py_ssize_t size = sizeof *a;
    %(cell)s r = 0;
    if (n != m) return lx_unaligned(%(dot)d, n, m);
%(before)s
    char *o[] = { (char *)(a + at), (char *)(b + by), (char *)&r };
    Py_ssize_t d[] = { 1, 1, n, 1 };
    Py_ssize_t s[] = { 0, 0, 0, 0, step * size, far * size, 0, 0, 0 };
    %(name)s_slot.loop(o, d, s, %(name)s_slot.data);
%(after)s
    return r;
}"""

_NORM = """\
static lx_slot %(name)s_slot;
static inline %(cell)s %(head)s {
    const Py_ssize_t size = sizeof *a;
    %(cell)s r = 0, *p = NULL;
    if (step != 1 && n > 1) {
        p = (%(cell)s *)lx_forwards(a + at, n, step, sizeof *a);
        if (!p) return -1;
        a = p; at = 0;
    }
    char *o[] = { (char *)(a + at), (char *)(a + at), (char *)&r };
    Py_ssize_t d[] = { 1, 1, n, 1 };
    Py_ssize_t s[] = { 0, 0, 0, 0, size, size, 0, 0, 0 };
    %(name)s_slot.loop(o, d, s, %(name)s_slot.data);
    free(p);
    return %(sqrt)s(r);
}"""
"""NumPy multiplies what lies in one piece, or a copy that does, with itself."""

_ROW = "const {0} *a, Py_ssize_t at, Py_ssize_t n, Py_ssize_t step"

_GIVEN = (
    "const {0} *a, Py_ssize_t at, Py_ssize_t n, Py_ssize_t step,"
    " const {0} *b, Py_ssize_t by, Py_ssize_t m, Py_ssize_t far"
)


def helper(name: str, one: Intrinsic) -> Helper:
    """The function that multiplies two rows of one type.

    Args:
        name: of it. one: what it computes.
    """
    cell, dot = DTYPES[one.dtype].in_memory.c, one.operation == "dot"
    if one.operation == NORM:
        return _norm(name, cell)
    head = f"{name}({_GIVEN.format(cell)})"
    words = {
        "name": name,
        "cell": cell,
        "head": head,
        "dot": dot,
        "before": _DOT % {"cell": cell} if dot else "",
        "after": "    free(p); free(q);" if dot else "",
    }
    needs = ("lx_slot", "lx_unaligned", *(("lx_forwards",) if dot else ()))
    declared = f"lx_slot {name}_slot", f"{cell} {head} except? -1 nogil"
    return Helper(_PRODUCT % words, declared, needs, raises=True)


def _norm(name: str, cell: str) -> Helper:
    """The function that gives the length of a row.

    Args:
        name: of it. cell: the type of an element.
    """
    head = f"{name}({_ROW.format(cell)})"
    root = {"float": "sqrtf"}.get(cell, "sqrt")
    c = _NORM % {"name": name, "cell": cell, "head": head, "sqrt": root}
    declared = f"lx_slot {name}_slot", f"{cell} {head} except? -1 nogil"
    return Helper(c, declared, ("lx_slot", "lx_forwards"), raises=True)
