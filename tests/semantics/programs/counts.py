"""Integers that go from round to round of short loops, up to the ends of types."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np

from semantics.memory import Memory
from semantics.table import Make, Row, Table

_SIGNED = ("int8", "int16", "int32", "int64")
_UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
_BITS = {name: int(name.strip("uint")) for name in (*_SIGNED, *_UNSIGNED)}


def bits(x, out, rounds):
    for i in range(len(x)):
        v = int(x[i])
        turned = 0
        for k in range(62):
            if k < rounds:
                turned = (turned << 1) | (v & 1)
                v >>= 1
        out[i] = turned


def folded(x, out, by):
    """Both sides of a choice, each of which knows what was asked."""
    for i in range(len(x)):
        d = int(x[i]) - by
        out[i] = 2 * d if d >= 0 else -2 * d - 1
        out[i] = out[i] if d != 3 and d * d > 9 else d & 7


def rested(x, out, divisor):
    for i in range(len(x)):
        v = int(x[i])
        low = v & 1023
        out[i] = low // 10 + low % 10 + v // 1000 - v % 10
        if divisor > 0:
            out[i] += low // divisor - v % divisor
        elif divisor < 0:
            out[i] += low % divisor + v // divisor
        out[i] = (out[i] * 3 + 1) % 4096


def chosen(x, out, most):
    """Counters that are left, begun anew, and cut off."""
    kept = 0
    for i in range(len(x)):
        count = 0
        for k in range(12):
            if x[i] < k:
                break
            if x[i] == 5:
                continue
            count += k
        else:
            kept += 1
        while count > most:
            count -= 9
        out[i] = min(max(count, -3), 50) + kept % 2
    return kept


def scaled(x, out, by):
    """Numbers of which nothing is behind the point, or is cut off."""
    for i in range(len(x)):
        out[i] = int(0.25 * x[i] + 0.5 * by)


def moved(x, out, by):
    """Shifts by less than nothing, and by more bits than there are."""
    for i in range(len(x)):
        for k in range(9):
            out[i] = (x[i] >> (by - k)) & 1
            out[i] += (x[i] << k) & 3


def hashed(x, out, h):
    """Products beyond 64 bits, of which the lowest bits are kept."""
    for i in range(len(x)):
        v = int(x[i])
        h = (h ^ v * 0x9E3779B97F4A7C15) * 0xCC9E2D51 & 0xFFFFFFFF
        out[i] = h % 1009 + (0x7FFF & -(v << 60) - ~v * v * v) % 251
        h += (25214903917 * (v + h) * v + 11) % 2**48 % 1000
        out[i] += ((v << 63) | (v * v)) % 128 + (~(v * v * v) & 31)
        out[i] += (v * x[i] + 1) & 63
    return h


def settled(x, out, first):
    """What is something else in the first round, in value or in type."""
    state = first
    for i in range(len(x)):
        state = (state * 5 + x[i]) % 251
        out[i] = state // 2


def signs(x, out, by):
    """Rests and quotients of what is not negative, beside what is."""
    last = -1
    for i in range(len(x)):
        out[i] = (i % 4 - 2) * 0.5 - (i % 3) * 0.25
        if i % 4 > by:
            out[i] += 16
        if len(x) // 2 <= by or 0 <= i % 4 + by < 2:
            out[i] += 32
        if i % 3 > last:
            last = i % 3
        out[i] += (i % 4 - by) // 2 + (i % 4 - 3) % 5
        out[i] += (x[i] < i % 3) * 64 + (i // 2 * 2 > by) * 128
    return last


def decided(x, out, by):
    """Chains of comparisons of which one is known not to hold."""
    n = len(x)
    s = 0
    for i in range(n):
        c = i % n
        out[i] = 0.5 * (by <= 7 <= 0) + (i <= c < -128)
        if by < 3 and not (n < 8 and n < n):
            s += 10 + (n < 8 < n)
    return s


def largest(x, out, by):
    """One of two numbers, of which the other type may be."""
    for i in range(len(x)):
        by = max(by, i % 4)
    return by


def _values(dtype: str) -> list[int]:
    size = _BITS[dtype]
    if dtype in _UNSIGNED:
        return [0, 1, 2, 5, 7, 100, (1 << size) - 1, 1 << (size - 1)]
    return [0, 1, -1, 5, 7, -100, (1 << (size - 1)) - 1, -(1 << (size - 1))]


def _made(dtype: str, out: str, number: object, memory: Memory) -> tuple[object, ...]:
    values = _values(dtype)
    return memory.array(values, dtype), memory.array([0] * len(values), out), number


def _rows(numbers: tuple[int, ...], *outs: str, native: bool | None) -> Iterator[Row]:
    for dtype, out, number in itertools.product(_BITS, outs, numbers):
        make: Make = partial(_made, dtype, out, number)
        yield Row(f"{dtype} into {out}, {number}", make, native)


def _beside(number: object, count: int, memory: Memory) -> tuple[object, ...]:
    numbers = np.arange(count) - 2
    return memory.array(numbers, "int16"), memory.array(numbers, "float64"), number


def _signed() -> Iterator[Row]:
    for number in (-1, 0, 3, np.int64(-1), np.int8(-1), -1.5):
        for count in (1, 2, 7):
            make: Make = partial(_beside, number, count)
            yield Row(f"{count} beside {number!r}", make, None)


TABLES = (
    Table(bits, (*_rows((0, 8, 31, 32, 33, 61, 62), "uint32", "int64", native=None),)),
    Table(folded, (*_rows((0, 3, -7, 1000), "uint8", "uint16", "int64", native=None),)),
    Table(rested, (*_rows((0, 1, 7, -1, -9, 2**40), "int16", "int64", native=None),)),
    Table(chosen, (*_rows((-20, 0, 9, 40), "int8", "uint8", "int64", native=None),)),
    Table(scaled, (*_rows((0, 1, -1, 2**40), "uint8", "int16", "int64", native=None),)),
    Table(moved, (*_rows((0, 8, 9, 63, 70, -1), "uint8", "int64", native=None),)),
    Table(hashed, (*_rows((0, 3, -4, 2**62, True), "int64", native=None),)),
    Table(settled, (*_rows((0, 3, -4, 250, 2**62), "uint8", "int64", native=None),)),
    Table(signs, tuple(_signed())),
    Table(largest, tuple(_signed())),
    Table(decided, tuple(_signed())),
)
