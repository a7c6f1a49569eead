"""Functions that run as Python, and the same as their hints say: natively."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Pair = tuple[Callable[..., Any], Callable[..., Any], Callable[[], tuple[Any, ...]]]

PAIRS: dict[str, Pair] = {}
"""By name: one that runs as Python, one as its hint says, and arguments."""


def floats() -> Any:
    return np.linspace(0.5, 3.0, 9)


def whole() -> Any:
    return np.arange(9)


def arguments(make: Callable[[], tuple[Any, ...]]) -> Callable[[type], type]:
    """Put the two functions of a class into the table."""

    def put(pair: Any) -> type:
        PAIRS[pair.__name__] = pair.before, pair.after, make
        return pair

    return put


@arguments(lambda: (whole(),))
class Outgrows:
    def before(x):
        for i in range(len(x)):
            x[i] = -int(x[i]) % 7

    def after(x):
        for i in range(len(x)):
            x[i] = -(int(x[i]) & 0xFFFFFFFF) % 7


@arguments(lambda: (floats(), np.zeros(9)))
class Unbounded:
    def before(x, counts):
        for i in range(len(x)):
            k = int(x[i] * 2)
            counts[k % 9] += 1

    def after(x, counts):
        for i in range(len(x)):
            k = np.int64(x[i] * 2)
            counts[k % 9] += 1


@arguments(lambda: (floats(), floats()[::-1].copy()))
class Kept:
    def before(x, y):
        worst = 0.0
        for i in range(len(x)):
            near = np.inf
            for j in range(len(y)):
                near = min(near, abs(x[i] - y[j]))
            if near > worst:
                worst = near
        return float(worst)

    def after(x, y):
        worst = 0.0
        for i in range(len(x)):
            near = np.inf
            for j in range(len(y)):
                near = min(near, abs(x[i] - y[j]))
            if near > worst:
                worst = float(near)
        return worst


@arguments(lambda: (whole().astype(np.int32),))
class Compares:
    def before(x):
        best = 0
        for i in range(len(x)):
            if x[i] > best:
                best = x[i]
        return int(best)

    def after(x):
        best = 0
        for i in range(len(x)):
            v = int(x[i])
            if v > best:
                best = v
        return best


@arguments(lambda: (whole().astype(np.uint8),))
class Mixed:
    def before(x):
        b = 0
        for i in range(len(x)):
            b = (b << 1 | x[i]) & 255
        return int(b)

    def after(x):
        b = 0
        for i in range(len(x)):
            b = (b << 1 | int(x[i])) & 255
        return b


@arguments(lambda: (np.arange(15.0).reshape(5, 3),))
class Sliced:
    def before(x):
        top = -1.0
        for i in range(len(x)):
            top = max(top, float(max(x[i, 1:]) - min(x[i, 1:])))
        return top

    def after(x):
        top = -1.0
        for i in range(len(x)):
            low, high = x[i, 1], x[i, 1]
            for j in range(1, x.shape[1]):
                low, high = min(low, x[i, j]), max(high, x[i, j])
            top = max(top, float(high - low))
        return top


@arguments(lambda: (floats(), np.zeros(9)))
class Whole:
    def before(x, out):
        for i in range(len(x)):
            out[i] = np.linalg.norm(x, 1) * x[i]

    def after(x, out):
        norm = np.linalg.norm(x, 1)
        for i in range(len(x)):
            out[i] = norm * x[i]


@arguments(lambda: (np.eye(5), np.zeros(5)))
class Called:
    def before(x, out):
        for i in range(len(x)):
            if x[i].any():
                out[i] = 1.0

    def after(x, out):
        for i in range(len(x)):
            found = False
            for j in range(x.shape[1]):
                if x[i, j] != 0:
                    found = True
            if found:
                out[i] = 1.0


@arguments(lambda: (floats(), 0.1))
class Powers:
    def before(flows, rate):
        s = 0.0
        for t in range(len(flows)):
            s += flows[t] / (1 + rate) ** t
        return float(s)

    def after(flows, rate):
        s = 0.0
        for t in range(len(flows)):
            s += flows[t] / np.float64(1 + rate) ** t
        return float(s)


@arguments(lambda: (whole(), np.zeros(4, np.int64)))
class Shifts:
    def before(x, out):
        for i in range(len(x)):
            w = int(x[i])
            for k in range(4):
                out[k] += (w >> 6 * k) & 63

    def after(x, out):
        for i in range(len(x)):
            w = np.int64(x[i])
            for k in range(4):
                out[k] += (w >> 6 * k) & 63


@arguments(lambda: (floats(), np.zeros(9)))
class Calls:
    def before(x, out):
        for i in range(len(x)):
            out[i] = x[i] * math.factorial(i)

    def after(x, out):
        factorials = np.array([math.factorial(k) for k in range(len(x))])
        for i in range(len(x)):
            out[i] = x[i] * factorials[i]


@arguments(lambda: (3,))
class Complex:
    def before(n):
        far = 0
        for k in range(n):
            z = complex(3.0 * k, 4.0)
            if abs(z) > 5.0:
                far += 1
        return far

    def after(n):
        far = 0
        for k in range(n):
            z = complex(3.0 * k, 4.0)
            if z.real * z.real + z.imag * z.imag > 25.0:
                far += 1
        return far


@arguments(lambda: (floats(),))
class Searches:
    def before(x):
        k = 0
        s = 0.0
        while k < len(x):
            s += x[k]
            k += 2
        return float(s)

    def after(x):
        k = 0
        s = 0.0
        for _ in range(len(x)):
            if not k < len(x):
                break
            s += x[k]
            k += 2
        return float(s)


@arguments(lambda: (floats(), np.zeros(9)))
class Allocates:
    def before(x, out):
        for i in range(len(x)):
            d = np.zeros((i + 2, 2))
            for k in range(i + 2):
                d[k, 1] += x[i] * k
            if x[i] > 0:
                out[i] = d[0, 1] + d[1, 0] + d[i, 1]

    def after(x, out):
        d = np.zeros((len(x) + 1, 2))
        for i in range(len(x)):
            d[:] = 0.0
            for k in range(i + 2):
                d[k, 1] += x[i] * k
            if x[i] > 0:
                out[i] = d[0, 1] + d[1, 0] + d[i, 1]


@arguments(lambda: (np.arange(9) - 4, np.zeros((9, 2), dtype=np.int64)))
class Divides:
    def before(x, out):
        for i in range(len(x)):
            q, r = divmod(x[i], i - 20)
            out[i, 0] = q
            out[i, 1] = r

    def after(x, out):
        for i in range(len(x)):
            q, r = x[i] // (i - 20), x[i] % (i - 20)
            out[i, 0] = q
            out[i, 1] = r


def graph() -> tuple[Any, ...]:
    near = [[1, 2], [3], [3], []]
    begin, nodes = np.array([0, 2, 3, 4, 4]), np.array([1, 2, 3, 3])
    return near, begin, nodes, np.array([2, 0, 3, 1, 0]), np.zeros(4, np.int64)


@arguments(graph)
class Ragged:
    def before(near, begin, nodes, order, out):
        for i in range(len(order)):
            v = order[i]
            for w in near[v]:
                out[w] += v + 1
        return out

    def after(near, begin, nodes, order, out):
        for i in range(len(order)):
            v = order[i]
            for k in range(begin[v], begin[v + 1]):
                out[nodes[k]] += v + 1
        return out
