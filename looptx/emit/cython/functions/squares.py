"""Squares of vectors: products, and powers of C's library where these may differ."""

from __future__ import annotations

from looptx.emit.cython.helpers import Helper, quiet
from looptx.lower.types import c_vector

_AGAIN = """\
static __attribute__((cold, noinline)) void
lx_square_again(const double *a, double *r, const int64_t *far, int lanes) {
    for (int k = 0; k < lanes; k++)
        if (far[k]) r[k] = lx_libm_pow(a[k], 2);
}
/* gcc makes no vector of fused operations of lanes. */
#if defined(__FMA__) && !defined(__clang__)
#define LX_RESTS2(a, r, each) __builtin_ia32_vfmaddpd(a, a, -(r))
#define LX_RESTS4(a, r, each) __builtin_ia32_vfmaddpd256(a, a, -(r))
#else
#define LX_RESTS2(a, r, each) each
#define LX_RESTS4(a, r, each) each
#endif"""

_BODY = (
    "{kind} r = a * a, off = {rests};"
    " {kind} q = ({kind})(({bits})off & INT64_MAX) + r * (0.0066 * 0x1p-52);"
    " {bits} far = ({bits})(r - q != r) | ({bits})(r > 0x1p64);"
    " far |= ({bits})(r < 0x1p-64) & ({bits})(a != 0) | -(int64_t)!LX_BOUNDED;"
    " if (__builtin_expect(({any}) != 0, 0)) {{"
    " double x[{lanes}], y[{lanes}]; int64_t z[{lanes}];"
    " memcpy(x, &a, sizeof x); memcpy(y, &r, sizeof y); memcpy(z, &far, sizeof z);"
    " lx_square_again(x, y, z, {lanes}); memcpy(&r, y, sizeof y); }}"
    " return r;"
)
"""The bound is that of ``exact_powers``. What is further away from zero than ``r`` is
no nearer to the middle of two numbers than what is as much nearer to zero, where they
may lie closer."""

HELPERS = {"lx_square_again": Helper(_AGAIN, needs=("lx_libm_pow",))}


def square(name: str, lanes: int) -> Helper:
    """The squares of so many numbers."""
    kind, bits = c_vector("float64", lanes), c_vector("int64", lanes)
    every = range(lanes)
    rests = ", ".join(f"lx_rest(a[{k}], a[{k}], r[{k}])" for k in every)
    rests = f"({kind}){{ {rests} }}"
    if lanes in (2, 4):
        rests = f"LX_RESTS{lanes}(a, r, ({rests}))"
    body = _BODY.format(
        kind=kind,
        bits=bits,
        lanes=lanes,
        rests=rests,
        any=" | ".join(f"far[{k}]" for k in every),
    )
    return quiet(kind, name, f"{kind} a", body, kind, bits, "lx_square_again")
