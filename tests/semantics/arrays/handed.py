"""Arrays that a loop makes anew in each round, and hands on to the next one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def swept(x, steps):
    for t in range(steps):
        new = np.zeros(len(x))
        for i in range(1, len(x) - 1):
            new[i] = x[i - 1] + x[i + 1]
        x = new
    return x, x.strides


def own(x, steps):
    y = np.ones(x.shape[0])
    for t in range(steps):
        new = np.empty(x.shape[0])
        for i in range(len(y)):
            new[i] = y[len(y) - 1 - i] * x[i]
        y = new
        y[0] += 1
    return y


def given(x, steps):
    """What the caller has stays as it was, and comes back where no round runs."""
    kept = x
    for t in range(steps):
        new = np.empty_like(x)
        for i in range(len(x)):
            new[i] = x[len(x) - 1 - i] * 2
        x = new
    x[:1] += 5
    return x, kept, x is kept


def until(x, steps):
    count = 0
    while count < steps:
        new = x.copy()
        most = 0.0
        for i in range(1, len(x) - 1):
            new[i] = 0.5 * (x[i - 1] + x[i + 1])
            most = max(most, abs(new[i] - x[i]))
        x = new
        count += 1
        if most < 0.25:
            break
    return x, count


def skipped(x, steps):
    s = 0.0
    for t in range(steps):
        new = np.full(len(x), 0.5)
        if t % 3 == 1:
            continue
        for i in range(len(x)):
            new[i] += x[i] * t
        x = new
        s += x[0] + np.sum(x)
    return x, s


def by_data(x, steps):
    for t in range(steps):
        new = x * 2.0
        for i in range(1, len(x)):
            new[i] -= x[i - 1]
        if new[0] > 3.0:
            new[0] = 0.0
        x = new
    return x


def whole(x, steps):
    for t in range(steps):
        new = np.empty_like(x)
        new[1:-1] = 0.5 * (x[2:] + x[:-2])
        new[:1] = x[:1]
        new[-1:] = x[-1:]
        x = new
    return x


def within(x, steps):
    found = np.zeros(3)
    for q in range(3):
        y = x
        for t in range(steps):
            new = np.zeros(len(x))
            for i in range(1, len(x)):
                new[i] = y[i - 1] + q
            y = new
        found[q] = y[len(x) // 2]
    return found


def again(x, steps):
    for t in range(steps):
        new = np.zeros(x.shape)
        for i in range(len(x)):
            new[i] = x[i] + t
        x = new
    for t in range(steps):
        for i in range(len(x)):
            x[i] *= 2
    return x


def kept(x, steps):
    """Somebody has the arrays of all rounds."""
    rounds = [x]
    for t in range(steps):
        new = np.zeros(len(x))
        for i in range(len(x)):
            new[i] = x[i] + 1
        x = new
        rounds.append(x)
    return rounds


def named(x, steps):
    """The array of a round has another name in the next one."""
    old = x
    for t in range(steps):
        new = np.zeros(len(x))
        for i in range(len(x)):
            new[i] = x[i] + old[i]
        old = x
        x = new
    return x, old


def behind(x, steps):
    """It is used under its own name behind that."""
    for t in range(steps):
        new = np.zeros(len(x))
        for i in range(len(x)):
            new[i] = x[i] + 1
        x = new
        for i in range(len(x)):
            new[i] *= 2
    return x


def written(x, steps):
    """The first round writes what the caller has."""
    for t in range(steps):
        new = np.zeros(len(x))
        for i in range(1, len(x)):
            new[i] = x[i - 1] + 1
            x[i] = t
        x = new
    return x


def shared(x, steps):
    """The first round reads what it writes under another name."""
    y = x
    z = np.ones(len(x))
    for t in range(steps):
        new = np.zeros(len(x))
        for i in range(1, len(x)):
            y[i] = z[i - 1] + t
            z[i] = y[i]
            new[i] = x[i - 1] + x[i]
        x = new
    return x, y, z


def sooner(x, steps):
    for t in range(steps):
        new = np.zeros(len(x))
        for i in range(len(x)):
            new[i] = x[i] + 1
        if new[0] > 2:
            return x
        x = new
    return x


def shrinking(x, steps):
    for t in range(steps):
        new = np.zeros(max(len(x) - 1, 0))
        for i in range(len(new)):
            new[i] = x[i] + x[i + 1]
        x = new
    return x


def caught(x, steps):
    try:
        for t in range(steps):
            new = np.zeros(5)
            for i in range(5):
                new[i] = x[i]
            x = new
    except IndexError:
        return x
    return x


def two(x, steps):
    y = x * 0.5
    for t in range(steps):
        nx = np.empty_like(x)
        ny = np.empty(y.shape)
        for i in range(len(x)):
            nx[i] = x[i] + y[len(x) - 1 - i]
            ny[i] = x[i] - y[i] * 0.5
        x, y = nx, ny
    return x, y


def powers(x, steps):
    t = x
    s = x * 0.5
    for k in range(1, steps):
        t = t * x
        s = s + t / (2.0 * k)
    return s, t, x


def series(x, steps):
    """Numbers of Python on the way."""
    s = 1 + 0 * x
    t = x
    for k in range(1, steps):
        t = t * x
        s = s + ((-1) ** k / math.gamma(2 * k + 2)) * t - math.sqrt(k) * x
    return s, t


def filled(x, steps):
    """Of a number that nothing in the loop changes."""
    n = x.shape[0]
    for t in range(steps):
        new = np.full(n, 1.0 / max(n, 1))
        for i in range(n):
            new[i] += x[i]
        x = new
    return x


def squared(x, steps):
    """The caller has the first of them."""
    for k in range(steps):
        x = x * x - 0.5
    return x


def planes(x, steps):
    for t in range(steps):
        new = np.zeros_like(x)
        for i in range(1, x.shape[0] - 1):
            for j in range(x.shape[1]):
                new[i, j] = x[i - 1, j] + x[i + 1, j] * 0.25
        x = new
    return x, x.strides


def computed(x, steps):
    """A new array that lies in memory as the old one does."""
    for t in range(steps):
        new = x * 0.5
        for i in range(1, x.shape[0]):
            new[i, 0] += x[i - 1, 0]
        x = new
    return x, x.strides


def copied(x, steps):
    for t in range(steps):
        new = np.copy(x)
        for i in range(1, x.shape[0]):
            new[i, 0] += x[i - 1, 0]
        x = new
    return x, x.strides


def summed(x, steps):
    s = 0.0
    for t in range(steps):
        new = np.zeros(x.shape)
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                new[i, j] = x[i, j] / 3
        s += np.sum(x)
        x = new
    return x, s


Maker = Callable[[Memory], Any]


def _values(*shape: int) -> np.ndarray[Any, Any]:
    count = int(np.prod(shape))
    return (np.arange(count) * 7 % 11 / 8 + 0.1).reshape(shape)


def _shaped(*shape: int) -> dict[str, Maker]:
    return {
        f"{layout} {shape}": partial(
            Memory.array, values=_values(*shape), layout=layout
        )
        for layout in ("C", "apart", "back", "F", "fixed", "odd")
    }


def _kinds(*shape: int) -> dict[str, Maker]:
    return {
        kind: partial(Memory.array, values=_values(*shape) * 5, dtype=kind)
        for kind in ("float32", "int64", "int8", "bool", "complex128")
    }


OTHERS: dict[str, Maker] = {
    "list": lambda _: [1.5, 2.5, 3.5],
    "matrix": lambda _: np.asmatrix(_values(3, 1)),
    "masked": lambda _: np.ma.array(_values(7)),
    "objects": lambda _: _values(7).astype(object),
    "nobody": lambda _: None,
    "text": lambda _: "three",
}


def _made(make: Maker, steps: Any, memory: Memory) -> tuple[Any, ...]:
    return make(memory), steps


def _rows(sure: bool, flat: bool) -> Iterator[Row]:
    shapes = [(0,), (1,), (2,), (7,)] if flat else [(0, 3), (1, 1), (7, 5)]
    for shape in shapes:
        for name, make in _shaped(*shape).items():
            for steps in (0, 1, 2, 5) if name.startswith("C") else (2, 3):
                taken = sure and name.startswith("C") and shape[0] > 2 and steps > 0
                native = True if taken else None
                yield Row(f"{name} {steps}", partial(_made, make, steps), native)
    for name, make in {**_kinds(*shapes[-1]), **OTHERS}.items():
        for steps in (0, 1, 4):
            yield Row(f"{name} {steps}", partial(_made, make, steps), None)
    for steps in (-1, 2.0, None, np.int8(3)):
        make = partial(Memory.array, values=_values(*shapes[-1]))
        yield Row(f"{steps!r} steps", partial(_made, make, steps), None)


PLANES = (planes, summed, computed, copied)
SURE = (
    swept,
    own,
    given,
    until,
    by_data,
    whole,
    again,
    two,
    squared,
    series,
    planes,
    filled,
)

TABLES = tuple(
    Table(function, tuple(_rows(function in SURE, function not in PLANES)))
    for function in (
        *SURE,
        powers,
        skipped,
        within,
        kept,
        named,
        written,
        shared,
        behind,
        sooner,
        shrinking,
        caught,
        *PLANES[1:],
    )
)
