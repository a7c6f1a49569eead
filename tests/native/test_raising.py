"""An exception in the middle of a nest leaves what Python's loops leave, in any order.

Every kernel runs natively and in CPython on the same data; the type and the message of
the exception, and every byte of every array, must be equal.
"""

from __future__ import annotations

import math
import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kit.calls import calls, outcome, same
from kit.samples import crossed

import looptx
from looptx.errors import LooptxError

pytestmark = pytest.mark.usefixtures("rehearsed")

AS_WRITTEN = "ran in the order as written"


def text(kernel: Any) -> str:
    """The generated functions, without what they need."""
    return str(kernel.inspect_cython().rpartition('"""')[2])


def is_as_written(kernel: Any) -> bool:
    return AS_WRITTEN in str(kernel.report())


def square(n: int) -> np.ndarray:
    return np.arange(n * n, dtype=float).reshape(n, n) + 1.0


# What the nest does not change is tried on entry; the schedule stays.


@looptx.kernel("tile i=3 j=4", "reorder j i jj ii", "parallel j")
def by_scalar(A, B, x, n):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            B[i, j] = A[i, j] + (i / x) + j % n


@pytest.mark.parametrize("x", [0.0, -0.0, 2.5, math.nan, math.inf])
@pytest.mark.parametrize("n", [0, 3, -2])
def test_a_divisor_of_arguments(x: float, n: int) -> None:
    before = calls(by_scalar)
    for size in (0, 1, 7):
        same(by_scalar, square(size), np.zeros((size, size)), x, n)
    # Nothing is divided where no loop runs.
    assert calls(by_scalar) - before == (3 if x and n else 1)
    assert "lx_prange(" in text(by_scalar) and "lx_py_" not in text(by_scalar)
    assert not is_as_written(by_scalar)


@looptx.kernel("reorder j i", "parallel j")
def hoisted(A, B, x, y, k):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            B[i, j] = A[i, j] * math.sqrt(x) + math.exp(y) + math.log(x * y) + k // 2


@pytest.mark.parametrize("x", [4.0, -1.0, math.inf])
@pytest.mark.parametrize("y", [1.0, 800.0, 0.0, -1.0, math.nan])
def test_operations_on_arguments(x: float, y: float) -> None:
    same(hoisted, square(3), np.zeros((3, 3)), x, y, 5)
    assert "lx_prange(" in text(hoisted) and not is_as_written(hoisted)


@looptx.kernel("reorder j i")
def by_index(B, n, k):
    for i in range(n):
        for j in range(n):
            B[i, j] = 1.0 / (i + j + 1) + 5 // (i - k) + (7 * i) / (2 * j + 3)


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("k", [-1, 0, 3, 4, 5, 2**62, -(2**63)])
def test_a_divisor_of_loop_variables(n: int, k: int) -> None:
    same(by_index, np.zeros((n, n)), n, k)
    assert "for j in range(n):\n        for i in range(n):" in text(by_index)
    assert "lx_py_" not in text(by_index) and not is_as_written(by_index)
    # Nothing is said of k in the divisor that is proven.
    assert text(by_index).count("is divided by it") == 1


@looptx.kernel("reorder j i")
def guarded_index(B, n):
    for i in range(n):
        for j in range(n):
            if j > i:
                B[i, j] = 1.0 / (j - i)


def test_a_divisor_under_a_condition_of_loop_variables() -> None:
    same(guarded_index, np.zeros((4, 4)), 4)
    assert "lx_py_" not in text(guarded_index) and calls(guarded_index) == 1


@looptx.kernel("reorder j i", "parallel j")
def either(A, B, x):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            B[i, j] = A[i, j] / 2.0 + (1.0 / x if x != 0.0 else 7.0)


@pytest.mark.parametrize("x", [0.0, 2.0, math.nan])
def test_a_test_that_python_does_not_need(x: float) -> None:
    before = calls(either)
    same(either, square(4), np.zeros((4, 4)), x)
    assert calls(either) == before + 1
    assert "lx_prange(" in text(either) and not is_as_written(either)


@looptx.kernel("reorder j i", "parallel j")
def small(A, B, k):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] = A[i, j] + k
            B[i, j] = 3 * i + j % 200


@pytest.mark.parametrize("k", [1, -3, 2**31, -(2**31) - 1, 2**70])
@pytest.mark.parametrize("m", [3, 300])
def test_integers_for_small_elements(k: int, m: int) -> None:
    A, B = np.ones((3, m), np.int32), np.zeros((3, m), np.uint8)
    same(small, A, B, k)
    assert "lx_prange(" in text(small) and "lx_fit_" not in text(small)


def test_integers_too_large_for_their_array() -> None:
    said = same(small, np.ones((90, 2), np.int32), np.zeros((90, 2), np.uint8), 1)
    assert said == "OverflowError: Python integer 256 out of bounds for uint8"


# Subscripts that are data: one pass over the index array.


@looptx.kernel("parallel i")
def gather(A, B, index):
    for i in range(B.shape[0]):
        B[i] = A[index[i]] * 2.0


@crossed(
    dtype=[np.int64, np.int32, np.uint8],
    at=[None, 0, 4, 6],
    value=[5, -5, -6, 100, 2**62],
)
def test_a_gather(dtype: Any, at: int | None, value: int) -> None:
    index = np.array([0, 4, 2, 1, 3, 0, 4], dtype)
    if at is not None:
        index[at] = np.array(value).astype(dtype)
    same(gather, np.arange(5.0) + 1, np.zeros(7), index)
    same(gather, np.arange(5.0) + 1, np.zeros(7), np.repeat(index, 2)[::2])
    scheduled = text(gather).rpartition("def lx_nest_as_written(")[2]
    assert "lx_prange(" in scheduled and "lx_at" not in scheduled


def test_a_gather_of_nothing() -> None:
    same(gather, np.zeros(0), np.zeros(0), np.zeros(0, np.int64))
    same(gather, np.zeros(0), np.zeros(1), np.zeros(1, np.int64))
    # What is not used may be anything: Python's loops run then.
    same(gather, np.arange(3.0), np.zeros(1), np.array([2, 99]))


@looptx.kernel("parallel i")
def rows(start, column, values, x, y):
    for i in range(y.shape[0]):
        for p in range(start[i], start[i + 1]):
            y[i] += values[p] * x[column[p]]


@pytest.mark.parametrize(
    ("start", "column"),
    [
        ([0, 2, 2, 4], [0, 1, 2, 0]),
        ([0, 2, 3, 4], [0, -1, -3, 0]),
        ([0, 2, 3, 4], [0, 1, 3, 0]),
        ([0, 2, 3, 4], [0, 1, 2, -4]),
        ([0, 2, 3, 6], [0, 1, 2, 0]),
        ([-4, -2, 3, 4], [0, 1, 2, 0]),
        ([-5, -2, 3, 4], [0, 1, 2, 0]),
        ([9, 2, 3, 4], [0, 1, 2, 0]),
        ([0, 2, 3], [0, 1, 2, 0]),
    ],
)
def test_a_sparse_product(start: list[int], column: list[int]) -> None:
    args = [np.array(start), np.array(column), np.arange(4.0) + 1]
    same(rows, *args, np.arange(3.0) + 1, np.zeros(3))
    assert "lx_prange(" in text(rows)


@looptx.kernel("parallel i")
def shifted(B, x, index, m):
    for i in range(B.shape[0]):
        for j in range(1, m):
            B[i] = B[i] + x[3 * index[i] + j - 1] + x[index[i] - j] / (i * j + j)


@pytest.mark.parametrize("dtype", [np.int32, np.uint8])
@pytest.mark.parametrize("value", [1, 5, 6, -4, -7, 85, 100, 255])
@pytest.mark.parametrize("m", [1, 3, 6])
def test_a_subscript_computed_from_data(dtype: Any, value: int, m: int) -> None:
    index = np.array([0, value, 2, 3]).astype(dtype)
    same(shifted, np.zeros(4), np.arange(20.0), index, m)
    same(shifted, np.zeros(4), np.arange(300.0), index, m)
    assert "lx_prange(" in text(shifted)


# What depends on data and may raise runs in the order as written.


@looptx.kernel("tile i=2 j=2", "parallel i")
def roots(A, B):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            B[i, j] = math.sqrt(A[i, j])


def test_a_statement_that_may_raise_keeps_its_place() -> None:
    A = square(5)
    with pytest.warns(RuntimeWarning, match="order as written: line .* math.sqrt"):
        roots(A, np.zeros((5, 5)))
    same(roots, A, np.zeros((5, 5)))
    for i, j in ((0, 0), (1, 3), (4, 4)):
        A = square(5)
        A[i, j] = -1.0
        said = same(roots, A, np.zeros((5, 5)))
        assert said == "ValueError: math domain error"
    assert "lx_prange(" not in text(roots) and calls(roots) == 2


def test_the_report_names_the_line() -> None:
    line = roots.py_func.__code__.co_firstlineno + 4
    outcome(roots, square(5), np.zeros((5, 5)))
    assert f"{AS_WRITTEN}: line {line}: math.sqrt may raise" in str(roots.report())


SHRUNK = """\
import math
import numpy as np
import looptx

@looptx.kernel("temp T", "parallel i")
def shrunk(A, B):
    T = np.zeros(len(A))
    for i in range(len(A)):
        T[i] = A[i] + 1.0
        B[i] = math.sqrt(T[i])
"""


@pytest.mark.usefixtures("fresh_cache")
def test_what_is_kept_of_a_nest_tells_its_lines_and_memory(tmp_path: Path) -> None:
    """The notes come back from the cache, for the lines where the function is now."""
    said = {}
    for above in (0, 7):
        path = tmp_path / f"shrunk{above}.py"
        path.write_text("\n" * above + SHRUNK)
        kernel = runpy.run_path(str(path))["shrunk"]
        with pytest.warns(RuntimeWarning, match=f"line {above + 10}: math.sqrt may"):
            kernel(np.ones(5), np.zeros(5))
        (version,) = kernel.report().nests[0].versions
        said[above] = version
        order = f"{AS_WRITTEN}: line {above + 10}: math.sqrt may raise"
        assert version.memory[-1] == order
        assert version.memory[0].startswith("temp T: ")
    assert (said[7].origin, said[0].memory[0]) == ("cache", said[7].memory[0])


def test_calls_that_raise_are_counted() -> None:
    @looptx.kernel
    def roots(x):
        for i in range(x.shape[0]):
            x[i] = math.sqrt(x[i])

    for _ in range(3):
        assert "math domain error" in same(roots, np.array([4.0, -1.0]), native=0)
    same(roots, np.ones(3), native=1)
    assert "math domain error" in same(roots, np.array([-1.0]), native=0)
    (nest,) = roots.report().nests
    assert (nest.calls, nest.raised, nest.fallbacks) == (1, 4, {})
    assert "  1 native call\n  4 native calls that raised" in str(roots.report())


def test_strict_refuses() -> None:
    strict = looptx.kernel("parallel i", strict=True)(roots.py_func)
    with pytest.raises(LooptxError, match=AS_WRITTEN) as caught:
        strict(square(3), np.zeros((3, 3)))
    assert caught.value.code == "LX505"


@looptx.kernel("reorder j i", "parallel j")
def mixed(A, B, t, C):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            t[j] += A[i, j]
            d = 2.0 if A[i, j] > 0.0 else 0.0
            B[i, j] = 1.0 / d
            C[i, j] = int(A[i, j]) % 100


@pytest.mark.parametrize("value", [1.0, -1.0, math.nan, math.inf, 0.0])
def test_several_statements(value: float) -> None:
    for i, j in ((0, 1), (2, 0), (3, 2)):
        A = square(4)
        A[i, j] = value
        zeros = np.zeros((4, 4))
        same(mixed, A, zeros, np.zeros(4), zeros.astype(np.int32))


# Cells in registers, reductions and scalars, without any directive, too.


@looptx.kernel
def sums(A, t, B):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            t[i] += A[i, j]
            B[0] = math.log(A[i, j])
            t[i] *= 2.0


def total(A, t):
    s = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            t[i] += A[i, j]
            s += math.log10(A[i, j])
    return s


@looptx.kernel("vectorize i", "reassociate s")
def lanes(A, t):
    s = 0.0
    for i in range(A.shape[0]):
        s += math.exp(A[i, 0])
        t[i] = A[i, 1]
    return s


@pytest.mark.parametrize("value", [3.0, 0.0, -1.0, 1e4, math.inf, math.nan])
def test_cells_and_sums(value: float) -> None:
    for i, j in ((0, 0), (2, 1), (9, 0)):
        A = np.ones((11, 2))
        A[i, j] = value
        same(sums, A, np.zeros(11), np.zeros(1))
        same(lanes, A, np.zeros(11))


def test_a_sum_in_parallel() -> None:
    parallel = looptx.kernel("reassociate s", "parallel i")(total)
    A = np.ones((9, 4))
    same(parallel, A, np.zeros(9))
    A[4, 2] = 0.0
    assert same(parallel, A, np.zeros(9)) == "ValueError: math domain error"
    assert is_as_written(parallel)


@looptx.kernel
def doubtful(A, B):
    for i in range(A.shape[0]):
        s = 0.0
        for j in range(A.shape[1]):
            s += A[i, j]
        B[i] = 1.0 / s


@pytest.mark.parametrize("m", [0, 2])
def test_a_number_that_is_python_s_or_numpy_s(m: int) -> None:
    # 1.0 / 0.0 raises, 1.0 / np.float64(0.0) is infinite.
    said = same(doubtful, np.zeros((2, m)), np.zeros(2), native=int(m > 0))
    assert said == ("None" if m else "ZeroDivisionError: float division by zero")


@looptx.kernel
def caught(A, B):
    s = 0.0
    try:
        for i in range(A.shape[0]):
            s = math.sqrt(A[i])
            B[i] = s
    except ValueError:
        return s, i
    return s


def test_what_a_handler_sees() -> None:
    assert same(caught, np.array([4.0, 9.0, -1.0]), np.zeros(3)) == "(3.0, 2)"
    same(caught, np.array([4.0, 9.0]), np.zeros(2))
    assert calls(caught) == 0


@looptx.kernel
def fused(A, B, C, x):
    n = A.shape[0]
    T = np.zeros(n)
    # looptx: fuse one two as i f | temp T
    # looptx: nest one
    for i in range(n):
        T[i] = A[i] * 2.0
        C[i] = T[i]
    # looptx: nest two
    for i in range(n):
        B[i] = math.sqrt(T[i]) // x


@pytest.mark.parametrize("x", [0.0, 2.0])
@pytest.mark.parametrize("at", [0, 2])
def test_fused_nests(x: float, at: int) -> None:
    A = np.ones(4)
    same(fused, A, np.zeros(4), np.zeros(4), x)
    A[at] = -1.0
    same(fused, A, np.zeros(4), np.zeros(4), x)
    assert is_as_written(fused)


@looptx.kernel("reorder j i", "parallel j", "assume n % 2 == 0")
def harmless(A, B, n):
    for i in range(n):
        for j in range(n):
            B[i, j] = A[i, j] / 2.0 + A[i, j] // A[j, i] + np.sqrt(A[i, j]) / n


@pytest.mark.parametrize("n", [0, 2, 3, 6])
def test_what_cannot_raise_is_carried_out(n: int) -> None:
    A = square(n) - 3.0
    same(harmless, A, np.zeros((n, n)), n)
    assert "lx_prange(" in text(harmless) and not is_as_written(harmless)
    assert not re.search(r" except.* nogil", text(harmless).partition("def nest(")[0])


@looptx.kernel("parallel i")
def mean(x, y):
    n, m = x.shape
    for i in range(n):
        s = 0.0
        for j in range(m):
            s += x[i, j]
        y[i] = s / m


@pytest.mark.parametrize("m", [0, 1, 5])
def test_a_mean_needs_a_size_that_is_not_zero(m: int) -> None:
    same(mean, np.ones((3, m)), np.zeros(3))
    assert calls(mean) >= (m > 0) and not is_as_written(mean)


@looptx.kernel("parallel i")
def through_scalars(x, y, n):
    for i in range(n):
        j = i + 1
        k = 2 * j - 3
        y[i] = x[j] + x[k]


@looptx.kernel("parallel i")
def at_borders(x, y, n, r):
    for i in range(n):
        left = x[min(max(i - r, 0), n - 1)]
        right = x[min(i + r, n - 1)]
        y[i] = left + right + x[(i + r) % n] + x[i if i < r else r - 1]


@pytest.mark.parametrize("n", [0, 1, 2, 7, 9, 30])
def test_subscripts_made_of_sizes_and_loops(n: int) -> None:
    """The last sizes leave the arrays, or count from their ends."""
    for extent in (max(2 * n, 2), n, n - 1):
        x = np.arange(max(extent, 0), dtype=float)
        same(through_scalars, x, np.zeros(n), n)
        for r in (1, 3, -1, -n, n + 5):
            same(at_borders, x, np.zeros(n), n, r)
    assert not is_as_written(through_scalars) and not is_as_written(at_borders)
    assert calls(through_scalars) and calls(at_borders)


@looptx.kernel
def between(y, C, n):
    # looptx: fuse n0 n1
    for i in range(n):
        y[i] += 1.0
    t = C[1, 2]
    for i in range(n):
        y[i] *= C[1, 1]
    return t


@looptx.kernel
def behind(y, x, C, n):
    # looptx: fuse n0 n1
    for i in range(n):
        y[i] += 1.0
    t = C[1, 1] + y[n - 4]
    for i in range(n):
        x[i] *= C[0, 0]
    return t


def test_what_moves_in_front_of_fused_nests_raises_in_its_own_place() -> None:
    assert same(between, np.zeros(4), np.full((2, 3), 3.0), 4, native=1)
    assert "IndexError" in same(between, np.zeros(4), np.full((2, 2), 3.0), 4, native=0)


def test_what_moves_behind_fused_nests_raises_in_its_own_place() -> None:
    arrays = np.zeros(4), np.ones(4)
    assert same(behind, *arrays, np.full((2, 5), 3.0), 4, native=1)
    assert "IndexError" in same(behind, *arrays, np.full((1, 5), 3.0), 4, native=0)


@looptx.kernel
def turned(x, y, z):
    """Quotients of Python's complex numbers: one may be what says that C raised."""
    for i in range(z.shape[0]):
        z[i] = (1j * float(x[i])) / (1j * float(y[i]))


@pytest.mark.parametrize("n", [0, 1, 7])
@pytest.mark.parametrize("zero", [None, 0, 5])
def test_a_complex_divisor(n: int, zero: int | None) -> None:
    x = np.arange(n) - 3.0
    y = np.where(np.arange(n) == zero, 0.0, 2.0)
    raises = zero is not None and zero < n
    same(turned, x, y, np.zeros(n, complex), native=0 if raises else 1)
