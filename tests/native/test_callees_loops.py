"""Kernels whose functions loop, and assign elements of arrays."""

from __future__ import annotations

import functools
import math
import shutil

import numpy as np
import pytest
from kit.calls import calls

import looptx
from looptx.errors import LooptxError

pytestmark = [
    pytest.mark.skipif(
        not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
    ),
    pytest.mark.usefixtures("rehearsed"),
]


def looping(x):
    for _ in range(3):
        x += 1
    return x


def norm(A, i):
    s = 0.0
    for k in range(A.shape[1]):
        s += A[i, k] * A[i, k]
    return s


def dist(x, y):
    n, s = len(x), 0.0
    for k in range(n):
        d = x[k] - y[k]
        s += d * d
    return s


def storing(a, i, x):
    a[i] = x
    return x


def fill(A, i, x):
    """It returns nothing."""
    for k in range(A.shape[-1]):
        if k == 3:
            continue
        A[i, k] += i * k + x


def find(x, v):
    for k in range(x.shape[0]):
        if x[k] > v:
            return k
    return -1


def around(X, v):
    """It returns out of a loop in a loop, several numbers at once."""
    for i in range(X.shape[0]):
        for j in range(i, X.shape[1]):
            if X[i, j] > v:
                return i, X[i, j]
        else:
            v = v * 0.75
    return -1, v


def swap(a, i, j):
    if i == j:
        return
    a[i], a[j] = a[j], a[i]


def both(a, i, j):
    t = a[i]
    swap(a, i, j)
    return t + a[i]


def steps(n):
    c = 0
    while True:
        if n <= 1:
            return c
        n = n // 2 if n % 2 == 0 else n - 1
        c += 1
        if c > 100:
            break
    c = -c
    return c


def rows(A, B, i, j):
    return dist(A[i], B[:, j]) + norm(B, i)


def root(x):
    y = x
    k = 0
    while abs(y * y - x) > 1e-9 * x and k < 50:
        y = 0.5 * (y + x / y)
        k += 1
    return y


def loops(a, b):
    for i in range(a.shape[0]):
        b[i] = looping(a[i]) * looping(b[i])


def norms(A, b):
    for i in range(A.shape[0]):
        b[i] = norm(A, i)


def distances(A, B, C):
    for i in range(A.shape[0]):
        for j in range(B.shape[0]):
            C[i, j] = dist(A[i], B[j, :]) + rows(A, B, i, j)


def stores(a, b):
    for i in range(a.shape[0]):
        b[i] = b[i] * storing(a, i, i + 0.5) + a[i]
        a[i] += storing(a, i, b[i]) - storing(b, i, a[i])


def fills(A):
    for i in range(A.shape[0]):
        fill(A, i, 1)


def finds(A, b):
    for i in range(A.shape[0]):
        b[i] = find(A[i], 0.7)


def searches(A, b):
    for i in range(A.shape[0]):
        at, value = around(A, i * 0.25)
        b[i] = at + value


def put(a, i, x):
    a[i], a[0] = a[0], x


def swaps(a, b):
    n = a.shape[0]
    for i in range(n):
        put(b, i, 7.0)
        b[i] = both(a, i, n - 1 - i) + a[i]


def halves(a, b):
    for i in range(a.shape[0]):
        b[i] = steps(i * 7) + root(abs(a[i]) + 1)


def sums(A, b):
    s = np.float64(0.0)
    for i in range(A.shape[0]):
        s += dist(A[i], A[0])
        if find(A[i], s) >= 0:
            b[i] = s
        while s > norm(A, i) + 2:
            s *= 0.5
    return s


LINES = (loops, stores, swaps, halves)
RECTANGLES = (norms, finds, searches, sums)


@functools.cache
def kernel_of(function, directives):
    """A function as a kernel."""
    return looptx.kernel(*directives)(function)


def same(function, directives, *arrays, native=1):
    """Run a function as a kernel and as it is; all that it does must be equal."""
    kernel = kernel_of(function, directives)
    before = calls(kernel)
    told = []
    sides = []
    for run in (kernel, function):
        given = [copied(x) if isinstance(x, np.ndarray) else x for x in arrays]
        sides.append(given)
        try:
            told.append(repr(run(*given)))
        except Exception as error:
            told.append(f"{type(error).__name__}: {error}")
    assert told[0] == told[1]
    for one, other in zip(*sides, strict=True):
        assert np.asarray(one).tobytes() == np.asarray(other).tobytes()
    if native is not None:
        assert calls(kernel) == before + native
    return kernel


def copied(array):
    """A copy with the same strides."""
    if array.base is None or not array.size:
        return array.copy()
    base = array.base.copy()
    offset = array.__array_interface__["data"][0]
    offset -= array.base.__array_interface__["data"][0]
    return np.ndarray(array.shape, array.dtype, base.data, offset, array.strides)


def numbers(*shape):
    return np.random.default_rng(len(shape)).random(shape)


@pytest.mark.parametrize("n", [0, 1, 7])
def test_functions_with_loops_run_natively(n):
    for function in LINES:
        same(function, (), numbers(n), numbers(n) + 1)
    for function in RECTANGLES if n else RECTANGLES[:3]:
        same(function, (), numbers(n, 5), numbers(n))
        same(function, (), numbers(n, 1), numbers(n))
    same(distances, (), numbers(n, n), numbers(n, n)[::-1].copy(), numbers(n, n))
    same(fills, (), numbers(n, 5))


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_elements_have_the_types_of_their_arrays(dtype):
    A = (numbers(5, 7) * 9).astype(dtype)
    same(norms, (), A, numbers(5), native=None)
    same(finds, (), A, np.zeros(5, dtype), native=None)
    same(fills, (), A, native=None)
    same(swaps, (), A[0].copy(), np.zeros(7, dtype), native=None)


def test_arrays_may_have_any_strides():
    A, b = numbers(9, 14), numbers(20)
    for part in (A[::2, ::-1], A.T[1:6, ::3], A[::-1, 3:4], A[:, 5:5]):
        same(norms, (), part, b[: part.shape[0]].copy())
        same(finds, (), part, b[::-2][: part.shape[0]])
        same(fills, (), part)


@pytest.mark.parametrize(
    "directives",
    [("parallel i",), ("split i 4", "parallel i"), ("split i 3", "vectorize ii")],
)
def test_loops_around_are_scheduled(directives):
    for n in (1, 7):
        assert same(norms, directives, numbers(n, 5), numbers(n)).validate().compared
        assert same(fills, directives, numbers(n, 5)).validate().compared
        same(finds, directives, numbers(n, 5), numbers(n))
        kernel = same(stores, directives, numbers(n), numbers(n))
        assert kernel.validate().compared
        same(distances, directives, numbers(n, n), numbers(n, n), numbers(n, n))


@pytest.mark.parametrize("function", [swaps, sums])
def test_what_meets_keeps_its_order(function):
    given = (numbers(5, 5), numbers(5)) if function is not swaps else (numbers(5),) * 2
    with pytest.raises(LooptxError) as found:
        looptx.kernel("split i 2", "reorder ii i")(function)(*given)
    assert found.value.code in ("LX201", "LX203")
    if function is swaps:
        with pytest.raises(LooptxError):
            looptx.kernel("parallel i")(function)(*given)


def beyond(A, i):
    s = 0.0
    for k in range(A.shape[0] + 1):
        s += A[k] / (k - i)
    return s


def beyonds(A, b):
    for i in range(A.shape[0]):
        b[i] = beyond(A, i - A.shape[0])


def inverse(x):
    s = 0
    for k in range(4):
        s += 1 / (2 - k)
        x += s
    return x


def inverses(A, b):
    for i in range(A.shape[0]):
        b[i] = inverse(float(A[i]))


def chosen(A, P, b):
    for i in range(b.shape[0]):
        b[i] = find(A[P[i]], 0.5)


def last(v, n, c):
    """It returns out of what stands behind loops that were not left."""
    for j in range(n):
        for k in range(j):
            if v[k] > c:
                break
        else:
            if v[j] < 0.1:
                return 4
            v[j] += 0.5
            if v[j] > c:
                return 5
            v[j] += 1
        v[j] -= 1
    else:
        for j in range(2):
            if v[j] > -0.8:
                return 6
            v[j] -= 1
        v[1] += 0.25
        if v[0] > c - 9:
            return 7
        v[1] += 0.125
    return 8


def lasts(A, b, c):
    for i in range(A.shape[0]):
        b[i] = last(A[i], b.shape[0], c)


def test_what_stands_behind_a_loop_may_return():
    for c in (-2.0, -0.4, 0.3, 0.75, 1.2, 9.0):
        for n in (2, 3, 7):
            same(lasts, (), numbers(n, n), numbers(n), c)


def capped(v, n, c):
    s = 0.0
    for j in range(n):
        if v[j] > c:
            return s
        s += v[j]
    return s


def caps(A, n, c):
    s = 0.0
    for i in range(A.shape[0]):
        s += capped(A[i, :], n, c) + capped(A[i], n, c) + capped(A[:, 0], n, c)
    return s


def test_axes_in_messages_are_those_of_the_row():
    for c in (0.5, 9.0):
        same(caps, (), numbers(3, 5), 5, c, native=None)
        same(caps, (), numbers(5, 3), 5, c, native=None)


def test_exceptions_come_where_python_raises_them():
    for n in (0, 5):
        same(beyonds, (), numbers(n), numbers(n), native=None)
        same(inverses, (), numbers(n), numbers(n), native=None)
        for last in (0, n, -n, -n - 1):
            P = np.arange(n)
            P[-1:] = last
            same(chosen, (), numbers(n, 3), P, numbers(n), native=None)
            same(chosen, (), numbers(n, 0), P, numbers(n), native=None)


def test_one_array_may_be_given_twice():
    a = numbers(7)
    for kernel in (looptx.kernel(stores), stores):
        one = a.copy()
        kernel(one, one)
        a = one if kernel is stores else a
    ours, theirs = numbers(7), numbers(7)
    looptx.kernel(stores)(ours, ours)
    stores(theirs, theirs)
    assert ours.tobytes() == theirs.tobytes()
    ours, theirs = numbers(9), numbers(9)
    looptx.kernel(stores)(ours[1:], ours[:-1])
    stores(theirs[1:], theirs[:-1])
    assert ours.tobytes() == theirs.tobytes()


def test_what_may_not_be_written_is_not():
    A = numbers(3, 4)
    A.flags.writeable = False
    kernel = looptx.kernel(fills)
    with pytest.raises(ValueError, match="read-only"):
        kernel(A)

    class Own(np.ndarray):
        def __setitem__(self, key, value):
            super().__setitem__(key, 7.0)

    ours, theirs = numbers(3, 4).view(Own), numbers(3, 4).view(Own)
    looptx.kernel(fills)(ours)
    fills(theirs)
    assert ours.tobytes() == theirs.tobytes()


def test_written_text_keeps_the_calls():
    text = looptx.kernel("split i 4")(fills).inspect_python()
    assert "fill(A, ii, 1)" in text


def test_a_buffer_is_none_of_an_array_that_is_given_away():
    for function, directive in ((norms, "cache_read A at i"), (fills, "cache_write A")):
        given = (numbers(8, 3), numbers(8))[: 1 + (function is norms)]
        with pytest.raises(LooptxError) as found:
            looptx.kernel("split i 4", directive)(function)(*given)
        assert found.value.code == "LX106"


def test_another_function_is_noticed(monkeypatch):
    kernel = looptx.kernel(strict=True)(swaps)

    def check():
        given = [numbers(7), numbers(7)]
        other = [numbers(7), numbers(7)]
        kernel(*given)
        swaps(*other)
        assert given[0].tobytes() == other[0].tobytes()
        assert given[1].tobytes() == other[1].tobytes()

    check()
    monkeypatch.setitem(globals(), "swap", storing)
    check()
    monkeypatch.undo()
    monkeypatch.setattr(swap, "__code__", storing.__code__)
    check()
    monkeypatch.undo()
    check()
    assert math.isfinite(numbers(1)[0])
