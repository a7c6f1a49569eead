"""Vectors in C: the extension of GCC and Clang, which makes them numbers.

A vector type is declared to Cython as a numeric one, so that arithmetic prints as it
is. Such a vector may stand wherever its elements may, and beside any other type.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from looptx.emit.cython.functions.squares import square
from looptx.emit.cython.helpers import Helper, quiet
from looptx.lower.tree import Intrinsic
from looptx.lower.types import c_vector
from looptx.lower.vectors.loads import BEHIND
from looptx.lower.vectors.masks.conditions import COMPARISONS
from looptx.lower.vectors.masks.masked import integers
from looptx.model.dtypes import DTYPES, ROWS

_NAME = re.compile(r"lx_([a-z]+\d+)x(\d+)\Z")
_BY_SHORT = {row.short: row for row in ROWS}
_QUIET = '#pragma GCC diagnostic ignored "-Wpsabi"'
"""How vectors are passed changes with the machine; these functions are all inlined."""

_HOLD = """\
#if defined(__x86_64__) && !defined(__clang__)
#define LX_HOLD(x) __asm__("" : "+v"(x))
#elif defined(__aarch64__) && !defined(__clang__)
#define LX_HOLD(x) __asm__("" : "+w"(x))
#else
#define LX_HOLD(x) (void)x
#endif
#ifdef __AVX512F__
#define LX_REGISTER 64
#elif defined(__AVX__)
#define LX_REGISTER 32
#else
#define LX_REGISTER 16
#endif
#ifdef __x86_64__
#define LX_REGISTER_avx2 32
#ifdef LX_WITHOUT_AVX512
#define LX_REGISTER_avx512 32
#else
#define LX_REGISTER_avx512 64
#endif
#else
#define LX_REGISTER_avx2 LX_REGISTER
#define LX_REGISTER_avx512 LX_REGISTER
#endif"""

_STEP = """\
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define LX_STEP(word, from, to) __asm__(word " %1, %0" : "=v"(to) : "v"(from))
#ifdef __AVX2__
#define LX_STEPS LX_REGISTER
#else
#define LX_STEPS 0
#endif
#define LX_STEPS_avx2 LX_REGISTER_avx2
#define LX_STEPS_avx512 LX_REGISTER_avx512
#else
#define LX_STEP(word, from, to) (void)to
#define LX_STEPS 0
#define LX_STEPS_avx2 0
#define LX_STEPS_avx512 0
#endif"""

_STEPS = {
    **{("u8", "i32"): "vpmovzxbd", ("u8", "i64"): "vpmovzxbq"},
    **{("i8", "i32"): "vpmovsxbd", ("i8", "i64"): "vpmovsxbq"},
    **{("u16", "i32"): "vpmovzxwd", ("u16", "i64"): "vpmovzxwq"},
    **{("i16", "i32"): "vpmovsxwd", ("i16", "i64"): "vpmovsxwq"},
    **{("u32", "i64"): "vpmovzxdq", ("i32", "i64"): "vpmovsxdq"},
    **{("i32", "f64"): "vcvtdq2pd", ("f32", "f64"): "vcvtps2pd"},
}
"""Conversions that are one instruction of AVX2, and of AVX-512 for wider vectors. gcc
takes them apart into halves (to version 12), or into single numbers."""

HELPERS = {"lx_hold": Helper(_HOLD), "lx_step": Helper(_STEP, (), ("lx_hold",))}
"""What makes C forget where in memory a vector is from: gcc loads it again each time
that it is used, which is two loads where it lies in two lines of the cache. What is
wider than a register of the processors that it is compiled for has none to be in, which
clang refuses to hear of even where it is not reached; it does not load again."""


def vector(name: str) -> Helper | None:
    """The vector type of that name, if it is one."""
    found = _NAME.match(name)
    row = _BY_SHORT.get(found[1]) if found else None
    if found is None or row is None:
        return None
    size = row.size * int(found[2])
    marks = f"vector_size({size}), aligned({row.size}), may_alias"
    c = f"{_QUIET}\ntypedef {row.c} {name} __attribute__(({marks}));"
    return Helper(c, (f"ctypedef {row.c} {name}",))


def widest(calls: Iterable[str | Intrinsic]) -> int:
    """The bytes of the widest vector in what is called; 0 if there is none."""
    sizes = [0]
    for one in calls:
        if isinstance(one, Intrinsic):
            sizes.append(DTYPES[one.dtype].size * one.lanes if one.lanes > 1 else 0)
        elif found := _NAME.match(one):
            sizes.append(_BY_SHORT[found[1]].size * int(found[2]))
    return max(sizes)


def operation(name: str, function: Intrinsic) -> Helper:
    """A function of vectors."""
    lanes, row = function.lanes, DTYPES[function.dtype]
    kind, word = c_vector(row.name, lanes), function.operation
    if word in _SHAPES or word.startswith(BEHIND):
        return _shape(name, function)
    if word.startswith("from_"):
        return _converted(name, function)
    bits = c_vector(integers(row.name), lanes)
    two, needs = f"{kind} a, {kind} b", tuple(dict.fromkeys((kind, bits)))
    if word in _COMPARED:
        body = f"return ({bits})(a {_COMPARED[word]} b);"
        return quiet(bits, name, two, body, *needs)
    if word in _EXTREMES:
        test, first, other = _EXTREMES[word]
        body = (
            f"{bits} m = ({bits})({test}); return {_chosen(kind, bits, first, other)};"
        )
        return quiet(kind, name, two, body, *needs)
    if word == "choose":
        body = f"return {_chosen(kind, bits, 'a', 'b')};"
        return quiet(kind, name, f"{bits} m, {two}", body, *needs)
    if word == "fabs":
        body = f"return ({kind})(({bits})a & INT{row.bits}_MAX);"
        return quiet(kind, name, f"{kind} a", body, *needs)
    if word == "sign":
        body = (
            f"{kind} one = ({kind}){{}} + ({row.c})1;"
            f" {bits} more = ({bits})(a > 0), less = ({bits})(a < 0);"
            f" {bits} rest = ({bits})a & ~(more | less | ({bits})(a == 0));"
            f" return ({kind})((more & ({bits})one) | (less & ({bits})-one) | rest);"
        )
        return quiet(kind, name, f"{kind} a", body, *needs)
    if word == "square":
        return square(name, lanes)
    if word == "sqrt":
        own = "sqrt" if row.c == "double" else "sqrtf"
        each = ", ".join(f"{own}(a[{k}])" for k in range(lanes))
        return quiet(kind, name, f"{kind} a", f"return ({kind}){{ {each} }};", kind)
    sign = {"plus": "+", "minus": "-"}[word]
    return quiet(kind, name, two, f"return a {sign} b;", kind)


def _converted(name: str, function: Intrinsic) -> Helper:
    """A vector in another type."""
    lanes, row = function.lanes, DTYPES[function.dtype]
    short = function.operation.removeprefix("from_")
    kind, given = (c_vector(one, lanes) for one in (row.name, _BY_SHORT[short].name))
    body, needs = f"return __builtin_convertvector(x, {kind});", [kind, given]
    step = _STEPS.get((short, row.short))
    if step and _BY_SHORT[short].size * lanes >= 4:
        room = "_".join(filter(None, ("LX_STEPS", function.machine)))
        once = f'LX_STEP("{step}", x, y); return y;'
        body = f"{kind} y; if (sizeof y <= {room}) {{ {once} }} {body}"
        needs.append("lx_step")
    return quiet(kind, name, f"{given} x", body, *needs)


def _splat(name: str, function: Intrinsic) -> Helper:
    """One number in all lanes.

    For 64 bytes gcc is given an integer of the same bits: Zen 4 loads that into all
    lanes as it loads a vector, but takes a unit of arithmetic for the same load of a
    floating-point number (``vbroadcastsd zmm``), a fourth of what a product of matrices
    has. Other processors load both alike.
    """
    lanes, row = function.lanes, DTYPES[function.dtype]
    kind, bits = c_vector(row.name, lanes), DTYPES[integers(row.name)]
    if row.kind != "f" or row.size * lanes != _WIDEST:
        body = f"return ({kind}){{ {', '.join(['x'] * lanes)} }};"
        return quiet(kind, name, f"{row.c} x", body, kind)
    same, each = c_vector(bits.name, lanes), ", ".join(["i"] * lanes)
    body = (
        f"{bits.c} i; memcpy(&i, &x, {row.size}); return ({kind})({same}){{ {each} }};"
    )
    return quiet(kind, name, f"{row.c} x", body, kind, same)


_COMPARED = {word: sign for sign, word in COMPARISONS.items()}
_WIDEST = 64
_SHAPES = ("splat", "lanes", "lane", "reverse", "low", "high", "held")
_EXTREMES = {
    "min": ("b < a", "b", "a"),
    "max": ("b > a", "b", "a"),
    "minimum": ("(a < b) | (a != a)", "a", "b"),
    "maximum": ("(a > b) | (a != a)", "a", "b"),
}
"""Tests, what is taken where they hold, and what elsewhere."""


def _chosen(kind: str, bits: str, first: str, other: str) -> str:
    """One of two vectors where the mask is set, the other elsewhere."""
    return f"({kind})((m & ({bits}){first}) | (~m & ({bits}){other}))"


def _shape(name: str, function: Intrinsic) -> Helper:
    """Numbers put into a vector, taken out of it, or turned around."""
    lanes, element = function.lanes, DTYPES[function.dtype].c
    kind, every = c_vector(function.dtype, lanes), range(lanes)
    match function.operation:
        case "splat":
            return _splat(name, function)
        case "lanes":
            given = ", ".join(f"{element} x{k}" for k in every)
            body = f"return ({kind}){{ {', '.join(f'x{k}' for k in every)} }};"
            return quiet(kind, name, given, body, kind)
        case "lane":
            return quiet(element, name, f"{kind} x, int k", "return x[k];", kind)
        case "low" | "high" as word:
            whole, first = c_vector(function.dtype, 2 * lanes), lanes * (word == "high")
            body = ", ".join(f"x[{first + k}]" for k in every)
            body = f"return ({kind}){{ {body} }};"
            return quiet(kind, name, f"{whole} x", body, kind, whole)
        case "held":
            bytes_ = "_".join(filter(None, ("LX_REGISTER", function.machine)))
            body = f"if (sizeof x <= {bytes_}) LX_HOLD(x); return x;"
            return quiet(kind, name, f"{kind} x", body, kind, "lx_hold")
        case word if word.startswith(BEHIND):
            gap = int(word.removeprefix(BEHIND))
            both = [*(f"a[{k}]" for k in every), *(f"b[{k}]" for k in every)]
            body = f"return ({kind}){{ {', '.join(both[gap : gap + lanes])} }};"
            return quiet(kind, name, f"{kind} a, {kind} b", body, kind)
    backwards = ", ".join(f"x[{k}]" for k in reversed(every))
    return quiet(kind, name, f"{kind} x", f"return ({kind}){{ {backwards} }};", kind)
