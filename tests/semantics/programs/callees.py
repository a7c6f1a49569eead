"""Calls of functions of the user: what they compute, and what they raise, in place."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Make, Row, Table
from semantics.values import EDGES, PYTHON

HALF = 0.5


def sq(x):
    return x * x


def clamp(x, low=0, high=1.5):
    """Early returns, defaults, and values of several types."""
    if x < low:
        return low
    elif x > high:
        return high
    return x


def swapped(a, b):
    if a < b:
        a, b = b, a
    return a, b


def far(a, b):
    big, small = swapped(abs(a), abs(b))
    if big == 0:
        return 0.0
    part = small / big
    return big * math.sqrt(1 + sq(part))


def ratio(a, b, c=1):
    q = a / b
    if q > HALF:
        return q * c
    return math.log(a)


def first(a, b):
    return a


def steps(n, x):
    total = 0
    if n > 2:
        total += n
        x = x * 2
    else:
        total = total - 1
    total = total * 3 + first(n, x)
    return total + x if n % 2 else total


def inside(x, low, high):
    return low <= x < high and not math.isnan(x)


def smooth(x):
    return x * x * (3.0 - 2.0 * x)


def limited(x, most=7):
    """It asks for the ends of types of integers."""
    if x > np.iinfo(np.int32).max:
        return most
    return max(x, np.iinfo(np.int8).min) if x < np.iinfo(np.uint16).max else -most


def rooted(x):
    return math.sqrt(x) if x > 1 else np.sqrt(np.abs(x))


def near(a, i, weight=0.5):
    before = i - 1
    return a[before] * weight + a[i]


def last(a, i, p):
    if p > 1:
        return p
    return a[i] if a[i] < near(a, i) else a[-1] / p


def powers(x, n):
    total = x
    for _ in range(n):
        total = total * x + 1
        if total > 1e6:
            return x
    return total


def shifted(a, i, p):
    k = i
    while k > 0 and a[k] != a[0]:
        a[k] = a[k - 1]
        k -= 1
        if k == 2:
            continue
        a[0] += p
    return k


def stored(a, i, p):
    a[i], a[0] = a[0], a[i] * p


def lists(a, out, p):
    for i in range(a.shape[0]):
        out[i] = powers(a[i], 3) + powers(p, i) / 2


def searches(a, out, p):
    for i in range(a.shape[0]):
        out[i] = out[i] * shifted(out, i, p) + out[0]


def stores(a, out, p):
    for i in range(a.shape[0]):
        stored(a, i, p)
        out[i] += a[0] + shifted(a, -1, 1) + a[i]


def squares(a, out, p):
    r = p
    for i in range(a.shape[0]):
        out[i] = sq(a[i]) - sq(p)
        r = sq(p + 1)
    return r


def limits(a, out, p):
    for i in range(a.shape[0]):
        out[i] = limited(a[i]) + limited(p, 1)


def clamped(a, out, p):
    r = p
    for i in range(a.shape[0]):
        out[i] = clamp(a[i], high=p) + clamp(a[i])
        r = clamp(p, 1)
    return r


def distances(a, out, p):
    for i in range(a.shape[0]):
        out[i] = far(a[i], out[i]) + far(sq(a[i]), a[i - 1]) * far(p, 2.0)


def ratios(a, out, p):
    for i in range(a.shape[0]):
        out[i] = a[i] + 1 / p - ratio(a[i], p, c=sq(HALF))


def unused(a, out, p):
    for i in range(a.shape[0]):
        out[i] = first(a[i], 1 / p)


def branches(a, out, p):
    for i in range(a.shape[0]):
        out[i] = ratio(a[i], p) if inside(a[i], 0.5, p) else first(p, a[i])
        if inside(p, -1, 2) and ratio(a[i] * a[i] + 1, 4) < p < far(a[i], a[i]):
            out[i] += sq(a[i])


def counted(a, out, p):
    r = 0
    for i in range(a.shape[0]):
        r = steps(i, p)
        out[i] = steps(i - 2, a[i])
    return r


def pairs(a, out, p):
    for i in range(a.shape[0]):
        big, small = swapped(a[i], p)
        out[i] = big - small + swapped(a[i] * 2, p)[1]


def sums(a, out, p):
    s = p
    for i in range(a.shape[0]):
        s += smooth(a[i] * 0.5)
        out[i] *= smooth(s)
    return s


def loops(a, out, p):
    for i in range(a.shape[0]):
        for k in range(first(i * i, p) % 4):
            out[i] = out[i] + sq(k) * clamp(a[i], p, 3.0)


def roots(a, out, p):
    for i in range(a.shape[0]):
        out[i] = rooted(first(a[i], p))


def nested(a, out, p):
    for i in range(a.shape[0]):
        out[i] = sq(sq(sq(clamp(smooth(a[i]), -1.0, 2.0)))) + clamp(clamp(a[i], p), p)


def nearby(a, out, p):
    for i in range(1, a.shape[0]):
        out[i] -= near(a, i, weight=p) + near(out, i)


def lasts(a, out, p):
    for i in range(1, a.shape[0]):
        out[i] = sq(last(a, i, p)) - last(a, a.shape[0] - i, p)


def _made(values: list[Any], p: Any, dtype: str) -> Make:
    def make(memory: Memory) -> tuple[Any, ...]:
        array = memory.array(np.array(values, dtype) if values else np.zeros(0, dtype))
        return array, memory.array(np.linspace(-1.0, 2.0, len(values))), p

    return make


def _rows(native: bool | None, *dtypes: str) -> Iterator[Row]:
    numbers = [0, 1, -3, 0.5, -0.0, math.nan, 2**40]
    for dtype, p in itertools.product(dtypes, numbers):
        edges = EDGES[dtype]
        # Of two NaN that meet it is C's business which one goes on.
        plain = [x for x in edges if abs(float(x)) < 1e30]
        for values in ([], edges[:1], plain[:7], plain, edges[3:4], edges[-2:-1]):
            name = f"{dtype} {values!r}, {p!r}"
            sure = native if isinstance(p, float) else None
            yield Row(name, _made(values, p, dtype), sure)
    for p in (True, np.float32(0.1)) if "uint8" in dtypes else ():
        yield Row(f"uint8, {p!r}", _made([7, 0, 255], p, "uint8"), native)
    for p in PYTHON["float"] if dtypes == ("float64",) else ():
        yield Row(f"0.75, {p!r}", _made([0.75, -0.0, 3.0], p, "float64"), native)


def _table(function: Callable[..., Any], native: bool | None, *dtypes: str) -> Table:
    return Table(function, tuple(_rows(native, *dtypes)))


TABLES = (
    _table(squares, True, "float64", "uint8"),
    _table(limits, True, "float64"),
    _table(clamped, None, "float32"),
    _table(distances, True, "float64"),
    _table(ratios, None, "float64", "int64"),
    _table(unused, None, "float64"),
    _table(branches, None, "float64"),
    _table(counted, None, "int32"),
    _table(pairs, None, "float64"),
    _table(sums, True, "float64"),
    _table(loops, True, "float64"),
    _table(roots, True, "float64"),
    _table(nested, True, "float64"),
    _table(nearby, None, "float64", "uint8"),
    _table(lasts, None, "float64", "int64"),
    _table(lists, None, "float64"),
    _table(searches, None, "float64"),
    _table(stores, None, "float64", "int64"),
)
