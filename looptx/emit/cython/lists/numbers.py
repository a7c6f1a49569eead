"""C that makes arrays of the numbers in lists and tuples, and puts them back."""

from __future__ import annotations

from looptx.emit.cython.arrays import MADE
from looptx.emit.cython.helpers import Helper, quickly
from looptx.model.types import HELD

TAKE, APART, COPY, BACK, TAGS = (
    "lx_list_take",
    "lx_list_apart",
    "lx_list_copy",
    "lx_list_give",
    "lx_list_tags",
)
"""The functions that make an array of numbers, see that no list is another one, keep
what an array has, put what it has by then back, and tell the types of all numbers."""

_TAKE = f"""\
static int lx_list_kind(PyObject *one) {{
    return PyFloat_CheckExact(one) ? 2 : PyLong_CheckExact(one) ? 1
        : PyBool_Check(one) ? 0 : 3;
}}
static int lx_list_number(PyObject *one, char *to, int cell, int types) {{
    int kind = lx_list_kind(one), far;
    int64_t whole;
    if (!(types >> kind & 1)) return 0;
    if (kind == 2) {{
        *(double *)to = PyFloat_AS_DOUBLE(one);
        return 1;
    }}
    whole = kind ? PyLong_AsLongLongAndOverflow(one, &far) : one == Py_True;
    if (kind && (far || whole > {HELD} || whole < -{HELD})) return 0;
    if (cell == NPY_FLOAT64) *(double *)to = (double)whole;
    else if (cell == NPY_BOOL) *to = (char)whole;
    else *(int64_t *)to = whole;
    return 1;
}}
static int lx_list_holds(PyObject *held, int tuple) {{
    return tuple ? PyTuple_CheckExact(held) : PyList_CheckExact(held);
}}
static char *lx_list_collect(PyObject *held, lx_array *to, char *next, int axis,
                             int ndim, int cell, int types, int tuples) {{
    if (!lx_list_holds(held, tuples >> axis & 1)) return NULL;
    if (PySequence_Fast_GET_SIZE(held) != to->shape[axis]) return NULL;
    PyObject **items = PySequence_Fast_ITEMS(held);
    for (Py_ssize_t k = 0; next && k < to->shape[axis]; k++) {{
        if (axis + 1 < ndim)
            next = lx_list_collect(
                items[k], to, next, axis + 1, ndim, cell, types, tuples);
        else if (lx_list_number(items[k], next, cell, types))
            next += to->strides[axis];
        else
            return NULL;
    }}
    return next;
}}
static PyObject *lx_list_take(lx_array *to, PyObject *held, int ndim, int cell,
                              int types, int tuples) {{
    PyObject *inner = held;
    for (int axis = 0; axis < ndim; axis++) {{
        if (!inner || !lx_list_holds(inner, tuples >> axis & 1)) Py_RETURN_NONE;
        to->shape[axis] = PySequence_Fast_GET_SIZE(inner);
        inner = to->shape[axis] ? PySequence_Fast_ITEMS(inner)[0] : NULL;
    }}
    PyObject *made = lx_make(to, ndim, cell);
    char *first = made ? (char *)to->data : NULL;
    if (made && lx_list_collect(held, to, first, 0, ndim, cell, types, tuples))
        return made;
    Py_XDECREF(made);
    PyErr_Clear();
    Py_RETURN_NONE;
}}"""

_APART = """\
static int lx_list_alone(PyObject *held, int ndim, PyObject *seen, int written) {
    if (ndim > 1) {
        for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(held); k++) {
            PyObject *row = PySequence_Fast_ITEMS(held)[k];
            if (!lx_list_alone(row, ndim - 1, seen, written)) return 0;
        }
        return 1;
    }
    PyObject *place = PyLong_FromVoidPtr(held);
    int good = place && !PySet_Contains(seen, place);
    if (good && written) good = !PySet_Add(seen, place);
    Py_XDECREF(place);
    return good;
}
static int lx_list_apart(PyObject *lists, PyObject *axes, int written) {
    PyObject *seen = PySet_New(NULL);
    int good = seen != NULL;
    for (Py_ssize_t k = 0; good && k < PyTuple_GET_SIZE(lists); k++) {
        int ndim = (int)PyLong_AsLong(PyTuple_GET_ITEM(axes, k));
        good = lx_list_alone(PyTuple_GET_ITEM(lists, k), ndim, seen, k < written);
    }
    Py_XDECREF(seen);
    PyErr_Clear();
    return good;
}"""
"""Those that are written are the first ones."""

_BACK = """\
static PyObject *lx_list_member(const char *from, int cell, int real, PyObject *type) {
    PyObject *made;
    double value = cell == NPY_FLOAT64 ? *(double *)from : 0;
    int64_t whole = cell == NPY_FLOAT64 ? (int64_t)(real == 2 ? 0 : value)
        : cell == NPY_BOOL ? *from != 0 : *(int64_t *)from;
    made = real == 2 ? PyFloat_FromDouble(value)
        : real == 1 ? PyLong_FromLongLong(whole) : PyBool_FromLong(whole != 0);
    if (made && type != Py_None) {
        PyObject *numpy = PyObject_CallOneArg(type, made);
        Py_DECREF(made);
        made = numpy;
    }
    return made;
}
typedef struct {
    lx_array *cells, *tags;
    const char *cells_before, *tags_before;
    int ndim, cell;
    PyObject *types;
    Py_ssize_t next;
} lx_list_stored;
static PyObject *lx_list_copy(lx_array *of, int ndim) {
    Py_ssize_t size = of->strides[ndim - 1];
    for (int axis = 0; axis < ndim; axis++) size *= of->shape[axis];
    return PyBytes_FromStringAndSize((char *)of->data, size);
}
static int lx_list_put(PyObject *held, lx_list_stored *all, int axis) {
    int last = axis + 1 == all->ndim;
    if (!PyList_CheckExact(held) && (last || !PyTuple_CheckExact(held))) return 0;
    for (Py_ssize_t k = 0; k < all->cells->shape[axis]; k++) {
        if (k >= PySequence_Fast_GET_SIZE(held)) return 0;
        if (!last) {
            PyObject *row = Py_NewRef(PySequence_Fast_ITEMS(held)[k]);
            int wrong = lx_list_put(row, all, axis + 1);
            Py_DECREF(row);
            if (wrong) return wrong;
            continue;
        }
        Py_ssize_t at = all->next++, size = all->cells->strides[axis];
        const char *from = (char *)all->cells->data + at * size;
        const int *tag = all->tags ? (int *)all->tags->data + at : NULL;
        if (!memcmp(from, all->cells_before + at * size, size)
            && (!tag || !memcmp(tag, all->tags_before + at * sizeof *tag, sizeof *tag)))
            continue;
        PyObject *type = PyTuple_GET_ITEM(all->types, 0);
        for (Py_ssize_t t = 1; tag && t < PyTuple_GET_SIZE(all->types); t++) {
            PyObject *other = PyTuple_GET_ITEM(all->types, t);
            if (PyLong_AsLong(PyTuple_GET_ITEM(other, 0)) == *tag) type = other;
        }
        int real = (int)PyLong_AsLong(PyTuple_GET_ITEM(type, 1));
        PyObject *numpy = PyTuple_GET_ITEM(type, 2);
        PyObject *made = lx_list_member(from, all->cell, real, numpy);
        if (!made || PyList_SetItem(held, k, made)) return -1;
    }
    return 0;
}
static int lx_list_give(PyObject *held, lx_array *cells, PyObject *cells_before,
                        lx_array *tags, PyObject *tags_before, int ndim, int cell,
                        PyObject *types) {
    lx_list_stored all = {
        cells, tags, PyBytes_AS_STRING(cells_before),
        tags ? PyBytes_AS_STRING(tags_before) : NULL, ndim, cell, types, 0};
    return lx_list_put(held, &all, 0);
}"""
"""Only what the nest has changed is put back: other threads may have stored the rest. A
list of which the function has other lists by now is left as it is from there."""

_TAGS = """\
static int *lx_list_tell(PyObject *held, int *next, int ndim, const int *codes) {
    for (Py_ssize_t k = 0; next && k < PySequence_Fast_GET_SIZE(held); k++) {
        PyObject *one = PySequence_Fast_ITEMS(held)[k];
        if (ndim > 1) next = lx_list_tell(one, next, ndim - 1, codes);
        else *next++ = codes[lx_list_kind(one)];
    }
    return next;
}
static void lx_list_tags(lx_array *to, PyObject *held, int ndim, int truth, int whole,
                         int real) {
    int codes[] = {truth, whole, real, 0};
    lx_list_tell(held, (int *)to->data, ndim, codes);
}"""

HELPERS = {
    TAKE: Helper(
        _TAKE,
        (
            f"object {TAKE}(lx_array *to, object held, int ndim, int cell, int types,"
            " int tuples)",
        ),
        (MADE, "NPY_FLOAT64", "NPY_BOOL"),
    ),
    APART: Helper(
        quickly(_APART),
        (f"bint {APART}(object lists, object axes, int written) noexcept",),
    ),
    BACK: Helper(
        quickly(_BACK),
        (
            f"object {COPY}(lx_array *of, int ndim)",
            f"int {BACK}(object held, lx_array *cells, object cells_before,"
            " lx_array *tags, object tags_before, int ndim, int cell, object types)"
            " except -1",
        ),
        ("lx_array", "NPY_FLOAT64", "NPY_BOOL"),
    ),
    COPY: Helper("", (), (BACK,)),
    TAGS: Helper(
        quickly(_TAGS),
        (
            f"void {TAGS}(lx_array *to, object held, int ndim, int truth, int whole,"
            " int real) noexcept",
        ),
        (TAKE,),
    ),
}
