"""Integers of all widths, and floats of 16 bits, as what a nest is given and gives."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from looptx.model.dtypes import DTYPES, FLOATS, INTEGERS
from semantics.memory import Memory
from semantics.promotion import TYPES, edges
from semantics.table import Row, Table

SIGNED = tuple(name for name in INTEGERS if DTYPES[name].kind == "i")


def refused(b, i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64, a, c, e, g, which):
    for k in range(a.shape[0]):
        if which == 0:
            a[k] = b[k]
            a[k] = i8[k]
            a[k] = u8[k]
        elif which == 1:
            a[k] = i16[k]
            c[k] = u16[k]
        elif which == 2:
            a[k] = u16[k]
            e[k] = u32[k]
        elif which == 3:
            a[k] = i32[k]
        elif which == 4:
            c[k] = i32[k]
            g[k] = u64[k]
        elif which == 5:
            a[k] = u32[k]
            c[k] = u32[k]
        elif which == 6:
            a[k] = i64[k]
        elif which == 7:
            c[k] = i64[k]
            e[k] = u64[k]
        elif which == 8:
            e[k] = i64[k]
            c[k] = u64[k]
        elif which == 9:
            a[k] = f16[k]
            c[k] = f16[k]
        elif which == 10:
            e[k] = f16[k]
            g[k] = f16[k]
        elif which == 11:
            a[k] = f32[k]
            c[k] = f64[k]
        else:
            a[k] = u64[k]


def of_python(a, c, e, g, i, j, h, p, x, which):
    for k in range(a.shape[0]):
        if which == 0:
            a[k] = p
        elif which == 1:
            c[k] = p
        elif which == 2:
            e[k] = p
        elif which == 3:
            g[k] = p
        elif which == 4:
            i[k] = p
        elif which == 5:
            h[k] = p
        elif which == 6:
            a[k] = x
        elif which == 7:
            c[k] = x
        elif which == 8:
            e[k] = x
        elif which == 9:
            g[k] = x
        elif which == 10:
            i[k] = x
        elif which == 11:
            h[k] = x
        elif which == 12:
            a[k] += p
        elif which == 13:
            c[k] *= p
        elif which == 14:
            g[k] -= p
        elif which == 15:
            h[k] *= p
        elif which == 16:
            g[k] = g[k] // p
        elif which == 17:
            j[k] = np.uint64(x)
        elif which == 18:
            j[k] = np.uint32(p)
        else:
            h[k] += x


def collected(i8, u8, i16, u16, i32, u32, i64, u64, f16, f32):
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = 0
    s7 = s8 = 0.0
    m0, m1, m2, m3 = i8[0], u32[0], u64[0], f16[0]
    for k in range(i8.shape[0]):
        s0 += i8[k]
        s1 += i16[k]
        s2 += u16[k]
        s3 += u32[k]
        s4 += u64[k]
        s5 += u8[k] * i8[k]
        s6 += i64[k] ^ i32[k]
        s7 += f16[k]
        s8 += f16[k] * f32[k]
        m0 = max(m0, i8[k])
        m1 = min(m1, u32[k])
        m2 = max(u64[k], m2)
        m3 = np.minimum(m3, f16[k])
    return s0, s1, s2, s3, s4, s5, s6, s7, s8, m0, m1, m2, m3


def beside_arguments(x, i8, u8, i16, u16, i32, u32, i64, u64, f16, f32):
    for k in range(x.shape[0]):
        a = x[k] + i8
        b = u8 * x[k]
        c = i16 - x[k]
        d = u16 + u8
        e = i32 // i16
        f = u32 * u32
        g = u64 + u64
        h = i64 % u32
        i = f16 * f16
        j = f16 + 0.1
        z = -u64
        m = ~u32
        n = u64 > i64
        o = f32 * f16
        p = u64 >> u8
        q = -i8
        x[k] = u32 + u16
    return a, b, c, d, e, f, g, h, i, j, z, m, n, o, p, q, u64, f16


def sizes(x, i8, u8, i16, u16, i32, u32, i64, u64):
    for a in range(i8):
        for b in range(i16, u16):
            for c in range(u64):
                x[a, b, c] += a + b + u64 - u32 * u8
                if c < u32 and a < i32 and b >= i64:
                    x[a, b, c] *= u32


def gathered(x, i8, u8, i16, u16, i32, u32, i64, u64, which):
    s = 0.0
    for k in range(i8.shape[0]):
        if which == 0:
            s += x[i8[k]] + x[u8[k]]
        elif which == 1:
            s += x[i16[k]] + x[u16[k]]
        elif which == 2:
            s += x[i32[k]] + x[u32[k]]
        elif which == 3:
            s += x[i64[k]]
        elif which == 4:
            s += x[u64[k]]
        else:
            x[u64[k]] = x[u32[k] - u8[k]]
    return s


def compressed(x, y, rows, columns, values):
    for i in range(y.shape[0]):
        for p in range(rows[i], rows[i + 1]):
            y[i] += values[p] * x[columns[p]]


def whole(x, i8, u16, u32, u64):
    s = 0
    for k in range(x.shape[0]):
        s += int(i8[k]) * 3 + int(u16[k]) - int(u32[k])
        x[k] = int(u32[k]) // 7
    return s


def whole_of_all(x, u64):
    s = 0
    for k in range(x.shape[0]):
        s += int(u64[k])
    return s


def mixed_signs(x, a, b):
    for k in range(x.shape[0]):
        x[k] = -(a[k] if k > 2 else b[k])


def _typed(values: Any, types: tuple[str, ...], memory: Memory) -> list[Any]:
    return [memory.array(values[t], t) for t in types]


def _refusals() -> Iterator[Row]:
    for which, at in itertools.product(range(13), range(12)):
        yield Row(f"case {which}, edge {at}", partial(_refused, which, at))


def _refused(which: int, at: int, memory: Memory) -> tuple[Any, ...]:
    known = {t: edges(t) for t in TYPES}
    values = {t: [v[at % len(v)]] for t, v in known.items()}
    if at == 11:
        values |= {t: [np.nan] for t in FLOATS}
    targets = {t: [1] for t in SIGNED}
    return *_typed(values, TYPES, memory), *_typed(targets, SIGNED, memory), which


INTS = (0, -1, 127, 128, -129, 255, 2**15, 2**16, 2**32 - 1, 2**32, 2**62, -(2**31))
REALS = (0.0, -0.9, -1.0, 127.9, 65519.9, 65520.0, 4294967295.5, 2.0**32, 1e19, 2.0**64,
         -1e19, float("nan"), float("inf"), 1e-8, 0.1)  # fmt: skip


def _python_rows() -> Iterator[Row]:
    for which in range(20):
        real = which in (6, 7, 8, 9, 10, 11, 17, 19)
        for value in REALS if real else INTS:
            make = partial(_python, 0 if real else value, value if real else 0.0, which)
            yield Row(f"case {which} of {value!r}", make)


def _python(p: int, x: float, which: int, memory: Memory) -> tuple[Any, ...]:
    types = ("int8", "uint16", "uint32", "uint64", "int16", "uint64", "float16")
    return *_typed({t: [3, 100] for t in types}, types, memory), p, x, which


def _every(count: int, types: tuple[str, ...], memory: Memory) -> tuple[Any, ...]:
    values = {
        t: [edges(t)[(k * 5 + n) % len(edges(t))] for k in range(count)]
        for n, t in enumerate(types)
    }
    return tuple(_typed(values, types, memory))


def _arguments(at: int, kind: str, memory: Memory) -> tuple[Any, ...]:
    known = [edges(t) for t in (*INTEGERS, "float16", "float32")]
    return memory.array([1, 2, 3], kind), *(v[(at * 3) % len(v)] for v in known)


def _sizes(values: tuple[int, ...], memory: Memory) -> tuple[Any, ...]:
    numbers = (np.dtype(t).type(v) for t, v in zip(INTEGERS, values, strict=True))
    return memory.array(np.ones((4, 5, 6)), "float64"), *numbers


def _gathered(which: int, extra: int, memory: Memory) -> tuple[Any, ...]:
    places = {t: np.array([2, 0, 3, 1]).astype(t) for t in INTEGERS}
    if extra:
        for places_of in places.values():
            places_of[2] = np.array(extra).astype(places_of.dtype)
    x = memory.array(np.arange(4.0) + 0.5)
    return x, *_typed(places, INTEGERS, memory), which


def _compressed(rows: str, columns: str, value: str, memory: Memory) -> tuple[Any, ...]:
    return (
        memory.array([1, 2, 3, 4], value),
        memory.array([0, 0, 0], "float64"),
        memory.array([0, 2, 2, 5], rows),
        memory.array([3, 0, 1, 2, 3], columns),
        memory.array([1, 2, 3, 4, 5], value),
    )


def _whole(types: tuple[str, ...], memory: Memory) -> tuple[Any, ...]:
    return memory.array(np.zeros(7, "uint32")), *_every(7, types, memory)


def _signs(memory: Memory) -> tuple[Any, ...]:
    ends = (np.full(5, np.iinfo(t).min, t) for t in ("int32", "int64"))
    return memory.array(np.zeros(5)), *map(memory.array, ends)


NUMBERS = (*INTEGERS, "float16", "float32")
COUNTS = ((3, 4, 2, 5, 1, 3, 3, 4), (0, 1, 1, 1, 1, 2, 1, 1), (2, 1, 1, 0, 0, 9, 9, 0),
          (4, 6, 1, 5, -1, 2, 2, 6), (1, 3, 3, 2, 0, 4, 4, 7), (1, 0, 1, 2, 0, 4, 4, 1),
          (1, 1, 1, 1, 1, 1, 1, 2**63))  # fmt: skip
CSR = (("uint32", "uint64", "float16"), ("int16", "uint32", "float32"),
       ("uint64", "int8", "uint64"))  # fmt: skip

TABLES = (
    Table(refused, tuple(_refusals())),
    Table(of_python, tuple(_python_rows())),
    Table(
        collected,
        tuple(Row(f"{n}", partial(_every, n, NUMBERS)) for n in (1, 2, 7, 30)),
    ),
    Table(
        beside_arguments,
        tuple(Row(f"{at}", partial(_arguments, at, "uint32")) for at in range(12)),
    ),
    Table(sizes, tuple(Row(f"{v}", partial(_sizes, v), None) for v in COUNTS)),
    Table(
        gathered,
        tuple(
            Row(f"case {which}, {extra}", partial(_gathered, which, extra))
            for which, extra in itertools.product(range(6), (0, 4, -1, -5, -(2**63)))
        ),
    ),
    Table(compressed, tuple(Row(f"{t}", partial(_compressed, *t)) for t in CSR)),
    Table(whole, (Row("", partial(_whole, ("int8", "uint16", "uint32", "uint64"))),)),
    Table(whole_of_all, (Row("", partial(_whole, ("uint64",)), False),)),
    Table(mixed_signs, (Row("", _signs),)),
)
