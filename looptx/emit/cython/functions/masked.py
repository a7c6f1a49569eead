"""Loads and stores of the lanes that a mask has, in C.

AVX-512 has them for numbers of all sizes, AVX2 for those of 32 and 64 bits. Elsewhere
one lane is asked after the other, and less than 16 bytes are so stored. (What each
processor has: Intel, Intrinsics Guide.)
"""

from __future__ import annotations

from looptx.emit.cython.helpers import Helper, quiet
from looptx.lower.tree import Intrinsic
from looptx.lower.types import c_vector
from looptx.lower.vectors.masks.masked import integers
from looptx.model.dtypes import DTYPES, ROWS

_LEVELS = """\
#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define LX_MASKS 2
#elif defined(__AVX2__)
#define LX_MASKS 1
#else
#define LX_MASKS 0
#endif
#if defined(__GNUC__) && defined(__x86_64__)
#define LX_MASKS_avx2 1
#ifdef LX_WITHOUT_AVX512
#define LX_MASKS_avx512 1
#else
#define LX_MASKS_avx512 2
#endif
#else
#define LX_MASKS_avx2 LX_MASKS
#define LX_MASKS_avx512 LX_MASKS
#endif
#define LX_PASTED(a, b) a##b
#define LX_AT_LEVEL(name, level) LX_PASTED(name, level)"""

HELPERS = {"lx_masks": Helper(_LEVELS)}
"""What masks the processor has that a function is compiled for: 2 for AVX-512's, 1 for
AVX2's, 0 for none."""

_NUMBERS = {1: ("char", "qi", "b"), 2: ("short", "hi", "w")} | {
    **{4: ("int", "si", "d"), 8: ("long long", "di", "q")}
}
"""By the bytes of a number: its type, and how the names of instructions end."""

_BY_SHORT = {row.short: row.name for row in ROWS}


def is_masked(function: Intrinsic) -> bool:
    """Whether a function of vectors is one of masks."""
    return function.operation.partition("_")[0] in ("put", "get", "any")


def operation(name: str, function: Intrinsic) -> Helper:
    """A function of masks."""
    word, _, short = function.operation.partition("_")
    lanes, row = function.lanes, DTYPES[function.dtype]
    kind = c_vector(row.name, lanes)
    if word == "any":
        return _any(name, kind, lanes, lanes * row.size)
    mask, given = _BY_SHORT[short], c_vector(_BY_SHORT[short], lanes)
    same = c_vector(integers(row.name), lanes)
    ways = [
        _plain(word, function),
        _avx2(word, function),
        _avx512(word, mask, function),
    ]
    ways[1] = ways[1] or ways[0]
    macros = [f"#define {name}_{k} {way}" for k, way in enumerate(ways)]
    level = "_".join(filter(None, ("LX_MASKS", function.machine)))
    body = f"LX_AT_LEVEL({name}_, {level})"
    needs = "lx_masks", *{kind: 0, given: 0, same: 0}
    if word == "get":
        arguments, body = f"const void *p, {given} m", f"{kind} x; {body} return x;"
        made = quiet(kind, name, arguments, body, *needs)
    else:
        made = quiet("void", name, f"void *p, {given} m, {kind} x", body, *needs)
    types = [_vector(size, each) for each in _NUMBERS for size in (16, 32, 64)]
    return Helper("\n".join((*types, *macros, made.c)), made.declarations, made.needs)


def _any(name: str, kind: str, lanes: int, size: int) -> Helper:
    """Whether a lane of a mask has bits.

    Args:
        name: of the function. kind: C's type of the mask.
        lanes: of it. size: its bytes.
    """
    some = " | ".join(f"m[{k}]" for k in range(lanes))
    lines = [f"    return ({some}) != 0;"]
    machine, bits = {16: ("__SSE4_1__", 128), 32: ("__AVX__", 256)}.get(size, ("", 0))
    if machine:
        wide = f"long long w __attribute__((vector_size({size})))"
        ask = f"__builtin_ia32_ptestz{bits}(w, w)"
        lines = [
            f"#ifdef {machine}",
            f"    {wide};",
            "    memcpy(&w, &m, sizeof w);",
            f"    return !{ask};",
            "#else",
            *lines,
            "#endif",
        ]
    body = "\n".join(lines)
    return quiet("int", name, f"{kind} m", f"\n{body}\n", kind)


def _vector(size: int, each: int) -> str:
    """The declaration of a vector as compilers have it in their own functions.

    Args:
        size: its bytes. each: those of a number.
    """
    marks = f"__attribute__((vector_size({size}), may_alias))"
    return f"typedef {_NUMBERS[each][0]} {_named(size, each)} {marks};"


def _named(size: int, each: int) -> str:
    return f"lx_{_NUMBERS[each][1]}_{size}"


def _plain(word: str, function: Intrinsic) -> str:
    """C that asks one lane after the other."""
    lanes, c = function.lanes, DTYPES[function.dtype].c
    if word == "put":
        lines = (f"if (m[{k}]) (({c} *)p)[{k}] = x[{k}];" for k in range(lanes))
        return " ".join(lines)
    each = ", ".join(f"m[{k}] ? (({c} *)p)[{k}] : 0" for k in range(lanes))
    return f"x = ({c_vector(function.dtype, lanes)}){{ {each} }};"


def _avx2(word: str, function: Intrinsic) -> str:
    """C with AVX2's masks, in halves where a vector is larger; "" for none."""
    row = DTYPES[function.dtype]
    each, size = row.size, row.size * function.lanes
    if each < 4 or size < 16:
        return ""
    part = min(size, 32)
    own, wide = _named(part, each), "256" if part == 32 else ""
    same = c_vector(integers(row.name), function.lanes)
    lines = [f"{same} n = __builtin_convertvector(m, {same});"]
    for k in range(size // part):
        place = f"(void *)(({own} *)p + {k})"
        mask, value = (f"(({own} *)&{one})[{k}]" for one in "nx")
        name = f"__builtin_ia32_mask{{}}{_NUMBERS[each][2]}{wide}"
        if word == "get":
            lines.append(f"{value} = {name.format('load')}({place}, {mask});")
        else:
            lines.append(f"{name.format('store')}({place}, {mask}, {value});")
    return " ".join(lines)


def _avx512(word: str, mask: str, function: Intrinsic) -> str:
    """C with AVX-512's masks; less than a register is the first lanes of one.

    Args:
        word: what it does. mask: the type of its lanes. function: it.
    """
    each, lanes = DTYPES[function.dtype].size, function.lanes
    size = max(each * lanes, 16)
    own, mode = _named(size, each), _NUMBERS[each][1]
    name = f"__builtin_ia32_{{}}dqu{mode}{size * 8}_mask"
    lines, bits = _bits(mask, lanes)
    if word == "put" and each * lanes < size:
        return f"{lines} {_one_by_one(function, bits)}"
    if word == "put":
        return f"{lines} {name.format('store')}((void *)p, ({own})x, {bits});"
    kind = c_vector(function.dtype, lanes)
    found = f"{name.format('load')}((void *)p, ({own}){{0}}, {bits})"
    return f"{lines} {own} y = {found}; x = {_cut('y', each * lanes, kind)};"


def _one_by_one(function: Intrinsic, bits: str) -> str:
    """C that stores one lane after the other, but those alone that the mask has.

    A masked store of a whole register would lie over the next numbers, and a load of
    these wait for it.

    Args:
        function: of the lanes. bits: one for each.
    """
    cells = f"({DTYPES[function.dtype].c} *)p"
    at = "__builtin_ctz(b)"
    return f"for (unsigned b = {bits}; b; b &= b - 1) ({cells})[{at}] = x[{at}];"


def _bits(mask: str, lanes: int) -> tuple[str, str]:
    """Lines, and the bits of a mask behind them: one for each lane.

    Args:
        mask: the type of its lanes. lanes: how many.
    """
    each = DTYPES[mask].size
    letter, part = _NUMBERS[each][2], min(max(each * lanes, 16), 64)
    own, count = _named(part, each), max(each * lanes // part, 1)
    convert = f"__builtin_ia32_cvt{letter}2mask{part * 8}"
    if count == 1:
        return "", f"{convert}({_padded('m', each * lanes, own)})"
    halves = (
        f"(unsigned long long){convert}((({own} *)&m)[{k}]) << {k * part // each}"
        for k in range(count)
    )
    return f"unsigned long long n = {' | '.join(halves)};", "n"


def _padded(name: str, size: int, own: str) -> str:
    """A vector as one of at least 16 bytes.

    Args:
        name: of it. size: its bytes. own: the type of the other.
    """
    if size >= 16:
        return f"({own}){name}"
    if size == 8:
        return f"({own})({_named(16, 8)}){{ (long long){name}, 0 }}"
    if size == 4:
        return f"({own})({_named(16, 4)}){{ (int){name}, 0, 0, 0 }}"
    return f"({own})({_named(16, 2)}){{ (short){name}, 0, 0, 0, 0, 0, 0, 0 }}"


def _cut(name: str, size: int, kind: str) -> str:
    """The first lanes of a vector of 16 bytes, or all of one that is as large.

    Args:
        name: of it. size: the bytes that are kept. kind: their type.
    """
    each = min(size, 8)
    first = f"(({_named(16, each)}){name})[0]" if size < 16 else name
    return f"({kind}){first}"
