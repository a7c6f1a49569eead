"""NumPy's reductions of what is a number in a row: NaN counts for nothing.

As NumPy does it: a copy of the row has 0 in the place of NaN, which its own loop adds,
or 1, where it multiplies.
"""

from __future__ import annotations

from looptx.emit.cython.functions.reductions.looping import by_loop, is_few
from looptx.lower.tree import Intrinsic
from looptx.model.dtypes import DTYPES

_SUM = """\
    volatile %(cell)s start = %(start)s;
    %(cell)s near[64], *kept = near, r = start;
    if (n > 64) kept = (%(cell)s *)malloc(n * sizeof(%(cell)s));
    if (!kept) return lx_memory();
    Py_ssize_t count = 0;
    for (Py_ssize_t k = 0; k < n; k++) {
        %(cell)s x = a[at + k * step];
        kept[k] = x == x ? x : %(start)s;
        count += x == x;
    }
    char *p[] = { (char *)&r, (char *)kept, (char *)&r };
    Py_ssize_t s[] = { 0, sizeof *kept, 0 };
%(add)s"""

_SQUARES = """
    %(cell)s middle = (%(cell)s)((double)r / (double)count);
    for (Py_ssize_t k = 0; k < n; k++) {
        %(cell)s x = a[at + k * step], d = x == x ? x - middle : 0;
        kept[k] = d * d;
    }
    r = start;
%(add)s"""

_END = """
    if (kept != near) free(kept);
    %(none)s
    return %(last)s;"""


def of_present(name: str, one: Intrinsic, few: str) -> str:
    """The lines of C that compute the reduction of a row.

    Args:
        name: of the function. one: what it computes.
        few: the function that adds few numbers, if there is one.
    """
    row = DTYPES[one.dtype]
    cell, operation = row.in_memory.c, one.operation
    none = f'return lx_of_none("{operation}", "{row.name}");'
    if operation in ("nanmin", "nanmax"):
        nan = f'lx_of_nan("{operation}", "{row.name}")'
        last = f"if (r != r && {nan}) return -1;\n    return r;"
        body = by_loop(name, cell, "a[at]", "at + step", "n - 1", last)
        return f"    if (n == 0) {none}\n{body}"
    add = f"    if (n > 0) {name}_slot.loop(p, &n, s, {name}_slot.data);"
    if few:
        add = (
            f"    if ({is_few(name, 'n')}) r = {few}(r, kept, n, 1);\n    else{add[3:]}"
        )
    text, last = _SUM + _END, "r"
    if operation not in ("nansum", "nanprod"):
        last = f"({cell})((double)r / (double)count)"
    if operation in ("nanvar", "nanstd"):
        text = _SUM + _SQUARES + _END
        last = last.replace("count", "(count - less)")
    if operation == "nanstd":
        last = f"{'sqrtf' if cell == 'float' else 'sqrt'}({last})"
    least = {"nansum": "", "nanprod": "", "nanmean": f"if (!count) {none}"}
    named = {"cell": cell, "add": add, "last": last}
    named["start"] = "1" if operation == "nanprod" else "0"
    named["none"] = least.get(operation, f"if (count <= less) {none}")
    return text % named
