"""Of what type a count of NumPy's is, which another version may say otherwise."""

from __future__ import annotations

from looptx.emit.cython.functions.unlike import loop as tried
from looptx.emit.cython.helpers import Helper
from looptx.lower.tree import Intrinsic
from looptx.lower.values.reducing import COUNTED

_TRIED = """\
static lx_slot %(name)s_slot;
static int %(name)s(void) { return %(name)s_slot.apart; }
static int %(name)s_try(PyObject *numpy) {
    static const char text[] =
        "lambda np: type(np.%(function)s(np.ones(3))) is not np.int64";
    PyObject *names = PyDict_New(), *call = NULL, *other = NULL;
    if (names) call = PyRun_String(text, Py_eval_input, names, names);
    if (call) other = PyObject_CallOneArg(call, numpy);
    %(name)s_slot.apart = other == Py_True;
    Py_XDECREF(other); Py_XDECREF(call); Py_XDECREF(names);
    return PyErr_Occurred() ? -1 : 0;
}"""


def is_tried(one: Intrinsic) -> bool:
    """Whether it tells if NumPy counts in numbers of another type."""
    return tried(one) == COUNTED


def attempt(name: str) -> Helper:
    """What tells that, tried when the module is loaded.

    Args:
        name: of it.
    """
    declared = (
        f"lx_slot {name}_slot",
        f"bint {name}() noexcept nogil",
        f"int {name}_try(object numpy) except -1",
    )
    text = _TRIED % {"name": name, "function": COUNTED}
    return Helper(text, declared, ("lx_slot",))
