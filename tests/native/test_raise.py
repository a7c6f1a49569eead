"""Where loops come to a ``raise``, arrays get back what they held; Python raises it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kit.calls import output, same

import looptx
from looptx.errors import LooptxError
from native.kernels_jumps import checked

pytestmark = pytest.mark.usefixtures("rehearsed")


def roots(A: Any, B: Any) -> None:
    for i in range(A.shape[0]):
        if A[i] < 0:
            raise ValueError(f"{A[i]} at {i} has no root")
        B[i] = np.sqrt(A[i])


def cholesky(A: Any) -> None:
    n = A.shape[0]
    for j in range(n):
        for k in range(j):
            A[j, j] -= A[j, k] * A[j, k]
        if A[j, j] <= 0.0:
            raise np.linalg.LinAlgError("not positive definite")
        A[j, j] = np.sqrt(A[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] = A[i, j] / A[j, j]


def converged(A: Any, tolerance: float) -> int:
    k, error = 0, 1.0
    while error > tolerance:
        error = error * A[k % len(A)]
        k += 1
        if k > 50:
            raise RuntimeError(f"no convergence after {k}")
    return k


def _definite(n: int, least: float) -> np.ndarray:
    M = np.random.default_rng(n).random((n, n))
    made: np.ndarray = M @ M.T + least * np.eye(n)
    return made


def smoothed(A: Any, width: int, strict: bool) -> None:
    for i in range(1, A.shape[0] - 1):
        if width <= 0:
            raise ValueError(f"no width at {i}")
        elif i % width == 0:
            A[i] = 0.5 * (A[i - 1] + A[i + 1])
        if A[i] > 9.0:
            if strict:
                raise ValueError(f"{A[i]} at {i}")
            A[i] = 9.0


def narrower(A: Any, width: int) -> int:
    for i in range(A.shape[0]):
        A[i] += 1.0
        if width <= 0:
            raise ValueError(f"no width at {i}")
        if A[i] > 5.0:
            width -= 1
    return width


def alone(A: Any, width: int) -> None:
    for i in range(1, A.shape[0]):
        if width <= 0:
            raise ValueError(f"no width at {i}")
        A[i] += A[i - 1]


CASES: dict[Callable[..., Any], list[tuple[tuple[Any, ...], str]]] = {
    roots: [
        *(((np.arange(float(n)), np.zeros(n)), "") for n in (0, 1, 7, 13)),
        ((np.array([4.0, 1.0, -0.0, -2.0, 9.0]), np.ones(5)), "ValueError"),
        ((np.array([-1.0]), np.ones(1)), "ValueError"),
    ],
    cholesky: [
        *(((_definite(n, 1.0),), "") for n in (0, 1, 5, 11)),
        ((_definite(7, -1.0),), "LinAlgError"),
        ((-_definite(1, 1.0),), "LinAlgError"),
    ],
    checked: [
        ((np.arange(7), 0, 9), ""),
        ((np.arange(7), 0, 5), "AssertionError"),
        ((np.arange(0), 0, 0), ""),
    ],
    smoothed: [
        *(((np.arange(float(n)), 2, False), "") for n in (0, 1, 7, 13)),
        ((np.arange(2.0), 0, False), ""),
        ((np.arange(7.0), 0, False), "ValueError"),
        ((np.arange(7.0), 3, True), ""),
        ((np.arange(17.0), 3, True), "ValueError"),
    ],
    alone: [
        *(((np.arange(float(n)), 1), "") for n in (0, 1, 7, 13)),
        ((np.arange(1.0), 0), ""),
        ((np.arange(13.0), 0), "ValueError"),
    ],
    narrower: [
        *(
            (
                (
                    np.arange(float(n)),
                    9,
                ),
                "",
            )
            for n in (0, 1, 7, 13)
        ),
        ((np.arange(0.0), 0), ""),
        ((np.arange(13.0), 0), "ValueError"),
        ((np.arange(13.0), 3), "ValueError"),
    ],
    converged: [
        ((np.array([0.5, 0.25]), 1e-6), ""),
        ((np.array([1.0]), 1e-6), "RuntimeError"),
    ],
}


@pytest.mark.parametrize("function", CASES, ids=lambda x: x.__name__)
def test_what_python_raises(function: Any) -> None:
    kernel = looptx.kernel(function)
    for given, error in CASES[function]:
        assert same(kernel, *given, native=0 if error else 1).startswith(error)


def lifted(A: Any, strict: bool) -> None:
    for i in range(A.shape[0]):
        while A[i] < 0.0:
            if strict:
                raise ValueError(i)
            A[i] += 1.0
        A[i] *= 2.0


def test_what_loops_inside_do_not_come_to_is_no_exception() -> None:
    kernel = looptx.kernel(lifted)
    for strict in (False, True):
        same(kernel, np.arange(7.0), strict, native=1)
        same(kernel, np.arange(7.0) - 3.0, strict, native=0 if strict else 1)


def test_arrays_are_kept_only_for_what_iterations_decide() -> None:
    for function, kept in ((narrower, True), (alone, False)):
        kernel = looptx.kernel(function)
        kernel(np.ones(3), 1)
        assert (".copy()" in kernel.inspect_cython()) is kept, function


@pytest.mark.parametrize("strict", [False, True])
def test_nobody_is_warned_of_what_is_meant(strict: bool) -> None:
    kernel = looptx.kernel(roots, strict=strict)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=r"-2\.0 at 1 has no root"):
            kernel(np.array([1.0, -2.0]), np.zeros(2))
    (nest,) = kernel.report().nests
    assert dict(nest.fallbacks) == {"the loops raise an exception": 1}


def test_loops_keep_their_order_around_it() -> None:
    with pytest.raises(LooptxError, match="may end the loops"):
        looptx.kernel("reorder k j")(pairs).inspect_python()


def pairs(A: Any, B: Any) -> None:
    for j in range(A.shape[0]):
        for k in range(A.shape[1]):
            B[j, k] = A[j, k]
            if A[j, k] > 5.0:
                raise ValueError(j, k)


def test_without_asserts_nothing_is_asked(tmp_path: Path) -> None:
    program = """
        import numpy as np
        import looptx

        def inverse(x):
            assert 1 // x
            return x + 1

        @looptx.kernel(strict=True)
        def inverses(A, B, k):
            for i in range(A.shape[0]):
                k = (k * 3) % 7
                assert 1 // (k - 6)
                B[i] = inverse(k - 2)

        B = np.ones(4, np.int64)
        inverses(np.ones(4), B, 1)
        print(B.tolist(), inverses.report().nests[0].calls)
    """
    assert output(program, tmp_path, PYTHONOPTIMIZE="1") == "[2, 1, 5, 3] 1\n"


def test_what_runs_without_asserts_is_no_other(
    tmp_path: Path, fresh_cache: Path
) -> None:
    program = """
        import numpy as np
        import looptx

        @looptx.kernel
        def checked(A):
            for i in range(A.shape[0]):
                assert A[i] < 3.0
                A[i] += 1.0

        @looptx.kernel
        def late(A):
            for i in range(A.shape[0]):
                if A[i] > 3.0:
                    z = A[i]
                A[i] = z

        for kernel in checked, late:
            try:
                kernel(np.arange(5.0))
                print("done")
            except (AssertionError, UnboundLocalError) as error:
                print(type(error).__name__)
    """
    found = [output(program, tmp_path, PYTHONOPTIMIZE=how).split() for how in ("1", "")]
    assert found == [["done", late := "UnboundLocalError"], ["AssertionError", late]]
