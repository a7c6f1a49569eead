"""Invariant cells kept in C variables: only where nothing else touches them."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from kit.calls import same

import looptx
from looptx.emit.cython import Cython
from looptx.native.ahead.extension import extension_text

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


@pytest.mark.parametrize("dtype", ["float32", "uint8", "int32", "complex128"])
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
