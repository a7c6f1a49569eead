"""Python's numbers among themselves."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from semantics.table import Row, Table
from semantics.values import PYTHON, plain


def python_ints(a, b, which):
    r = 0
    x = 0.0
    for k in range(1):
        if which == 0:
            r = a // b
        elif which == 1:
            r = a % b
        elif which == 2:
            x = a / b
        elif which == 3:
            r = a & b | a ^ ~b
        elif which == 4:
            r = min(a, b) - max(a, b, 0)
        elif which == 5:
            r = abs(a) + -b
        elif which == 6:
            r = (a < b) + (a == b) + (not a)
        elif which == 7:
            x = float(a) * b
        elif which == 8:
            r = a >> 3
        elif which == 9:
            r = int(a <= b < 3)
        else:
            r = a**3
    return r, x


def python_floats(a, b, which):
    x = 0.0
    for k in range(1):
        if which == 0:
            x = a / b
        elif which == 1:
            x = a // b
        elif which == 2:
            x = a % b
        elif which == 3:
            x = a + b * a - b
        elif which == 4:
            x = a**2
        elif which == 5:
            x = a**-1
        elif which == 6:
            x = min(a, b)
        elif which == 7:
            x = max(a, b, 0.5)
        elif which == 8:
            x = abs(a) + float(a < b) + (a == b)
        elif which == 9:
            x = -a if a else b
        else:
            x = a**3.0
    return x


def int_and_float(a, x, which):
    r = 0.0
    s = False
    for k in range(1):
        if which == 0:
            r = a / x
        elif which == 1:
            r = a // x
        elif which == 2:
            r = x % a
        elif which == 3:
            r = a + x * a
        elif which == 4:
            s = a == x
        elif which == 5:
            s = a < x
        elif which == 6:
            s = x <= a
        else:
            s = x != a
    return r, s


def python_bools(a, b):
    for k in range(1):
        added = a + b
        less = a - b
        times = a * b
        both = a & b
        one = a ^ b
        kept = a and b
        no = not a
        same = a == b
        minus = -a
        size = abs(a)
        up = a << 2
        picked = a if b else no
    return added, less, times, both, one, kept, no, same, minus, size, up, picked


def python_complex(a, b, x, which):
    z = 0j
    s = False
    for k in range(1):
        if which == 0:
            z = a + b
        elif which == 1:
            z = a * b
        elif which == 2:
            z = a / b
        elif which == 3:
            z = a - x
        elif which == 4:
            z = x * b
        elif which == 5:
            z = a / x
        elif which == 6:
            s = a == b
        else:
            z = complex(x, x) - a.real + b.imag
    return z, s


def _cases(left: str, right: str, count: int, native: bool | None) -> Iterator[Row]:
    for which in range(count):
        for one, two in itertools.product(PYTHON[left], PYTHON[right]):
            if one != one and two != two:
                continue
            name = f"{left} {one!r}, {right} {two!r}, case {which}"
            yield Row(name, plain(one, two, which), native)


def _python_complex_rows() -> Iterator[Row]:
    for which in range(8):
        for number, one in enumerate(PYTHON["complex"]):
            for at in range(4):
                two = PYTHON["complex"][(number + 3 * at) % len(PYTHON["complex"])]
                real = PYTHON["float"][(number + at) % len(PYTHON["float"])]
                name = f"{one!r}, {two!r}, {real!r}, case {which}"
                yield Row(name, plain(one, two, real, which))


def _python_bool_rows() -> Iterator[Row]:
    for one, two in itertools.product(PYTHON["bool"], repeat=2):
        yield Row(f"{one} {two}", plain(one, two))


TABLES = (
    Table(python_ints, tuple(_cases("int", "int", 11, None))),
    Table(python_floats, tuple(_cases("float", "float", 11, True))),
    Table(int_and_float, tuple(_cases("int", "float", 8, None))),
    Table(python_bools, tuple(_python_bool_rows())),
    Table(python_complex, tuple(_python_complex_rows())),
)
