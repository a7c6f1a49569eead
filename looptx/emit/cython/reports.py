"""How NumPy is to report floating-point errors: native code only knows how not to.

``np.errstate`` sets a context variable. What it holds is looked at once: as long as it
holds the same object a call costs one look at the variable. The name is NumPy's own; a
NumPy without it is asked each time.
"""

from __future__ import annotations

NAME = "lx_reports"
"""The function that is true where an error is to be raised, called with or logged."""

REASON = "np.errstate asks to raise, call or log floating-point errors"

TEXT = """
from cpython.contextvars cimport get_value as lx_get_value

cdef object lx_state, lx_warning = None
lx_state = getattr(lx_numpy, "_core", lx_numpy).umath
lx_state = getattr(lx_state, "_extobj_contextvar", None)

cdef bint lx_reports():
    global lx_warning
    cdef object state = None if lx_state is None else lx_get_value(lx_state)
    if state is not None and state is lx_warning:
        return False
    for way in lx_numpy.geterr().values():
        if way in ("raise", "call", "log"):
            return True
    lx_warning = state
    return False
"""
"""Cython, for a module that makes the call."""
