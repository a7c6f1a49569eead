"""NumPy's loops of matrices and of rows, in C: as NumPy calls them for whole arrays."""

from __future__ import annotations

from looptx.emit.cython.arrays import type_number
from looptx.emit.cython.helpers import Helper
from looptx.lower.tree import Intrinsic
from looptx.lower.values.arrays.rows import PLANES
from looptx.model.dtypes import DTYPES, Dtype
from looptx.model.functions.complexes import OF_COMPLEX, REAL

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
    char *o[] = { %(starts)s(char *)(o_ + o_at) };
    Py_ssize_t s[] = { %(steps)so_c * (Py_ssize_t)sizeof *o_ };
    if (o_n > 0) %(name)s_slot.loop(o, &o_n, s, %(name)s_slot.data);
}"""

_START = "(char *)({x} + {x}at), "
_STEP = "{x}n == 1 ? 0 : {x}c * (Py_ssize_t)sizeof *{x}, "


def loop(one: Intrinsic) -> str:
    """The function of NumPy whose loop is called; empty if it is none of these."""
    return one.operation if one.rules == PLANES else ""


def made(one: Intrinsic) -> Dtype:
    """The type of the numbers that a loop makes."""
    row = DTYPES[one.dtype]
    return row.real if one.operation in REAL else row


def helper(name: str, one: Intrinsic) -> Helper:
    """A function that calls the loop of one type.

    Args:
        name: of it. one: what it computes.
    """
    matrices = one.operation == "matmul"
    row = DTYPES[one.dtype].in_memory
    given = _GIVEN[one.operation if matrices else ""]
    operands = "a" if one.operation in OF_COMPLEX else "ab"
    parts = [given.format(t=f"const {row.c}", x=x) for x in operands]
    parts.append(given.format(t=made(one).in_memory.c, x="o_"))
    head = f"{name}({', '.join(parts)})"
    shown = head.replace("_Complex", "complex")
    words = {"name": name, "head": head.replace("complex", "_Complex")}
    words["starts"] = "".join(_START.format(x=x) for x in operands)
    words["steps"] = "".join(_STEP.format(x=x) for x in operands)
    kind, fails = ("int", "except -1") if matrices else ("void", "noexcept")
    needs = ["lx_slot", *map(type_number, (DTYPES[one.dtype], made(one)))]
    needs += ["lx_unaligned"] if matrices else []
    declared = f"lx_slot {name}_slot", f"{kind} {shown} {fails} nogil"
    text = _MATRICES if matrices else _ROWS
    return Helper(text % words, declared, (*needs,), raises=matrices)
