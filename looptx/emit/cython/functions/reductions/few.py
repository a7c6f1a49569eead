"""Sums of few floats in C: NumPy adds fewer than eight one after the other.

Asking NumPy's loop costs more than these sums. When a module is loaded the loop shows,
for sums that hang on the order, that it has this one; otherwise it is asked.
"""

from __future__ import annotations

from looptx.emit.cython.helpers import Helper
from looptx.model.dtypes import DTYPES

FEW = 8
"""So many NumPy's loop adds in another order."""

_FEW = """\
static inline %(cell)s %(name)s(%(cell)s r, const %(cell)s *a, Py_ssize_t n,
                                Py_ssize_t step) {
    %(cell)s few = *a;
    for (Py_ssize_t k = 1; k < n; k++) few += a[k * step];
    return r + few;
}
static void %(name)s_try(lx_slot *slot) {
    static const %(cell)s samples[] = {
        1, 0.1, -0.3, 1e17, 0.7, -1e17, 1e-5, 0.6, 1e5, -0.9, 0.2, 1, 1e-9, 3
    };
    for (Py_ssize_t step = 1; step < 3; step++)
        for (Py_ssize_t n = 1; n < %(few)d; n++) {
            %(cell)s r = 0, own;
            char *p[] = { (char *)&r, (char *)samples, (char *)&r };
            Py_ssize_t s[] = { 0, step * (Py_ssize_t)sizeof r, 0 };
            slot->loop(p, &n, s, slot->data);
            own = %(name)s(0, samples, n, step);
            slot->apart |= memcmp(&r, &own, sizeof r) != 0;
        }
}"""

_TYPES = ("float32", "float64")


def few(dtype: str) -> str:
    """The name of the function that adds few floats of a type; empty without one.

    Args:
        dtype: the type.
    """
    return f"lx_few_{DTYPES[dtype].short}" if dtype in _TYPES else ""


def _helper(dtype: str) -> Helper:
    name, cell = few(dtype), DTYPES[dtype].c
    declared = (f"void {name}_try(lx_slot *slot) noexcept",)
    return Helper(
        _FEW % {"name": name, "cell": cell, "few": FEW}, declared, ("lx_slot",)
    )


HELPERS = {few(dtype): _helper(dtype) for dtype in _TYPES}
