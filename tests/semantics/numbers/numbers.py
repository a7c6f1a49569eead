"""Array elements beside Python's numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from semantics.table import Row, Table
from semantics.values import EDGES, INTEGERS, PYTHON, cells, each


def beside(u, i, L, f, d, p):
    for k in range(u.shape[0]):
        up = u[k] + p
        ip = p - i[k]
        lp = L[k] * p
        fp = f[k] + p
        pf = p - f[k]
        ft = f[k] * p
        dp = p * d[k]
        half = d[k] - p
        un = u[k] & 7
        below = f[k] < p
        same = d[k] == p
        over = L[k] >= p
        inside = u[k] != p
        chosen = f[k] if f[k] > p else f[k] + p
        least = min(d[k], p)
        most = max(p, d[k])
        low = np.minimum(f[k], p)
        high = np.maximum(p, d[k])
    return (
        (up, ip, lp, fp, pf, ft, dp, half, un, below, same, over, inside),
        (chosen, least, most, low, high),
    )


def literals(u, i, L, f, d):
    for k in range(u.shape[0]):
        a = u[k] + 255
        b = i[k] * 2.5
        c = L[k] - 2147483648
        e = f[k] * 0.1
        g = f[k] + 1
        h = 1e300 * d[k]
        j = 3 - u[k]
        m = f[k] * 16777217
        n = d[k] + True
        o = u[k] * True
        q = -i[k] + 1
        r = 2 * L[k] + 1
        s = 1.5 * u[k]
        t = f[k] / 3
        v = 1 / L[k]
        w = L[k] // 3
        x = L[k] % -3
        y = i[k] // -1
        z = 7 // i[k]
        aa = L[k] + 100000 * 100000
        bb = L[k] - 2**40
        cc = L[k] & ~(1 << 40)
        dd = u[k] + (-300 + 2 * 150)
        ee = i[k] // (-7 // 2)
    return (a, b, c, e, g, h, j, m, n, o), (
        q,
        r,
        s,
        t,
        v,
        w,
        x,
        y,
        z,
        aa,
        bb,
        cc,
        dd,
        ee,
    )


def made(b, u, i):
    for k in range(u.shape[0]):
        a = int(i[k]) * 100000
        c = int(u[k]) * 16843009 * 200
        d = int(b[k]) * 2147483647 + 5
        e = (i[k] > 0) * 2000000000 * 3
        f = b[k] * 2000000000 + 2000000000
        g = bool(u[k]) * 2147483647 + 5
        h = -math.floor(i[k]) + math.ceil(u[k])
        j = abs(int(i[k])) + 2147483647
        m = ~int(u[k]) - 2147483647
        n = -(not b[k]) - 2147483647
        o = (+(not u[k]) << 31) * 3
        p = min(int(i[k]), int(u[k])) * 2147483647
        q = (int(u[k]) if b[k] else 7) * 4294967
        r = np.int64(u[k]) * 2147483647 + (u[k] < 2)
        s = -np.uint8(5) - u[k]
        t = int(-np.uint8(5)) * int(u[k])
    return (a, c, d, e, f, g, h, j), (m, n, o, p, q, r, s, t)


def high_power(u):
    for k in range(u.shape[0]):
        r = u[k] ** 300
    return r


def whole_fmod(a):
    for k in range(a.shape[0]):
        r = np.fmod(a[k], 3)
    return r


def squared_truth(b):
    for k in range(b.shape[0]):
        r = np.square(b[k]) + np.square(b[k])
    return r


def divided(L, f, d, p):
    for k in range(L.shape[0]):
        lo = L[k] / p
        fo = f[k] / p
        do = d[k] / p
        lw = L[k] // p
        fw = f[k] // p
        dw = d[k] // p
        lr = L[k] % p
        fr = f[k] % p
        dr = d[k] % p
        po = p / L[k]
        pw = p // f[k]
        pr = p % d[k]
    return lo, fo, do, lw, fw, dw, lr, fr, dr, po, pw, pr


def beside_complex(u, L, f, d, z, p):
    for k in range(u.shape[0]):
        a = u[k] + p
        b = p * L[k]
        c = d[k] - p
        e = p - d[k]
        f2 = d[k] * p
        g = z[k] * p
        h = p + z[k]
        j = z[k] / p
        m = p == z[k]
        n = d[k] != p
        o = f[k] * p - f[k] / (p - f[k])
    return a, b, c, e, f2, g, h, j, m, n, o


def fitting(u, i, p, which):
    for k in range(u.shape[0]):
        if which == 0:
            u[k] = u[k] + p
        elif which == 1:
            i[k] = p * i[k]
        elif which == 2:
            u[k] = p
        elif which == 3:
            i[k] = p
        elif which == 4:
            u[k] += p
        elif which == 5:
            u[k] = u[k] & p
        elif which == 6:
            u[k] = u[k] // p
        elif which == 7:
            i[k] = i[k] % p
        elif which == 8:
            u[k] = np.minimum(u[k], p)
        else:
            u[k] = u[k] < p


def _beside_rows(kind: str) -> Iterator[Row]:
    native = None if kind == "int" else True
    for number, value in enumerate(PYTHON[kind]):
        if kind == "int" and not 0 <= value < 256:
            continue
        for at in range(6):
            dtypes = ("uint8", "int32", "int64", "float32", "float64")
            values = [EDGES[d][(at * 3 + number) % len(EDGES[d])] for d in dtypes]
            if value != value and values[-1] != values[-1]:
                continue
            yield Row(f"{values!r}, {value!r}", cells(*values, after=(value,)), native)


def _divided_rows() -> Iterator[Row]:
    for number, value in enumerate(PYTHON["int"] + PYTHON["float"]):
        for at in range(4):
            dtypes = ("int64", "float32", "float64")
            values = [EDGES[d][(at * 4 + number) % len(EDGES[d])] for d in dtypes]
            if value != value and values[-1] != values[-1]:
                continue
            yield Row(f"{values!r}, {value!r}", cells(*values, after=(value,)), None)


def _literal_rows() -> Iterator[Row]:
    dtypes = ("uint8", "int32", "int64", "float32", "float64")
    for at in range(max(len(EDGES[dtype]) for dtype in dtypes)):
        values = [EDGES[dtype][at % len(EDGES[dtype])] for dtype in dtypes]
        yield Row(repr(values), cells(*values))


def _complex_rows(kind: str) -> Iterator[Row]:
    dtypes = ("uint8", "int64", "float32", "float64", kind)
    for number, value in enumerate(PYTHON["complex"]):
        for at in range(4):
            values = [EDGES[d][(at * 5 + number) % len(EDGES[d])] for d in dtypes]
            yield Row(f"{values!r}, {value!r}", cells(*values, after=(value,)))


def _fitting_rows() -> Iterator[Row]:
    for which in range(10):
        for value in (0, 1, -1, 255, 256, 2**31 - 1, 2**31, -(2**31) - 1, 2**62):
            make = cells(EDGES["uint8"][3], EDGES["int32"][3], after=(value, which))
            yield Row(f"case {which} with {value}", make)


def _made_rows() -> Iterator[Row]:
    dtypes = ("bool", "uint8", "int32")
    for at in range(max(len(EDGES[dtype]) for dtype in dtypes)):
        values = [EDGES[dtype][at % len(EDGES[dtype])] for dtype in dtypes]
        yield Row(repr(values), cells(*values))
        yield Row(f"{values!r} of True", cells(np.True_, *values[1:]))


def _whole_rows() -> Iterator[Row]:
    for dtype in INTEGERS:
        yield from each(dtype, native=False)


TABLES = (
    Table(beside, tuple(r for k in ("int", "float", "bool") for r in _beside_rows(k))),
    Table(literals, tuple(_literal_rows())),
    Table(made, tuple(_made_rows())),
    Table(high_power, tuple(each("uint8", native=False))),
    Table(whole_fmod, tuple(_whole_rows())),
    Table(squared_truth, tuple(each("bool"))),
    Table(divided, tuple(_divided_rows())),
    Table(beside_complex, (*_complex_rows("complex128"), *_complex_rows("complex64"))),
    Table(fitting, tuple(_fitting_rows())),
)
