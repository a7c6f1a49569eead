"""Names that hold Python's numbers and NumPy's: what differs is chosen at run time."""

from __future__ import annotations

import math
import shutil

import numpy as np
import pytest
from kit.calls import same

import looptx

pytestmark = [
    pytest.mark.skipif(
        not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
    ),
    pytest.mark.usefixtures("rehearsed"),
]


@looptx.kernel
def means(A, B, n):
    for i in range(A.shape[0]):
        s = 0.0
        c = 0
        for j in range(n):
            if A[i, j] > 0:
                s += A[i, j]
                c += 1
        B[i] = s / c


@looptx.kernel
def running(A, B):
    s = 0
    for i in range(A.shape[0]):
        s = s + A[i]
        B[i] = s / (i + 1)


@looptx.kernel
def quotients(A, B):
    for i in range(A.shape[0]):
        s = 0.0
        t = 1.0
        for j in range(i):
            s += A[j]
            t = B[j] * 0
        B[i] = s / t
        B[i] = B[i] + s // t + s % t


@looptx.kernel
def powers(A, B):
    for i in range(A.shape[0]):
        s = 0.0
        for j in range(i):
            s += A[j]
        B[i] = s**0.5 + s**2 + s**-1 if i else s**3


@looptx.kernel
def clipped(A, B, C):
    for i in range(A.shape[0]):
        x = 3
        if A[i] > 0:
            x = A[i]
        B[i] = x // 2 + x % 2 + x / 2 - (-x) + abs(x) + (x > 1) + x * 1000000**2
        C[i] = x


@looptx.kernel
def signs(A, B):
    for i in range(A.shape[0]):
        x = 0
        if A[i] > 0:
            x = A[i]
        B[i] = -x
        B[i + 3] = x * -1


@looptx.kernel
def best(A):
    found = 0
    for i in range(A.shape[0]):
        if A[i] > found:
            found = A[i]
    return found


@looptx.kernel
def mean(A, n):
    s = 0
    c = 0
    for i in range(n):
        s += A[i]
        c += 1
    return s / c


@looptx.kernel
def wide(A, C):
    for i in range(A.shape[0]):
        x = i * 1000
        if A[i] > 0:
            x = A[i]
        C[i] = x + x - 5
        C[i] = C[i] * x


@looptx.kernel
def narrow(A, C):
    for i in range(A.shape[0]):
        x = i * 1000
        if A[i] > 0:
            x = A[i] + 1
        C[i] = x


@looptx.kernel
def either(A, B, C):
    for i in range(A.shape[0]):
        x = A[i] if A[i] > 0 else B[i]
        C[i] = x * 3
        C[i] = C[i] / x + x // 2


@looptx.kernel
def aligned(H, S):
    for i in range(1, H.shape[0]):
        for j in range(1, H.shape[1]):
            near = H[i - 1, j - 1] + S[i, j]
            H[i, j] = max(0, near, H[i - 1, j] - 2, H[i, j - 1] - 2)


@looptx.kernel
def swapped(A, B):
    before = 0
    now = 1.0
    for i in range(A.shape[0]):
        before, now = now, A[i] if A[i] > 0 else before
        B[i] = 1 / now if i < 2 else 1 / before
    return before, now


@looptx.kernel
def entered(A, s):
    for i in range(A.shape[0]):
        if A[i] > 0:
            s = A[i]
        A[i] = 1 / s
    return s


@looptx.kernel
def compared(A, K, B):
    for i in range(A.shape[0]):
        x = 0
        if A[i] > 0:
            x = A[i]
        B[i] = (x < K[i]) + 2 * (x == K[i]) + 4 * (x >= i) + 8 * (x < 2.5)


@looptx.kernel
def until(A, B):
    x = 1.0
    for i in range(A.shape[0]):
        if A[i] == 0:
            break
        x = x * A[i] if A[i] > 0 else 2.0
        B[i] = 1.0 / x
    return x / 2


@looptx.kernel("reassociate s", "parallel i")
def least(A):
    s = 1
    for i in range(A.shape[0]):
        s = np.minimum(s, A[i])
    return s


@looptx.kernel("parallel i")
def rows(A, B):
    for i in range(A.shape[0]):
        s = 0.0
        for j in range(A.shape[1]):
            s += A[i, j]
        B[i] = s * s + s


def floats(*values):
    return np.array(values, float)


def of(dtype, *values):
    return np.array(values, dtype)


@looptx.kernel
def complexes(A, y):
    q = 0
    for i in range(0):
        q = y[0]
        A[0] = q + i
    return q


def test_an_integer_that_would_become_complex() -> None:
    same(complexes, np.zeros(1, complex), np.ones(1) * 2j)
    (why,) = complexes.report().nests[0].failures
    assert "LX504" in why and "53 bits" in why


def test_a_sum_by_a_count() -> None:
    same(means, np.ones((2, 3)), np.zeros(2), 3, native=1)
    same(means, np.zeros((0, 2)), np.zeros(0), 2, native=1)
    for given in (-np.ones((2, 3)), np.array([[1.0, 1], [-1, -1], [1, 2]])):
        said = same(means, given, np.zeros(len(given)), 2, native=0)
        assert said == "ZeroDivisionError: float division by zero"


@pytest.mark.parametrize("n", [0, 1, 4])
def test_a_division_raises_for_numbers_of_python(n: int) -> None:
    same(quotients, np.ones(n), np.ones(n), native=1)
    same(quotients, -np.ones(n), floats(1, math.inf, 2, 3)[:n], native=1)


def test_a_sum_by_what_is_not_zero() -> None:
    for n in (0, 1, 5):
        same(running, np.linspace(-1.0, 2.0, n), np.zeros(n), native=1)
    assert "s_type" not in running.inspect_cython()


def test_powers() -> None:
    for n in (0, 1, 5):
        for value in (1.0, 1e200, -1.0):
            same(powers, np.full(n, value), np.zeros(n), native=1)


def test_an_integer_beside_a_float() -> None:
    for C in (np.zeros(4), of("int64", 1, 2, 3, 4), of("int32", 1, 2, 3, 4)):
        same(clipped, floats(1.5, -1, 2.5, 0), np.zeros(4), C, native=1)
    same(clipped, floats(-1, math.nan), np.zeros(2), np.zeros(2), native=1)
    same(signs, floats(1, -1, 0), np.zeros(6), native=1)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "int64", "uint8"])
def test_the_type_of_a_result(dtype: str) -> None:
    for values in ((), (1, 2), (0,), (3, 100, 2)):
        same(best, of(dtype, *values), native=1)
    same(mean, of(dtype, 100, 100), 2, native=1)
    said = same(mean, of(dtype, 100, 100), 0, native=1)
    assert said == "ZeroDivisionError: division by zero"


def test_integers_wrap_around_where_they_are_numpy_s() -> None:
    for C in (np.zeros(4), np.zeros(4, np.int64)):
        same(wide, of("int32", 1, -1, 2**31 - 1, 5), C, native=1)
        same(wide, of("uint8", 1, 200, 0, 255), C, native=1)
    same(narrow, of("int32", 1, -1, 2**31 - 1, 5), np.zeros(4, np.int32), native=1)
    said = same(narrow, of("uint8", 1, 0, 255, 0), np.zeros(4, np.uint8), native=0)
    assert said.startswith("OverflowError")


def test_two_types_of_numpy() -> None:
    made = np.zeros(2)
    same(either, of("int32", 1, 2**31 - 1), floats(1, 2), made, native=1)
    same(either, of("int32", 1, 0), of("uint8", 1, 200), made, native=1)
    same(either, of("float32", 0.1, -1), floats(0.1, 0.1), made, native=1)
    same(either, of("float32", 0.1, -1), of("int32", 7, 2**30 + 1), made, native=1)
    same(either, of("uint8", 200, 0), of("int8", -1, -100), made, native=1)


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "float32", "float64"])
def test_an_alignment(dtype: str) -> None:
    draw = np.random.default_rng(5)
    H, S = (draw.integers(-9, 9, (7, 6)).astype(dtype) for _ in "HS")
    same(aligned, H, S, native=1)


def test_numbers_that_change_places() -> None:
    same(swapped, floats(1, 2, 3), np.zeros(3), native=1)
    same(swapped, floats(), np.zeros(0), native=1)
    said = [same(swapped, floats(*x), np.zeros(2)) for x in ((-1,), (-1, -1), (1, -1))]
    assert said[0] == "ZeroDivisionError: division by zero"


def test_a_number_that_is_given() -> None:
    for s in (2.0, 2, 0.0, 0, np.float64(0.0), True):
        for values in ((), (-1, -2), (1, -2)):
            same(entered, floats(*values), s)


def test_comparisons() -> None:
    far = 2.0**53
    K = of("int64", 1, 0, 2**53 + 1, 2**53 + 1, -1)
    same(compared, floats(1, -1, far, far + 2, 0), K, np.zeros(5), native=1)
    same(compared, floats(1, -1), floats(0, 0), np.zeros(2), native=1)


def test_a_loop_that_ends_early() -> None:
    for values in ((1, -1, 0, 2), (0,), (), (1e-320, 1e-320)):
        same(until, floats(*values), np.zeros(len(values)), native=1)


def test_threads() -> None:
    for n in (0, 1, 7):
        same(least, np.linspace(2.0, -1.0, n), native=1)
        same(rows, np.ones((n, 3)), np.zeros(n), native=1)


def test_nothing_tells_types_where_they_make_no_difference() -> None:
    rows(np.ones((2, 2)), np.zeros(2))
    means(np.ones((2, 2)), np.zeros(2), 2)
    assert "s_type" not in rows.inspect_cython()
    assert "s_type" in means.inspect_cython()
    assert "c_type" not in means.inspect_cython()


@looptx.kernel
def halved(A):
    s = 0
    for i in range(A.shape[0]):
        s += A[i] if A[i] > 1 else 2
        s = s if s < 8 else 1152921504606846977
        s = s * 0.5 if s < 2 else s
    return s


def test_types_that_no_c_type_holds_are_told_once():
    same(halved, np.arange(6))
    (nest,) = halved.report().nests
    (why,) = nest.fallbacks
    assert "one value may be python int64 and " in why


@pytest.mark.parametrize("first", [0.0, -0.0, 3.0, 1.5, math.nan, 0j, 2, True])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64", "bool", "f4"])
def test_a_float_is_no_integer_even_where_it_is_one(first: complex, dtype: str) -> None:
    for n in (0, 1, 5):
        A = np.arange(n).astype(dtype)
        B = np.ones(n, np.complex128 if isinstance(first, complex) else np.float64)
        same(last, A, B, first)


@looptx.kernel
def last(A, B, s):
    for i in range(A.shape[0]):
        B[i] = s
        if i % 2:
            s = A[i]
    return s
