"""How many elements in a row NumPy's loop reduces at a time.

All of them, from NumPy 2.3 on; older ones take as many as their buffer holds, though
they copy none. Sums of floats hang on that: when a module is loaded, one tells.
"""

from __future__ import annotations

from looptx.emit.cython.helpers import Helper

_WHOLE = """\
static Py_ssize_t lx_at_once = PY_SSIZE_T_MAX;
/* Without a first result the first element, which is left out, is that. */
static inline void lx_reduced(const lx_slot *slot, char **p, Py_ssize_t n,
                              const Py_ssize_t *s, Py_ssize_t less) {
    for (Py_ssize_t m; n > 0; n -= m, p[1] += m * s[1], less = 0) {
        m = n < lx_at_once - less ? n : lx_at_once - less;
        slot->loop(p, &m, s, slot->data);
    }
}
static int lx_try_whole(PyObject *numpy) {
    static const char text[] =
        "lambda np: (lambda a: (a.put([0, 5000, 8500], [1, 1e16, -1e16]),"
        "np.add.reduce(a))[1])(np.zeros(9000))";
    PyObject *names = PyDict_New(), *call = NULL, *sum = NULL;
    if (names) call = PyRun_String(text, Py_eval_input, names, names);
    if (call) sum = PyObject_CallOneArg(call, numpy);
    /* In one go the two large ones meet first. */
    if (sum) lx_at_once = PyFloat_AsDouble(sum) == 1 ? PY_SSIZE_T_MAX : 8192;
    Py_XDECREF(sum); Py_XDECREF(call); Py_XDECREF(names);
    return PyErr_Occurred() ? -1 : 0;
}"""

HELPERS = {
    "lx_reduced": Helper(
        _WHOLE, ("int lx_try_whole(object numpy) except -1",), ("lx_slot",)
    )
}
