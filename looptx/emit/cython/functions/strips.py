"""Functions of several numbers, from one buffer into another."""

from __future__ import annotations

from looptx.emit.cython.functions import climbing
from looptx.emit.cython.helpers import Helper
from looptx.lower.tree import Intrinsic
from looptx.lower.vectors.strips import CLIMB, FEW, RULES, STRIP
from looptx.model.dtypes import DTYPES

_SIGNS = """\
#ifdef __SSE2__
#include <emmintrin.h>
#endif
/* The signs of 64 bytes, which are all 0 or -1. */
static inline uint64_t lx_signs(const uint8_t *bytes) {
    uint64_t bits = 0;
#ifdef __SSE2__
    for (int k = 0; k < 64; k += 16) {
        __m128i some = _mm_loadu_si128((const __m128i *)(bytes + k));
        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(some) << k;
    }
#else
    for (int k = 0; k < 64; k += 8) {
        uint64_t some;
        memcpy(&some, bytes + k, 8);
        some &= UINT64_C(0x0101010101010101);
        bits |= some * UINT64_C(0x0102040810204080) >> 56 << k;
    }
#endif
    return bits;
}"""
"""The bits of bytes that are 0 or 1 come together in the product, where the lowest byte
comes first: on the machines that ``LX_BOUNDED`` is for; elsewhere no power is quick."""

_POWERS = """\
static inline __attribute__((always_inline)) void
%(name)s_of(const %(t)s *a, %(t)s b, %(t)s *r, Py_ssize_t n) {
    if (n < %(few)d) {
        for (Py_ssize_t k = 0; k < n; k++) r[k] = lx_power%(f)s(a[k], b);
        return;
    }
    /* One bit for each that the C library is asked for: no branch but for these. */
    uint8_t far[%(most)d] = {0};
    if (b == 2)
        for (Py_ssize_t k = 0; k < n; k++) far[k] = -!lx_quick_square%(f)s(a[k], r + k);
    else
        for (Py_ssize_t k = 0; k < n; k++) far[k] = -!lx_quick%(f)s(a[k], b, r + k);
    for (Py_ssize_t first = 0; first < n; first += 64)
        for (uint64_t bits = lx_signs(far + first); bits; bits &= bits - 1) {
            Py_ssize_t k = first + __builtin_ctzll(bits);
            r[k] = lx_libm_pow%(f)s(a[k], b);
        }
}
static __attribute__((noinline)) void
%(name)s(const %(t)s *restrict a, %(t)s *restrict r, Py_ssize_t n, %(t)s b) {
#if LX_BOUNDED
    if (b == 2 && n == %(most)d) %(name)s_of(a, 2, r, %(most)d);
    else if (b == 2) %(name)s_of(a, 2, r, n);
    else if (b == 3) %(name)s_of(a, 3, r, n);
    else if (b == 4) %(name)s_of(a, 4, r, n);
    else if (b == -1) %(name)s_of(a, -1, r, n);
    else if (b == (%(t)s)0.5) %(name)s_of(a, (%(t)s)0.5, r, n);
    else
#endif
    for (Py_ssize_t k = 0; k < n; k++) r[k] = lx_libm_pow%(f)s(a[k], b);
}"""

HELPERS = {
    "lx_signs": Helper(_SIGNS),
}


def loop(one: Intrinsic) -> str:
    """The function of NumPy whose loop a strip needs; empty if it is none."""
    own = one.operation in ("pow", CLIMB)
    return one.operation if one.rules == RULES and not own else ""


def helper(name: str, one: Intrinsic) -> Helper:
    """A function of a strip.

    NumPy's loop shows, when a module is loaded, that it gives the bits of one number at
    a time, or is called so.
    """
    if one.operation == CLIMB:
        return climbing.helper(name)
    row = DTYPES[one.dtype]
    arguments = f"const {row.c} *a, {row.c} *r, Py_ssize_t n"
    if not loop(one):
        names = {"name": name, "t": row.c, "most": STRIP, "few": FEW}
        names["f"] = "" if row.c == "double" else "f"
        declared = f"void {name}({arguments}, {row.c} b) noexcept nogil"
        return Helper(_POWERS % names, (declared,), ("lx_libm_pow", "lx_signs"))
    slot = f"{name}_slot"
    c = (
        f"static lx_slot {slot};\n"
        f"static inline void {name}({arguments}) {{"
        f" char *p[] = {{ (char *)a, (char *)r }};"
        f" Py_ssize_t s[] = {{ {row.size}, {row.size} }};"
        f" lx_run(&{slot}, p, 2, n, s); }}"
    )
    declarations = (f"lx_slot {slot}", f"void {name}({arguments}) noexcept nogil")
    return Helper(c, declarations, ("lx_slot", "lx_run", "lx_try_many"))
