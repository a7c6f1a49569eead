"""The prelude of generated text: only the helpers that it calls."""

from __future__ import annotations

from collections.abc import Set

from looptx.emit.cython import ccode, memory, reports, vectors, versions
from looptx.emit.cython.arrays import ARRAYS, NUMPY, START, TYPES, type_number
from looptx.emit.cython.functions import (
    climbing,
    complexes,
    division,
    drawing,
    frames,
    libm,
    masked,
    mathematics,
    planes,
    powers,
    quick,
    squares,
    strips,
    unlike,
)
from looptx.emit.cython.functions.reductions import (
    counting,
    few,
    ordering,
    parts,
    products,
    reducing,
    searching,
)
from looptx.emit.cython.helpers import HELPERS, Helper, in_c, quiet
from looptx.emit.cython.lists import costs, made, numbers
from looptx.emit.cython.pointers import POINTERS
from looptx.emit.cython.widths import WIDTHS
from looptx.emit.intrinsics import c_function
from looptx.lower.tree import Intrinsic
from looptx.lower.types import c_name, c_vector
from looptx.lower.values.arrays.alike import POWERS
from looptx.lower.values.ufuncs import UFUNCS2
from looptx.model.dtypes import DTYPES, ROWS
from looptx.model.functions.complexes import REAL

_INTEGERS = sorted(row.c for row in ROWS if row.is_integer)
_INCLUDES = "#include <math.h>\n#include <stdint.h>\n#include <complex.h>\n#undef I"


def _extreme(name: str, one: Intrinsic) -> Helper:
    """``min`` and ``max`` in Python's order, ``minimum`` and ``maximum`` in NumPy's."""
    row = DTYPES[one.dtype]
    kind = "int" if row.kind == "b" else row.c
    sign = "<" if one.operation.startswith("min") else ">"
    if one.operation in ("min", "max"):
        body = f"return b {sign} a ? b : a;"
    else:
        # Of equal numbers the second, of 16 bits the first.
        sign += "=" if row.computed else ""
        body = f"return a {sign} b || a != a ? a : b;"
    return quiet(kind, name, f"{kind} a, {kind} b", body)


def _sign(name: str, one: Intrinsic) -> Helper:
    """``np.sign``: zeros lose their sign, and what is no number stays as it is."""
    row = DTYPES[one.dtype]
    rest = "a == 0 ? 0 : a" if row.kind == "f" else "0"
    body = f"return a > 0 ? 1 : a < 0 ? -1 : {rest};"
    return quiet(row.c, name, f"{row.c} a", body)


def _ufunc(name: str, one: Intrinsic) -> Helper:
    """A NumPy function through the inner loop of its ufunc."""
    word, row = one.operation, DTYPES[one.dtype]
    made = row.real if word in REAL else row
    kind, result = in_c(row.c), made.c
    two = word in UFUNCS2
    arguments = f"{kind} a, {kind} b" if two else f"{kind} a"
    operands: tuple[str, ...] = ("a", "b", "r") if two else ("a", "r")
    before, back, needs = in_c(f"{result} r;"), "r", ["lx_slot"]
    if row.computed:
        given = "".join(f" h{one} = lx_to_half({one})," for one in operands[:-1])
        operands = tuple(f"h{one}" for one in operands)
        before, back = f"uint16_t{given} hr;", "lx_from_half(hr)"
        needs.append("lx_half")
    pointers = ", ".join(f"(char *)&{one}" for one in operands)
    # A single exponent has a step of 0, by which NumPy knows the simple ones.
    step = "0" if word == "power" else "sizeof {}"
    steps = ", ".join(map(step.format, operands))
    slot = f"{name}_slot"
    c = (
        f"static lx_slot {slot};\n"
        f"static __attribute__((const, noinline)) {in_c(result)} {name}({arguments}) {{"
        f" {before} char *p[] = {{ {pointers} }};"
        f" Py_ssize_t n = 1, s[] = {{ {steps} }};"
        f" {slot}.loop(p, &n, s, {slot}.data); return {back}; }}"
    )
    shown = arguments.replace("_Complex", "complex")
    declared = (f"lx_slot {slot}", f"{result} {name}({shown}) noexcept nogil")
    return Helper(c, declared, tuple(needs))


def _side_by_side(name: str, one: Intrinsic) -> Helper:
    """A NumPy function of vectors.

    NumPy's loops compute each number by itself, but nobody promises it. So when a
    module is loaded each loop shows, for values of all kinds, that it gives the same
    bits side by side; one that does not is called for one lane after the other.
    """
    row, kind = DTYPES[one.dtype], c_vector(one.dtype, one.lanes)
    names = ("a", "b", "r") if one.operation in UFUNCS2 else ("a", "r")
    arguments = ", ".join(f"{kind} {operand}" for operand in names[:-1])
    pointers = ", ".join(f"(char *)&{operand}" for operand in names)
    steps = ", ".join(f"sizeof({row.c})" for _ in names)
    slot = f"{name}_slot"
    c = (
        f"static lx_slot {slot};\n"
        f"static inline {kind} {name}({arguments}) {{"
        f" {kind} r; char *p[] = {{ {pointers} }};"
        f" Py_ssize_t s[] = {{ {steps} }};"
        f" lx_run(&{slot}, p, {len(names)}, {one.lanes}, s); return r; }}"
    )
    declared = (f"lx_slot {slot}", f"{kind} {name}({arguments}) noexcept nogil")
    return Helper(c, declared, ("lx_slot", "lx_try", kind))


def _loop_of(name: str, one: Intrinsic) -> list[str]:
    """The lines that look for the loop of a function of that name."""
    word = reducing.loop(one) or parts.loop(one) or one.operation
    row = DTYPES[reducing.looped(one)]
    if parts.is_tried(one) or counting.is_tried(one):
        word = "add"
    if word == POWERS:
        word = "power"
    made = row.real if word in REAL else row
    types = f"{row.number}, {made.number}"
    if planes.loop(one):
        types = f"{type_number(row)}, {type_number(planes.made(one))}"
    named = f'{NUMPY}.{word}, {NUMPY}.ufunc, b"{word}"'
    lines = [f"lx_find(&{name}_slot, {named}, {types})"]
    if own := reducing.few_of(one) or parts.few_of(one):
        lines.append(f"{own}_try(&{name}_slot)")
    if one.lanes > 1:
        operands = 2 + (word in UFUNCS2)
        lines.append(f"lx_try(&{name}_slot, {operands}, {one.lanes}, {row.size})")
    if parts.is_tried(one) or counting.is_tried(one):
        lines.append(f"{name}_try({NUMPY})")
    elif unlike.loop(one) == POWERS:
        lines.append(f"lx_try_powers(&{name}_slot, {row.size})")
    elif unlike.loop(one) or strips.loop(one):
        operands = 2 + (word in UFUNCS2)
        lines.append(f"lx_try_many(&{name}_slot, {operands}, {row.size})")
    return lines


def _reaching(name: str, dtype: str) -> Helper:
    """The least and the greatest element of an integer array."""
    c = ccode.REACHING % {"name": name, "type": c_name(dtype)}
    declared = (
        f"lx_reach {name}(const void *data, const Py_ssize_t *shape,"
        " const Py_ssize_t *strides, int ndim) noexcept nogil"
    )
    return Helper(c, (declared,), ("lx_reach",))


def _helper(function: Intrinsic) -> Helper | None:
    """What defines an intrinsic; None for a function of C's own."""
    name = c_function(function)
    if function.lanes > 1:
        known = _side_by_side if _is_ufunc(function) else vectors.operation
        if masked.is_masked(function):
            known = masked.operation
        if function.rules == "quick":
            known = quick.helper
        return versions.marked(known(name, function), function)
    match function:
        case Intrinsic("dot" | "matmul" | "norm", rules="reduce"):
            return products.helper(name, function)
        case Intrinsic(rules="reduce"):
            return reducing.helper(name, function)
        case Intrinsic(rules="order"):
            return ordering.helper(name, function)
        case Intrinsic(rules="search"):
            return searching.helper(name, function)
        case Intrinsic(rules="strip"):
            return strips.helper(name, function)
        case Intrinsic(rules="axes"):
            return parts.helper(name, function)
        case Intrinsic(rules="unlike") if parts.is_tried(function):
            return parts.attempt(name, function)
        case Intrinsic(rules="unlike") if counting.is_tried(function):
            return counting.attempt(name)
        case Intrinsic(rules="unlike"):
            return unlike.helper(name)
        case Intrinsic(rules="planes"):
            return planes.helper(name, function)
        case Intrinsic(rules="quick"):
            return quick.helper(name, function)
        case Intrinsic("temp", dtype) if dtype:
            return reducing.temp(name, dtype)
        case Intrinsic(operation, rules="math"):
            return mathematics.helper(name, operation)
        case Intrinsic("min" | "max" | "minimum" | "maximum"):
            return _extreme(name, function)
        case Intrinsic("sign"):
            return _sign(name, function)
        case Intrinsic("reach", dtype):
            return _reaching(name, dtype)
    return _ufunc(name, function) if _is_ufunc(function) else _known(name)


def _is_ufunc(function: Intrinsic) -> bool:
    return function.rules == "numpy" and bool(function.dtype)


_MODULES = (
    *(
        climbing,
        complexes,
        division,
        drawing,
        few,
        frames,
        libm,
        masked,
        mathematics,
        parts,
        powers,
    ),
    *(ordering, products, quick, reducing, searching, squares, strips, unlike),
    *(reports, vectors, versions),
)


def _known(name: str) -> Helper | None:
    tables = (
        *(
            HELPERS,
            WIDTHS,
            POINTERS,
            ARRAYS,
            costs.HELPERS,
            made.HELPERS,
            numbers.HELPERS,
            parts.WALKS,
        ),
        *(module.HELPERS for module in _MODULES),
    )
    known = next((table[name] for table in tables if name in table), None)
    return known or vectors.vector(name)


def prelude(calls: Set[str | Intrinsic], functions: Set[str] = frozenset()) -> str:
    """Everything that nests need in front of them.

    Args:
        calls: the intrinsics in them, and the functions and types of C.
        functions: declarations of them that C is to see first.
    """
    chosen: dict[str, Helper] = {}

    def choose(name: str, found: Helper | None) -> None:
        if found is None or name in chosen:
            return
        for need in found.needs:
            choose(need, _known(need))
        chosen[name] = found

    intrinsics = {c_function(one): one for one in calls if isinstance(one, Intrinsic)}
    found = {name: _helper(one) for name, one in intrinsics.items()}
    found |= {name: _known(name) for name in calls if isinstance(name, str)}
    for name in sorted(found):
        choose(name, found[name])
    helpers = (one.c for one in chosen.values() if one.c)
    c = "\n".join([_INCLUDES, *helpers, *sorted(functions)])
    declared = [line for one in chosen.values() for line in one.declarations]
    for name, one in sorted(intrinsics.items()):
        if one.rules == "c":
            kind = DTYPES[one.dtype].c
            declared.append(f"{kind} {name}({kind} x) noexcept nogil")
    lines = [
        "cimport cython as lx_cython",
        f"from libc.stdint cimport {', '.join(_INTEGERS)}",
    ]
    for word in ("parallel", "prange"):
        if f"lx_{word}" in calls:
            lines.append(f"from cython.parallel cimport {word} as lx_{word}")
    slots = [
        name
        for name, one in sorted(intrinsics.items())
        if _is_ufunc(one)
        or any(x.loop(one) for x in (reducing, strips, planes, parts, unlike))
    ]
    needing = {NUMPY, memory.ALIGNED, searching.FIXED, ordering.BY_DOUBLES}
    if slots or not needing.isdisjoint(calls | chosen.keys()):
        lines += ["", f"import numpy as {NUMPY}"]
    for name in sorted(TYPES.keys() & calls):
        lines.append(f"cdef object {name} = {NUMPY}.{TYPES[name]}")
    lines += ["", "cdef extern from *:", '    """']
    lines += [f"    {line}" for line in c.split("\n")]
    lines.append('    """')
    lines += [f"    {line}" for one in declared for line in one.split("\n")]
    if slots:
        lines.append("")
    for name in slots:
        lines += _loop_of(name, intrinsics[name])
    if memory.ALIGNED in calls:
        lines.append(memory.TEXT)
    starts = {searching.FIXED: searching.START, "lx_array": START}
    starts[ordering.BY_DOUBLES] = ordering.START
    lines += [f"\n{starts[name]}" for name in starts if name in chosen]
    return "\n".join(lines)
