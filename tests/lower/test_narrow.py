"""Small integers in 32 bits: sums in strips, and comparisons with what is far away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from kit.calls import same
from kit.guarded import Guarded
from kit.together import compiled

import looptx

SMALL = ("bool", "int8", "uint8", "int16", "uint16")
SIZES = (0, 1, 2, 17, 255, 256, 257, 1031, 70001)
FAR = (-(10**12), -32769, -129, -1, 0, 1, 127, 255, 256, 32767, 65535, 65536, 10**12)


def numbers(n: int, dtype: str, seed: int = 0) -> np.ndarray:
    """Numbers over the whole range of a type."""
    rng = np.random.default_rng((n, seed))
    if dtype == "bool":
        return rng.integers(0, 2, n).astype(bool)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, n, dtype, endpoint=True)


def extreme(n: int, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """The least number and the greatest, over and over."""
    if dtype == "bool":
        return np.zeros(n, bool), np.ones(n, bool)
    info = np.iinfo(dtype)
    return np.full(n, info.min, dtype), np.full(n, info.max, dtype)


@looptx.kernel(strict=True)
def total(x):
    s = 7
    for i in range(x.shape[0]):
        s += int(x[i])
    return s


@looptx.kernel(strict=True)
def of_numpy(x):
    s = np.int64(-3)
    for i in range(x.shape[0]):
        s -= x[i]
    return s


@looptx.kernel(strict=True)
def counts(x, y, t):
    c, d = 0, 0
    for i in range(x.shape[0]):
        if x[i] > t and y[i] != t:
            c += 1
        elif x[i] < y[i]:
            d -= 2
        d += 1 if x[i] >= t else 0
    return c, d


@looptx.kernel(strict=True)
def distances(x, y):
    s, p = 0, 0
    for i in range(x.shape[0]):
        s += abs(int(x[i]) - int(y[i]))
        p += 3 * int(x[i]) - int(y[i])
    return s, p


@looptx.kernel(strict=True)
def products(x, y):
    s = 0
    for i in range(x.shape[0]):
        s += int(x[i]) * int(y[i])
    return s


@looptx.kernel(strict=True)
def wrapped(x, y):
    s = np.int64(0)
    for i in range(x.shape[0]):
        s += x[i] * y[i]
    return s


@looptx.kernel(strict=True)
def against(x, y):
    c = 0
    for i in range(x.shape[0]):
        if x[i] == y[i] or x[i] < y[i]:
            c += 1
    return c


@looptx.kernel(strict=True)
def thresholds(x, y, t):
    for i in range(x.shape[0]):
        y[i] = 1 if x[i] > t else 0


@looptx.kernel(strict=True)
def at_the_ends(x, y, t):
    for i in range(x.shape[0]):
        y[i] = int(x[i]) * 32768 + 32767 < t


@looptx.kernel(strict=True)
def rows(A, out, t):
    n, m = A.shape
    for i in range(n):
        c = 0
        for j in range(m):
            if A[i, j] <= t:
                c += 1
        out[i] = c + m


@looptx.kernel(strict=True)
def running(x, y):
    s = 0
    for i in range(x.shape[0]):
        s += int(x[i])
        y[i] = s
    return s


@looptx.kernel(strict=True)
def until(x, t):
    s = 0
    for i in range(x.shape[0]):
        if s > t:
            break
        s += int(x[i])
    return s


WIDE = ("uint32", "int64", "int32", "float32")


@pytest.fixture(scope="module", autouse=True)
def together(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All kernels, compiled together for most of what they are called with."""
    compiled(_calls(), tmp_path_factory.mktemp("narrow"))


def _calls() -> Iterator[tuple[Any, ...]]:
    """Kernels, with arguments of the types that tests call them with."""
    floats, singles = np.zeros(5), np.zeros(5, "float32")
    for dtype in (*SMALL, "uint32"):
        x = numbers(5, dtype)
        yield chosen, x, floats, floats
        if dtype != "bool":
            yield from ((scaled, x, floats), (single, x, singles))
            yield from ((scaled, x[::-1], floats), (single, x[::-1], singles))
        if dtype not in SMALL:
            continue
        yield from ((of, x, x) for of in (distances, products, dots))
        yield from ((of, x, x, 3) for of in (counts, thresholds))
        yield from ((of, x) for of in (total, of_numpy))
        yield total, x[::-1]
        yield wrapped, x, x
        yield from ((against, x, np.zeros(5, wide)) for wide in WIDE)
        yield rows, x.reshape(1, 5), floats, 3
        yield running, x, np.zeros(5, "int64")
        yield until, x, 1000


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", SMALL)
def test_sums(dtype: str, n: int) -> None:
    x, y = numbers(n, dtype), numbers(n, dtype, 1)
    for a, b in ((x, y), extreme(n, dtype), extreme(n, dtype)[::-1]):
        same(total, b, native=1)
        same(distances, a, b, native=1)
        same(products, a, b, native=1)
        if dtype != "bool":
            same(of_numpy, b, native=1)
            with np.errstate(over="ignore"):
                same(wrapped, a, b, native=1)
    same(total, np.repeat(x, 2)[::-2], native=1)


@pytest.mark.parametrize("t", FAR)
@pytest.mark.parametrize("dtype", SMALL)
def test_comparisons(dtype: str, t: int) -> None:
    for n in SIZES[:-1]:
        x, y = numbers(n, dtype), numbers(n, dtype, 1)
        for a, b in ((x, y), extreme(n, dtype)):
            same(counts, a, b, t, native=1)
            same(thresholds, a, b.copy(), t, native=1)
    same(rows, numbers(7 * 300, dtype).reshape(7, 300), np.zeros(7), t, native=1)


@pytest.mark.parametrize("t", [2**31 - 2, 2**31 - 1, 2**31, 2**40])
def test_comparisons_with_what_32_bits_just_hold(t: int) -> None:
    x = extreme(40, "uint16")[1]
    for far in (t, -t, -t - 1):
        same(at_the_ends, x, np.zeros(40, "uint8"), far, native=1)


@pytest.mark.parametrize("dtype", SMALL)
def test_what_is_wide_stays_so(dtype: str) -> None:
    """A number without a sign, beside which C would lose that of a small one."""
    x = numbers(70, dtype)
    for wide in WIDE:
        y = np.resize(np.array([0, 1, 2**31 - 1], wide), 70)
        y[::5] = x[::5].astype(wide)
        same(against, x, y, native=1)


@pytest.mark.parametrize("dtype", SMALL)
def test_sums_that_are_read_as_they_grow(dtype: str) -> None:
    for n in SIZES[:-1]:
        x = numbers(n, dtype)
        same(running, x, np.zeros(n, "int64"), native=1)
        same(until, x, 1000, native=1)
    assert "_part" not in running.inspect_cython() + until.inspect_cython()


@pytest.mark.parametrize("of", [total, of_numpy, counts, distances])
def test_small_sums_have_strips(of: Any) -> None:
    x = numbers(5, "uint8")
    of(*(x, x, 3)[: of.py_func.__code__.co_argcount])
    assert "cdef int32_t" in of.inspect_cython() and "_part " in of.inspect_cython()


def test_what_could_outgrow_a_strip_has_none() -> None:
    x = numbers(5, "int16")
    products(x, x)
    text = products.inspect_cython().partition("int16_t")[2]
    assert "for (python int64" not in text
    kernel = looptx.kernel(products.py_func)
    kernel(x, x)
    assert "_part" not in kernel.inspect_cython()


@pytest.mark.parametrize("n", [0, 1, 3, 7, 8, 9, 31, 65, 131])
@pytest.mark.parametrize("dtype", [*SMALL, "uint32"])
def test_vectors_are_loaded_of_small_integers(dtype: str, n: int) -> None:
    x, y = numbers(n, dtype), numbers(n, dtype, 1)
    if dtype != "bool":
        same(scaled, x, np.zeros(n), native=1)
        same(single, x, np.zeros(n, "float32"), native=1)
        for kernel in (scaled, single):
            assert "lx_from_" in kernel.inspect_cython()
    if "16" in dtype:
        same(dots, x, y, native=1)
        assert "lx_from_" in dots.inspect_cython()
    same(chosen, x, numbers(n, "int8") * 0.5, np.ones(n), native=1)
    assert "lx_from_" in chosen.inspect_cython()


@pytest.mark.parametrize("dtype", [*SMALL[1:], "uint32"])
def test_strided_small_integers(dtype: str) -> None:
    for n in SIZES[:5]:
        same(scaled, numbers(n, dtype)[::-1], np.zeros(n), native=1)
        same(single, numbers(2 * n, dtype)[::2], np.zeros(n, "float32"), native=1)


@looptx.kernel("vectorize i", strict=True)
def scaled(x, y):
    for i in range(x.shape[0]):
        y[i] = x[i] * 0.5 - 3.25


@looptx.kernel("vectorize i", strict=True)
def single(x, y):
    for i in range(x.shape[0]):
        y[i] = (np.float32(x[i]) - np.float32(1.5)) * np.float32(x[i])


@looptx.kernel("vectorize i", strict=True)
def dots(x, y):
    s = 0
    for i in range(x.shape[0]):
        s += int(x[i]) * int(y[x.shape[0] - 1 - i])
    return s


@looptx.kernel("vectorize i", strict=True)
def chosen(m, x, y):
    for i in range(m.shape[0]):
        a = x[i]
        y[i] = a if m[i] else -a


@pytest.mark.parametrize("end", [True, False])
@pytest.mark.parametrize("n", [0, 1, 3, 7, 8, 9, 31, 65, 257])
@pytest.mark.parametrize("dtype", SMALL)
def test_no_byte_outside_is_touched(dtype: str, n: int, end: bool) -> None:
    x, y = numbers(n, dtype), numbers(n, dtype, 1)
    calls: list[tuple[Any, list[Any]]] = [
        (chosen, [x, numbers(n, "int8") * 0.5, np.ones(n)]),
        (total, [x]),
        (counts, [x, y, 3]),
        (distances, [x, y]),
        (thresholds, [x, y, 0]),
    ]
    if dtype != "bool":
        calls += [(scaled, [x, np.zeros(n)]), (single, [x, np.zeros(n, "float32")])]
        calls += [(dots, [x, y])]
    for kernel, given in calls:
        placed = [
            Guarded(one.nbytes).array(one, end=end) if hasattr(one, "nbytes") else one
            for one in given
        ]
        assert kernel(*placed) == kernel.py_func(*given)
        for ours, own in zip(placed, given, strict=True):
            assert np.array_equal(ours, own)
