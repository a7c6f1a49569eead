"""Python's integers up to 2**64: hashes and generators of random numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table

MASK = 0xFFFFFFFFFFFFFFFF


def mixed(n, x, y):
    """Steps of generators: products, shifts and bits, behind masks of all spellings."""
    for i in range(n):
        x = (x * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
        x ^= x >> 12
        x ^= (x << 25) & ((1 << 64) - 1)
        y = (y ^ x) * 0x2545F4914F6CDD1D % 2**64
        y = (2**64 - 1) & (y - (x << 63) + ~i)
        y |= x >> 60
        y &= x | 0x8000000000000001
        y = (~y & 0xFFFFFFFFFFFFFFFF) ^ (-x & 0xFFFFFFFFFFFFFFFF) | ~i & 0xFF
    return x, y


def by_a_name(n, x, m):
    """Masks that are given: one beyond 63 bits has a type of its own."""
    for i in range(n):
        x = (x * 31 + i) & m
        x = m & (x ^ (x << 7))
    return x


def by_a_global(n, x):
    for i in range(n):
        x = (x * 0x100000001B3 ^ i) & MASK
    return x


def parts(n, x, k):
    """What is left of them: shifts, quotients, remainders, floats."""
    s, f = 0, 0.0
    for i in range(n):
        x = (x * 6364136223846793005 + i) & 0xFFFFFFFFFFFFFFFF
        s += (x >> 33) + (x & 255) + x % 1000 + x // 2**40 + (x >> 0) % 7
        s += x % k + x // 3 % 5 + (x // 1 >> 9) + x % 18446744073709551557 % 11
        f += x / 2**64 + x / (1 << 53) + (x >> 11) / 2**53
        f += x * 0.5e-19 + float(x) - 1.5 + x // 1e18 + x % 1e17
    return s, f


def compared(n, x, k):
    c = 0
    for _ in range(n):
        x = (x * 6364136223846793005 + 1) & 0xFFFFFFFFFFFFFFFF
        c += (x < k) + (k <= x) * 2 + (x == k) * 4 + (x != 5) * 8
        c += np.uint64(x) > 9223372036854775808
        c += 16 if x > 9223372036854775808 else 32 if x else 64
        c += 1 < x < 0xFFFFFFFFFFFFFFF0
        x = k if x < 1000 else x
    return c, x


def stored(n, x, large, exact):
    for i in range(n):
        x = (x * 6364136223846793005 + 1) & 0xFFFFFFFFFFFFFFFF
        large[i] = x
        large[i] ^= x >> 1
        exact[i] = x
        exact[i] += abs(x) / 2**64 + float(int(x))
        y = large[i] ^ x
        large[i] += np.uint64(x) - y
    return x


def from_ints(n, x, k):
    """What other integers become: one below 0 has no such bits."""
    h = k
    for i in range(n):
        h = (h ^ int(x[i])) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
        h = h & k if i % 3 == 1 else h ^ (k >> 1)
        k -= i * 7
    return h, k


def by_steps(n, x, data):
    """What changes step by step is masked in the end; an array would in its place."""
    h = 0xCBF29CE484222325
    g = 5
    for _ in range(n):
        for b in data:
            h ^= b
            h *= 0x100000001B3
            h &= MASK
        g ^= x
        g += g << 10
        g %= 2**64
        g ^= g >> 6
        g &= 0xFFFFFFFF
    return h, g


def in_place(n, x, data):
    """These have other names, by which it is seen how they change."""
    h = np.arange(4)
    other = h
    for i in range(n):
        h *= 3
        h &= 0xFFFF
        x *= 3
        x &= 0xFFFF
        data[i] *= 5
        data[i] &= 0xFF
    return h, other, x


def by_each_other(n, x, m):
    """Remainders by what is no mask, however large it is."""
    t = 0
    for i in range(n):
        m = (m * 31 + 7) & 0xFFFFFFFFFFFFFFFF
        t ^= (i * x) % (m >> 1)
        t = t ^ x * 3 % m if i % 2 else t
    return t, m


def of_numpys(n, x, data):
    """NumPy's integers that wrapped around are below 0 again."""
    h = x
    for i in range(n):
        h = h & 0xFFFFFFFFFFFFFFFF
        h = int(np.int64(data[i % len(data)])) | h
        h = h ^ int(np.int64(data[i % len(data)] & data[0]))
    return h


def keys(n, x, data):
    """Integers of NumPy without a sign are hashed as ints."""
    h = x
    for i in range(n):
        h ^= (int(data[i]) * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        h = (h + 3 * int(data[-i])) % 2**64
    return h


def largest(n):
    """Numbers at the ends, and what is folded of them."""
    a = 9223372036854775808
    b = 0
    for _ in range(n):
        b = a
        a = 18446744073709551615 - 1
        b |= (a >> 63) | (18446744073709551615 & 3) | (9223372036854775809 % 4)
    return a, b


def beyond(n, x):
    """What no 64 bits hold runs as Python."""
    for _ in range(n):
        x = (x * 31) & 0x1FFFFFFFFFFFFFFFF
    return x


def unmasked(n, x):
    for _ in range(n):
        x = (x + 1) & 0xFFFFFFFFFFFFFFFF
        y = x + 1
    return x, y


def mixed_types(n, x, k):
    """A float or a truth in the same name has no type with them."""
    for i in range(n):
        x = (x * 31) & 0xFFFFFFFFFFFFFFFF
        if i == k:
            x = 0.5
            break
    return x


EDGES = (0, 1, 2**31, 2**63 - 1, 2**63, 2**64 - 1)
ODD = (-1, 2**64, True, np.int64(5), 2.0)


def _rows(*others: object, native: bool | None = True) -> Iterator[Row]:
    """Calls with numbers at the ends, and with such as have no place there."""
    for n, x in itertools.product((0, 1, 7), (*EDGES, *ODD)):
        for other in others or ((),):
            given = (n, x, *(other if isinstance(other, tuple) else (other,)))
            taken = native if any(x is one for one in EDGES) else None
            yield Row(repr(given), partial(_given, *given), taken)


def _given(*values: object) -> tuple[object, ...]:
    """Arguments; the memory, which comes last, is none of them."""
    return values[:-1]


def _stored() -> Iterator[Row]:
    types = ("uint64", "float64"), ("uint64", "float32"), ("int64", "float64")
    for n, x in itertools.product((0, 1, 7), (*EDGES, *ODD)):
        for dtypes in types:
            taken = True if x in EDGES and dtypes is types[0] and n else None
            taken = taken if type(x) is int else None
            yield Row(f"{n}, {x!r}, {dtypes}", partial(_arrays, n, x, dtypes), taken)


def _arrays(
    n: int, x: object, dtypes: tuple[str, ...], memory: Memory
) -> tuple[object, ...]:
    return (n, x, *(memory.array(np.zeros(n), dtype) for dtype in dtypes))


def _ints() -> Iterator[Row]:
    numbers = {
        "int64": (0, 1, 2**63 - 1, 5, 7, 2**40, 3),
        "uint64": (0, 1, 2**64 - 1, 5, 2**63, 2**40, 3),
        "int8": (0, 1, 127, 5, 7, 100, 3),
        "negative": (0, 1, -1, -(2**63), 7, 2**40, 3),
    }
    for kind, n in itertools.product(numbers, (0, 1, 7)):
        for k in EDGES:
            held = numbers[kind], "int64" if kind == "negative" else kind
            yield Row(f"{kind}, {n}, {k}", partial(_array, n, *held, k), None)


def _array(
    n: int, numbers: tuple[int, ...], dtype: str, k: int, memory: Memory
) -> tuple[object, ...]:
    return n, memory.array(np.array(numbers[:n], dtype)), k


def _steps(taken: bool | None) -> Iterator[Row]:
    for n, kind in itertools.product((0, 1, 5), ("list", "int64", "uint8", "rows")):
        for x in (0, 7, 2**40, -5):
            native = taken if kind == "list" and x >= 0 and n else None
            yield Row(f"{n}, {x}, {kind}", partial(_data, n, x, kind), native)


def _data(n: int, x: int, kind: str, memory: Memory) -> tuple[object, ...]:
    numbers = [3, 1, 4, 1, 5]
    if kind == "list":
        return n, x, numbers
    if kind == "rows":
        return n, x, memory.array(np.arange(10).reshape(5, 2), "int64")
    return n, x, memory.array(np.array(numbers), kind)


def _numpys(taken: bool | None) -> Iterator[Row]:
    for n, x in itertools.product((0, 1, 5), (0, 7, 2**63)):
        for dtype in ("uint64", "int64", "uint32"):
            yield Row(f"{n}, {x}, {dtype}", partial(_wrapped, n, x, dtype), taken)


def _wrapped(n: int, x: int, dtype: str, memory: Memory) -> tuple[object, ...]:
    numbers = np.array([-1, 5, -(2**63), 2**63 - 1, 12345])
    return n, x, memory.array(numbers.astype(dtype))


MASKS = (2**64 - 1, 2**63, 2**63 - 1, 2**32 - 1, 255, 0, -1, 2**64, True)

TABLES = (
    Table(mixed, tuple(_rows(7, 2**64 - 1))),
    Table(by_a_name, tuple(_rows(*MASKS[:2]))),
    Table(by_a_name, tuple(_rows(*MASKS[2:], native=None))),
    Table(by_a_global, tuple(_rows())),
    Table(parts, tuple(_rows(7, 1, 2**40))),
    Table(parts, tuple(_rows(0, -3, 2**63, native=None))),
    Table(compared, tuple(_rows(5, 0, 2**63 - 1, 2**63))),
    Table(compared, tuple(_rows(-5, 2.5, np.int64(9), 2**64, native=None))),
    Table(stored, tuple(_stored())),
    Table(from_ints, tuple(_ints())),
    Table(by_each_other, tuple(_rows(7, 2**64 - 1, 2**63, 0, -3, native=None))),
    Table(of_numpys, tuple(_numpys(None))),
    Table(keys, tuple(_numpys(True))),
    Table(by_steps, tuple(_steps(True))),
    Table(in_place, tuple(_steps(None))),
    Table(largest, tuple(Row(f"{n}", partial(_given, n), True) for n in (0, 1, 5))),
    Table(beyond, tuple(_rows(native=None))),
    Table(unmasked, tuple(_rows(native=None))),
    Table(mixed_types, tuple(_rows(2, 9, native=None))),
)
