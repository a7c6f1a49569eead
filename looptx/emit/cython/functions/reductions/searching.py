"""Where a number would stand in a row, as NumPy finds it, in C."""

from __future__ import annotations

from looptx.emit.cython.arrays import NUMPY
from looptx.emit.cython.helpers import Helper, in_c
from looptx.lower.tree import Intrinsic
from looptx.model.dtypes import DTYPES, ROWS

FIXED = "lx_fixed"
"""The variable that says whether NumPy halves what is left wherever the number is, as
from 2.5 on: that matters in rows that are not sorted."""

START = f"{FIXED} = {NUMPY}.searchsorted((0, 0, 0, 9, 0), 1) == 3"
"""Cython that a module which searches begins with: 5 is found by others."""

HELPERS = {FIXED: Helper(f"static int {FIXED};", (f"int {FIXED}",))}

_BY_HALVES = """\
static inline int64_t %(head)s {
    Py_ssize_t low = 0, high = n;
    while (lx_fixed && n > 0) {
        Py_ssize_t half = n > 1 ? n >> 1 : 1, mid = n > 1 ? low + half : low;
        %(type)s x = (%(type)s)a[at + mid * step];
        if (%(test)s) low += half;
        n -= half;
        high = low;
    }
    while (low < high) {
        Py_ssize_t mid = low + ((high - low) >> 1);
        %(type)s x = (%(type)s)a[at + mid * step];
        if (%(test)s) low = mid + 1;
        else high = mid;
    }
    return low;
}"""


def helper(name: str, one: Intrinsic) -> Helper:
    """The function that finds the place, as NumPy does in rows of any order.

    NaN stands behind all other numbers.

    Args:
        name: of it. one: the side and the short name of the type in which it compares;
            its own type is that of the elements.
    """
    side, _, short = one.operation.partition("_")
    common = next(row for row in ROWS if row.short == short)
    first, second = ("x", "key") if side == "left" else ("key", "x")
    less = f"{first} < {second}"
    if common.is_inexact:
        less = f"{less} || ({second} != {second} && {first} == {first})"
    cell = DTYPES[one.dtype].in_memory.c
    row = f"const {cell} *a, Py_ssize_t at, Py_ssize_t n, Py_ssize_t step"
    words = {
        "head": f"{name}({row}, {common.c} key)",
        "type": common.c,
        "test": less if side == "left" else f"!({less})",
    }
    declared = f"int64_t {words['head']} noexcept nogil"
    return Helper(in_c(_BY_HALVES % words), (declared,), (FIXED,))
