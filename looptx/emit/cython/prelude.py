"""The prelude of generated text: only the helpers that it calls."""

from __future__ import annotations

import re
from collections.abc import Collection

from looptx.emit.cython import ccode, reports
from looptx.emit.cython.helpers import HELPERS, Helper, loud, quiet
from looptx.emit.cython.widths import WIDTHS
from looptx.lower.types import c_name
from looptx.lower.values.calls import MATH_DOMAIN, MATH_RANGE
from looptx.lower.values.operators import SHORT
from looptx.lower.values.ufuncs import COMPLEX_UFUNCS, UFUNCS, UFUNCS2
from looptx.model.dtypes import INTEGERS, ROWS

_CTYPE = {row.short: row.c for row in ROWS if row.kind == "f"}
_CTYPE |= {row.short: "int64_t" for row in ROWS if row.is_integer}
_CTYPE |= {"u64": "uint64_t", "b": "int"}
_LOOPS = {
    "f64": ("double", "double", 12, 12),
    "f32": ("float", "float", 11, 11),
    "f16": ("float", "float", 23, 23),
    "c128": ("double _Complex", "double", 15, 12),
}
"""The C types of a ufunc's arguments and of its result, and NumPy's numbers of them."""

_INTEGERS = sorted(row.c for row in ROWS if row.is_integer)
_REACHING = {f"lx_reach_{SHORT[dtype]}": dtype for dtype in INTEGERS}
_EXTREME = re.compile(r"lx_(min|max|minimum|maximum)_(\w+)\Z")
_UFUNC = re.compile(r"lx_np_([a-z]\w*)_(f16|f32|f64|c128)\Z")
_C_MATH = {
    name + suffix: kind
    for name in ("sqrt", "floor", "ceil", "trunc", "rint", "fabs")
    for suffix, kind in (("", "double"), ("f", "float"))
}
"""C's own functions that are called by their names, and their type."""

_INCLUDES = "#include <math.h>\n#include <stdint.h>\n#include <complex.h>\n#undef I"


def _math(name: str) -> Helper | None:
    """A function of the ``math`` module."""
    if not name.startswith("lx_math_"):
        return None
    word = name.removeprefix("lx_math_")
    two = "double a, double b"
    check = "isnan(r) ? lx_raise(LX_DOMAIN)"
    if word in MATH_DOMAIN | MATH_RANGE:
        other = "RANGE" if word in MATH_RANGE else "DOMAIN"
        body = (
            f"double r = {word}(x); if (isfinite(r) || !(x == x)) return r;"
            f" return {check} : isfinite(x) ? lx_raise(LX_{other}) : r;"
        )
        return loud("double", name, "double x", body)
    if word == "copysign":
        return quiet("double", name, two, "return copysign(a, b);")
    if word == "atan2":  # Python's own NaN, whatever NaN was given.
        body = "return isnan(a) || isnan(b) ? (double)NAN : atan2(a, b);"
        return quiet("double", name, two, body)
    if word == "fmod":
        body = "double r = fmod(a, b); return isnan(r) && a == a && b == b ?"
        return loud("double", name, two, f"{body} lx_raise(LX_DOMAIN) : r;")
    if word == "pow":
        body = (
            "if (isnan(a) && b != 0) return a;"
            " double r = lx_libm_pow(a, b);"
            " if (isfinite(r) || !isfinite(a) || !isfinite(b)) return r;"
            f" return {check} : lx_raise(a == 0 ? LX_DOMAIN : LX_RANGE);"
        )
        return loud("double", name, two, body, "lx_libm_pow")
    return None


def _extreme(name: str) -> Helper | None:
    """``min`` and ``max`` in Python's order, ``minimum`` and ``maximum`` in NumPy's."""
    found = _EXTREME.match(name)
    if not found or found[2] not in _CTYPE:
        return None
    kind = _CTYPE[found[2]]
    sign = "<" if found[1].startswith("min") else ">"
    if found[1] in ("min", "max"):
        body = f"return b {sign} a ? b : a;"
    else:
        # Of equal numbers the second, of 16 bits the first.
        sign += "=" if found[2] == "f16" else ""
        body = f"return a {sign} b || a != a ? a : b;"
    return quiet(kind, name, f"{kind} a, {kind} b", body)


def _ufunc(name: str) -> Helper | None:
    """A NumPy function through the inner loop of its ufunc."""
    found = _UFUNC.match(name)
    if not found:
        return None
    word, dtype = found.groups()
    if word not in (COMPLEX_UFUNCS if dtype == "c128" else UFUNCS | UFUNCS2):
        return None
    kind, result, *_ = _LOOPS[dtype]
    two = word in UFUNCS2
    arguments = f"{kind} a, {kind} b" if two else f"{kind} a"
    operands: tuple[str, ...] = ("a", "b", "r") if two else ("a", "r")
    before, back, needs = f"{result} r;", "r", ["lx_slot"]
    if dtype == "f16":
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
        f"static inline {result} {name}({arguments}) {{"
        f" {before} char *p[] = {{ {pointers} }};"
        f" Py_ssize_t n = 1, s[] = {{ {steps} }};"
        f" {slot}.loop(p, &n, s, {slot}.data); return {back}; }}"
    )
    shown = arguments.replace("double _Complex", "double complex")
    declared = (f"lx_slot {slot}", f"{result} {name}({shown}) noexcept nogil")
    return Helper(c, declared, tuple(needs))


def _reaching(name: str) -> Helper | None:
    """The least and the greatest element of an integer array."""
    dtype = _REACHING.get(name)
    if dtype is None:
        return None
    c = ccode.REACHING % {"name": name, "type": c_name(dtype)}
    declared = (
        f"lx_reach {name}(const void *data, const Py_ssize_t *shape,"
        " const Py_ssize_t *strides, int ndim) noexcept nogil"
    )
    return Helper(c, (declared,), ("lx_reach",))


def helper(name: str) -> Helper | None:
    """A helper by name, None for a name that is none."""
    known = HELPERS.get(name) or WIDTHS.get(name) or _math(name) or _extreme(name)
    return known or _ufunc(name) or _reaching(name)


def prelude(calls: Collection[str]) -> str:
    """Everything that nests need in front of them.

    Args:
        calls: the names of functions and types of C in them.
    """
    chosen: dict[str, Helper] = {}

    def choose(name: str) -> None:
        found = helper(name)
        if found is None or name in chosen:
            return
        for need in found.needs:
            choose(need)
        chosen[name] = found

    for name in sorted(calls):
        choose(name)
    c = "\n".join([_INCLUDES, *(one.c for one in chosen.values() if one.c)])
    declared = [line for one in chosen.values() for line in one.declarations]
    for name in sorted(_C_MATH.keys() & calls):
        kind = _C_MATH[name]
        declared.append(f"{kind} {name}({kind} x) noexcept nogil")
    lines = [
        "cimport cython as lx_cython",
        f"from libc.stdint cimport {', '.join(_INTEGERS)}",
    ]
    if "lx_prange" in calls:
        lines.append("from cython.parallel cimport prange as lx_prange")
    lines += ["", "import numpy as lx_numpy", "", "cdef extern from *:", '    """']
    lines += [f"    {line}" for line in c.split("\n")]
    lines.append('    """')
    lines += [f"    {line}" for one in declared for line in one.split("\n")]
    slots = [name for name in chosen if _UFUNC.match(name)]
    if slots:
        lines.append("")
    for name in slots:
        found = _UFUNC.match(name)
        assert found
        *_, number, result = _LOOPS[found[2]]
        named = f'lx_numpy.{found[1]}, lx_numpy.ufunc, b"{found[1]}"'
        lines.append(f"lx_find(&{name}_slot, {named}, {number}, {result})")
    if reports.NAME in calls:
        lines.append(reports.TEXT)
    return "\n".join(lines)
