"""Numbers that statements on arrays take of arrays, and elements that masks tell."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def centred(x, y):
    for _ in range(2):
        x[:] -= x.mean()
        y[1:] = x[:-1] / (1 + np.sum(x * y))


def shifted(x, y):
    for _ in range(2):
        y[:] = x[::-1] - x.max() + y.min()
        x[1:] = x[:-1] + x.sum()


def spread(x, y):
    for i in range(2):
        y[i:] = np.where(x[i:] > x.mean(), x.std(), y.var())
        x[:] = y[i : i + 1].sum()


def limited(x, y):
    for i in range(2):
        x[x < 0] = 0.0
        x[(x > 1) & (x < 3)] *= 2
        y[y != y] = -1
        x[np.isnan(x)] = 0.5
        x[:1] += 3


def masked(x, y):
    for i in range(2):
        m = x > 0.5
        v = x[m]
        y[i : i + 1] = np.sum(v)
        total = v.mean()
        x[i : i + 1] = total
    return total


def chosen_by_sizes(x, y):
    """What a condition keeps from no elements is not computed of these."""
    s = 0.0
    for i in range(4):
        v = x[x > i]
        y[i] = v.mean() - v.size if v.size else 0.0
        w = x[x < i]
        s = np.min(w) if len(w) > 0 else (np.max(x[:i]) if i > 1 else -1.0)
        x[i] += 1
    return s


def parts_of_sizes(x, y):
    for i in range(4):
        v = x[:i]
        w = x[i:-1]
        y[i] = v.mean() if v.size else -1.0
        if w.size > 1 and len(v) > 0:
            y[i] += w.max() + v.size - v.sum()
    return x[1:].size


def two_masks(x, y):
    for i in range(3):
        v = x[x > i]
        w = x[x <= i]
        y[i] = v.sum() - w.sum() * v.size


def told_by_names(x, y):
    for k in range(3):
        m = (y > k) | np.isnan(x)
        x[m] = k - 1
        x[~m] = y[~m] * 2 - x[~m]
    s = x.sum()
    x[y < 2] = s
    y[np.logical_and(x < s, y > 0)] += x[np.logical_and(x < s, y > 0)]
    return s


def told_numbers(x, y):
    for k in range(2):
        x[x > y] = y[k]
        m = x == k
        x[m] -= x[m].sum()
        x[x >= k] = y.max()
        y[m] *= 3


def sized(x, y):
    n = 0
    for k in range(3):
        v = x[y > k]
        n = v.size
        if len(v) > 1:
            x[k : k + 1] = v.max() + n
        elif n:
            y[k : k + 1] = v.sum() / n
        n += len(x[1:])
    return n


def counted(x, y):
    n = np.count_nonzero(x)
    for k in range(2):
        m = x > k
        if m.any() and not (y > 2).all():
            y[k : k + 1] = np.count_nonzero(m)
        n = n + np.count_nonzero(x * y) - (y > k).sum() + m.sum()
    return n


def softened(x, y):
    for _ in range(2):
        e = np.exp(x - x.max())
        y[:] = e / e.sum()
        top = y.max()
        apart = np.abs(y - np.mean(y)) * top
        for i in range(len(apart)):
            if apart[i] > top:
                x[i] = apart[i]


def powered(x, y):
    for _ in range(2):
        y[1:] = (x[1:] * x[1:] + 0.25) ** -1.5
        x[x > 0] = x[x > 0] ** 0.3 - np.power(y[x > 0], 2.5)
        y[:] = np.abs(y) ** 3.0 + x


def cubed(x, y):
    """Powers that are written as ints: NumPy wraps its integers around."""
    for _ in range(2):
        y[:] = x**3 - y**3 * 2 + x**4
        x[1:] = (x[1:] + y[:-1]) ** 3 + x[1:] ** 2
    return y**3 + x


def roots(x, y):
    for _ in range(2):
        y[:] = (x * x + 0.5) ** 0.5
        x[:] = y**2.0 - y**-1.0


def standardised(x, y):
    for k in range(2):
        z = (x - x.mean()) / (k + np.std(y))
        for i in range(len(z)):
            y[i] = z[i]
        low = x > x.min()
        for i in range(len(low)):
            if low[i]:
                x[i] = k


def beside(x, y):
    for k in range(2):
        x[y > k] = y


def added_beside(x, y):
    for k in range(2):
        x[y > k] += y


def partly_beside(x, y):
    for k in range(2):
        x[x > k] = x[x > k] + y


def roots_beside(x, y):
    for k in range(2):
        m = x > k
        x[m] = np.sqrt(y)


def told_of_both(x, y):
    for k in range(2):
        x[x > k] = y[x > k]


def told_of_a_row(x, y):
    for k in range(2):
        x[x > k] = y[x > k]


def told_of_a_number(x, y):
    for k in range(2):
        x[x > k] = y[x > k]


def itself(x, y):
    for k in range(2):
        m = x > k
        x[m] = x


def other_mask(x, y):
    for k in range(2):
        m = x > k
        n = y < 2
        x[m] = y[n]


KINDS = (
    *("float64", "float32", "float16", "int64", "int32", "uint8", "bool"),
    "complex128",
)
SIZES = (0, 1, 2, 7, 13)


def _pair(size: int, kind: str, memory: Memory):
    numbers = np.arange(size) * 7 % 5 - 1.25
    return memory.array(numbers.astype(kind)), memory.array(np.ones(size, kind))


def _nan(memory: Memory):
    return memory.array(np.array([np.nan, -0.0, 2.0])), memory.array(np.full(3, np.nan))


def _one(memory: Memory):
    x = memory.array(np.arange(7.0) - 2)
    return x, x


def _parts(memory: Memory):
    x = memory.array(np.arange(8.0) - 2)
    return x[1:], x[:-1]


def _strided(memory: Memory):
    x, y = (memory.array(np.arange(20.0) - 7) for _ in range(2))
    return x[::-2], y[::2]


def _unlike(memory: Memory):
    return memory.array(np.arange(7.0) - 2), memory.array(np.ones(5))


def _mixed(memory: Memory):
    """More elements than a mask tells of them."""
    x, y = np.arange(9.0) - 4, np.arange(9.0) % 4 - 1
    return memory.array(x), memory.array(y)


def _wider(memory: Memory):
    return memory.array(np.arange(9.0).reshape(3, 3)), memory.array(np.ones(3))


def _number(memory: Memory):
    return memory.array(np.arange(7.0) - 2), np.float64(2.5)


def _square(memory: Memory):
    return memory.array(np.arange(9.0).reshape(3, 3)), memory.array(np.ones((3, 3)))


def _rows(function) -> Iterator[Row]:
    for size in SIZES:
        sure = size > 2 and function is not roots
        made = partial(_pair, size, "float64")
        yield Row(f"{size}", made, True if sure else None)
    for kind in KINDS[1:]:
        yield Row(kind, partial(_pair, 7, kind), None)
    for make in (_nan, _one, _parts, _strided, _unlike, _square):
        yield Row(make.__name__.strip("_"), make, None)


TABLES = tuple(
    Table(function, tuple(_rows(function)))
    for function in (
        *(centred, shifted, spread, limited, masked, told_by_names, told_numbers),
        *(chosen_by_sizes, parts_of_sizes, two_masks),
        *(sized, counted, softened, powered, cubed, roots, standardised),
    )
)

LOST = (
    *(beside, added_beside, partly_beside, roots_beside, told_of_both, itself),
    other_mask,
)
TABLES += tuple(
    Table(
        function,
        (
            *(Row(f"{n}", partial(_pair, n, "float64"), None) for n in SIZES),
            *(Row(make.__name__, make, None) for make in (_nan, _mixed, _unlike)),
        ),
    )
    for function in LOST
)
TABLES += (
    Table(told_of_a_row, (Row("wider", _wider, None),)),
    Table(told_of_a_number, (Row("number", _number, None),)),
)


def told(x, y, m):
    for i in range(2):
        y[i : i + 1] = x[m].sum()
        v = x[m]
        y[i : i + 1] += v.max() - v.mean() + v.size * len(v)


MASKS = {
    "mask": np.arange(7) % 3 > 0,
    "none": np.zeros(7, bool),
    "short": np.ones(6, bool),
    "places": np.array([1, 1, -1]),
    "outside": np.array([1, 8]),
    "one": 3,
    "truth": np.True_,
}


def _told(mask, memory: Memory):
    mask = memory.array(mask) if np.ndim(mask) else mask
    return (*_pair(7, "float64", memory), mask)


TABLES += (
    Table(
        told,
        tuple(Row(name, partial(_told, mask), None) for name, mask in MASKS.items()),
    ),
)
