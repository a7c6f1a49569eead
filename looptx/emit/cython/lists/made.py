"""Lists that a nest makes: their elements, and what Python gets of them."""

from __future__ import annotations

from collections.abc import Callable

from looptx.emit.cython.arrays import MADE, type_number
from looptx.emit.cython.helpers import Helper
from looptx.emit.cython.text import Cython
from looptx.looptree.text import indent
from looptx.lower.entry import Result, typed
from looptx.lower.kinds import BOOL, TAG, Kind, of
from looptx.lower.scope import TYPE, Scope
from looptx.lower.tree import Expr, infix, number, variable
from looptx.lower.types import c_element
from looptx.lower.values.alternatives import code
from looptx.lower.values.literals import loaded
from looptx.model.dtypes import DTYPES
from looptx.model.nests.made import LONGEST

KEPT = 1 << 18
"""How many bytes of it are not given back behind a call."""

RESERVED = "lx_reserve"
"""The function that reserves memory for more elements than a list has.

The system gives it page by page, where elements are stored: an array never moves while
it grows.
"""

_RESERVE = f"""\
#include <sys/mman.h>
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif
static const size_t lx_reserved = {LONGEST} * (2 * sizeof(double));
static const uint64_t lx_unused = 0x9E3779B97F4A7C15;
static void *lx_spares[16];
static int lx_spare;
static void lx_unreserve(PyObject *held) {{
    /* It stays for the next call, as new pages take longer than a call, but for what
       is behind a mark that a list has overwritten if it was longer. */
    char *data = (char *)PyCapsule_GetPointer(held, NULL);
    uint64_t *mark = (uint64_t *)(data + {KEPT});
    int kept = lx_spare < 16;
    if (kept && *mark != lx_unused) {{
        kept = !madvise(mark, lx_reserved - {KEPT}, MADV_DONTNEED);
        if (kept) *mark = lx_unused;
    }}
    if (kept)
        lx_spares[lx_spare++] = data;
    else
        munmap(data, lx_reserved);
}}
static PyObject *lx_reserve(lx_array *to, Py_ssize_t size) {{
    char *data = (char *)(lx_spare ? lx_spares[--lx_spare]
        : mmap(NULL, lx_reserved, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (data == MAP_FAILED) return PyErr_NoMemory();
    *(uint64_t *)(data + {KEPT}) = lx_unused;
    PyObject *held = PyCapsule_New(data, NULL, lx_unreserve);
    if (!held) munmap(data, lx_reserved);
    to->data = data;
    to->strides[0] = size;
    return held;
}}"""

HELPERS = {
    RESERVED: Helper(
        _RESERVE,
        (f"object {RESERVED}(lx_array *to, Py_ssize_t size)",),
        ("lx_array",),
    )
}
"""The helpers of lists."""


def listed(
    scope: Scope, one: Result, made: Callable[[Expr], str], cython: Cython
) -> list[str]:
    """Lines that make a list of Python of the elements in an array.

    Args:
        scope: the nest. one: the list. made: makes an object of a value.
        cython: what writes the nest.
    """
    at = scope.names(f"{one.name} at")
    first, last = map(cython.expression, one.ends)
    lines, values = [f"cdef Py_ssize_t {at}", f"cdef list {one.held} = []"], []

    def cell(name: str, kind: Kind) -> Expr:
        """An element of an array, by a pointer of its own."""
        cells, element = scope.names(f"{name} cells"), c_element(kind.dtype)
        lines.append(f"cdef {element} *{cells} = <{element} *>{scope.names(name)}.data")
        return Expr("local cell", kind, (variable(at),), cells)

    for part in one.parts:
        value = loaded(cell(part, scope.kinds[part]))
        one_type, *others = sorted(value.kind.members, key=str)
        text = made(typed(value, one_type))
        mark = cell(f"{part}{TYPE}", of(TAG)) if others else value
        for member in others:
            test = cython.expression(infix("==", mark, number(code(member)), of(BOOL)))
            text = f"({made(typed(value, member))} if {test} else {text})"
        values.append(text)
    whole = values[0] if len(values) == 1 else f"({', '.join(values)})"
    lines.append(f"for {at} in range({first}, {last}):")
    return [*lines, *indent([f"{one.held}.append({whole})"])]


def array_of_list(scope: Scope, one: Result, cython: Cython) -> list[str]:
    """Lines that make an array of the elements of a list; of none a list without any.

    Args:
        scope: the nest. one: the list. cython: what writes the nest.
    """
    row = DTYPES[one.array]
    element, axes = c_element(one.array), 1 + (len(one.parts) > 1)
    at, made = (scope.names(f"{one.name} {word}") for word in ("at", "array"))
    last = cython.expression(one.ends[1])
    call = (
        f"{cython.calling(MADE)}(&{made}, {axes}, {cython.calling(type_number(row))})"
    )
    lines = [f"{made}.shape[0] = {last}"]
    lines += [f"{made}.shape[1] = {len(one.parts)}"] if axes > 1 else []
    lines += [f"{one.held} = {call}", f"for {at} in range({last}):"]
    for k, part in enumerate(one.parts):
        place = f"{at} * {len(one.parts)} + {k}" if axes > 1 else at
        cells = f"(<{element} *>{scope.names(part)}.data)"
        store = f"(<{element} *>{made}.data)[{place}] = {cells}[{at}]"
        lines += indent([store])
    return [
        f"cdef Py_ssize_t {at}",
        f"cdef {cython.calling('lx_array')} {made}",
        f"cdef object {one.held} = []",
        f"if {last} > 0:",
        *indent(lines),
    ]
