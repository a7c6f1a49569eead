"""Powers of floats: C's own, and cheaper ones where these surely give the same.

glibc says how far its results may be from the exact ones. What is so near to a float
that this cannot make it another one is that float: of squares of doubles all but three
in a hundred. How far off a rounded product is, is known exactly: by a fused operation,
or from the halves of its factors (Dekker, Numer. Math. 18, 1971).
"""

from __future__ import annotations

REST = """\
/* a * b - r, where that is a double. */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
static __attribute__((used, noinline)) double
lx_apart(const double *a, const double *b, double *c, double d) {
    for (int k = 0; k < 8; k++) c[k] = a[k] * b[k] + c[k];
    return *a * d + *b;
}
#endif
static inline double lx_rest(double a, double b, double r) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return __builtin_fma(a, b, -r);
#else
    double c = a * 134217729.0, e = b * 134217729.0;
    double ah = c - (c - a), al = a - ah, bh = e - (e - b), bl = b - bh;
    return ah * bh - r + ah * bl + al * bh + al * bl;
#endif
}
/* Whether what is near r + off, as near as the C library comes to it, rounds to r. */
static inline int lx_near(double r, double off) {
    double m = fabs(r), far = fabs(off) + m * (0.0066 * 0x1p-52);
    uint64_t bits;
    memcpy(&bits, &m, 8);
    return m - far == m && bits - (UINT64_C(959) << 52) <= (UINT64_C(128) << 52);
}"""

POW = """\
LX_LIBM(double, pow, (double, double))
LX_LIBM(float, powf, (float, float))
/* Sums in another order lose the rests of products. */
#if defined(LX_REASSOCIATED)
#define LX_BOUNDED 0
#elif defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
#define LX_BOUNDED __GLIBC_PREREQ(2, 28)
#else
#define LX_BOUNDED 0
#endif
/* The square, the cube, or the fourth power; how far off it is. */
static inline double lx_product(double a, double b, double *to) {
    double r = a * a, off = lx_rest(a, a, r);
    if (b != 2.0) {
        double c = b == 3.0 ? a : r, s = r * c;
        off = lx_rest(r, c, s) + (b == 3.0 ? off * a : 2 * r * off);
        r = s + off;
        off -= r - s;
    }
    *to = off;
    return r;
}
/* A power; whether it is surely what the C library gives. */
static inline int lx_quick(double a, double b, double *to) {
#if LX_BOUNDED
    if (b == 2.0 || b == 3.0 || b == 4.0) {
        double off, r = lx_product(a, b, &off);
        *to = r;
        return lx_near(r, off) || (b != 3.0 && a == 0);
    }
    if (b == 0.5) {
        double r = sqrt(a);
        *to = r;
        return lx_near(r, lx_rest(r, r, a) / (-2 * r));
    }
    if (b == 1.0 || b == -1.0) {
        double r = b == 1.0 ? a : 1 / a;
        *to = r;
        return lx_near(r, b == 1.0 ? 0 : -r * lx_rest(r, a, 1));
    }
#endif
    return 0;
}
/* As lx_quick for b = 2, in fewer operations of vectors: no square is negative. */
static inline int lx_quick_square(double a, double *to) {
    double r = a * a, far = fabs(lx_rest(a, a, r)) + r * (0.0066 * 0x1p-52);
    *to = r;
    return LX_BOUNDED & (r - far == r) & (r <= 0x1p64) & ((r >= 0x1p-64) | (a == 0));
}
static inline int lx_quickf(float a, float b, float *to) {
#if LX_BOUNDED
    if (b == 2.0f) {
        double exact = (double)a * a;
        float r = (float)exact, unit;
        uint32_t bits;
        memcpy(&bits, &r, 4);
        bits = (bits - 1) & UINT32_C(0x7f800000);
        memcpy(&unit, &bits, 4);
        int32_t size = (int32_t)(bits >> 23) - 127;
        float far = 0.495f - 0.0026f * (size < 0 ? -size : size);
        int usual = (size >= -64) & (size <= 64);
        *to = r;
        return usual & (fabs(exact - r) < unit * far * 0x1p-23f);
    }
#endif
    return 0;
}
#define lx_quick_squaref(a, to) lx_quickf(a, 2, to)
static inline double lx_power(double a, double b) {
    double r;
    return __builtin_expect(lx_quick(a, b, &r), 1) ? r : lx_libm_pow(a, b);
}
static inline float lx_powerf(float a, float b) {
    float r;
    return __builtin_expect(lx_quickf(a, b, &r), 1) ? r : lx_libm_powf(a, b);
}"""
"""Near 1, within 2**64, glibc's ``pow`` (``sysdeps/ieee754/dbl-64/e_pow.c``) rounds
``scale + scale * tmp`` once; what it is off by besides is an error of ``tmp``: 0.011
units in the last place where that is most, below a power of two, so 0.0055 * 2**-52 of
the result, and 1.5 * 2**-68 for each of at most 65 * log(2) of the logarithm. ``powf``
(``flt-32/e_powf.c``) is off by less than 0.502 units and 0.0025 more for each binary
power.

Over all doubles ``pow`` is off by less than 0.5435 units in the last place, says the
same text: 0.511 of the exponential function, and 1.5 * 2**-68 * 1024 * log(2) of the
logarithm. So where it is not the float next to the exact power, this one is more than
0.4565 units away, to the side on which the other is: with 1.125 times as much it
rounds to that, or goes beyond it (``lx_pow_other``). How far away it is, is known
exactly down to 2**-900, and is not a number where the power is none or infinite."""
