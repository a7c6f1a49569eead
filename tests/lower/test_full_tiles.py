"""Full tiles: loops of constant count, and one test in front of each tile."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kit.calls import same
from kit.samples import crossed

import looptx

pytestmark = [
    pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc"),
    pytest.mark.usefixtures("optimised", "rehearsed"),
    pytest.mark.filterwarnings("ignore:looptx", "ignore:overflow"),
]


@looptx.kernel(
    "tile i=8 j=32 k=16 | reorder j k i kk ii jj",
    "tile ii=4 jj=16 | reorder ii jj kk iii jjj | cache_write C at jj",
)
def product(A, B, C):
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


@looptx.kernel("tile i=4 j=8 | reorder i j ii jj")
def least(A, B):
    for i in range(1, A.shape[0], 2):
        for j in range(3, A.shape[1], 3):
            B[i, j] = min(A[i, j], A[i - 1, j - 2])


@looptx.kernel("tile i=4 j=8 | reorder i j ii jj")
def triangle(A, s):
    for i in range(A.shape[0]):
        for j in range(i + 1):
            s[j] = min(s[j], A[i, j])


@looptx.kernel("tile i=5 j=7 | reorder j i ii jj")
def backward(A, B):
    for i in range(A.shape[0] - 1, -1, -1):
        for j in range(A.shape[1]):
            B[i, j] = A[j, i] - 1.0


@looptx.kernel("tile i=4 j=8 | reorder i j ii jj | parallel i")
def shared(A, B):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            B[i, j] = 2.0 * A[i, j]


@looptx.kernel("tile i=4 j=128 | reorder i j ii jj")
def wide(A, B):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            B[i, j] = 2.0 * A[i, j]


@looptx.kernel(
    "tile i=8 j=512 k=16 | reorder j k i kk ii jj",
    "tile ii=4 jj=128 | reorder ii jj kk iii jjj | cache_write C at jj",
)
def broad(A, B, C):
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


@looptx.kernel("tile i=4 j=8 k=16 | reorder i j k ii jj kk | parallel ii")
def around(A, B, C):
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


SIZES = [0, 1, 3, 4, 8, 13, 16, 32, 37, 67]


def made(kernel: Callable[..., Any]) -> str:
    """The functions of a kernel's nest."""
    text: str = kernel.inspect_cython()  # type: ignore[attr-defined]
    return text[text.index("@lx_cython") : text.index("def nest(")]


@crossed(kernel=[product, broad, around], n=SIZES, m=[1, 16, 37])
def test_products(kernel: Callable[..., Any], n: int, m: int) -> None:
    rng = np.random.default_rng(n)
    same(kernel, rng.random((n, 19)), rng.random((19, m)), rng.random((n, m)))


@pytest.mark.parametrize("kind", ["int32", "int64", "uint8", "float32", "float64"])
@pytest.mark.parametrize("n", SIZES)
def test_steps_and_types(n: int, kind: str) -> None:
    drawn = np.random.default_rng(n).integers(0, 99, (2, n, n)).astype(kind)
    same(least, *drawn)


@pytest.mark.parametrize("kernel", [backward, shared, wide])
@pytest.mark.parametrize("n", SIZES)
def test_loops_that_are_cut_elsewhere(kernel: Callable[..., Any], n: int) -> None:
    same(kernel, *np.random.default_rng(n).random((2, n, n)))


@pytest.mark.parametrize("kind", ["int32", "float64"])
@pytest.mark.parametrize("n", SIZES)
def test_triangles(n: int, kind: str) -> None:
    drawn = np.random.default_rng(n).integers(0, 99, (n + 1, n)).astype(kind)
    same(triangle, drawn[:n], drawn[n])


def test_one_test_tells_full_tiles_from_others() -> None:
    product(*np.random.default_rng(0).random((3, 20, 20)))
    text = made(product)
    tests = re.findall(r"if (.*\+ 4 <= .*):", text)
    assert len(tests) == 1 and re.search(r"jj \+ 16 <= ", tests[0])
    full, _, cut = text.partition(tests[0])[2].partition("else:")
    for loop, head in (("iii", "range(ii, ii + 4)"), ("jjj", "range(jj, jj + 16)")):
        assert f"for {loop} in {head}" in full
        assert f"for {loop} in {head}" not in cut
        assert f"for {loop} in range({head[6:8]}, min(" in cut


def test_a_body_that_threads_run_has_full_tiles() -> None:
    shared(*np.random.default_rng(0).random((2, 20, 20)))
    body = made(shared).partition("lx_nest_run(")[0]
    assert "range(ii, ii + 4)" in body.replace("range(i, i + 4)", "range(ii, ii + 4)")
    assert re.search(r"lx_restrict_const_double A\b.*lx_restrict_double B\b", body)


@pytest.mark.parametrize("kernel", [broad, around])
def test_no_copy_without_gain_nor_of_parallel_loops(kernel: Callable[..., Any]) -> None:
    kernel(*np.random.default_rng(0).random((3, 20, 20)))
    text = made(kernel)
    assert "min(" in text and not re.search(r"if .*\+ \d+ <= .*:", text)


@pytest.mark.parametrize("n", [0, 1, 8, 37])
@pytest.mark.parametrize("kernel", [shared, wide, product])
def test_arrays_that_overlap(kernel: Callable[..., Any], n: int) -> None:
    """They run as written: what C is told of them would not be so."""
    for at in (0, 1, n, n * n // 2):
        held = []
        for function in (kernel, kernel.py_func):  # type: ignore[attr-defined]
            base = np.random.default_rng(n).random(2 * n * n + 1)
            one = base[: n * n].reshape(n, n)
            other = base[at : at + n * n].reshape(n, n)
            function(*([one, one, other] if kernel is product else [one, other]))
            held.append(base.tobytes())
        assert held[0] == held[1], at
