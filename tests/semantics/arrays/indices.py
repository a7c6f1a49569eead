"""Which cell a subscript means, and what loops leave in their variables."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any

from semantics.memory import Memory
from semantics.table import Row, Table
from semantics.values import plain


def shifted(a, b, k):
    for i in range(a.shape[0]):
        b[i] = a[i + k] + 1
    return i


def backwards(a, b):
    for i in range(1, a.shape[0] + 1):
        b[-i] = a[-i] * 2 + a[i - 1]
        b[-1] += a[0]
    return i


def limited(a, b, low, high):
    for i in range(low, high):
        b[i] = a[i] + i
        a[i] = b[i] - 1
    return a


def grid(A, k, m):
    n = A.shape[0]
    for i in range(n):
        for j in range(m):
            A[i, j + k] += A[i - 1, j] + 1


def gathered(a, index, b):
    for i in range(index.shape[0]):
        b[i] = a[index[i]] + 1


def scattered(a, index, b):
    for i in range(index.shape[0]):
        b[index[i]] += a[i]
        a[i] = b[index[i] - 1]


def nested(a, index, b):
    for i in range(index.shape[0]):
        b[i] = a[index[index[i]]] * 2


def last(n, m):
    j = -5
    s = 0.0
    for i in range(n):
        for j in range(m):
            s += i * j
    return i, j, s


def unset(n, a):
    for i in range(n):
        s = a[i] * 2
        t = i
    return i, s, t


def downwards(a, start, stop):
    for i in range(start, stop, -2):
        a[i] += i
    return i


def upwards(a, start, stop):
    for i in range(start, stop, 3):
        a[i] = i
    return a, i


def by_step(a, low, high, step):
    s = 0
    for i in range(2):
        for j in range(low, high, step):
            s += j
            a[j] += 1
    return s


def triangle(A, n):
    s = 0.0
    for i in range(n):
        for j in range(i + 1):
            s += A[i, j]
        for k in range(i, n):
            A[i, k] = s
    return s, i


def changed(a, n):
    k = 7
    for i in range(n):
        k = a[i]
        if k > 2:
            k = a[i] + 1
    return k


def swapped(a):
    for i in range(a.shape[0] - 1):
        a[i], a[i + 1] = a[i + 1], a[i] * 2
        p = q = a[i]
        p += 1
    return p, q


def _two(size: int, after: tuple[Any, ...], memory: Memory) -> tuple[Any, ...]:
    one = memory.array(range(size), "float64")
    return (one, memory.array(range(10, 10 + size), "float64"), *after)


def _shifts() -> Iterator[Row]:
    for size, k in itertools.product(
        (0, 1, 5), (-9, -6, -5, -1, 0, 1, 5, 2**40, 2**70)
    ):
        native = True if size == 5 and -5 <= k <= 0 else None
        yield Row(f"size {size} by {k}", partial(_two, size, (k,)), native)


def _backwards() -> Iterator[Row]:
    for size in (0, 1, 2, 7):
        yield Row(f"size {size}", partial(_two, size, ()), True if size else None)


def _limits() -> Iterator[Row]:
    bounds = (-7, -5, -4, -1, 0, 1, 4, 5, 6)
    for low, high in itertools.product(bounds, bounds):
        make = partial(_two, 5, (low, high))
        yield Row(f"from {low} to {high}", make, None)


def _one(shape: Any, after: tuple[Any, ...], memory: Memory) -> tuple[Any, ...]:
    values = memory.array([[0.0]]) if not shape else None
    if values is None:
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        flat = memory.array(range(count), "float64")
        values = flat.reshape(shape)
    return (values, *after)


def _grids() -> Iterator[Row]:
    for k, m in itertools.product((-5, -4, -3, -1, 0, 1, 2), (0, 1, 3, 4, 5)):
        yield Row(f"by {k} of {m}", partial(_one, (3, 4), (k, m)), None)


INDEX = {
    "inside": [0, 4, 2, 2, 1],
    "from the end": [-1, -5, -2, 0, 3],
    "beyond": [0, 1, 5, 2, 3],
    "far beyond": [0, 1, 100, 2, 3],
    "before": [4, 3, -6, 0, 0],
    "at once": [9, 0, 0, 0, 0],
    "in the end": [0, 0, 0, 0, -9],
    "none": [],
}


def _indexed(index: list[int], dtype: str, memory: Memory) -> tuple[Any, ...]:
    return (
        memory.array(range(5), "float64"),
        memory.array(index, dtype),
        memory.array(range(20, 25), "float64"),
    )


def _indices(*dtypes: str) -> Iterator[Row]:
    for name, values in INDEX.items():
        for dtype in dtypes:
            if dtype == "uint8" and min(values, default=0) < 0:
                continue
            inside = max(values, default=0) < 5 and min(values, default=0) >= -5
            native = True if inside else None
            yield Row(f"{name} {dtype}", partial(_indexed, values, dtype), native)
    for dtype in ("float64", "bool"):
        make = partial(_indexed, [0, 1, 0, 1, 0], dtype)
        yield Row(f"an index of {dtype}", make, False)


def _nested() -> Iterator[Row]:
    for name, values in INDEX.items():
        yield Row(name, partial(_indexed, values, "int64"), None)


def _counts() -> Iterator[Row]:
    for n, m in itertools.product((-1, 0, 1, 4), repeat=2):
        yield Row(f"{n} times {m}", plain(n, m), None)


def _unset() -> Iterator[Row]:
    for n in (-1, 0, 1, 5, 6):
        make = partial(_one, (5,), ())
        yield Row(f"{n}", partial(_first, n, make), None if n < 1 or n > 5 else True)


def _first(n: Any, make: Any, memory: Memory) -> tuple[Any, ...]:
    return (n, *make(memory))


def _ranges(steps: tuple[int, ...] = ()) -> Iterator[Row]:
    bounds = (-6, -5, -1, 0, 2, 4, 5, 8)
    for low, high in itertools.product(bounds, bounds):
        for step in steps or (None,):
            after = (low, high) if step is None else (low, high, step)
            yield Row(" ".join(map(str, after)), partial(_one, (5,), after), None)


def _triangles() -> Iterator[Row]:
    for n in (0, 1, 4, 5):
        native = True if 0 < n < 5 else None
        yield Row(f"{n} of 4", partial(_one, (4, 4), (n,)), native)


def _changes() -> Iterator[Row]:
    for n in (0, 1, 2, 4, 5, 6):
        yield Row(f"{n} of 5", partial(_one, (5,), (n,)), None)


def _swaps() -> Iterator[Row]:
    for n in (1, 2, 5):
        yield Row(f"{n}", partial(_one, (n,), ()), True if n > 1 else None)


TABLES = (
    Table(shifted, tuple(_shifts())),
    Table(backwards, tuple(_backwards())),
    Table(limited, tuple(_limits())),
    Table(grid, tuple(_grids())),
    Table(gathered, tuple(_indices("int64", "int32"))),
    Table(scattered, tuple(_indices("int64", "uint8"))),
    Table(nested, tuple(_nested())),
    Table(last, tuple(_counts())),
    Table(unset, tuple(_unset())),
    Table(downwards, tuple(_ranges())),
    Table(upwards, tuple(_ranges())),
    Table(by_step, tuple(_ranges((-2, 0, 3)))),
    Table(triangle, tuple(_triangles())),
    Table(changed, tuple(_changes())),
    Table(swapped, tuple(_swaps())),
)
