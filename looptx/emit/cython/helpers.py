"""The C functions that generated text may use, each with what it needs.

A name is looked up once it occurs in a text; nothing that is not used is printed. What
raises takes the GIL in a cold function of its own and returns -1.
"""

from __future__ import annotations

from looptx.emit.cython import ccode
from looptx.lower.limits import EXACT, WORD
from looptx.model.records import dataclass


@dataclass(frozen=True, slots=True)
class Helper:
    """A piece of C, the Cython declarations of what it defines, and its own needs.

    ``raises`` says whether a call of it may raise.
    """

    c: str
    declarations: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    raises: bool = False


_ASKED = "#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__)\n"
QUICKLY = f'{_ASKED}#pragma GCC push_options\n#pragma GCC optimize ("O1")\n#endif'
USUALLY = f"{_ASKED}#pragma GCC pop_options\n#endif"
"""What is between these lines gcc compiles with fewer passes, in half the time. Where
nothing is optimised it would be more, as in tests: so the lines ask."""


def quickly(c: str) -> str:
    """C functions that are not worth what gcc makes of them at its highest level."""
    return f"{QUICKLY}\n{c}\n{USUALLY}"


def in_c(text: str) -> str:
    """Declarations with C's names of the types that Cython calls otherwise."""
    return text.replace(" complex", " _Complex").replace("bint", "int")


def _inline(
    result: str,
    name: str,
    arguments: str,
    body: str,
    fails: str,
    needs: tuple[str, ...],
) -> Helper:
    """A one-line C function; ``fails`` is Cython's exception clause."""
    c_result = result.replace("bint", "int")
    c = f"static inline {c_result} {name}({arguments}) {{ {body} }}"
    declared = f"{result} {name}({arguments}) {fails} nogil".replace(
        "_Complex", "complex"
    )
    return Helper(c, (declared,), needs, raises=fails != "noexcept")


def quiet(result: str, name: str, arguments: str, body: str, *needs: str) -> Helper:
    """A C function that cannot fail."""
    return _inline(result, name, arguments, body, "noexcept", needs)


def loud(result: str, name: str, arguments: str, body: str, *needs: str) -> Helper:
    """A C function that may raise; it returns -1 then."""
    fails = {"double": "except? -1.0", "double _Complex": "except? lx_failed"}
    clause = fails.get(result, "except? -1")
    needed = ("lx_failed",) if result == "double _Complex" else ()
    return _inline(result, name, arguments, body, clause, ("lx_raise", *needed, *needs))


def integer(name: str, arguments: str, body: str, *needs: str) -> Helper:
    """A C function that may raise; it returns the least integer then, and only then."""
    return _inline("int64_t", name, arguments, body, _LEAST, ("lx_word", *needs))


_LEAST = f"except {-WORD - 1}"

_D2 = "double a, double b"
_F2 = "float a, float b"
_I2 = "int64_t a, int64_t b"
_STEPS = "int64_t low, int64_t high, int64_t step"
_WRAP = "return i + (n & -(int64_t)(i < 0));"

_THREADS = {
    "lx_thread": Helper(ccode.THREAD, ("int lx_thread() noexcept nogil",)),
    "lx_team": Helper("", ("int lx_team() noexcept nogil",), ("lx_thread",)),
    "lx_barrier": Helper(ccode.BARRIER, ("void lx_barrier() noexcept nogil",)),
    "lx_threads": Helper(
        ccode.THREADS, ("int lx_threads(int given, int wanted) noexcept nogil",)
    ),
    "lx_worth": Helper(
        ccode.WORTH,
        ("int lx_worth(int threads, double amount, double least) noexcept nogil",),
    ),
}


def _table() -> dict[str, Helper]:
    """The helpers with a fixed name."""
    found = {
        "lx_raise": Helper(ccode.RAISE),
        "lx_word": Helper(ccode.WORD, needs=("lx_raise",)),
        "lx_unfit": Helper(ccode.FIT),
        "lx_at": Helper(
            ccode.INDEX,
            ("Py_ssize_t lx_at(Py_ssize_t i, Py_ssize_t n, int axis) except -1 nogil",),
            raises=True,
        ),
        "lx_bit": Helper(ccode.BIT, ("int lx_bit(int b) noexcept nogil",)),
        "lx_poll": Helper(ccode.POLL, ("int lx_poll() except -1 nogil",), raises=True),
        "lx_box": Helper(
            ccode.SPAN,
            (
                "ctypedef struct lx_box:\n    bint plain",
                "lx_box lx_span(const lx_array *array, int ndim, int item, int align)"
                " noexcept nogil",
                "bint lx_meet(lx_box a, lx_box b) noexcept nogil",
                "bint lx_ordered(const lx_array *array, int ndim, int item)"
                " noexcept nogil",
                "bint lx_folded(const lx_array *array, int ndim, int item)"
                " noexcept nogil",
                "bint lx_backwards(const lx_array *array, int ndim, int item)"
                " noexcept nogil",
            ),
            ("lx_array",),
        ),
        "lx_ordered": Helper("", (), ("lx_box",)),
        "lx_backwards": Helper("", (), ("lx_box",)),
        "lx_reach": Helper(
            ccode.REACH, ("ctypedef struct lx_reach:\n    int64_t low, high",)
        ),
        "lx_work": Helper(ccode.WORK, ("ctypedef int lx_work",)),
        "lx_inf": Helper("", ('const double lx_inf "HUGE_VAL"',)),
        "lx_failed": Helper("", ('const double complex lx_failed "-1"',)),
        "lx_nan": Helper("", ('const double lx_nan "NAN"',)),
        "lx_slot": Helper(
            ccode.UFUNC,
            (
                "ctypedef struct lx_slot:\n    pass",
                "int lx_find(lx_slot *slot, object ufunc, object kind,"
                " const char *name, int type, int result) except -1",
            ),
        ),
        "lx_run": Helper(ccode.RUN, (), ("lx_slot",)),
        "lx_divmod_f64": Helper(ccode.DIVMOD % {"t": "double", "s": "f64", "f": ""}),
        "lx_divmod_f32": Helper(ccode.DIVMOD % {"t": "float", "s": "f32", "f": "f"}),
        "lx_beyond": Helper(ccode.BEYOND, needs=("lx_raise", "lx_at")),
        "lx_wide_div": Helper(ccode.WIDE),
        "lx_round_to": Helper(
            ccode.ROUND_TO,
            ("double lx_round_to(double x, double scale, int digits) noexcept nogil",),
        ),
    }
    return {**found, **_THREADS} | {
        helper.declarations[0].split("(")[0].split()[-1]: helper
        for helper in _FUNCTIONS
    }


_FUNCTIONS = (
    quiet(
        "double",
        "lx_floordiv_f64",
        _D2,
        "double q; lx_divmod_f64(a, b, &q); return q;",
        "lx_divmod_f64",
    ),
    quiet(
        "double",
        "lx_mod_f64",
        _D2,
        "double q; return lx_divmod_f64(a, b, &q);",
        "lx_divmod_f64",
    ),
    quiet(
        "float",
        "lx_floordiv_f32",
        _F2,
        "float q; lx_divmod_f32(a, b, &q); return q;",
        "lx_divmod_f32",
    ),
    quiet(
        "float",
        "lx_mod_f32",
        _F2,
        "float q; return lx_divmod_f32(a, b, &q);",
        "lx_divmod_f32",
    ),
    quiet("int64_t", "lx_wrap", "int64_t i, int64_t n", _WRAP),
    quiet(
        "int64_t",
        "lx_whole",
        "int64_t low, int64_t high, int64_t size",
        "return high > low ? high - (high - low) % size : low;",
    ),
    quiet(
        "int64_t",
        "lx_cut",
        "int64_t low, int64_t high, int64_t step, int64_t parts, int64_t part",
        "int64_t n = step > 0 ? (high - low + step - 1) / step"
        " : (low - high - step - 1) / -step;"
        " if (step > 0 ? high <= low : high >= low) n = 0;"
        " return low + step * (n / parts * part + n % parts * part / parts);",
    ),
    quiet(
        "int64_t",
        "lx_blocks",
        "int64_t low, int64_t high, int64_t step, int64_t most",
        "int64_t n = step > 0 ? (high - low + step - 1) / step"
        " : (low - high - step - 1) / -step;"
        " return n < 0 ? 0 : n < most ? n : most;",
    ),
    quiet(
        "int64_t",
        "lx_copies",
        "int64_t bytes, int64_t most, int64_t limit",
        "int64_t n = bytes > 0 ? limit / bytes : most;"
        " return n < 1 ? 1 : n < most ? n : most;",
    ),
    quiet(
        "int64_t",
        "lx_count",
        _STEPS,
        "if (step > 0 ? low >= high : low <= high) return 0;"
        " return step > 0 ? ((uint64_t)high - low - 1) / step + 1"
        " : ((uint64_t)low - high - 1) / (-(uint64_t)step) + 1;",
    ),
    loud(
        "int64_t",
        "lx_steps",
        _STEPS,
        "if (step == 0) return lx_raise(LX_STEP); return lx_count(low, high, step);",
        "lx_count",
    ),
    quiet("int64_t", "lx_abs", "int64_t i", "return i < 0 ? -i : i;"),
    quiet("int32_t", "lx_abs_i32", "int32_t i", "return __builtin_abs(i);"),
    loud(
        "int64_t",
        "lx_trunc",
        "double x",
        "if (x > -9223372036854775808.0 && x < 9223372036854775808.0)"
        " return (int64_t)x;"
        " if (x == -9223372036854775808.0) return INT64_MIN;"
        " return lx_raise(x != x ? LX_NAN : isinf(x) ? LX_INF : LX_LARGE);",
    ),
    loud(
        "int64_t",
        "lx_trunc_near",
        "double x",
        "return fabs(x) < 0x1p63 ? (int64_t)x : lx_trunc_beyond(x);",
        "lx_beyond",
    ),
    integer(
        "lx_trunc_again",
        "double x",
        f"return fabs(x) <= {EXACT}.0 ? (int64_t)x : lx_word(LX_AGAIN);",
    ),
    integer("lx_above_again", "int64_t a", "return a > 0 ? a : lx_word(LX_AGAIN);"),
    integer(
        "lx_held_again",
        "int64_t a",
        f"return a <= {EXACT} && a >= -{EXACT} ? a : lx_word(LX_AGAIN);",
    ),
    integer(
        "lx_held_again_u64",
        "uint64_t a",
        f"return a <= {EXACT} ? (int64_t)a : lx_word(LX_AGAIN);",
    ),
    integer(
        "lx_signed_again_u64",
        "uint64_t a",
        f"return a <= {WORD} ? (int64_t)a : lx_word(LX_AGAIN);",
    ),
    quiet(
        "int64_t",
        "lx_saturated_u64",
        "uint64_t a",
        f"return a <= {WORD} ? (int64_t)a : {WORD};",
    ),
    loud("int", "lx_leave_off", "", "return lx_raise(LX_LEFT);"),
    loud("int", "lx_slices_apart", "", "return lx_raise(LX_APART);"),
    *(
        integer(
            f"lx_{word}_again",
            _I2,
            "int64_t c;"
            f" if (__builtin_expect(__builtin_{word}_overflow(a, b, &c), 0))"
            " return lx_word(LX_AGAIN);"
            " return __builtin_expect(c == INT64_MIN, 0) ? lx_word(LX_AGAIN) : c;",
        )
        for word in ("add", "sub", "mul")
    ),
    loud(
        "Py_ssize_t",
        "lx_at_near",
        "int64_t i, Py_ssize_t n, int axis",
        "return (uint64_t)i < (uint64_t)n ? i : lx_at_beyond(i, n, axis);",
        "lx_beyond",
    ),
    quiet("int64_t", "lx_behind", "int64_t i, int64_t later", "return i;"),
    loud(
        "int64_t",
        "lx_behind_near",
        "int64_t i, int64_t later",
        "return lx_is_beyond(later) ? lx_at_beyond(later, 0, 0) : i;",
        "lx_beyond",
    ),
    # Truth values as wide as numbers: of bytes C compilers make slow vectors.
    quiet(
        "bint", "lx_differ", "int a, int b", "return (a ? -1LL : 0) != (b ? -1LL : 0);"
    ),
    # Which of two floats it is goes by their bits: C has no move for floats that
    # integers decide about, and jumps.
    quiet(
        "double",
        "lx_picked_f64",
        "int64_t bits, double a, double b",
        "uint64_t x, y; memcpy(&x, &a, 8); memcpy(&y, &b, 8);"
        " x = (x & (uint64_t)bits) | (y & ~(uint64_t)bits);"
        " memcpy(&a, &x, 8); return a;",
    ),
    quiet("void", "lx_kept", "", '__asm__ volatile ("");'),
    quiet("double", "lx_plus_f64", _D2, "return a + b;"),
    quiet("float", "lx_plus_f32", _F2, "return a + b;"),
    quiet("double", "lx_minus_f64", _D2, "return a - b;"),
    quiet("float", "lx_minus_f32", _F2, "return a - b;"),
    quiet("double", "lx_above", "double x", "return x > 0 ? x : 0;"),
    quiet("double", "lx_below", "double x", "return x < 0 ? -x : 0;"),
    loud(
        "double",
        "lx_py_div_f64",
        _D2,
        "return b == 0 ? lx_raise(LX_ZERO_FLOAT) : a / b;",
    ),
    quiet(
        "double",
        "lx_div_i64",
        _I2,
        f"const int64_t big = {EXACT};"
        " if (-big <= a && a <= big && -big <= b && b <= big)"
        " return (double)a / (double)b;"
        " return lx_wide_div(a, b);",
        "lx_wide_div",
    ),
    loud(
        "double",
        "lx_py_div_i64",
        _I2,
        "return b == 0 ? lx_raise(LX_ZERO_DIV) : lx_div_i64(a, b);",
        "lx_div_i64",
    ),
    loud(
        "double",
        "lx_py_floordiv_f64",
        _D2,
        "double q; if (b == 0) return lx_raise(LX_ZERO_FLOORDIV);"
        " lx_divmod_f64(a, b, &q); return q;",
        "lx_divmod_f64",
    ),
    loud(
        "double",
        "lx_py_mod_f64",
        _D2,
        "double q; if (b == 0) return lx_raise(LX_ZERO_MOD);"
        " return lx_divmod_f64(a, b, &q);",
        "lx_divmod_f64",
    ),
    quiet("bint", "lx_isnan", "double x", "return x != x;"),
    quiet("bint", "lx_isinf", "double x", "return isinf(x) != 0;"),
    quiet("bint", "lx_isfinite", "double x", "return isfinite(x) != 0;"),
)

HELPERS = _table()
"""Every helper with a fixed name."""
