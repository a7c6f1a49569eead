"""Loops in vectors that each lane leaves by itself: while, and break."""

from __future__ import annotations

import numpy as np
import pytest
from kit.calls import same
from kit.together import compiled

import looptx

SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 13, 31)


@looptx.kernel
def escaped(out, limit):
    n, m = out.shape
    for i in range(n):
        for j in range(m):
            cr = -2.0 + 3.0 * j / m
            ci = -1.5 + 3.0 * i / n
            zr = zi = 0.0
            k = 0
            while k < limit and zr * zr + zi * zi <= 4.0:
                zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
                k += 1
            out[i, j] = k


@looptx.kernel
def converged(x, tol, most, roots, steps):
    for k in range(len(x)):
        root = x[k]
        step = 7.0
        for _ in range(most):
            step = (root * root * root - 2.0 * root - 5.0) / (3.0 * root * root - 2.0)
            root = root - step
            if abs(step) < tol:
                step = -step
                break
        roots[k] = root
        steps[k] = step


@looptx.kernel
def twice_left(x, most, y):
    # looptx: vectorize i
    for i in range(len(x)):
        a = x[i]
        count = 0.0
        for t in range(most):
            count += 1.0
            if a > 40.0:
                a = a - 100.0
                break
            else:
                a = a * 1.5
            b = a * 0.5 - t
            if b < -20.0:
                break
            a = a + b
        y[i] = a + count


@looptx.kernel
def again(x, y):
    # looptx: vectorize i
    for i in range(len(x)):
        a = x[i]
        s = 0.0
        total = 0.0
        for t in range(6):
            rounds = 0.0
            while s < t:
                s = s + a
                rounds = rounds + 1.0
            total = total * 3.0 + rounds
        y[i] = total


@looptx.kernel
def in_one_another(x, y):
    # looptx: vectorize i
    for i in range(len(x)):
        a = x[i]
        s = 0.0
        while a > 1.0:
            b = a
            while b > 2.0:
                b = b * 0.75
                s = s + b
            a = a * 0.5
            s = s * 1.25 - a
        y[i] = s


@looptx.kernel
def in_branches(x, y):
    # looptx: vectorize i
    for i in range(len(x)):
        a = x[i]
        k = 0.0
        if a > 3.0:
            while a > 1.0:
                a = a * 0.75
                k = k + 1.0
        else:
            a = a - 0.5
        y[i] = a + k


@looptx.kernel
def nowhere(x, y):
    # looptx: vectorize i
    for i in range(len(x)):
        last = x[i]
        for t in range(3):
            if last >= t:
                break
            last = last * 0.5
        y[i] += last


VECTORS = (
    (escaped, (np.zeros((3, 8), dtype="int64"), 5)),
    (converged, (np.ones(9), 1e-9, 20, np.zeros(9), np.zeros(9))),
    (twice_left, (np.ones(9), 9, np.zeros(9))),
    (again, (np.ones(9), np.zeros(9))),
    (in_one_another, (np.ones(9), np.zeros(9))),
    (in_branches, (np.ones(9), np.zeros(9))),
    (nowhere, (np.ones(9), np.zeros(9))),
)
"""Kernels that have vectors, and what they are called with."""


@looptx.kernel
def searched(x, limits, y):
    n = len(x)
    # looptx: vectorize i
    for i in range(len(limits)):
        k = 0
        while k < n and x[k] < limits[i]:
            k += 1
        y[i] = k


@looptx.kernel
def up_to(x, most, y):
    # looptx: vectorize i
    for i in range(len(x)):
        a = x[i]
        t = -1
        for t in range(most):
            a = a * 1.5 + 1.0
            if a > 40.0:
                break
        y[i] = t


@looptx.kernel
def passed_over(x, most, y):
    # looptx: vectorize i
    for i in range(len(x)):
        a = x[i]
        for t in range(most):
            if a > 9.0:
                continue
            a = a * 1.5 + t
        y[i] = a


@looptx.kernel
def otherwise(x, most, y):
    # looptx: vectorize i
    for i in range(len(x)):
        a = x[i]
        for t in range(most):
            a = a * 1.5 + t
            if a > 9.0:
                break
        else:
            a = -a
        y[i] = a


PLAIN = (searched, up_to, passed_over, otherwise)


@pytest.fixture(scope="module", autouse=True)
def together(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All kernels, compiled at once."""
    whole = np.ones(9, dtype="int64")
    others = (
        (searched, (np.ones(9), np.ones(9), whole)),
        (up_to, (np.ones(9), 9, whole)),
        (passed_over, (np.ones(9), 9, np.ones(9))),
        (otherwise, (np.ones(9), 9, np.ones(9))),
    )
    calls = ((kernel, *given) for kernel, given in (*VECTORS, *others))
    compiled(calls, tmp_path_factory.mktemp("rounds"))


def numbers(n: int, seed: int = 0) -> np.ndarray:
    """Numbers, and all that is no number among them."""
    found = np.random.default_rng(seed + n).random(n) * 30 - 5
    odd = (np.nan, np.inf, -np.inf, -0.0, 1e308, 5e-324)
    for at, value in enumerate(odd[: n // 3]):
        found[(3 * at + seed) % n] = value
    return found


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("limit", [0, 1, 40])
def test_lanes_that_escape_wait_for_the_others(n: int, limit: int) -> None:
    for rows in (1, 3):
        same(escaped, np.ones((rows, n), dtype="int64"), limit, native=1)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("most", [0, 1, 2, 25])
def test_lanes_keep_what_is_read_behind_the_loop(n: int, most: int) -> None:
    for seed in range(3):
        given = numbers(n, seed), 1e-9, most, np.zeros(n), np.zeros(n)
        with np.errstate(all="ignore"):
            same(converged, *given, native=1)
            same(twice_left, numbers(n, seed), most, np.zeros(n), native=1)


@looptx.kernel
def counted(x, most):
    total = 0
    # looptx: vectorize i
    for i in range(len(x)):
        a = x[i]
        rounds = 0
        while a < 4.0 and rounds < most:
            a = a * a + 0.25
            rounds += 1
        total += rounds
    return total


@looptx.kernel
def longest(x, most):
    best = -1
    # looptx: vectorize i
    for i in range(len(x)):
        a = x[i]
        rounds = 0
        for _ in range(most):
            a = a * a + 0.25
            if a > 4.0:
                break
            rounds += 1
        best = max(best, rounds)
    return best


@pytest.mark.parametrize("n", (*SIZES, 64, 101))
def test_what_each_lane_counted_is_summed(n: int) -> None:
    x = np.random.default_rng(n).uniform(-3, 3, n)
    for kernel in (counted, longest):
        same(kernel, x, 9, native=1)
        assert "in vectors" in str(kernel.report())


@pytest.mark.parametrize("n", SIZES)
def test_loops_in_loops_begin_with_what_each_lane_had(n: int) -> None:
    for seed in range(3):
        some = abs(numbers(n, seed))
        some[~(some < 1e9) | (some < 0.1)] = 0.75
        for kernel in (again, in_one_another, in_branches, nowhere):
            same(kernel, some, np.zeros(n), native=1)


@pytest.mark.parametrize("n", SIZES)
def test_all_that_is_no_number(n: int) -> None:
    for seed in range(3):
        some = numbers(n, seed)
        some[some == np.inf] = 3.0
        with np.errstate(all="ignore"):
            for kernel in (in_one_another, in_branches, nowhere):
                same(kernel, some, np.zeros(n), native=1)


def test_these_loops_have_vectors() -> None:
    for kernel, given in VECTORS:
        with np.errstate(all="ignore"):
            same(kernel, *given, native=1)
        assert "without explicit vectors" not in str(kernel.report())
        assert "lx_any_i64x" in kernel.inspect_cython()


@pytest.mark.parametrize("n", SIZES)
def test_other_loops_run_one_iteration_after_the_other(n: int) -> None:
    """Also those that read cells that there are not in lanes that have left."""
    x = np.nan_to_num(numbers(n), posinf=3.0, neginf=-3.0)
    for limits in (numbers(5), np.full(9, np.inf), np.zeros(0)):
        same(searched, x, limits, np.zeros(len(limits), dtype="int64"))
    with np.errstate(all="ignore"):
        for most in (0, 1, 9):
            same(up_to, x, most, np.zeros(n, dtype="int64"))
            same(passed_over, x, most, np.zeros(n))
            same(otherwise, x, most, np.zeros(n))
    for kernel in PLAIN:
        assert "lx_any_i64x" not in kernel.inspect_cython()
