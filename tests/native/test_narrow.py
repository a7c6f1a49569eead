"""Python ints beside small integers of NumPy: tested only where they may not fit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from kit.calls import same

import looptx

pytestmark = pytest.mark.usefixtures("rehearsed")

TYPES = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.uint64)


@looptx.kernel
def chosen(a, b, out):
    for i in range(a.shape[0]):
        match = 1 if a[i] == b[i] else 0
        out[i] = max(out[i], a[i] + match)
        out[i] = min(out[i], b[i] + (3 if a[i] > b[i] else 2 * match + 1))


@looptx.kernel
def edges(a, small, large):
    for i in range(a.shape[0]):
        m = 127 if a[i] > 0 else -128
        small[i] = a[i] + m
        large[i] = m


@looptx.kernel
def beyond(a, small, large):
    for i in range(a.shape[0]):
        m = 127 if a[i] > 0 else -129
        large[i] = m
        small[i] = a[i] + m


@looptx.kernel
def counted(a, out):
    hits = 0
    for i in range(a.shape[0]):
        hits += 1 if a[i] > 0 else 0
        out[i] = hits


@looptx.kernel
def given(a, m, out):
    for i in range(a.shape[0]):
        out[i] = a[i] + m
        m = 1 if a[i] > 0 else m


@looptx.kernel
def whole(a, w, out):
    for i in range(a.shape[0]):
        out[i] = int(w[i])
        out[i] = a[i] + int(w[i]) % 3


@looptx.kernel
def strong(w, out):
    for i in range(w.shape[0]):
        out[i] = w[i]


@looptx.kernel
def extremes(a, b, out):
    for i in range(a.shape[0]):
        out[i] = max(a[i], b[i]) - min(a[i], 1) + max(a[i] + b[i], b[i] - a[i], 0)
        out[i] = np.maximum(a[i], b[i]) * np.minimum(out[i], a[i])


def numbers(kind: type[np.integer], seed: int) -> np.ndarray:
    """Numbers of all sizes, the ends among them."""
    ends = np.iinfo(kind)
    rng = np.random.default_rng(seed)
    some = rng.integers(ends.min, ends.max, 17, kind, endpoint=True)
    return np.concatenate([some, np.array([ends.min, ends.max, 0, 1], kind)])


@pytest.mark.parametrize("kind", TYPES)
def test_what_is_chosen_from_literals_is_not_tested(kind) -> None:
    a, b = numbers(kind, 1), numbers(kind, 2)
    b[::3] = a[::3]
    same(chosen, a, b, numbers(kind, 3), native=1)
    assert "lx_fit" not in chosen.inspect_cython()


def test_a_range_that_ends_where_its_type_does() -> None:
    for a in (numbers(np.int8, 4), np.zeros(0, np.int8)):
        same(edges, a, a.copy(), a.copy(), native=1)
        assert "lx_fit" not in edges.inspect_cython()


def test_one_more_than_its_type_holds() -> None:
    a = numbers(np.int8, 5)
    said = same(beyond, a, a.copy(), np.zeros(len(a), np.int16))
    assert said.startswith("OverflowError")
    assert "lx_fit_i8" in beyond.inspect_cython()
    up = np.abs(a.astype(np.int16)).clip(1, 100).astype(np.int8)
    same(beyond, up, up.copy(), np.zeros(len(a), np.int16))


@pytest.mark.parametrize("n", [0, 1, 127, 128, 131])
def test_a_count_may_outgrow_its_type(n: int) -> None:
    said = same(counted, np.ones(n, np.int8), np.zeros(n, np.int8))
    assert said.startswith("OverflowError") == (n > 127)


@pytest.mark.parametrize("m", [0, 127, 128, -128, -129, 1 << 40])
def test_a_number_of_the_caller_has_any_size(m: int) -> None:
    a = numbers(np.int8, 6)
    said = same(given, a, m, a.copy())
    assert said.startswith("OverflowError") == (not -128 <= m <= 127)


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.int64])
def test_ints_of_numpy_have_the_range_of_their_type(kind) -> None:
    a, w = numbers(np.int16, 7), numbers(kind, 8)
    said = same(whole, a, w, a.copy())
    assert said.startswith("OverflowError") == (kind in (np.int32, np.int64))


def test_what_a_wider_array_holds_is_tested() -> None:
    said = same(strong, np.array([1, 1 << 40]), np.zeros(2, np.int16))
    assert said.startswith("OverflowError")


@pytest.mark.parametrize("kind", (*TYPES, np.int64))
def test_extremes_of_all_widths(kind) -> None:
    a, b = numbers(kind, 9), numbers(kind, 10)
    if kind in (np.uint8, np.int64, np.int32):
        same(extremes, a, b, a.copy(), native=1)
        assert "lx_max_" in extremes.inspect_cython()
    else:
        same(extremes, a, b, a.copy())


def added(k, b):
    t = 0
    for i in range(len(k)):
        t = t + k[i] * b[i] if k[i] < b[i] else t - 1
    return t


def divided(k, b):
    t = 0
    for i in range(len(k)):
        t = t + (b[i] + 1 // k[i]) if i else t - 1
    return t


def subtracted(k, b):
    t = 0
    for i in range(len(k)):
        t = (k[i] - 300) - (b[i] + 12 // k[i])
        t += b[i]
    return t


def of_three_types(k, b):
    t = 0
    for i in range(len(k)):
        if i == 5:
            t = t + (b[i] + math.sqrt(k[i])) * b[i]
        else:
            t = t + b[i] // (3 // k[i]) if i else t - 1
    return t


def in_place(k, b):
    t = -5
    for i in range(len(k)):
        t += b[i] * (6 // k[i])
    return t


@pytest.mark.parametrize(
    "function", [added, divided, subtracted, of_three_types, in_place]
)
def test_the_right_operand_raises_before_the_left_one_is_looked_at(function):
    kernel = looptx.kernel(function)
    for k in ([7, -13, 3], [1, 0, 3], [301, 302, 3], [1, 2, 3], [400, 0, 1]):
        same(kernel, k, np.array([7, 243, 9], np.uint8))
        same(kernel, k, np.array([7, 43, 9], np.int16))
