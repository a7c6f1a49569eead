"""Where the least and the greatest elements are, in C."""

from __future__ import annotations

from looptx.model.dtypes import Dtype

_NEAR_INTEGERS = """\
    const %(cell)s *x = a + at;
    if (step == 1 && n >= 32) {
        %(cell)s most = *x;
        Py_ssize_t k = 0;
        for (Py_ssize_t j = 0; j < n; j++) most = x[j] %(sign)s most ? x[j] : most;
        for (int found = 0; k + 32 <= n; k += 32) {
            for (int j = 0; j < 32; j++) found |= x[k + j] == most;
            if (found) break;
        }
        while (x[k] != most) k++;
        return k;
    }
"""

_NEAR_FLOATS = """\
    const %(cell)s *x = a + at;
    if (step == 1 && n >= 32) {
        %(cell)s lanes[16], most;
        Py_ssize_t k = 0;
        int odd = 0;
        for (int j = 0; j < 16; j++) lanes[j] = x[j];
        for (; k + 16 <= n; k += 16) {
            for (int j = 0; j < 16; j++)
                lanes[j] = x[k + j] %(sign)s lanes[j] ? x[k + j] : lanes[j];
            for (int j = 0; j < 16; j++) odd |= x[k + j] != x[k + j];
        }
        most = lanes[0];
        for (int j = 1; j < 16; j++) most = lanes[j] %(sign)s most ? lanes[j] : most;
        for (; k < n; k++) {
            most = x[k] %(sign)s most ? x[k] : most;
            odd |= x[k] != x[k];
        }
        k = 0;
        for (int found = 0; k + 16 <= n; k += 16) {
            for (int j = 0; j < 16; j++)
                found |= odd ? x[k + j] != x[k + j] : x[k + j] == most;
            if (found) break;
        }
        while (odd ? x[k] == x[k] : x[k] != most) k++;
        return k;
    }
"""

_APART = """\
    %(cell)s best = *x;
    Py_ssize_t r = 0;
    for (Py_ssize_t k = 0; k < n; k++) {
        %(odd)s
        if (x[k * step] %(sign)s best) best = x[k * step], r = k;
    }
    return r;"""


def place(operation: str, row: Dtype) -> str:
    """The first place of an extreme, or of what is no number.

    Where elements are neighbours, the extreme is found first, with vectors.

    Args:
        operation: which extreme. row: the type of the elements.
    """
    sign = "<" if operation == "argmin" else ">"
    words = {"cell": row.in_memory.c, "sign": sign}
    odd = "if (x[k * step] != x[k * step]) return k;" if row.is_inexact else ""
    near = _NEAR_FLOATS if row.is_inexact else _NEAR_INTEGERS
    return near % words + _APART % {**words, "odd": odd}
