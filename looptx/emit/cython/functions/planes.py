"""NumPy's loops of matrices and of rows, in C: as NumPy calls them for whole arrays."""

from __future__ import annotations

from looptx.emit.cython.arrays import type_number
from looptx.emit.cython.helpers import Helper
from looptx.lower.bindings.planes import PLANES
from looptx.lower.tree import Intrinsic
from looptx.model.dtypes import DTYPES

HELPERS: dict[str, Helper] = {}

_GIVEN = {
    "matmul": "{t} *{x}, Py_ssize_t {x}at, Py_ssize_t {x}m, Py_ssize_t {x}r,"
    " Py_ssize_t {x}n, Py_ssize_t {x}c",
    "": "{t} *{x}, Py_ssize_t {x}at, Py_ssize_t {x}n, Py_ssize_t {x}c",
}

_MATRICES = """\
static lx_slot %(name)s_slot;
static inline int %(head)s {
    const Py_ssize_t size = sizeof *a;
    if (an != bm) return (int)lx_unaligned(0, an, bm);
    char *o[] = { (char *)(a + aat), (char *)(b + bat), (char *)(o_ + o_at) };
    Py_ssize_t d[] = { 1, am, an, bn };
    /* As NumPy does, so that an axis of one position has no step. */
    Py_ssize_t s[] = { 0, 0, 0,
        am == 1 ? 0 : ar * size, an == 1 ? 0 : ac * size,
        bm == 1 ? 0 : br * size, bn == 1 ? 0 : bc * size,
        am == 1 ? 0 : o_r * size, bn == 1 ? 0 : o_c * size };
    %(name)s_slot.loop(o, d, s, %(name)s_slot.data);
    return 0;
}"""

_ROWS = """\
static lx_slot %(name)s_slot;
static inline void %(head)s {
    const Py_ssize_t size = sizeof *a;
    char *o[] = { (char *)(a + aat), (char *)(b + bat), (char *)(o_ + o_at) };
    Py_ssize_t s[] = { an == 1 ? 0 : ac * size, bn == 1 ? 0 : bc * size, o_c * size };
    if (o_n > 0) %(name)s_slot.loop(o, &o_n, s, %(name)s_slot.data);
}"""


def loop(one: Intrinsic) -> str:
    """The function of NumPy whose loop is called; empty if it is none of these."""
    return one.operation if one.rules == PLANES else ""


def helper(name: str, one: Intrinsic) -> Helper:
    """A function that calls the loop of one type.

    Args:
        name: of it. one: what it computes.
    """
    matrices = one.operation == "matmul"
    cell = DTYPES[one.dtype].in_memory.c
    given = _GIVEN[one.operation if matrices else ""]
    parts = [given.format(t=f"const {cell}", x=x) for x in "ab"]
    head = f"{name}({', '.join([*parts, given.format(t=cell, x='o_')])})"
    shown = head.replace("_Complex", "complex")
    words = {"name": name, "head": head.replace("complex", "_Complex")}
    kind, fails = ("int", "except -1") if matrices else ("void", "noexcept")
    needs = ["lx_slot", type_number(DTYPES[one.dtype])]
    needs += ["lx_unaligned"] if matrices else []
    declared = f"lx_slot {name}_slot", f"{kind} {shown} {fails} nogil"
    text = _MATRICES if matrices else _ROWS
    return Helper(text % words, declared, (*needs,), raises=matrices)
