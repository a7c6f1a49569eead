"""How NumPy is to compute: native code only knows how it does unless it is told.

``np.errstate`` says how floating-point errors are reported, ``np.setbufsize`` how many
elements are copied at a time, which counts for the order of sums. Both set a context
variable. What it holds is looked at once: as long as it holds the same object a call
costs one look at the variable. The name is NumPy's own; a NumPy without it is asked
each time.
"""

from __future__ import annotations

from looptx.emit.cython.functions.reductions.parts import BUFFER
from looptx.emit.cython.helpers import Helper

NAME = "lx_reports"
"""The function that is true where something else is asked of NumPy."""

REASON = (
    "np.errstate asks to raise, call or log floating-point errors,"
    " or np.setbufsize for another order of sums"
)

_C = """\
static __attribute__((cold, noinline)) PyObject *lx_ask(const char *text) {
    PyObject *names = PyDict_New(), *found;
    found = names ? PyRun_String(text, Py_eval_input, names, names) : NULL;
    Py_XDECREF(names);
    PyErr_Clear();
    return found;
}
static __attribute__((cold, noinline)) int lx_asked(void) {
    PyObject *quiet = lx_ask("(lambda n: n.getbufsize() == BUFFER and {'raise', 'call',"
                             " 'log'}.isdisjoint(n.geterr().values()))("
                             "__import__('numpy'))");
    Py_XDECREF(quiet);
    return quiet != Py_True;
}
static int lx_reports(void) {
    static PyObject *variable, *seen;
    PyObject *state = NULL;
    if (!variable) variable = lx_ask(
        "(lambda n: getattr(getattr(n, '_core', n).umath, '_extobj_contextvar', None))("
        "__import__('numpy'))");
    if (variable && PyContextVar_CheckExact(variable)
        && PyContextVar_Get(variable, NULL, &state) < 0) PyErr_Clear();
    int asked = (!state || state != seen) && lx_asked();
    if (!asked && state && state != seen) {
        /* Held, so that no other object comes to lie where it does. */
        Py_XDECREF(seen);
        seen = Py_NewRef(state);
    }
    Py_XDECREF(state);
    return asked;
}"""

_TEXT = _C.replace("BUFFER", str(BUFFER))

HELPERS = {NAME: Helper(_TEXT, (f"bint {NAME}() noexcept",))}
