"""Functions of the C library by names that the compiler does not know.

Of constants it would compute them itself, exactly rounded: not what the library gives,
and Python with it.
"""

from __future__ import annotations

from looptx.emit.cython.helpers import Helper
from looptx.lower.values.mathematics import LIBM

_NAMES = """\
#if defined(__GNUC__) && !defined(__clang__)
#define LX_TEXT_(x) #x
#define LX_TEXT(x) LX_TEXT_(x)
#define LX_LIBM(type, name, given) \\
    extern type lx_libm_##name given __asm__(LX_TEXT(__USER_LABEL_PREFIX__) #name) \\
        __attribute__((const, nothrow));
#else
#define LX_LIBM(type, name, given) static type (*volatile lx_libm_##name) given = name;
#endif"""

_EXACT = frozenset(("sqrt",))
"""Those that have one result: compilers may have instructions for them."""


def libm(word: str) -> str:
    """What a function is called in C."""
    return word if word in _EXACT else f"lx_libm_{word}"


def _named(word: str, given: str) -> Helper:
    return Helper(f"LX_LIBM(double, {word}, ({given}))", needs=("lx_libm",))


HELPERS = {
    "lx_libm": Helper(_NAMES),
    **{libm(word): _named(word, "double") for word in LIBM if word not in _EXACT},
    **{libm(word): _named(word, "double, double") for word in ("atan2", "hypot")},
    libm("hypotf"): Helper(
        "LX_LIBM(float, hypotf, (float, float))", needs=("lx_libm",)
    ),
}
