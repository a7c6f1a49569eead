"""Whether a loop of NumPy has other bits for one number than for many."""

from __future__ import annotations

from looptx.emit.cython.helpers import Helper
from looptx.lower.tree import Intrinsic
from looptx.lower.values.arrays.alike import UNLIKE

_TRY = """\
static const double lx_samples[] = {
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -7.25, 10.0, 0.1, 1e-3, -1e-9, 1e-310,
    -4e-320, 1e-45, 88.5, 89.5, -104.5, 709.7, 710.5, -744.5, -746.0, 1e4, -71477.25,
    1e6, 1e15, -1e22, 3e38, 1e300, -1e308, HUGE_VAL, -HUGE_VAL, NAN, 1.5707963267948966,
    3.141592653589793, 0.7853981633974483, -2.718281828459045
};
enum { LX_SAMPLES = sizeof lx_samples / sizeof *lx_samples };
static void lx_put(char *to, int size, int k, double x) {
    if (size == 8) ((double *)to)[k] = x;
    else ((float *)to)[k] = (float)x;
}
/* What each sample, or each pair of them, gives by itself. */
static void lx_alone(const lx_slot *slot, int operands, int size, char *singles) {
    double x, y;
    Py_ssize_t one = 1, s[3] = { size, size, size };
    for (int k = 0; k < LX_SAMPLES * (operands == 2 ? 1 : LX_SAMPLES); k++) {
        char *p[3] = { (char *)&x, (char *)&y, singles + k * size };
        if (operands == 2) p[1] = p[2];
        lx_put(p[0], size, 0, lx_samples[k % LX_SAMPLES]);
        if (operands == 3) lx_put(p[1], size, 0, lx_samples[k / LX_SAMPLES]);
        slot->loop(p, &one, s, slot->data);
    }
}
/* The exponents for which a loop of powers may compute something else. */
static int lx_is_other(double y) {
    return y == -1 || y == 0 || y == 0.5 || y == 1 || y == 2;
}
/* The operand that is held is one number for all lanes; 2 is the second, but for such
   exponents. */
static void lx_compare(lx_slot *slot, int operands, int lanes, int size, int held,
                       const char *singles) {
    enum { MOST = 64 };
    double given[2 * MOST], together[MOST], apart[MOST];
    char *p[3] = { (char *)given, (char *)(given + MOST), (char *)together };
    Py_ssize_t s[3] = { size, size, size };
    if (operands == 2) p[1] = p[2];
    int second = held >= 1;
    if (held >= 0) s[second] = 0;
    slot->apart = 0;
    for (int first = 0; first < LX_SAMPLES; first++)
        for (int step = 0; step < 8; step++) {
            if (held == 2 && lx_is_other(lx_samples[first * 5 % LX_SAMPLES])) continue;
            for (int k = 0; k < lanes; k++) {
                int x = (first + (held == 0 ? 0 : k) * step) % LX_SAMPLES;
                int y = (first * 5 + (second ? 0 : k) * 3) % LX_SAMPLES;
                int at = x + (operands == 2 ? 0 : y * LX_SAMPLES);
                lx_put((char *)given, size, k, lx_samples[x]);
                lx_put((char *)(given + MOST), size, k, lx_samples[y]);
                memcpy((char *)apart + k * size, singles + at * size, (size_t)size);
            }
            lx_run(slot, p, operands, lanes, s);
            if (memcmp(together, apart, (size_t)lanes * size)) {
                slot->apart = 1;
                return;
            }
        }
}
static void lx_try(lx_slot *slot, int operands, int lanes, int size) {
    double singles[LX_SAMPLES * LX_SAMPLES];
    lx_alone(slot, operands, size, (char *)singles);
    lx_compare(slot, operands, lanes, size, -1, (char *)singles);
}"""

_TRY_MANY = """\
static void lx_try_many(lx_slot *slot, int operands, int size) {
    double singles[LX_SAMPLES * LX_SAMPLES];
    lx_alone(slot, operands, size, (char *)singles);
    /* One number more than any two vectors have, and as many as any loop takes. */
    for (int lanes = 64; lanes > 1; lanes -= lanes > 33 ? 31 : lanes > 17 ? 4 : 1)
        for (int held = operands == 2 ? -1 : 1; held >= -1; held--) {
            lx_compare(slot, operands, lanes, size, held, (char *)singles);
            if (slot->apart) return;
        }
}
static void lx_try_powers(lx_slot *slot, int size) {
    double singles[LX_SAMPLES * LX_SAMPLES];
    lx_alone(slot, 3, size, (char *)singles);
    for (int lanes = 64; lanes > 1; lanes -= lanes > 33 ? 31 : lanes > 17 ? 4 : 1) {
        lx_compare(slot, 3, lanes, size, 2, (char *)singles);
        if (slot->apart) return;
    }
}"""

HELPERS = {
    "lx_try": Helper(
        _TRY,
        ("void lx_try(lx_slot *slot, int operands, int lanes, int size)",),
        ("lx_run",),
    ),
    "lx_try_many": Helper(
        _TRY_MANY,
        (
            "void lx_try_many(lx_slot *slot, int operands, int size)",
            "void lx_try_powers(lx_slot *slot, int size)",
        ),
        ("lx_try",),
    ),
}


def loop(one: Intrinsic) -> str:
    """The function of NumPy whose loop is tried; empty if there is none."""
    return one.operation if one.rules == UNLIKE else ""


def helper(name: str) -> Helper:
    """What tells of the loop, which was tried when the module was loaded."""
    c = (
        f"static lx_slot {name}_slot;\n"
        f"static inline int {name}(void) {{ return {name}_slot.apart; }}"
    )
    declarations = (f"lx_slot {name}_slot", f"bint {name}() noexcept nogil")
    return Helper(c, declarations, ("lx_slot", "lx_run", "lx_try_many"))
