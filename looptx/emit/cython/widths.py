"""C functions for integers of all widths, and for floats that C has no type for."""

from __future__ import annotations

from looptx.emit.cython import ccode
from looptx.emit.cython.helpers import Helper, integer, loud, quiet
from looptx.model.dtypes import ROWS, Dtype

_U2 = "uint64_t a, uint64_t b"
_FUNCTIONS = {
    "lx_order_u64": quiet(
        "int",
        "lx_order_u64",
        "int64_t a, uint64_t b",
        "return a < 0 || (uint64_t)a < b ? -1 : (uint64_t)a > b;",
    ),
    "lx_floordiv_u64": quiet(
        "uint64_t", "lx_floordiv_u64", _U2, "return b ? a / b : 0;"
    ),
    "lx_mod_u64": quiet("uint64_t", "lx_mod_u64", _U2, "return b ? a % b : 0;"),
    "lx_rshift_u64": quiet(
        "uint64_t", "lx_rshift_u64", _U2, "return b < 64 ? a >> b : 0;"
    ),
    "lx_u64": quiet(
        "uint64_t",
        "lx_u64",
        "double x",
        "return x >= 0x1p63 ? (uint64_t)(int64_t)(x - 0x1p63) ^ (uint64_t)INT64_MIN"
        " : (uint64_t)(int64_t)x;",
    ),
    "lx_signed_u64": loud(
        "int64_t",
        "lx_signed_u64",
        "uint64_t i",
        "return i <= INT64_MAX ? (int64_t)i : lx_raise(LX_LARGE);",
    ),
    "lx_whole_u32": loud(
        "uint32_t",
        "lx_whole_u32",
        "double x",
        'return x > -1 && x < 0x1p32 ? (uint32_t)(int64_t)x : lx_refused(x, "uint32");',
        "lx_refused",
    ),
    "lx_whole_u64": loud(
        "uint64_t",
        "lx_whole_u64",
        "double x",
        'return x > -1 && x < 0x1p64 ? lx_u64(x) : lx_refused(x, "uint64");',
        "lx_refused",
        "lx_u64",
    ),
    "lx_f16": quiet(
        "float", "lx_f16", "double x", "return lx_nearest_half(x);", "lx_half"
    ),
    "lx_f16_of": quiet(
        "float", "lx_f16_of", "uint16_t h", "return lx_from_half(h);", "lx_half"
    ),
    "lx_f16_bits": quiet(
        "uint16_t", "lx_f16_bits", "float x", "return lx_to_half(x);", "lx_half"
    ),
}


def _fitting(row: Dtype) -> Helper:
    """An integer as one of a type; OverflowError where it does not fit."""
    name, fails = f"lx_fit_{row.short}", f'lx_unfit(i, "{row.name}")'
    if row.bits == 64:
        body = f"return i >= 0 ? i : {fails};"
        return loud(row.c, name, "int64_t i", body, "lx_unfit")
    # It returns no smaller integer then.
    body = f"return i == ({row.c})i ? i : {fails} - 4294967296;"
    c = f"static inline int64_t {name}(int64_t i) {{ {body} }}"
    declared = f"int64_t {name}(int64_t i) except -4294967297 nogil"
    return Helper(c, (declared,), ("lx_unfit",), raises=True)


def _leaving(row: Dtype) -> Helper:
    """An integer as one of another type; the loops are left where it does not fit."""
    fits = "i >= 0" if row.bits == 64 else f"i == ({row.c})i"
    body = f"return {fits} ? i : lx_word(LX_AGAIN);"
    return integer(f"lx_fit_again_{row.short}", "int64_t i", body)


_INTEGERS = tuple(row for row in ROWS if row.is_integer)

WIDTHS = {
    "lx_half": Helper(ccode.HALF),
    "lx_refused": Helper(ccode.REFUSED),
    **_FUNCTIONS,
    **{f"lx_fit_{row.short}": _fitting(row) for row in _INTEGERS},
    **{
        f"lx_fit_again_{row.short}": _leaving(row)
        for row in _INTEGERS
        if row.name != "int64"
    },
}
"""Every helper of this kind."""
