"""Where an integer outgrows 64 bits, arrays get back what they held; Python runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kit.calls import same

import looptx

pytestmark = pytest.mark.usefixtures("rehearsed")


def hashed(A: Any, B: Any) -> None:
    for j in range(B.shape[0]):
        h = 5381
        for i in range(A.shape[0]):
            h = h * 33 + int(A[i])
        B[j] = B[j] + (1 if h % 7 == 3 else 0)


def powers(A: Any, k: int) -> int:
    p = 1
    for i in range(A.shape[0]):
        A[i] = A[i] + p % 97
        p *= k
    return p


def looked_up(A: Any, B: Any) -> None:
    """An index leaves B behind the integer that is too large."""
    for i in range(A.shape[0]):
        t, c = 3, 0
        while t % 64:
            t = t * 7 - int(A[i])
            B[0] += 1
            c += 1
            if c == 40:
                B[t % 7 + 200] = 1


def negated(A: Any, B: Any) -> int:
    t = -1
    for i in range(A.shape[0]):
        t = t + t
        B[i] -= t % 5
    return t


def packed(A: Any, B: Any) -> None:
    for i in range(A.shape[0] // 3):
        word = int(A[3 * i]) << 16 | int(A[3 * i + 1]) << 8 | int(A[3 * i + 2])
        for k in range(4):
            B[k] += word >> (18 - 6 * k) & 63


def flipped(A: Any, sign: int) -> tuple[int, int]:
    """Of counters no test of the entry says that their sums have 64 bits."""
    total = most = k = 0
    while k < A.shape[0]:
        flips = 0
        while A[0] != 0 and flips < 9:
            A[0], A[-1] = A[-1], A[0] - 1
            flips += 1
        most = max(most, flips)
        total += sign * flips
        sign = -sign
        k += 1
    return total, most


def _floats(n: int) -> Any:
    return np.arange(n) * 1.5


def _numbers(n: int) -> Any:
    return np.arange(n) * 3 + 1


CASES: dict[Callable[..., Any], Callable[[int], tuple[Any, ...]]] = {
    hashed: lambda n: (_numbers(n), _floats(3)),
    powers: lambda n: (_floats(n), 3),
    looked_up: lambda n: (_numbers(n), _floats(n + 1)[:n]),
    packed: lambda n: (_numbers(n) << (n // 2), _floats(5)),
    negated: lambda n: (_floats(n), _floats(2 * n)[::-2]),
}


@pytest.mark.parametrize("function", CASES, ids=lambda x: x.__name__)
def test_what_was_written_is_put_back(function: Any) -> None:
    kernel, make = looptx.kernel(function), CASES[function]
    for n in (0, 1, 7, 11, 39, 41, 62, 63, 64, 101):
        same(kernel, *make(n))
    (nest,) = kernel.report().nests
    assert nest.calls
    assert "an integer is too large for C" in dict(nest.fallbacks)


@pytest.mark.parametrize("sign", [0, 1, -1, 2**55, 2**62])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 13, 50])
def test_counters_that_nothing_bounds_are_looked_at(n: int, sign: int) -> None:
    """The entry tested what never holds, so these loops always were Python's."""
    small = n > 0 and abs(sign) < 2
    same(looptx.kernel(flipped), _numbers(n), sign, native=1 if small else None)


def test_a_schedule_gives_way_to_what_is_looked_at() -> None:
    kernel = looptx.kernel("parallel j")(hashed)
    for n in (9, 30):
        same(kernel, _numbers(n), _floats(3))
    assert "ran in the order as written" in str(kernel.report())


def test_a_schedule_is_kept_where_arrays_bound_the_integers() -> None:
    @looptx.kernel("reorder j i")
    def gather(A: Any, P: Any, B: Any) -> None:
        for i in range(B.shape[0]):
            for j in range(B.shape[1]):
                t = int(P[i]) * 2 + 1
                B[i, j] = B[i, j] + A[t * 3 % 7, j]

    same(gather, _floats(21).reshape(7, 3), _numbers(5), _floats(15).reshape(5, 3))
    assert "as written" not in str(gather.report())
    (nest,) = gather.report().nests
    assert nest.calls


def complex_powers(A: Any, B: Any) -> None:
    for i in range(A.shape[0]):
        B[i] = abs((i - 3.0) ** (i * 0.5))


def fractions(A: Any, B: Any) -> None:
    for i in range(A.shape[0]):
        B[i] = 2 ** (2 - i)


@pytest.mark.parametrize("function", [complex_powers, fractions])
def test_a_power_of_another_type_is_told_as_such(function: Any) -> None:
    kernel = looptx.kernel(function)
    same(kernel, _floats(5), _floats(5))
    (nest,) = kernel.report().nests
    assert [*nest.fallbacks] == ["a power has another type than in C"]


def steps(out, d, n):
    k = total = 0
    while k < n:
        total += d
        out[k] = total & 1023
        k += 1
    return total


@pytest.mark.parametrize("d", [0, 1, 1_000_003, -(2**40), 2**61])
def test_what_grows_in_each_round_of_a_while_is_looked_at(d):
    kernel = looptx.kernel(steps)
    one, two = np.zeros(9, np.int64), np.zeros(9, np.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert kernel(one, d, 9) == steps(two, d, 9)
    assert one.tolist() == two.tolist()
    assert ("1 native call" in str(kernel.report())) == (abs(d) < 2**60)


class Sized:
    size = 2**61


def sizes(of, out, n):
    t = 0
    for i in range(n):
        t += of.size * (i + 1)
        out[i] = t % 1001
    return t


HUGE = np.broadcast_to(np.zeros(1, np.int8), (2**31, 2**31))


@pytest.mark.parametrize("of", [Sized(), HUGE, np.zeros((3, 4)), np.zeros((0, 3))])
def test_a_size_may_be_any_integer(of):
    kernel = looptx.kernel(sizes)
    for n in (0, 1, 2, 7):
        one, two = np.zeros(9, np.int64), np.zeros(9, np.int64)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert kernel(of, one, n) == sizes(of, two, n)
        assert one.tolist() == two.tolist()
    large = of.size > 2**60
    assert ("outgrow" in str(kernel.report())) == large


def knapsack(values, weights, room):
    best = [0] * (room + 1)
    for i in range(len(values)):
        for c in range(room, weights[i] - 1, -1):
            best[c] = max(best[c], best[c - weights[i]] + values[i])
    return best


def divisors(n):
    found = []
    for k in range(2, n):
        total = 1
        for d in range(2, int(k**0.5) + 1):
            if k % d == 0:
                total += d
        found.append(total)
    return found


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (knapsack, ([60, 100, 120], [1, 2, 3], 5)),
        (knapsack, ([60, 2**30, 120], [2, 3, 1], 7)),
        (divisors, (0,)),
        (divisors, (3,)),
        (divisors, (97,)),
    ],
)
def test_what_only_tiny_calls_bound_is_looked_at(function, arguments):
    kernel = looptx.kernel(function)
    assert kernel(*arguments) == function(*arguments)
    assert "1 native call" in str(kernel.report())


def listed(x: Any, head: Any, after: Any, last: Any) -> None:
    """Of three arrays one is read; numbers beyond 64 bits are no place on an axis."""
    for i in range(x.shape[0]):
        c = int(x[i]) % 7 if x[i] >= 0 else int(x[i] * 3) * 5 + 11
        after[i] = head[c]
        head[c] = i
        last[i - 1] = c


@pytest.mark.parametrize("at", [0, 3, 6])
@pytest.mark.parametrize("far", [-1.0, -2.0, -3.0, -1e15, -1e18, 1e18, 1e300, -np.inf])
def test_what_is_written_alone_is_not_put_back(at: int, far: float) -> None:
    x = np.arange(7.0) * 1.5
    x[at] = far
    kernel = looptx.kernel(listed)
    same(kernel, x, np.full(8, -1), np.full(7, -5), np.full(9, -6))
    held = np.full(8, -1)
    same(kernel, x, held, held[1:], np.full(9, -6))
    same(kernel, x, held, np.full(7, -5), held)
    for to in (np.zeros(8), np.zeros(7)):
        to[:7] = x
        same(kernel, to[:7], np.full(8, -1), to[-7:], np.full(9, -6))
        same(kernel, to[:7], np.full(8, -1), np.full(7, -5), to)
    text = kernel.inspect_cython()
    assert "head_before = " in text
    assert "after_before" not in text and "last_before" not in text


def factored(m, n):
    found = []
    for k in range(n):
        p = 2
        while p * p <= m:
            while m % p == 0:
                found.append(p)
                m //= p
            p += 1
        m = m + k
    return found, m


@pytest.mark.parametrize("m", [0, 1, 97, 360, -(2**62), 2**40, 2**62, 3**39, 2**70])
def test_what_is_divided_by_what_grows_has_bounds(m):
    kernel = looptx.kernel(factored)
    assert kernel(m, 3) == factored(m, 3)
    small = abs(m) < 2**40
    assert ("1 native call" in str(kernel.report())) or not small


def divided(m, d, n):
    for _ in range(n):
        m //= d
    return m


@pytest.mark.parametrize("d", [1, 2, 3, -1, -2, 2**62, -(2**62)])
def test_divisors_of_any_sign(d):
    kernel = looptx.kernel(divided)
    for m in (0, 1, -1, 7, -7, 2**62, -(2**62), -(2**63), 2**63 - 1):
        for n in (0, 1, 2, 3):
            assert kernel(m, d, n) == divided(m, d, n)


def counted(A: Any) -> Any:
    out = np.full(A.shape[0], -1, dtype=np.int64)
    p = 1
    for i in range(A.shape[0]):
        out[i] += p % 97
        p *= int(A[i])
    return out


def set_before(A: Any) -> Any:
    out = np.zeros(A.shape[0])
    out[: A.shape[0] // 2] = 0.5
    p = 1
    for i in range(A.shape[0]):
        out[i] += p % 97
        p *= int(A[i])
    return out


def filled_inside(A: Any) -> Any:
    out = np.zeros(A.shape[0])
    for i in range(A.shape[0]):
        d = np.zeros(3)
        for k in range(3):
            d[k] = A[i] * k
            out[i] += d[k] ** 2
    return out


def test_what_loops_fill_themselves_is_not_put_back() -> None:
    kernel = looptx.kernel(filled_inside)
    for n in (0, 1, 7):
        same(kernel, np.arange(n) - 2.5, native=1)


@pytest.mark.parametrize("function", [counted, set_before])
def test_what_was_filled_is_filled_again(function: Any) -> None:
    kernel = looptx.kernel(function)
    for n in (0, 1, 7, 11, 39, 41, 101):
        same(kernel, _numbers(n))
    (nest,) = kernel.report().nests[-1:]
    assert "an integer is too large for C" in dict(nest.fallbacks)
    assert ("out_.copy()" in kernel.inspect_cython()) == (function is set_before)
