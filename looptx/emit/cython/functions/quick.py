"""Functions of Python's ``math`` in the lanes of vectors, and of one number alike.

An argument is reduced to a small one whose function is a polynomial: by multiples of
ln 2 or pi / 2 in two or three parts, of which the first are exact (Cody and Waite,
Software Manual for the Elementary Functions, 1980), or to a mantissa near 1. How the
parts of a logarithm are added is that of fdlibm (Sun Microsystems, 1993). The
polynomials are the best ones (Remez) for the relative error, found for this table. No
step needs a fused multiplication, so that all machines give the same bits; what the C
compiler may not put in another order is held (``LX_HOLD``), or in a block of its own
(``LX_ORDER``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from looptx.emit.cython.helpers import Helper, quiet
from looptx.lower.tree import Intrinsic
from looptx.lower.types import c_vector
from looptx.lower.values.mathematics import QUICK

ULPS = {"exp": 1, "log": 1, "log2": 2, "log10": 2, "sin": 3, "cos": 3, "tanh": 3}
"""How many units in the last place results are off, at most, from what is exact."""

_ORDER = """\
#ifdef __clang__
#define LX_ORDER _Pragma("clang fp reassociate(off) contract(off)")
#else
#define LX_ORDER
#endif
#define LX_PICK(d, i, m, a, b) ((d)(((i)(m) & (i)(a)) | (~(i)(m) & (i)(b))))"""

HELPERS = {"lx_order": Helper(_ORDER)}

_EXP = (
    *("0x1.000000000000ap-1", "0x1.55555555554fap-3", "0x1.5555555550885p-5"),
    *("0x1.1111111127bdep-7", "0x1.6c16c18428117p-10", "0x1.a01a012a54325p-13"),
    *("0x1.a0199a11e212ap-16", "0x1.71df25669dfc3p-19", "0x1.28ad6dc9b519ep-22"),
    "0x1.ad7f3d4d66f3ap-26",
)
"""(exp(r) - 1 - r) / r**2, |r| <= ln(2) / 2, by r; off by 3.7e-18 of exp(r)."""

_LOG = (
    *("0x1.5555555555592p-1", "0x1.999999997fd55p-2", "0x1.24924941f6804p-2"),
    *("0x1.c71c52050074cp-3", "0x1.74663fd0906d1p-3", "0x1.39a1a2dd938f0p-3"),
    "0x1.2f06594bcba51p-3",
)
"""(2 * atanh(s) - 2 * s) / s**3, |s| <= 0.172, by s**2; off by 2.5e-18 of s**-2."""

_SIN = (
    *("-0x1.5555555555549p-3", "0x1.111111110f87ap-7", "-0x1.a01a019c119c6p-13"),
    *("0x1.71de3577b880ep-19", "-0x1.ae5e663b93a66p-26", "0x1.5d93012ba7144p-33"),
)
_COS = (
    *("0x1.555555555554cp-5", "-0x1.6c16c16c1517ep-10", "0x1.a01a019cb1be8p-16"),
    *("-0x1.27e4f809f0c93p-22", "0x1.1ee9ebe9129ddp-29", "-0x1.8fae9c5397487p-37"),
)
"""(sin(r) - r) / r**3 and (cos(r) - 1 + r**2 / 2) / r**4, |r| <= pi / 4, by r**2; off
by 3.5e-18 and 4.7e-20."""


def _polynomial(by: str, terms: Sequence[str]) -> str:
    """A polynomial in C, the innermost parentheses around its highest terms."""
    last, *others = reversed(terms)
    for term in others:
        last = f"{term} + {by} * ({last})"
    return last


def _held(name: str, value: str) -> str:
    """A variable that is computed as it stands."""
    return f"D {name} = {value}; LX_HOLD({name}); "


_BIG = "0x1.8p52"
"""What is added to round to an integer, which the lowest bits are then."""

_WHOLE = f"(I)(Z + {_BIG})"

_REDUCED = (
    _held("t", f"y * 0x1.71547652b82fep+0 + {_BIG}")
    + f"D k = t - {_BIG}; I n = (I)t - {_WHOLE}; "
    + _held("r", "y - k * 0x1.62e42fee00000p-1")
    + "r = r - k * 0x1.a39ef35793c76p-33; "
    + f"D p = r + r * r * ({_polynomial('r', _EXP)}); "
)
"""y as n * ln(2) + r, and exp(r) - 1."""

_EXPONENTIAL = (
    "D y = PICK(x > 710.0, Z + 710.0, x); y = PICK(y < -746.0, Z - 746.0, y); "
    + _REDUCED
    # 2**n in two steps: of numbers near both ends it is none.
    + "I h = (I)(((U)n + 2048) >> 1) - 1024; "
    + _held("s", "(1 + p) * (D)((h + 1023) << 52)")
    + "return s * (D)((n - h + 1023) << 52);"
)

_LOGARITHM = (
    "I few = x < 0x1p-1022; D y = PICK(few, x * 0x1p54, x); "
    "U u = (U)((I)y - 0x3fe6a09e667f3bcd + (1023LL << 52)); "
    "I n = (I)(u >> 52) - 1023; D f = (D)((I)y - (n << 52)) - 1; "
    f"D k = (D)(n - (few & 54) + {_WHOLE}) - {_BIG}; "
    "D s = f / (2 + f), z = s * s, h = 0.5 * f * f; "
    f"D q = s * (h + z * ({_polynomial('z', _LOG)})); "
    "D r = %s; "
    "r = PICK(x < INFINITY, r, x + x); r = PICK(x == 0, Z - INFINITY, r); "
    "return PICK(x < 0, Z + NAN, r);"
)
_NEAR = "(f - (h - q))"

_ANGLE = (
    _held("t", f"x * 0x1.45f306dc9c883p-1 + {_BIG}")
    + f"D k = t - {_BIG}; I n = (I)t - {_WHOLE} + %d; "
    + _held("a", "x - k * 0x1.921fb54400000p+0")
    + _held("b", "a - k * 0x1.0b4611a600000p-34")
    + _held("r", "b - k * 0x1.3198a2e037073p-69")
    + f"D z = r * r, s = r + r * (z * ({_polynomial('z', _SIN)})); "
    + f"D c = (1 - 0.5 * z) + z * z * ({_polynomial('z', _COS)}); "
    + "D v = PICK(-(n & 1), c, s); v = (D)((I)v ^ ((n & 2) << 62)); "
    + "I far = ~(I)((D)((I)x & INT64_MAX) <= 0x1p17); "
    + "if (ANY(far)) for (int j = 0; j < N; j++) if (far[j]) v[j] = LIBM(x[j]); "
)
"""Up to 2**17 the products with the first two parts are exact."""

_HYPERBOLIC = (
    "D y = (D)((I)x & INT64_MAX); y = PICK(y > 22.0, Z + 22.0, y); y = y + y; "
    + _REDUCED
    + "D s = (D)((n + 1023) << 52); "
    + _held("less", "s - 1")
    + "D e = s * p + less; e = e / (e + 2); "
    + "return (D)((I)e | ((I)x & INT64_MIN));"
)

_BODIES = {
    "exp": _EXPONENTIAL,
    "log": _LOGARITHM
    % "k * 0x1.62e42fee00000p-1 - ((h - (q + k * 0x1.a39ef35793c76p-33)) - f)",
    "log2": _LOGARITHM % f"k + {_NEAR} * 0x1.71547652b82fep+0",
    "log10": _LOGARITHM
    % (
        "k * 0x1.3441350800000p-2"
        f" + (k * 0x1.f79fef311f12bp-34 + {_NEAR} * 0x1.bcb7b1526e50ep-2)"
    ),
    "sin": _ANGLE % 0 + "return PICK(x == 0, x, v);",
    "cos": _ANGLE % 1 + "return v;",
    "tanh": _HYPERBOLIC,
}
assert _BODIES.keys() == ULPS.keys() == QUICK


_PICK, _WORDS = re.compile(r"\bPICK\("), re.compile(r"\b(D|I|U|Z|N|LIBM)\b")


def helper(name: str, one: Intrinsic) -> Helper:
    """A function of vectors, or of one number, which is that of two in both lanes."""
    word, lanes = one.operation, one.lanes
    if lanes == 1:
        return quiet(
            "double", name, "double x", f"return {_alone(word, 'x')};", _pair(word)
        )
    kind, bits, whole = (c_vector(x, lanes) for x in ("float64", "int64", "uint64"))
    needs = [kind, bits, whole, "lx_order", "lx_hold"]
    some, needs[:0] = _any(lanes)
    body = _BODIES[word].replace("ANY(far)", f"({{ {some} }})")
    means = {"D": kind, "I": bits, "U": whole, "Z": f"({kind}){{0}}", "N": str(lanes)}
    means["LIBM"] = f"lx_libm_{word}"
    if means["LIBM"] in body or "LIBM" in body:
        needs.append(means["LIBM"])
    body = _WORDS.sub(lambda found: means[found[1]], _PICK.sub("LX_PICK(D, I, ", body))
    body = f"{{ LX_ORDER {body} }}"
    if lanes > 2:
        # What no register holds is held in no order, either.
        register = "_".join(filter(None, ("LX_REGISTER", one.machine)))
        each = f"for (int j = 0; j < {lanes}; j++) w[j] = {_alone(word, 'x[j]')};"
        body = f"if (sizeof x > {register}) {{ {kind} w; {each} return w; }} {body}"
        needs.append(_pair(word))
    return quiet(kind, name, f"{kind} x", body, *needs)


def _pair(word: str) -> str:
    """What the function of two lanes is called in C."""
    return f"lx_quick_{word}_f64x2"


def _alone(word: str, value: str) -> str:
    """The function of one number in C."""
    return f"{_pair(word)}((lx_f64x2){{ {value}, {value} }})[0]"


def _any(lanes: int) -> tuple[str, list[str]]:
    """C that is not 0 where a lane of a mask is set, and the types that it needs."""
    given, lines, needs = "far", "", list[str]()
    while lanes > 2:
        lanes //= 2
        half = c_vector("int64", lanes)
        both = " | ".join(f"(({half} *)&{given})[{k}]" for k in range(2))
        given = f"far{lanes}"
        lines += f"{half} {given} = {both}; "
        needs.append(half)
    return f"{lines}{given}[0] | {given}[1];", needs


HELPERS |= {
    _pair(word): helper(_pair(word), Intrinsic(word, "float64", "quick", 2))
    for word in sorted(QUICK)
}
