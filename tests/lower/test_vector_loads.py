"""Vectors that are read several times, or overlap: loaded once, and the same bits."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from kit.calls import calls
from kit.guarded import Guarded
from kit.samples import crossed
from kit.together import compiled

import looptx
from looptx.native.compile.tuned import tuned

SIZES = (0, 1, 2, 3, 7, 9, 10, 11, 17, 18, 19, 31, 37, 67)


LINES = "vectorize there.i | vectorize back.i"
MORE = "", "split i 3 | reorder i j ii | unroll ii | "
SUMS = "reassociate a b | vectorize i 4"
APART = "trust independent A half | vectorize i"
STEPS = "reassociate s | vectorize i 8"
TYPES = "float64", "float32", "int64", "int32"


@functools.cache
def scheduled(wanted: str, function: Callable[..., Any]) -> Any:
    """A kernel that is carried out as it is scheduled."""
    return looptx.kernel(wanted, strict=True)(function)


@pytest.fixture(scope="module", autouse=True)
def together(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All kernels, compiled together for what they are called with."""
    compiled(_calls(), tmp_path_factory.mktemp("loads"))


def _calls() -> Iterator[tuple[Any, ...]]:
    """Kernels, with arguments of the types that tests call them with."""
    x, A = np.ones(3), np.ones((3, 3))
    for dtype in TYPES:
        given = x.astype(dtype), x.astype(dtype)
        function = line if dtype.startswith("f") else whole
        yield scheduled(LINES, function), 3, *given
        for function in (moved_back, both_ways):
            yield scheduled("vectorize i 8", function), *given
    for more in MORE:
        yield scheduled(f"{more}vectorize j", plane), A, A
    for function in (far, falling, in_place):
        yield scheduled("vectorize i", function), x, x
    yield scheduled("vectorize j", rows), A, x, x
    yield scheduled(SUMS, two_sums), x
    yield scheduled(APART, shared), x, 1
    yield scheduled(STEPS, sums_and_steps), x, x


def line(steps, A, B):
    n = A.shape[0]
    for _t in range(steps):
        # looptx: nest there
        for i in range(1, n - 1):
            B[i] = A[i] - 0.5 * (A[i + 1] + A[i - 1])
        # looptx: nest back
        for i in range(1, n - 1):
            A[i] = B[i - 1] + B[i] * B[i + 1]


def plane(A, B):
    n, m = A.shape
    for i in range(1, n - 1):
        for j in range(2, m - 2):
            near = A[i, j - 2] - A[i, j + 2] + A[i, j]
            B[i, j] = near + A[i - 1, j] + A[i + 1, j] - A[i - 1, j - 1]


def far(A, B):
    """Some of the vectors lie apart: a pair overlaps at each end."""
    for i in range(A.shape[0] - 24):
        B[i] = A[i] + A[i + 1] - A[i + 23] * A[i + 24]


def falling(A, B):
    n = A.shape[0]
    for i in range(n - 1):
        B[i] = A[n - 1 - i] + A[n - 2 - i]


def in_place(A, B):
    n = A.shape[0] // 2
    for i in range(n - 2):
        A[n + i] = A[i + 1] - A[i + 2] * B[i] + B[i + 1]


def rows(A, x, y):
    for i in range(A.shape[0]):
        for j in range(x.shape[0]):
            x[j] += A[i, j] * 0.5
            y[j] -= A[i, j] * A[i, j]


def bytes_of(array: np.ndarray) -> bytes:
    found = array.copy()
    if found.dtype.kind == "f":
        found[np.isnan(found)] = np.nan
    return found.tobytes()


def numbers(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    rng = np.random.default_rng(shape[0])
    found = (rng.random(shape) * 100 - 50).astype(dtype)
    if np.dtype(dtype).kind == "f":
        odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324], dtype)
        flat = found.reshape(-1)
        flat[::5] = np.resize(odd, len(flat[::5]))
    return found


def same(kernel: Any, *given: Any) -> None:
    """Bits as of CPython, with memory that must not be touched at either end."""
    for end in (False, True):
        ours = [
            Guarded(one.nbytes).array(one, end=end) if hasattr(one, "nbytes") else one
            for one in given
        ]
        theirs = [one.copy() if hasattr(one, "nbytes") else one for one in given]
        before = calls(kernel)
        with np.errstate(all="ignore"):
            kernel(*ours)
            kernel.py_func(*theirs)
        assert calls(kernel) > before
        for one, two in zip(ours, theirs, strict=True):
            if hasattr(one, "nbytes"):
                assert bytes_of(one) == bytes_of(two)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", TYPES)
def test_neighbours_on_a_line(n: int, dtype: str) -> None:
    function = line if dtype.startswith("f") else whole
    kernel = scheduled(LINES, function)
    same(kernel, 3, numbers((n,), dtype), numbers((n,), dtype))


def whole(steps, A, B):
    n = A.shape[0]
    for _t in range(steps):
        # looptx: nest there
        for i in range(1, n - 1):
            B[i] = A[i] - 3 * (A[i + 1] + A[i - 1])
        # looptx: nest back
        for i in range(1, n - 1):
            A[i] = B[i - 1] - B[i] + B[i + 1]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("more", MORE)
def test_neighbours_in_a_plane(n: int, more: str) -> None:
    kernel = scheduled(f"{more}vectorize j", plane)
    same(kernel, numbers((6, n), "float64"), numbers((6, n), "float64"))


@pytest.mark.parametrize("n", [0, 24, 25, 40, 41, 59])
@pytest.mark.parametrize("function", [far, falling, in_place])
def test_what_overlaps_otherwise(n: int, function: Callable[..., None]) -> None:
    kernel = scheduled("vectorize i", function)
    same(kernel, numbers((n,), "float64"), numbers((n,), "float64"))


@pytest.mark.parametrize("n", SIZES)
def test_vectors_that_are_used_again(n: int) -> None:
    kernel = scheduled("vectorize j", rows)
    same(kernel, *(numbers(shape, "float64") for shape in ((3, n), (n,), (n,))))


@pytest.mark.parametrize("n", SIZES)
def test_sums_of_vectors_that_are_used_again(n: int) -> None:
    kernel = scheduled(SUMS, two_sums)
    x = np.arange(float(n))
    assert kernel(x) == two_sums(x)
    assert calls(kernel)


def two_sums(x):
    a = b = 0.0
    for i in range(x.shape[0]):
        a += x[i]
        b += x[i] * x[i]
    return a, b


def shared(A, n):
    half = A[:n]
    for i in range(n - 2):
        A[n + i] = half[i] + half[i + 1] + half[i + 2]


@pytest.mark.parametrize("n", SIZES)
def test_arrays_that_share_memory_are_loaded_again(n: int) -> None:
    kernel = scheduled(APART, shared)
    same(kernel, numbers((2 * n,), "float64"), n)
    assert "lx_behind" not in kernel.inspect_cython()


def text_of(function: Callable[..., None], *given: object, wanted: str) -> str:
    kernel = looptx.kernel(wanted, strict=True)(function)
    kernel(*given)
    found = kernel.inspect_cython()
    return found if isinstance(found, str) else "\n".join(found.values())


@pytest.mark.skipif(tuned().vector < 64, reason="its vectors fit into lines")
def test_neighbours_are_loaded_once() -> None:
    x = np.ones(99)
    text = text_of(line, 1, x, x.copy(), wanted="vectorize there.i | vectorize back.i")
    (first, *_) = text.split("B[i])[0] = ")[1:]
    assert "<lx_f64x8*>&A[" not in first.split("\n")[0]
    assert text.count("lx_behind_7_f64x8(A_lanes") == 1
    written = text_of(in_place, x, x.copy(), wanted="vectorize i")
    assert "lx_behind_7_f64x8(B_lanes" in written
    assert "lx_behind_7_f64x8(A_lanes" not in written


def test_what_is_used_again_is_held() -> None:
    lanes = tuned().vector // 8
    given = np.ones((3, 99)), np.ones(99), np.ones(99)
    text = text_of(rows, *given, wanted="vectorize j")
    assert f"lx_held_f64x{lanes}((<lx_f64x{lanes}*>&A[" in text
    assert "lx_held" not in text_of(in_place, *given[1:], wanted="vectorize i 2")


def moved_back(A, B):
    for i in range(A.shape[0]):
        A[i] = B[i]


def half_back(A):
    half = A[:40]
    for i in range(40):
        A[i + 40] = half[i]


def both_ways(A, B):
    n = A.shape[0] // 2
    for i in range(n):
        A[i] += B[2 * n - 1 - i]
        A[n + i] -= B[i] * B[n + i]


def sums_and_steps(A, B):
    s = 0.0
    for i in range(A.shape[0]):
        A[i] -= 2.0 * B[i]
        s += B[i]
    B[:1] = s


@crossed(
    n=[*SIZES, 8, 16, 23, 24, 25, 26, 32, 33],
    function=[moved_back, both_ways],
    dtype=TYPES,
)
def test_vectors_side_by_side(
    n: int, function: Callable[..., None], dtype: str
) -> None:
    kernel = scheduled("vectorize i 8", function)
    same(kernel, numbers((n,), dtype), numbers((n,), dtype))


@pytest.mark.parametrize("n", [*SIZES, 8, 40, 41, 42, 44, 48, 75])
def test_sums_beside_what_is_stored(n: int) -> None:
    kernel = scheduled(STEPS, sums_and_steps)
    same(kernel, *(np.arange(float(n + k)) for k in (0, 1)))


def test_what_is_stored_stands_behind_what_is_loaded() -> None:
    lanes = tuned().vector // 8
    given = np.ones(99), np.ones(99)
    text = text_of(moved_back, *given, wanted="vectorize i")
    assert f"B_lanes = lx_held_f64x{lanes}" not in text
    loop = text.split("for i in range(0, end")[1].split("if end <")[0]
    assert loop.count("lx_held") == 2 and "])[0] = A_lanes" in loop
    # Of arrays that share memory each is loaded where the source has it.
    text = text_of(
        half_back, np.ones(99), wanted="trust independent A half | vectorize i"
    )
    assert "lx_held" not in text
