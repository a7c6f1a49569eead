"""How NumPy is to report floating-point errors: native code only knows how not to.

``np.errstate`` sets a context variable. What it holds is looked at once: as long as it
holds the same object a call costs one look at the variable. The name is NumPy's own; a
NumPy without it is asked each time.
"""

from __future__ import annotations

from looptx.emit.cython.helpers import Helper

NAME = "lx_reports"
"""The function that is true where an error is to be raised, called with or logged."""

REASON = "np.errstate asks to raise, call or log floating-point errors"

_C = """\
static __attribute__((cold, noinline)) PyObject *lx_ask(const char *text) {
    PyObject *names = PyDict_New(), *found;
    found = names ? PyRun_String(text, Py_eval_input, names, names) : NULL;
    Py_XDECREF(names);
    PyErr_Clear();
    return found;
}
static __attribute__((cold, noinline)) int lx_asked(void) {
    PyObject *quiet = lx_ask("{'raise', 'call', 'log'}.isdisjoint("
                             "__import__('numpy').geterr().values())");
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

HELPERS = {NAME: Helper(_C, (f"bint {NAME}() noexcept",))}
