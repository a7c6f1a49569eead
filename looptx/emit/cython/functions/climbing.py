"""Powers of one number with whole exponents in a row, out of products of 106 bits.

Each is that of half as many iterations before times another power. What is so near to a
float that glibc's error cannot make it another one is that float, as in
``exact_powers``; glibc is asked for all others. (Dekker, Numer. Math. 18, 1971.)
"""

from __future__ import annotations

from looptx.emit.cython.helpers import Helper
from looptx.lower.vectors.strips import STRIP

_TIMES = """\
/* (*a + *b) * (c + d) */
static inline void lx_times(double *a, double *b, double c, double d) {
    double high = *a * c, low = lx_rest(*a, c, high) + (*a * d + *b * c);
    *a = high + low;
    *b = low - (*a - high);
}"""

_CLIMB = """\
static __attribute__((noinline)) void
%(name)s(double a, int64_t first, int64_t step, double *restrict r, Py_ssize_t n) {
    double high[%(most)d], low[%(most)d];
    uint8_t far[%(most)d] = {0};
    int64_t least = step < 0 ? first - (n - 1) : first, most = least + (n - 1);
    int64_t times = least < 0 ? -least : least;
    double span = fabs(log2(fabs(a))) * (most > times ? most : times);
    int near = first > -(1 << 24) && first < 1 << 24;
    /* The span of 0, of what is infinite and of NaN is none. */
    if (!(LX_BOUNDED && near && span < 700)) {
        for (Py_ssize_t k = 0; k < n; k++)
            r[k] = lx_libm_pow(a, (double)(first + step * k));
        return;
    }
    double c = least < 0 ? 1 / a : a, d = least < 0 ? lx_rest(c, a, 1) / -a : 0;
    high[0] = 1;
    low[0] = 0;
    for (; times; times >>= 1) {
        if (times & 1) lx_times(high, low, c, d);
        if (times > 1) lx_times(&c, &d, c, d);
    }
    c = a;
    d = 0;
    for (Py_ssize_t done = 1; done < n; done *= 2) {
        Py_ssize_t more = done < n - done ? done : n - done;
        double *restrict to = high + done, *restrict off = low + done;
        for (Py_ssize_t k = 0; k < more; k++) {
            double x = high[k], y = low[k];
            lx_times(&x, &y, c, d);
            to[k] = x;
            off[k] = y;
        }
        lx_times(&c, &d, c, d);
    }
    double bound = (0.0056 + 1.6e-5 * span) * 0x1p-52;
    for (Py_ssize_t k = 0; k < n; k++)
        far[k] = -(high[k] + (low[k] + copysign(high[k] * bound, low[k])) != high[k]);
    for (Py_ssize_t k = 0; k < n; k++) r[k] = high[step < 0 ? n - 1 - k : k];
    for (Py_ssize_t at = 0; at < n; at += 64)
        for (uint64_t bits = lx_signs(far + at); bits; bits &= bits - 1) {
            Py_ssize_t k = at + __builtin_ctzll(bits);
            r[step < 0 ? n - 1 - k : k] = lx_libm_pow(a, (double)(least + k));
        }
}"""
"""The error of an exponential is 0.0055 * 2**-52 of it at most, and that of a logarithm
1.5 * 2**-68 of it, as in ``exact_powers``; a product is off by less than 2**-102, and
exponents are below 2**24. Nowhere is a part of one too small for its bits."""

HELPERS = {"lx_times": Helper(_TIMES, needs=("lx_rest",))}


def helper(name: str) -> Helper:
    """The function, by its name."""
    declared = (
        f"void {name}(double a, int64_t first, int64_t step, double *r, Py_ssize_t n)"
        " noexcept nogil"
    )
    c = _CLIMB % {"name": name, "most": STRIP}
    return Helper(c, (declared,), ("lx_libm_pow", "lx_signs", "lx_times"))
