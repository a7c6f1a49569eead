"""Arrays that loops make, one in each round: zeros, copies, and what is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def zeros(x, y, c, k):
    t = 0.0
    for i in range(x.shape[0]):
        d = np.zeros(k)
        for j in range(x.shape[1]):
            d[j] += x[i, j]
            d[0] += d[j]
        t += d[k - 1]
    return t


def typed(x, y, c, k):
    t = 0
    for i in range(x.shape[0]):
        d = np.zeros((k, 2), dtype=np.int8)
        e = np.ones_like(y)
        f = np.full(k, c)
        for j in range(k):
            d[j, 1] += i
            e[j] += d[j, 1]
            f[j] -= e[j]
            y[j] += f[j]
        t += len(d) + e.size
    return t


def laid(x, y, c, k):
    """A copy lies in memory as its array does, and is summed in that order."""
    t = 0.0
    for i in range(3):
        d = np.copy(x)
        d[0, 0] += i
        t += np.sum(d)
    for i in range(y.shape[0]):
        y[i] += t
    return t


def difference(x, y, c, k):
    for i in range(x.shape[0]):
        for j in range(i):
            d = x[i] - x[j]
            y[0] += d[0] * d[-1]
            y[-1] += np.sum(d * d)


def copied(x, y, c, k):
    for i in range(x.shape[0]):
        before = x[i].copy()
        old = y.copy()
        for j in range(1, x.shape[1]):
            x[i, j] = before[j - 1] + old[j]
            y[j] = x[i, j]


def column(x, y, c, k):
    for j in range(x.shape[1]):
        v = x[:, j].copy()
        for i in range(x.shape[0]):
            v[i] += y[j]
        x[:, j] = v * 2


def chained(x, y, c, k):
    for i in range(x.shape[0]):
        d = x[i] * c
        e = d + y
        f = np.sqrt(np.abs(e - d))
        y[:] = f - e


def decided(x, y, c, k):
    for i in range(x.shape[0]):
        if x[i, 0] > 1:
            d = -x[i]
            y[:] += d
        else:
            e = y / 2
            y[0] -= e[0] + e[-1]


def outside(x, y, c, k):
    t = 0.0
    for i in range(x.shape[0]):
        d = np.zeros(k)
        d[i] = x[i, 0]
        t += d[i // 2]
    return t


def kept(x, y, c, k):
    seen = []
    for i in range(x.shape[0]):
        d = x[i] * 2
        seen.append(d)
    return seen


def divided(x, y, c, k):
    for i in range(x.shape[0]):
        d = np.full(4, 1.0 / k)
        y[0] += d[i % 4]


def avoided(x, y, c, k):
    for i in range(x.shape[0]):
        if k:
            d = np.full(4, 1.0 / np.float64(k))
            y[0] += d[i % 4]


def negative(x, y, c, k):
    for i in range(x.shape[0]):
        y[0] += 1
        d = np.zeros(k - 8)
        for j in range(k - 8):
            d[j] = j
            y[0] += d[j]


def part(x, y, c, k):
    for i in range(x.shape[0]):
        d = x[i, :2]
        x[i, 1] = np.abs(y[0]) + c
        y[0] += d[1] + d[0]
        d[0] = k
    for i in range(k):
        y[0] += i


def named(x, y, c, k):
    for i in range(x.shape[1]):
        d = y
        y[i] = np.abs(x[0, i]) + c
        x[0, i] = d[i] + k
    for i in range(k):
        y[0] += i


def planes(x, y, c, k):
    for i in range(2):
        d = x[1:, :] + x[:-1, :]
        e = d * c
        x[1:, :] = e - d
    for i in range(k - 5):
        d = x * x
        e = d - c
        f = e - d
        x[:, :] = f


def twice(x, y, c, k):
    for i in range(x.shape[0]):
        d = x[i] - c
        y[:] += d
    for i in range(x.shape[0]):
        y[0] += i
        d = x[i] * y
        x[i] = d
    for i in range(k):
        d = y * c
        y[:] = d - y


def scaled(x, y, c, k):
    """What the loop computes says of what type the array is."""
    for i in range(x.shape[0]):
        s = x[i, 0] * c
        if k > 7:
            s = x[i, -1] * c
        d = y * s
        y[:] = d - s


def stacked(x, y, c, k):
    stack = [k, 1]
    while stack:
        s = stack.pop()
        d = y + s
        y[0] += d[-1]
        if s > 2:
            stack.append(s - 3)


def in_turn(x, y, c, k):
    """Numbers of two types make arrays of one, or of two."""
    s = k
    for i in range(x.shape[0]):
        d = y * s
        s = x[i, 0]
        y[0] += d.dtype.itemsize + d[-1]


def _filled(*shape: int) -> Any:
    return np.arange(float(np.prod(shape))).reshape(shape) % 5 - 1


Maker = Callable[[Memory], Any]
SHAPES = ((0, 0), (0, 3), (3, 0), (1, 1), (1, 7), (7, 1), (7, 7), (7, 5))
TWO: dict[str, Maker] = {
    "x".join(map(str, shape)): partial(Memory.array, values=_filled(*shape))
    for shape in SHAPES
}
KINDS: dict[str, Maker] = {
    kind: partial(Memory.array, values=np.arange(49).reshape(7, 7) % 120, dtype=kind)
    for kind in ("float32", "int8", "bool", "complex128")
}
LAYOUTS: dict[str, Maker] = {
    "every second": lambda memory: memory.array(_filled(14, 14))[::2, ::2],
    "backwards": lambda memory: memory.array(_filled(7, 7))[::-1, ::-1],
}
TURNED: dict[str, Maker] = {
    "columns": partial(
        Memory.array,
        values=np.random.default_rng(1).standard_normal((30, 70)),
        layout="F",
    )
}
OTHERS: dict[str, Maker] = {
    "one axis": lambda memory: memory.array(_filled(7)),
    "three axes": lambda memory: memory.array(_filled(7, 7, 7)),
    "lists": lambda _: [[float(i * j % 5) for j in range(7)] for i in range(7)],
    "objects": lambda _: _filled(7, 7).astype(object),
    "matrix": lambda _: np.asmatrix(_filled(7, 7)),
    "masked": lambda _: np.ma.masked_greater(_filled(7, 7), 1),
    "nobody": lambda _: None,
}


def _given(make: Maker, c: Any, k: Any, memory: Memory) -> tuple[Any, ...]:
    x = make(memory)
    axis = x.shape[-1] if isinstance(x, np.ndarray) else 7
    kind = x.dtype if isinstance(x, np.ndarray) and x.dtype != object else "float64"
    return x, memory.array(np.arange(axis) % 3 + 1, dtype=kind), c, k


def _rows(sure: bool, *groups: dict[str, Maker]) -> Iterator[Row]:
    for group in groups:
        for name, make in group.items():
            for k in (7, 9, 0) if group is TWO else (7,):
                native = True if sure and group is LAYOUTS else None
                c = np.array([2.0]) if group is OTHERS else 2
                given = partial(_given, make, c, k)
                yield Row(f"{name} {k}", given, native)


TABLES = (
    *(
        Table(function, tuple(_rows(True, TWO, KINDS, LAYOUTS, OTHERS)))
        for function in (difference, copied, column, chained, planes, twice, scaled)
    ),
    *(
        Table(function, tuple(_rows(True, TWO, LAYOUTS)))
        for function in (zeros, outside)
    ),
    *(
        Table(function, tuple(_rows(False, TWO, OTHERS, TURNED)))
        for function in (
            laid,
            decided,
            typed,
            kept,
            divided,
            avoided,
            part,
            named,
            negative,
            stacked,
            in_turn,
        )
    ),
)
