"""Invariant cells kept in C variables: only where nothing else touches them."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from kit.calls import same

import looptx
from looptx.emit.cython import Cython, Portable
from looptx.native.ahead.extension import extension_text

pytestmark = pytest.mark.usefixtures("rehearsed")

TILES = """
import numpy as np
import numpy.typing as npt
Matrix = npt.NDArray[np.float64]
def f(A: Matrix, x: Matrix, t: Matrix, T: Matrix):
    n, m = A.shape
    # looptx: split i 4 | reorder i j ii | unroll ii
    for i in range(n):
        for j in range(m):
            t[i] += A[i, j] * x[j]
    # looptx: split i 2 | split j 4 | reorder i j k ii jj | unroll ii | vectorize jj
    for i in range(n):
        for j in range(m):
            for k in range(m):
                T[i, j] += A[i, k] * A[k, j]
"""


@looptx.kernel
def rows(A, x, t):
    n, m = A.shape
    # looptx: split i 3 | reorder i j ii | unroll ii
    for i in range(n):
        for j in range(m):
            t[i] += A[i, j] * x[j]


@looptx.kernel
def mixed(A, t, k):
    n, m = A.shape
    for i in range(n):
        for j in range(m):
            t[i] += t[k] * A[i, j]


@looptx.kernel
def guarded(A, t):
    n, m = A.shape
    for i in range(n):
        for j in range(m):
            t[i] += (t[i + 1] if i + 1 < n else 0.5) * A[i, j]


@looptx.kernel
def small(A, t):
    n, m = A.shape
    for i in range(n):
        for j in range(m):
            t[i] += A[i, j]
            t[i + 1] -= A[i, j] * t[i]


@pytest.mark.parametrize(("n", "m"), [(0, 0), (0, 3), (4, 0), (1, 1), (7, 5), (9, 2)])
def test_rows(n: int, m: int) -> None:
    rng = np.random.default_rng(n * 10 + m)
    same(rows, rng.random((n, m)), rng.random(m), rng.random(n))


def test_cells_are_kept_in_variables() -> None:
    rows(np.ones((4, 4)), np.ones(4), np.zeros(4))
    text = rows.inspect_cython()
    assert "t_2 += A[i * A_0 + j] * x[j]" in text
    assert "t[i] = t_2" in text


@pytest.mark.parametrize("k", [0, 2, 4])
def test_cells_that_may_be_the_same_are_not_kept(k: int) -> None:
    rng = np.random.default_rng(k)
    same(mixed, rng.random((5, 3)), rng.random(5), k)
    assert "t_2" not in mixed.inspect_cython()


@pytest.mark.parametrize(
    "dtype", ["float32", "uint8", "int32", "complex64", "complex128"]
)
def test_cells_round_as_in_memory(dtype: str) -> None:
    rng = np.random.default_rng(1)
    A = (rng.random((5, 4)) * 50).astype(dtype)
    same(small, A, np.zeros(6, dtype))


def test_a_cell_of_a_loop_that_does_not_run_need_not_exist() -> None:
    assert same(small, np.ones((3, 0)), np.zeros(0)) == "None"


@pytest.mark.parametrize("registers", [4, 1])
def test_no_more_cells_are_kept_than_there_are_registers(
    monkeypatch: pytest.MonkeyPatch, registers: int
) -> None:
    monkeypatch.setattr(Cython, "registers", registers)
    monkeypatch.setattr(Portable, "better", ())
    text = extension_text(TILES, "f.py").text
    assert ("t_2 += " in text) == (registers == 4)
    assert ("T_2 += lx_splat_f64x2(" in text) == (registers == 4)


def test_the_text_does_not_depend_on_hashes(tmp_path) -> None:
    path = tmp_path / "f.py"
    path.write_text(
        "def f(A, x, t):\n    n, m = A.shape\n"
        "    # looptx: split i 4 | reorder i j ii | unroll ii\n"
        "    for i in range(n):\n        for j in range(m):\n"
        "            t[i] += A[i, j] * x[j]\n"
    )
    command = [sys.executable, "-m", "looptx", "transform", "--to", "cython", str(path)]
    texts = {
        subprocess.run(
            command,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1


@looptx.kernel
def triangle(L, x):
    for i in range(x.shape[0]):
        for j in range(i):
            x[i] -= L[i, j] * x[j]


@looptx.kernel
def factors(A):
    n = A.shape[0]
    # looptx: split i 4
    for i in range(n):
        for j in range(i, n):
            for k in range(i):
                A[i, j] -= A[i, k] * A[k, j]


@looptx.kernel
def backwards(L, x):
    n = x.shape[0]
    for i in range(n):
        for j in range(n - 1, i, -1):
            x[i] += L[i, j] * x[j] + x[j // 2 + n // 2 + 1 - n // 2 * 1 - j // 2 - 1]


@looptx.kernel
def tables(T):
    n = T.shape[0]
    # looptx: split i 3 | split j 4 | reorder i j ii jj k
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(i + 1, j):
                T[i, j] = max(T[i, j], T[k, i] + T[k + 1, j])


@looptx.kernel
def all_of_them(L, x):
    n = x.shape[0]
    for i in range(n):
        for j in range(i + 1):
            x[i] -= L[i, j] * x[j]


@looptx.kernel
def until(L, x, m):
    for i in range(x.shape[0]):
        for j in range(m):
            x[i] -= L[i, j] * x[j]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 8, 13])
def test_cells_beside_others_of_their_array(n: int) -> None:
    L, x = np.random.default_rng(n).random((2, n, n))
    for kernel in (triangle, all_of_them):
        same(kernel, L, x[:1].ravel().copy() if n else np.zeros(0))
    same(factors, L)
    same(tables, L)
    for m in (0, n // 2, n):
        same(until, L, np.ones(n), m)
    if n > 1:
        same(backwards, L, np.ones(n))


def test_cells_that_the_bounds_of_loops_keep_apart_are_kept() -> None:
    L = np.ones((5, 5))
    triangle(L, np.ones(5))
    assert "x_2 -= L[i * L_0 + j] * x[j]" in triangle.inspect_cython()
    factors(L)
    assert "A_2 -= A[ii * A_0 + k] * A[k * A_0 + j]" in factors.inspect_cython()
    tables(L)
    assert "T_2 = lx_max_f64(T_2, " in tables.inspect_cython()
    for kernel, given in ((all_of_them, (L, np.ones(5))), (until, (L, np.ones(5), 3))):
        kernel(*given)
        assert "x_2" not in kernel.inspect_cython()


@looptx.kernel
def of_the_first(t, x):
    # looptx: split i 3
    for i in range(1, t.shape[0]):
        for j in range(x.shape[0]):
            t[i] += x[j] * t[0]


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_a_cell_that_is_only_read_is_not_stored(n: int) -> None:
    same(of_the_first, np.random.rand(n), np.random.rand(5), native=1)
    text = of_the_first.inspect_cython()
    assert "= t[0]" in text
    assert "t[0] =" not in text


def test_guarded_cells_stay_in_their_guard():
    """The next one may not be there: it is not read in front of the loop."""
    for n, m in ((0, 3), (1, 1), (5, 3), (5, 0)):
        A, t = np.arange(float(n * m)).reshape(n, m), np.arange(1.0, n + 1)
        same(guarded, A, t)
    lines = [line.strip() for line in guarded.inspect_cython().split("\n")]
    assert any("t[i + 1] if " in line for line in lines)
    assert not [line for line in lines if line.endswith(" = t[i + 1]")]
