"""Random numbers in C, word by word of NumPy's generator.

The Mersenne Twister (Matsumoto and Nishimura, ACM TOMACS 8, 1998) has 624 words, behind
which stands how many of them are used. Normal numbers are made two at a time (Marsaglia
and Bray, SIAM Review 6, 1964): ``spare`` says whether one is left over, and which.
Statements are told what they read and write by ``callees.mersenne``.
"""

from __future__ import annotations

from looptx.emit.cython.helpers import Helper

_WORDS = """\
static inline uint32_t lx_mixed(uint32_t word, uint32_t next, uint32_t far) {
    uint32_t y = (word & 0x80000000u) | (next & 0x7fffffffu);
    return far ^ (y >> 1) ^ (-(y & 1) & 0x9908b0dfu);
}
static __attribute__((noinline)) void lx_renew(uint32_t *key) {
    for (int k = 0; k < 227; k++) key[k] = lx_mixed(key[k], key[k + 1], key[k + 397]);
    for (int k = 227; k < 623; k++) key[k] = lx_mixed(key[k], key[k + 1], key[k - 227]);
    key[623] = lx_mixed(key[623], key[0], key[396]);
    key[624] = 0;
}
static inline uint32_t lx_tempered(uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}
static inline uint32_t lx_word_of(uint32_t *key) {
    if (key[624] >= 624) lx_renew(key);
    return lx_tempered(key[key[624]++]);
}
static inline int64_t lx_bits_of(uint32_t *key) {
    uint32_t at = key[624], first, second;
    if (at < 623) {
        first = lx_tempered(key[at]);
        second = lx_tempered(key[at + 1]);
        key[624] = at + 2;
    } else {
        first = lx_word_of(key);
        second = lx_word_of(key);
    }
    return (int64_t)(first >> 5) * 67108864 + (second >> 6);
}"""

_FRACTION = """\
static inline int64_t lx_draw_fraction(uint32_t *key, const int64_t *made) {
    return lx_bits_of(key);
}"""

_BELOW = """\
static inline int64_t
lx_draw_below(uint32_t *key, const int64_t *made, int64_t most) {
    uint32_t mask = most, found;
    if (!most) return 0;
    for (int far = 1; far < 32; far *= 2) mask |= mask >> far;
    do found = lx_word_of(key) & mask; while (found > most);
    return found;
}"""

_NORMAL = """\
static __attribute__((noinline)) double
lx_draw_bell(uint32_t *key, const int64_t *made, double *spare) {
    double x, y, square, scale;
    if (spare[0] != 0) {
        x = spare[1];
        spare[0] = spare[1] = 0;
        return x;
    }
    do {
        x = 2.0 * (lx_bits_of(key) / 9007199254740992.0) - 1.0;
        y = 2.0 * (lx_bits_of(key) / 9007199254740992.0) - 1.0;
        square = x * x + y * y;
    } while (square >= 1.0 || square == 0.0);
    scale = sqrt(-2.0 * log(square) / square);
    spare[0] = 1;
    spare[1] = scale * x;
    return scale * y;
}"""

_GIVEN = "uint32_t *key, const int64_t *made"


def _drawing(c: str, declared: str) -> Helper:
    return Helper(c, (f"{declared} noexcept nogil",), ("lx_words",))


HELPERS = {
    "lx_words": Helper(_WORDS),
    "lx_draw_fraction": _drawing(_FRACTION, f"int64_t lx_draw_fraction({_GIVEN})"),
    "lx_draw_below": _drawing(_BELOW, f"int64_t lx_draw_below({_GIVEN}, int64_t most)"),
    "lx_draw_bell": _drawing(_NORMAL, f"double lx_draw_bell({_GIVEN}, double *spare)"),
}
