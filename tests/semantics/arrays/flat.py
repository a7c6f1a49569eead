"""Elements of `A.flat`: in the order of its rows, whatever else touches the array."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def read(x, y, k):
    t = 0.0
    for i in range(k):
        t = t / 2 + x.flat[i]
    return t


def written(x, y, k):
    for i in range(k):
        y.flat[i] = x.flat[k - 1 - i] + i
        x.flat[i] *= 2


def from_the_end(x, y, k):
    for i in range(1, k + 1):
        x.flat[-i] += i
    return x


def beside(x, y, k):
    t = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            x[i, j] += x.flat[k - 1] + 1
            x.flat[i] = x[0, j] * 2
            t = t / 2 + x[i, j]
    return t


def before(x, y, k):
    for i in range(k):
        x.flat[i] += 1
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = x[i, j] + x.flat[i + j]


def by_data(x, y, k):
    for i in range(k):
        at = y.flat[i]
        x.flat[at] += x.flat[at - 1] + y.flat[at]


def as_long_as(x, y, k):
    while x.flat[k] > 2:
        x.flat[k] -= 1
        y.flat[k] += x.flat[k]
        k += 1
    return k


def at(x, y, k):
    t = 0.0
    for i in range(2):
        x.flat[k] += i
        t += x.flat[k]
    return t


def taken(x, y, k):
    for i in range(3):
        y.flat[i] = x.flat[0] * k


def other_name(x, y, k):
    z = x
    for i in range(k):
        x.flat[i] = z.flat[k - 1 - i] + 1
        z[0, 0] += x.flat[i]


def own(x, y, k):
    m = np.zeros((k, 3))
    for i in range(k):
        m.flat[3 * i + 1] = x.flat[i]
    for i in range(k):
        m[i, 0] += m.flat[i]
    return m


def marked(x, y, k):
    m = x > 3
    for i in range(k):
        m.flat[i] = True
    t = 0.0
    for i in range(len(x)):
        for j in range(k):
            if m[i, j]:
                t = t / 2 + x[i, j]
    return t


def renamed(x, y, k):
    t = 0.0
    for i in range(2):
        t += i
    for i in range(k):
        t = t / 2 + x.flat[i]
        x = y
    return t


def sliced(x, y, k):
    for i in range(k):
        x.flat[i] += 1
        x.flat[i:] = y.flat[i]


def after_an_error(x, y, k):
    try:
        y.flat[0] = x[k, k]
    except IndexError:
        for i in range(k):
            y.flat[i] += x.flat[i]


def nobody(x, y, k):
    for i in range(k, 0):
        x.flat[i] = y.flat[i]
    return x


def as_many_as_rows(x, y, k):
    """Nothing but the shapes of the arrays themselves is used."""
    for i in range(x.shape[0]):
        x.flat[i] += y.shape[0] + k
        y.flat[i] = x.flat[i]


def parts(x, y, k):
    t = 0.0
    for i in range(x.shape[0]):
        v = x[i]
        for j in range(k):
            v.flat[j] += i + y.flat[j]
            t = t / 2 + v.flat[k - 1 - j] + x.flat[j]
    return t


def parts_by_data(x, y, k):
    """Both subscripts may leave the array, which says of which axis that is told."""
    for j in range(k):
        at = int(y.flat[j])
        v = x[at]
        y.flat[j] += v.flat[at - 1]
        v.flat[at] = j


def parts_of_one(x, y, k):
    """Loops in the one that names a part, which is Python's, have its elements."""
    seen = []
    for i in range(x.shape[0]):
        v = x[i]
        seen.append(str(i))
        for j in range(k):
            v.flat[j] += i
            y.flat[j] = v.flat[j] * 2
    return seen


def parts_with_names(x, y, k):
    """Whatever else is done with a part or its array, it is the part of that."""
    for i in range(len(x)):
        v = x[i]
        w = x[i - 1]
        for j in range(k):
            v.flat[j] = w.flat[j] + y.flat[j]
        x = x[::-1]
    for i in range(len(x)):
        v = x[i]
        y.flat[i] = v.flat[0]
    return v, w


def on(i, x, y):
    """Goes on with the cell behind while it finds no more than it has."""
    y.flat[i] += x.flat[i]
    if i > 0 and y.flat[i - 1] <= x.flat[i]:
        on(i - 1, x, y)


def handed(x, y, k):
    for i in range(k):
        on(i, x, y)


FUNCTIONS: tuple[Callable[..., Any], ...] = (
    *(read, written, from_the_end, beside, before, as_long_as, other_name, own),
    *(marked, renamed, sliced, after_an_error, nobody),
    *(parts_with_names, as_many_as_rows, handed),
)

SURE = (read, written, from_the_end, beside, before, other_name)
"""What native code takes of arrays that lie row by row."""


class Apart(np.ndarray):  # type: ignore[type-arg]
    """A class of arrays of which looptx knows nothing."""


def _tables(function: Callable[..., Any]) -> Iterator[Row]:
    def given(rows: int, dtype: str, layout: str, k: int, memory: Memory):
        x = memory.array(np.arange(rows * 5).reshape(rows, 5) % 7, dtype, layout)
        y = memory.array(np.ones((rows, 5)), "float64", layout)
        return x, y, k

    for rows, k in ((0, 0), (1, 1), (3, 5), (7, 5), (7, 3), (1, 6), (3, 16), (3, -2)):
        inside = 0 < k <= min(rows * 5, 5) and rows > 1
        for dtype in ("float64", "int32"):
            make = partial(given, rows, dtype, "C", k)
            sure = True if function in SURE and inside else None
            yield Row(f"{rows} rows of {dtype}, {k}", make, sure)
    for layout in ("F", "back", "apart", "swapped", "fixed"):
        yield Row(layout, partial(given, 3, "float64", layout, 5), None)


def _others(function: Callable[..., Any]) -> Iterator[Row]:
    def given(make: Callable[[Any], Any], memory: Memory):
        x = memory.array(np.arange(12.0).reshape(3, 4))
        return make(x), memory.array(np.zeros((3, 4))), 4

    for name, make in {
        "a vector": lambda x: x[1],
        "a column": lambda x: x[:, 1],
        "a number": lambda x: x[1, 1],
        "an array of one number": lambda x: x[1, 1, ...],
        "three axes": lambda x: x.reshape(3, 2, 2),
        "a matrix": lambda x: x.view(np.matrix),
        "masked": lambda x: np.ma.masked_greater(x, 3),
        "another class": lambda x: x.view(Apart),
        "all elements": lambda x: x.flat,
        "a list": lambda _: [1.0, 2.0, 3.0, 4.0],
        "nothing": lambda _: None,
        "complex": lambda x: x + 1j,
        "small": lambda x: x.astype(np.float16),
        "bools": lambda x: x > 3,
        "objects": lambda x: x.astype(object),
    }.items():
        yield Row(name, partial(given, make), None)


def _places() -> Iterator[Row]:
    def given(k: Any, memory: Memory):
        x = memory.array(np.arange(6.0).reshape(2, 3))
        return x, memory.array(np.zeros(3)), k

    for k in (0, 5, -6, 6, -7, np.int8(1), np.uint8(3), np.uint64(2), 2**70, -(2**63)):
        inside = True if -7 < k < 6 and not isinstance(k, np.uint64) else None
        yield Row(f"at {k!r}", partial(given, k), inside)
    for k in (True, np.True_, 1.0, np.float64(1), None, (0,), np.array(1)):
        yield Row(f"at {k!r}", partial(given, k), None)
    yield Row("at an array", partial(given, np.array([1, 2])), None)


def _data() -> Iterator[Row]:
    def given(places: Any, dtype: str, k: int, memory: Memory):
        x = memory.array(np.arange(6.0).reshape(2, 3))
        return x, memory.array(np.array(places).reshape(2, 3), dtype), k

    for places in ([0, 5, 1, 1, 3, 4], [-6, -1, 2, 0, 0, 5], [0, 6, 1, 1, 1, 1]):
        for dtype in ("int64", "int8", "float64"):
            yield Row(f"{places} of {dtype}", partial(given, places, dtype, 6), None)
    yield Row("bools", partial(given, [0, 1, 1, 1, 0, 1], "bool", 6), None)


def _parts(function: Callable[..., Any]) -> Iterator[Row]:
    def given(shape: tuple[int, ...], dtype: str, layout: str, k: int, memory: Memory):
        cells = np.arange(int(np.prod(shape))).reshape(shape) % 5
        x = memory.array(cells, dtype, layout)
        return x, memory.array(np.array([0, 1, 2, -1, -2, 3, 9]), "float64"), k

    for shape, k in itertools.product(
        ((4, 2, 3), (7, 1, 1), (3, 5, 2), (1, 3, 2), (2, 2, 2, 2), (5, 3), (0, 2, 3)),
        (0, 1, 5, 6, 7),
    ):
        for dtype in ("float64", "int16"):
            yield Row(
                f"{shape} of {dtype}, {k}", partial(given, shape, dtype, "C", k), None
            )
    yield Row("no cells", partial(given, (3, 0, 2), "float64", "C", 1), None)
    for layout in ("F", "back", "apart", "swapped", "fixed"):
        yield Row(layout, partial(given, (4, 2, 3), "float64", layout, 4), None)


def _stores() -> Iterator[Row]:
    def given(dtype: str, k: Any, memory: Memory):
        x = memory.array(np.ones((2, 2)), "float64")
        return x, memory.array(np.zeros((2, 2)), dtype), k

    for dtype in ("int8", "uint64", "bool", "float16", "complex64"):
        for k in (0, 2.7, -1.5, 300.0, float("nan"), 1e300, 1j):
            yield Row(f"{k!r} as {dtype}", partial(given, dtype, k), None)


TABLES = (
    *(Table(one, (*_tables(one), *_others(one))) for one in FUNCTIONS),
    *(Table(one, tuple(_parts(one))) for one in (parts, parts_by_data, parts_of_one)),
    Table(at, tuple(_places())),
    Table(by_data, tuple(_data())),
    Table(taken, tuple(_stores())),
)
