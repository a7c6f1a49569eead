"""Parts of arrays with names, whose bounds data decide, and elements of slices."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def summed(x, s, y):
    for i in range(len(s) - 1):
        v = x[s[i] : s[i + 1]]
        y[i] = v.sum() + len(v) + v.shape[0] + v.size


def looped(x, s, y):
    for i in range(len(s) - 1):
        v = x[s[i] : s[i + 1]]
        t = 0.0
        for k in range(len(v)):
            t += v[k] * v[-k - 1]
        y[i] = t


def first(x, s, y):
    """Both ends, where there are some or not."""
    for i in range(len(s) - 1):
        v = x[s[i] : s[i + 1]]
        y[i] = v[0] + v[-1]


def beyond(x, s, y):
    for i in range(len(s) - 1):
        v = x[s[i] : s[i + 1]]
        y[i] = v[s[i]]


def stored(x, s, y):
    for i in range(len(s) - 1):
        a = s[i]
        b = s[i + 1]
        v = x[a:b]
        for k in range(len(v)):
            v[k] += i
        v[-1:] = 7


def assigned(x, s, y):
    for i in range(len(s) - 1):
        v = x[s[i] : s[i + 1]]
        y[: len(v)] = v * 2 + 1


def clipped(x, s, y):
    n = len(x)
    for i in range(n):
        v = x[max(0, i - 2) : min(n, i + 3)]
        y[i] = v.mean() - v[0]


def stepped(x, s, y):
    for i in range(len(s) - 1):
        v = x[s[i] : s[i + 1] : 2]
        w = x[::-1]
        t = 0.0
        for k in range(len(v)):
            t += v[k] - w[k]
        y[i] = t


def parts(x, s, y):
    """Parts of parts."""
    for i in range(len(s) - 1):
        v = x[s[i] :]
        w = v[: s[i + 1]]
        t = 0.0
        for k in range(len(w)):
            t += w[k]
        y[i] = t + w[1:].sum()


def until(x, s, y):
    for i in range(len(s) - 1):
        v = x[s[i] : s[i + 1]]
        k = 0
        while k < len(v) and v[k] > 0:
            k += 1
        y[i] = k


def spelled(x, s, y):
    for i in range(len(s) - 1):
        t = 0.0
        for k in range(s[i + 1] - s[i]):
            t += x[s[i] : s[i + 1]][k] + x[1:][k : k + 2].sum()
        y[i] = t


def side_by_side(x, s, y):
    for i in range(len(s) - 1):
        t = 0.0
        for v, w in zip(x[s[i] : s[i + 1]], x[: s[i]], strict=False):
            t += v * (w + 1)
        a, b = s[i], s[i + 1]
        for k, v in enumerate(x[a:b]):
            t += v * k
        y[i] = t


def numbered_beside(x, s, y):
    """Ranges beside parts that may begin behind the end."""
    n = len(x)
    for i in range(len(s) - 1):
        for j, v in zip(range(n), x[s[i] :], strict=False):
            y[i] += v * j
        for v, j in zip(x[s[i] : s[i] + 3], range(i, 9), strict=False):
            y[i] -= v + j


def numbered_left(x, s, y):
    """Parts without names: the loop around ends behind the loop through them."""
    for i in range(len(s) - 1):
        for j, v in zip(range(3), x[s[i] :], strict=False):
            y[i] += v * j
        else:
            if y[i] > 40:
                break


def read_ahead(x, s, y):
    k = s[1]
    for j, v in zip(range(len(y)), x[k:], strict=False):
        y[j] += v


def moved_beside(x, s, y):
    """The bounds get other values while the loop goes through the part."""
    for i in range(len(s) - 1):
        t = 0.0
        for k, v in enumerate(x[s[i] : s[i + 1]]):
            s[i] = 0
            x[-1] = t
            t += v * k
        y[i] = t


def ended_beside(x, s, y):
    """What ends the loop around a part stands behind the loop through it."""
    for i in range(len(s) - 1):
        for v, w in zip(x[s[i] : s[i + 1]], x[: s[i]], strict=False):
            if v > w:
                break
        else:
            if i > 1:
                break
        y[i] = i + 1


def differences(x, s, y):
    for i in range(len(s) - 1):
        v = x[s[i] : s[i + 1]]
        d = np.diff(v)
        y[i] = d.sum() + len(d) + np.diff(x).sum()
        x[1:] += np.diff(x)


def moved(x, s, y):
    """The bounds get other values while the part has its name."""
    for i in range(len(s) - 1):
        v = x[s[i] : s[i + 1]]
        s[i] = 0
        y[i] = len(v)


def again(x, s, y):
    start = 0
    for i in range(len(s) - 1):
        stop = start + s[i]
        v = x[start:stop]
        if len(v) > 1:
            y[i] = v[1]
        start = stop


def filled(x, s, y):
    """What is looked up first raises first."""
    for i in range(len(s)):
        y[s[i] : s[i + 1]] = x[i]


def spread(x, s, y):
    n = len(x)
    for i in range(len(s)):
        k = s[i]
        y[k : min(n, k + 3)] += x[: max(0, min(3, n - k))]
        y[s[i] :] *= 0.5


def dot(a, b):
    t = 0.0
    for k in range(a.shape[0]):
        t += a[k] * b[k]
    return t


def given(x, s, y):
    for i in range(len(s) - 1):
        v = x[s[i] : s[i + 1]]
        y[i] = dot(v, v) + dot(x[s[i] : s[i + 1]], v)


def columns(A, s, y):
    for i in range(len(s) - 1):
        v = A[s[i] : s[i + 1], i]
        t = 0.0
        for k in range(len(v)):
            t += v[k]
        y[i] = t + v.sum()


def aside(A, s, y):
    """A column that there may not be, of which nothing is used."""
    for i in range(len(s)):
        v = A[s[0] :, 2 * i]
        y[i] = 1
        if len(v) > 2:
            y[i] += v[1]


def planes(A, s, y):
    for i in range(len(s) - 1):
        v = A[s[i] : s[i + 1], 1:]
        t = 0.0
        for k in range(v.shape[0]):
            for j in range(len(A[0]) - 1):
                t += v[k, j]
        y[i] = t + len(v)


def placed(A, s, y):
    """Rows at places that data tell."""
    for i in range(len(s)):
        A[s[i], :] = A[i, :] * 2
        A[s[i], s[i] :] = y[i]


def rows(A, s, y):
    r = A[0]
    for i in range(len(A)):
        r = A[i]
        y[i] = r.sum() + r[-1]


def kept(A, s, y):
    best = np.zeros(A.shape[1])
    for i in range(len(A)):
        r = A[i]
        if r[0] > best[0]:
            best[:] = r
    y[: len(best)] = best


def told(A, s, y):
    """Rows whose places are computed, or are data themselves."""
    for i in range(len(s)):
        p = A[s[i] % len(A)]
        k = s[i]
        q = A[k]
        y[i] = p[0] * q[A.shape[1] - 1] + len(p) + q.shape[0]
        q[1] += i


def pairs(A, s, y):
    """Rows that one statement names, of which one is changed."""
    for i in range(len(A) - 1):
        p, q = A[i], A[i + 1]
        q[0] = p[0] + q[1]
        p[-1] = q[0]
        y[i] = p[-1] + q[-1]


def beside(A, s, y):
    """Parts of rows, whose lengths are told by what is in front of the parts."""
    for i in range(min(len(A), len(s))):
        v = A[i, : s[i]]
        for k in range(v.shape[0]):
            v[k] += i
        y[i] = v.shape[0] + len(v)


def shifted(v):
    for k in range(v.shape[0] - 1):
        v[k], v[k + 1] = v[k + 1], v[k]


def handed(A, s, y):
    for i in range(min(len(A), len(s))):
        shifted(A[i, : s[i]])
        y[i] = A[i, 0]


def _values(*shape: int) -> Any:
    return (np.arange(int(np.prod(shape))) * 37 % 23 - 7.5).reshape(shape)


_BOUNDS: dict[str, Any] = {
    "in order": [0, 2, 2, 5, 11],
    "back": [5, 2, 9, 0],
    "from the end": [-3, -1, 0, -9],
    "beyond": [0, 40, 3, 90, -80],
    "none": [],
    "one": [3],
    "zeros": [0, 0, 0],
}


def ahead(A, s, y):
    """The part is named in front of the loop that copies it into its array."""
    base = A[0]
    base[1] = 3
    for i in range(1, len(A)):
        A[i] = base
        A[i, i % 5] = i


def lowered(A, s, y):
    low = A[:-1]
    for i in range(len(low)):
        low[i] = A[i + 1, :] * 2
        A[i, 0] += 1


def given_to(
    memory: Memory,
    count: int = 11,
    bounds: Any = (0, 2, 2, 5, 11),
    kind: str = "float64",
    layout: str = "C",
    axes: int = 1,
    of: str = "int64",
) -> tuple[Any, ...]:
    """An array, bounds, and where results go."""
    shape = (count,) if axes == 1 else (count, 5)
    x = memory.array(_values(*shape), dtype=kind, layout=layout)
    s = memory.array(np.array(bounds, of), dtype=of)
    return x, s, memory.array(np.zeros(max(count, len(bounds), 5)))


def _rows(sure: bool, axes: int) -> Iterator[Row]:
    for count in (0, 1, 2, 7, 11, 64):
        for name, bounds in _BOUNDS.items():
            make = partial(given_to, count=count, bounds=bounds, axes=axes)
            native = True if sure and name == "in order" and count == 11 else None
            yield Row(f"{count} {name}", make, native)
    for kind in ("float32", "int64", "int8", "bool", "uint64", "complex128"):
        yield Row(kind, partial(given_to, kind=kind, axes=axes), None)
    for of in ("int32", "uint8", "uint64", "float64"):
        yield Row(f"bounds of {of}", partial(given_to, of=of, axes=axes), None)
    for of in ("int32", "uint8", "uint16", "uint32"):
        for count in (3, 300):
            bounds = [0, 3, 40, 2, 255, 0]
            make = partial(given_to, count=count, bounds=bounds, of=of, axes=axes)
            yield Row(f"{count} beyond of {of}", make, None)
    for layout in ("apart", "back", "F", "fixed", "odd"):
        yield Row(layout, partial(given_to, layout=layout, axes=axes), None)
    lists = [float(k) for k in range(11)], [0, 2, 2, 5, 11], [0.0] * 11
    yield Row("lists", lambda _: tuple(map(list, lists)), None)


_SURE = (
    *(summed, looped, clipped, parts, until, again, given, columns, planes),
    *(told, pairs, beside, handed, side_by_side, differences),
    *(ahead, lowered),
)

_OF_PLANES = (
    *(columns, aside, planes, placed, rows, kept),
    *(told, pairs, beside, handed, ahead, lowered),
)

TABLES = tuple(
    Table(function, tuple(_rows(function in _SURE, 2 if function in _OF_PLANES else 1)))
    for function in (
        *(summed, looped, first, beyond, stored, assigned, clipped, stepped, parts),
        *(until, spelled, moved, again, given, columns, aside, planes, placed, rows),
        *(kept, filled, spread, told, pairs, beside, handed),
        *(side_by_side, moved_beside, ended_beside, differences),
        *(numbered_beside, numbered_left, read_ahead),
        *(ahead, lowered),
    )
)
