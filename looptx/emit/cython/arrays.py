"""NumPy's arrays, its numbers and Python's in C, for the entry of a nest.

NumPy's own header says where an array has its cells, and of what type; a memoryview of
Cython's would be seen through Python's buffers, with a thousand lines of C for each
type. It says where a number is, too: NumPy's types make an array first when they are
called, and its integers one of Python when they are converted. Whoever calls the entry
holds its arguments, and with them their memory.
"""

from __future__ import annotations

from looptx.emit.cython.helpers import Helper
from looptx.lower.limits import AXES
from looptx.model.dtypes import DTYPES, FLOATS, INTEGERS, ROWS, Dtype

LAYOUTS = {
    "C": ("NPY_ARRAY_C_CONTIGUOUS",),
    "F": ("NPY_ARRAY_F_CONTIGUOUS",),
    "A": (),
}
"""NumPy's flags that say how an array lies, by its layout."""

WRITTEN = "NPY_ARRAY_WRITEABLE"
"""NumPy's flag of an array that may be written."""


def type_number(row: Dtype) -> str:
    """What NumPy calls the type in C."""
    return f"NPY_{row.name.upper()}"


UNTAKEN = "lx_untaken"
"""The function that gives NotImplemented: as a name of Python it would be looked up."""

_ARRAY = f"#define LX_AXES {AXES}\n"
_ARRAY += """\
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/ndarraytypes.h>
typedef struct { void *data; Py_ssize_t shape[LX_AXES], strides[LX_AXES]; } lx_array;
static void *lx_ndarray;
static int lx_start(void) {
    PyObject *numpy = PyImport_ImportModule("numpy");
    lx_ndarray = numpy ? PyObject_GetAttrString(numpy, "ndarray") : NULL;
    Py_XDECREF(numpy);
    return lx_ndarray ? 0 : -1;
}
static void lx_see(lx_array *to, PyObject *object) {
    PyArrayObject *array = (PyArrayObject *)object;
    to->data = PyArray_DATA(array);
    for (int k = 0; k < PyArray_NDIM(array); k++) {
        to->shape[k] = PyArray_DIMS(array)[k];
        to->strides[k] = PyArray_STRIDES(array)[k];
    }
}
static int lx_take(lx_array *to, PyObject *object, int ndim, int type, int flags) {
    PyArrayObject *array = (PyArrayObject *)object;
    if ((void *)Py_TYPE(object) != lx_ndarray || PyArray_NDIM(array) != ndim
        || PyArray_DESCR(array)->type_num != type
        || PyArray_DESCR(array)->byteorder == NPY_OPPBYTE
        || (PyArray_FLAGS(array) & flags) != flags) return 0;
    lx_see(to, object);
    return 1;
}"""


MADE = "lx_make"
"""The function that makes an array, of which the shape is known."""

_MAKE = """\
static void **lx_numpy_api;
static PyObject *lx_make(lx_array *to, int ndim, int type) {
    /* PyArray_New, by its number in the table that NumPy gives to modules. */
    typedef PyObject *lx_new(PyTypeObject *, int, const npy_intp *, int,
                             const npy_intp *, void *, int, int, PyObject *);
    if (!lx_numpy_api) {
        PyObject *core = PyImport_ImportModule("numpy._core._multiarray_umath");
        PyObject *api = core ? PyObject_GetAttrString(core, "_ARRAY_API") : NULL;
        Py_XDECREF(core);
        if (api) lx_numpy_api = (void **)PyCapsule_GetPointer(api, NULL);
        Py_XDECREF(api);
        if (!lx_numpy_api) return NULL;
    }
    PyObject *made = ((lx_new *)lx_numpy_api[93])(
        (PyTypeObject *)lx_ndarray, ndim, to->shape, type, NULL, NULL, 0, 0, NULL);
    if (made) lx_see(to, made);
    return made;
}"""


def _conversion(name: str, kind: str, value: str) -> Helper:
    """A function that converts a number of Python's, if it can."""
    c = (
        f"static int {name}(PyObject *object, {kind} *to) {{\n"
        f"    *to = {value};\n"
        "    if (*to != -1 || !PyErr_Occurred()) return 1;\n"
        "    PyErr_Clear();\n"
        "    return 0;\n"
        "}"
    )
    return Helper(c, (f"bint {name}(object number, {kind} *to) noexcept",))


_LAID = (*INTEGERS, *(name for name in FLOATS if not DTYPES[name].stored))
"""The types whose objects hold a value as C has it."""

_WORDS = ("Py_ssize_t", "int64_t")
"""The C types that hold all integers but the large ones without signs."""

_VALUE = """\
#include <numpy/arrayscalars.h>
static %(c)s lx_value_%(short)s(PyObject *held) {
    return ((Py%(name)sScalarObject *)held)->obval;
}
static PyObject *lx_made_%(short)s(PyObject *of, %(c)s value) {
    PyTypeObject *type = (PyTypeObject *)of;
    PyObject *made = type->tp_alloc(type, 0);
    if (made) ((Py%(name)sScalarObject *)made)->obval = value;
    return made;
}"""


def scalar_type(dtype: str) -> str:
    """The variable that holds NumPy's type of one value."""
    return f"lx_type_{DTYPES[dtype].short}"


def reader(dtype: str, c: str) -> str:
    """The function that reads a value of NumPy's type; empty where it is converted.

    Args:
        dtype: the type. c: the type of C that it becomes.
    """
    row = DTYPES[dtype]
    fits = c == row.c or (row.is_integer and dtype != "uint64" and c in _WORDS)
    return f"lx_value_{row.short}" if dtype in _LAID and fits else ""


def maker(dtype: str) -> str:
    """The function that makes a value of NumPy's type; empty where it is called."""
    return f"lx_made_{DTYPES[dtype].short}" if dtype in _LAID else ""


TYPES = {scalar_type(row.name): row.scalar for row in ROWS}
"""The variables of NumPy's types, and what these are called."""


def _scalars() -> dict[str, Helper]:
    found = {name: Helper("") for name in TYPES}
    for row in (DTYPES[name] for name in _LAID):
        value, made = f"lx_value_{row.short}", f"lx_made_{row.short}"
        name = row.name.replace("int", "Int").replace("float", "Float")
        name = name.replace("uInt", "UInt")
        c = _VALUE % {"c": row.c, "short": row.short, "name": name}
        declared = (
            f"{row.c} {value}(object held) noexcept",
            f"object {made}(object of, {row.c} value)",
        )
        found[value] = Helper(c, declared, ("lx_array",))
        found[made] = Helper("", (), (value,))
    return found


_CONSTANTS = (
    *(type_number(row) for row in ROWS),
    *(flag for flags in LAYOUTS.values() for flag in flags),
    WRITTEN,
)

ARRAYS = {
    "lx_array": Helper(
        _ARRAY,
        (
            "ctypedef struct lx_array:\n    void *data\n"
            f"    Py_ssize_t shape[{AXES}]\n    Py_ssize_t strides[{AXES}]",
            "int lx_start() except -1",
            "void lx_see(lx_array *to, object array) noexcept",
            "bint lx_take(lx_array *to, object array, int ndim, int type, int flags)"
            " noexcept",
        ),
    ),
    "lx_take": Helper("", (), ("lx_array",)),
    MADE: Helper(
        _MAKE,
        (f"object {MADE}(lx_array *to, int ndim, int type)",),
        ("lx_array",),
    ),
    **{name: Helper("", (f"int {name}",), ("lx_array",)) for name in _CONSTANTS},
    UNTAKEN: Helper(
        f"static PyObject *{UNTAKEN}(void) {{ return Py_NewRef(Py_NotImplemented); }}",
        (f"object {UNTAKEN}()",),
    ),
    **_scalars(),
    "lx_size": _conversion(
        "lx_size", "Py_ssize_t", "PyNumber_AsSsize_t(object, PyExc_OverflowError)"
    ),
    "lx_integer": _conversion("lx_integer", "int64_t", "PyLong_AsLongLong(object)"),
    "lx_double": _conversion("lx_double", "double", "PyFloat_AsDouble(object)"),
}
"""The helpers by which the entry takes its arguments."""

CONVERSIONS = {
    "Py_ssize_t": "lx_size",
    "int64_t": "lx_integer",
    "double": "lx_double",
}
"""The functions that convert a number of Python's to a type of C, if they can."""

START = "lx_start()"
"""Cython that a module with arrays begins with."""

NUMPY = "lx_numpy"
"""The name of NumPy, for what is not done in C."""
