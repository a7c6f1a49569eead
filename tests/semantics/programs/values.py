"""What functions give to statements on arrays, and what they do to what they make."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table
from semantics.values import numbers, pair

LEAST = 0.25


def mean(x):
    s = 0
    for i in range(x.shape[0]):
        s += x[i]
    return s / x.shape[0]


def spread(x):
    m = mean(x)
    s = 0.0
    for i in range(x.shape[0]):
        s += (x[i] - m) ** 2
    return (s / x.shape[0]) ** 0.5


def scaled(x, m, s):
    """It gives nothing, and is for numbers and for arrays."""
    x -= m
    if s > LEAST:
        x /= s


def halved(x):
    return x / 2


def normal(x):
    y = halved(x)
    scaled(y, mean(x), spread(x))
    return y


def chosen(x):
    s = spread(x)
    if s > LEAST:  # noqa: SIM108
        y = (x - mean(x)) / s
    else:
        y = x - mean(x)
    return y


def reshaped(x):
    """A condition says of what size and type it is."""
    if x[0] > 0:  # noqa: SIM108
        y = x * 2
    else:
        y = x[1:] * 0.5
    y = y + 1
    return y.sum()


def least(x):
    """Means of what is there, if that is known."""
    if len(x) < 2:
        return np.nan
    known = np.where(np.isnan(x), np.nan, x)
    apart = known - np.nanmean(known)
    apart = apart**2
    s = np.nanmean(apart)
    if s < 1e-30:
        s = np.nan
    return s


def stepped(x):
    """It changes what it is given, and gives that."""
    if len(x) < 2 or x[0] + 1 < x[1]:
        x[0] += 1
        return x
    x[0] = 0
    i = 1
    while i < len(x) - 1 and x[i] == x[i + 1]:
        i += 1
        x[i - 1] = i - 1
    x[i] += 1
    return x


def twice(x):
    return x * 2.0 + 1


def scaling(A, B):
    for i in range(A.shape[0]):
        scaled(A[i], B[i, 0], B[i, 1])


def scaling_numbers(A, B):
    for i in range(A.shape[0]):
        scaled(A[i, 0], B[i, 0], B[i, 1])
        scaled(i, i, 0)


def dividing(A, B):
    for i in range(A.shape[0]):
        A[i, 0] = i
        scaled(i, 1, 2 - i)


def normalised(A, B):
    for i in range(A.shape[0]):
        A[i] = normal(B[i])


def choosing(A, B):
    for i in range(A.shape[0]):
        A[i] = chosen(B[i])


def resizing(A, B):
    for i in range(A.shape[0]):
        A[i, 0] = reshaped(B[i]) - reshaped(A[i, 1:])


def in_windows(A, B):
    best = math.inf
    for i in range(A.shape[1] - 2):
        d = np.sum((normal(A[0, i : i + 3]) - B[0, :3]) ** 2)
        best = min(best, d)
    return best


def missing(A, B):
    for j in range(A.shape[1]):
        B[0, j] = least(A[:, j])


def singles(A, B):
    for i in range(A.shape[0]):
        A[i] -= mean(A[i])
        B[i] = B[i] * twice(i) + A[i] * mean(B[i])
        A[i, 1:] = twice(i)


def perhaps(A, B):
    """What a condition keeps from running raises nothing."""
    for i in range(A.shape[0]):
        A[i] = A[i] * (1.0 / mean(B[i, :0]) if i < 0 else 2.0)
        B[i] = (i < 0 < mean(B[i, :0])) + B[i]


def computed(A, B):
    for i in range(A.shape[0]):
        A[i] = A[i] + math.gamma(i + 1) * B[i]
        B[i] *= (-1) ** i / math.sqrt(i + 0.5)
        A[i, 1:] = math.floor(i * 0.5) - A[i, 1:] * max(i, 2)


def raising(A, B):
    for i in range(A.shape[0]):
        A[i] = A[i] * math.sqrt(1 - i)


def series(A, B):
    s = +A
    t = A
    for k in range(1, 9):
        t = t * B
        s = s + ((-1) ** k / math.gamma(2 * k + 2)) * t
    return s, t


def stepping(A, B):
    x = np.arange(3)
    for i in range(A.shape[0]):
        for k in range(3):
            A[i, x[k] % A.shape[1]] += 1.0
        x = stepped(x)
    return x


def changes(x):
    """How often it crosses its mean."""
    m = mean(x)
    d = differences((x > m).astype(np.int32))
    count = 0
    for i in range(d.shape[0]):
        if d[i] != 0:
            count += 1
    return count


def differences(x):
    return x[1:] - x[:-1]


def crossing(A, B):
    for i in range(A.shape[0]):
        B[i, 0] = changes(A[i])


def given(A, B):
    """Functions may read what a loop makes."""
    for i in range(A.shape[0]):
        t = A[i] * B[i]
        B[i, 0] = mean(t)
        u = A[i] - t
        B[i, 1] = mean(u) - mean(t) + u[0]


def kept(A, B):
    """It changes what a loop makes."""
    for i in range(A.shape[0]):
        t = A[i] * B[i]
        t = stepped(t)
        B[i, 0] = t[0] + t[-1]


def cast(A, B):
    for i in range(A.shape[0]):
        t = (A[i] > 1).astype(np.int32)
        B[i] = B[i].astype(np.float32) + t
        A[i] += (B[i] * 2).astype(int) * (A[i] < 2).astype(bool)


def shifted(A, B):
    for i in range(A.shape[0]):
        A[i] = (A[i] << 2) ^ (B[i] >> 1)
        B[i, 1:] = np.right_shift(B[i, 1:], 1) | (A[i, 1:] << i)


def marked(A, B):
    for i in range(A.shape[0]):
        t = B[i].copy()
        t[A[i] < 2] = -1
        B[i] = t


def _flat(memory: Memory):
    return tuple(memory.array(numbers((7,), "float64")) for _ in range(2))


def _known(memory: Memory):
    values = numbers((7, 5), "float64")
    values[::2, ::2] = np.nan
    return memory.array(values, "float64"), memory.array(values * 2, "float64")


UNSURE = (resizing, perhaps, raising, dividing, series, kept)


def _rows(function) -> Iterator[Row]:
    integers = function in (shifted, marked)
    kind = "int64" if integers else "float64"
    for shape in ((0, 3), (3, 0), (1, 1), (2, 2), (3, 4), (7, 5)):
        sure = function not in UNSURE and shape == (7, 5)
        make = partial(pair, shape, kind)
        yield Row(str(shape), make, True if sure else None)
    for kind in ("float32", "int64", "int8", "uint8", "bool", "complex128"):
        yield Row(kind, partial(pair, (7, 5), kind), None)
    yield Row("flat", _flat, None)
    yield Row("known", _known, None)


TABLES = tuple(
    Table(function, tuple(_rows(function)))
    for function in (
        scaling,
        scaling_numbers,
        normalised,
        choosing,
        in_windows,
        missing,
        singles,
        computed,
        stepping,
        crossing,
        given,
        cast,
        shifted,
        marked,
        *UNSURE,
    )
)
