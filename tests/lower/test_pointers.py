"""Arrays in functions of C: those that are apart, and those that may be one."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kit.samples import some
from numpy.lib.stride_tricks import as_strided

import looptx

pytestmark = [
    pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc"),
    pytest.mark.usefixtures("optimised", "rehearsed"),
    pytest.mark.filterwarnings("ignore:looptx"),
]


@looptx.kernel
def smooth(A, B, C):
    for i in range(1, A.shape[0] - 1):
        for j in range(A.shape[1]):
            C[i, j] = A[i - 1, j] + B[i, j]
            C[i, j] += A[i + 1, j]


@looptx.kernel
def running(A, n: int):
    B = A[1:]
    for i in range(n):
        B[i] = A[i] + 1.0


@looptx.kernel("reassociate y | parallel i")
def columns(A, x, y):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            y[j] += A[i, j] * x[i]


@looptx.kernel
def turned(A, B):
    for i in range(A.shape[0]):
        B[i] = A[i] * 1j


@looptx.kernel
def reactions(u, v, steps):
    n = u.shape[0]
    for _ in range(steps):
        fed = np.empty_like(u)
        eaten = np.empty_like(v)
        for i in range(n):
            near = v[i - 1] + v[(i + 1) % n]
            fed[i] = u[i] / 2 - near / 8
            eaten[i] = v[i] / 2 + u[i] * near
        u, v = fed, eaten
    return u, v


def views(base: np.ndarray, n: int) -> list[np.ndarray]:
    """Matrices of ``n`` columns in one piece of memory, and one of zero steps."""
    size = n * n
    return [
        base[:size].reshape(n, n),
        base[1 : size + 1].reshape(n, n),
        base[size : 2 * size].reshape(n, n),
        base[:size].reshape(n, n).T,
        base[:size][::-1].reshape(n, n),
        base[: 2 * size].reshape(n, 2 * n)[:, ::2],
        base[: 2 * size].reshape(n, 2 * n)[:, 1::2],
        base[: 2 * size].reshape(2 * n, n)[::-2],
        as_strided(base, (n, n), (0, 8)),
    ]


def left(function: Callable[..., Any], n: int, chosen: tuple[int, ...]) -> bytes:
    """What a call on some of the views leaves in the memory of them all."""
    base = np.random.default_rng(n).standard_normal(3 * n * n + 2)
    own = views(base, n)
    function(*(own[one] for one in chosen))
    return base.tobytes()


@pytest.mark.parametrize("n", [0, 1, 2, 37])
def test_arrays_that_overlap_are_what_python_makes_of_them(n: int) -> None:
    picks = np.random.default_rng(n).integers(0, 9, (some(30), 3)).tolist()
    picks += [(one, one, one) for one in range(8)]
    for chosen in map(tuple, picks):
        assert left(smooth, n, chosen) == left(smooth.py_func, n, chosen), chosen


@pytest.mark.parametrize("n", [0, 1, 2, 61])
def test_arrays_that_the_source_makes_one_are_no_strangers(n: int) -> None:
    ours = np.arange(n + 1.0)
    theirs = ours.copy()
    running(ours, n)
    running.py_func(theirs, n)
    assert ours.tobytes() == theirs.tobytes()
    assert not re.search(r"restrict_\w+ [AB]\b", running.inspect_cython())
    assert "(Py_ssize_t n, const double* A, double* B)" in running.inspect_cython()


def test_pointers_to_arrays_that_were_compared_are_restricted() -> None:
    A, B, C = np.random.default_rng(0).random((3, 5, 4))
    smooth(A, B, C)
    text = smooth.inspect_cython()
    head = text[text.index("lx_work lx_nest_run(") :]
    for kind, name in (("const_", "A"), ("const_", "B"), ("", "C")):
        assert f"lx_restrict_{kind}double {name}, " in head
    assert "C[i * C_0 + j] = A[(i - 1) * A_0 + j] + B[i * B_0 + j]" in text


@pytest.mark.parametrize("limit", [1 << 28, 1])
def test_the_only_copy_of_an_array_is_the_array(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With little memory, parts of a sum are collected in the array itself."""
    monkeypatch.setattr("looptx.emit.cython.memory.LIMIT", limit)
    kernel = looptx.kernel("reassociate y | parallel i")(columns.py_func)
    A = np.random.default_rng(0).integers(-9, 9, (131, 33)).astype(float)
    given = A, A[:, 0].copy(), np.arange(33.0)
    expected = given[2] + A.T @ given[1]
    kernel(*given)
    assert given[2].tobytes() == expected.tobytes()
    run = kernel.inspect_cython().partition("lx_work lx_nest_run(")[2]
    assert re.search(r"\bdouble\* y\b.*\bdouble\* y_copies\b", run.partition(")")[0])


@looptx.kernel("split i 64 | cache_read A at i | set_buffer A_cache global")
def squares(A, B):
    for i in range(A.shape[0]):
        for j in range(32):
            B[i, j] = A[i, j] * A[i, j]


def test_how_far_rows_of_a_buffer_are_apart_is_a_number() -> None:
    A = np.random.default_rng(0).random((131, 32))
    ours, theirs = np.zeros((2, 131, 32))
    squares(A, ours)
    squares.py_func(A, theirs)
    assert ours.tobytes() == theirs.tobytes()
    text = squares.inspect_cython()
    assert "A_cache[32 * (ii - i) + j]" in text and "A_cache_0" not in text


@pytest.mark.parametrize("offset", [0, 8])
def test_steps_are_whole_elements(offset: int) -> None:
    """Complex numbers beside a float: half an element lies between two of them."""
    kind = np.dtype(
        {"names": ["z"], "formats": ["c16"], "offsets": [offset], "itemsize": 24}
    )
    A = np.zeros(7, kind)["z"]
    A[:] = np.arange(7) + 2j
    ours, theirs = np.zeros((2, 7), complex)
    turned(A, ours)
    turned.py_func(A, theirs)
    assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("n", [0, 1, 2, 37])
def test_arrays_that_take_turns_are_apart_in_a_round(n: int) -> None:
    """Both are copied in front of the loop, each into memory of its own."""
    u, v = np.random.default_rng(n).random((2, n))
    for steps in (0, 1, 2, 5):
        for given in ((u, v), (u, u)):
            ours, theirs = reactions(*given, steps), reactions.py_func(*given, steps)
            assert [x.tobytes() for x in ours] == [x.tobytes() for x in theirs]
    text = reactions.inspect_cython()
    head = text[text.index("lx_work lx_nest_body0(") :].partition(")")[0]
    assert head.count("lx_restrict_") == 4


@pytest.mark.parametrize("short", [1, 2, 5])
def test_a_round_that_raises_leaves_the_loop(short: int) -> None:
    u, v = np.random.default_rng(short).random((2, 11))
    for function in (reactions, reactions.py_func):
        with pytest.raises(IndexError, match=f"is out of bounds .* size {11 - short}"):
            function(u, v[:-short], 3)
