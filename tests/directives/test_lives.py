"""Scalars that are assigned several times: each life has cells of its own."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kit.calls import imported, same

from looptx.cli.text import transform_text

pytestmark = pytest.mark.usefixtures("rehearsed")

SIZES = (0, 1, 2, 3, 5, 8, 13, 19)

SOURCES = {
    "factors": """
        def f(A):
            n = A.shape[0]
            # looptx: reorder i k#2 j#2
            for i in range(n):
                for j in range(i):
                    w = A[i, j]
                    for k in range(j):
                        w -= A[i, k] * A[k, j]
                    A[i, j] = w / A[j, j]
                for j in range(i, n):
                    w = A[i, j]
                    for k in range(i):
                        w -= A[i, k] * A[k, j]
                    A[i, j] = w
    """,
    "blocks": """
        def f(A):
            n = A.shape[0]
            # looptx: cut j#1 i//4*4 as left mid | cut j i//4*4+4 as corner right
            # looptx: cut k#1 left//4*4 as lk lt | cut k#3 i//4*4 as rk rt
            # looptx: tile i=4 left=4 right=4 | reorder i left lk ii left_in
            # looptx: reorder i right rk ii#4 right_in | vectorize right_in#2
            for i in range(n):
                for j in range(i):
                    w = A[i, j]
                    for k in range(j):
                        w -= A[i, k] * A[k, j]
                    A[i, j] = w / A[j, j]
                for j in range(i, n):
                    w = A[i, j]
                    for k in range(i):
                        w -= A[i, k] * A[k, j]
                    A[i, j] = w
    """,
    "two sweeps": """
        # looptx: fuse n0 n1
        def f(A):
            n = A.shape[0]
            for i in range(n):
                s = 0.0
                for j in range(n):
                    s += A[i, j]
                A[i, 0] = s
            for i in range(n):
                s = 1.0
                for j in range(n):
                    s *= A[i, j]
                A[i, n - 1] = s
    """,
    "one is read behind the nest": """
        def f(A):
            n, w = A.shape[0], 0.5
            # looptx: reorder j#1 i
            for i in range(n):
                for j in range(n):
                    w_2 = A[i, j] * 2.0
                    A[i, j] = w_2 + j
                for j in range(n):
                    w = A[i, j]
                    A[i, j] = w + 1.0
            return w
    """,
    "threads": """
        def f(A):
            n = A.shape[0]
            # looptx: parallel j
            for i in range(n):
                for k in range(i):
                    w = A[i, k] * 0.5
                    A[k, i] = w - A[k, i]
                for j in range(n):
                    w = A[i, j]
                    for k in range(i):
                        w -= A[k, j] * 0.25
                    A[i, j] = w
    """,
}


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOOPTX_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


def inputs(size: int) -> np.ndarray:
    """A matrix whose factors exist, of numbers that make sums round."""
    values = np.random.default_rng(size)
    return values.standard_normal((size, size)) + size * np.eye(size)


@pytest.mark.parametrize("name", SOURCES)
def test_rewritten_results_are_those_of_the_source(name: str) -> None:
    text = textwrap.dedent(SOURCES[name])
    result = transform_text(text, "f.py", validate=True)
    assert not result.errors, result.errors
    assert result.changed
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    exec(text, before)
    exec(result.text, after)
    for size in SIZES:
        expected, found = inputs(size), inputs(size)
        assert repr(before["f"](expected)) == repr(after["f"](found))
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", SOURCES)
def test_native_results_are_those_of_the_source(name: str, tmp_path: Path) -> None:
    text = textwrap.dedent(SOURCES[name]).replace("def f", "@looptx.kernel\ndef f")
    kernel = imported(tmp_path / "lives.py", f"import looptx\n{text}").f
    for size in SIZES:
        same(kernel, inputs(size), native=1)


PICKED = """
    import looptx

    @looptx.kernel
    def f(A, B, P):
        n = A.shape[0]
        # looptx: reorder i k j#2
        for i in range(n):
            for j in range(n):
                w = A[i, j]
                A[i, j] = P[w % 7] + w
            for j in range(n):
                w = A[i, j]
                for k in range(n):
                    w += B[k, i] * 3
                A[i, j] = P[w % 7] + P[(w + 1) % 7]
"""


@pytest.mark.parametrize("size", SIZES)
def test_a_life_may_be_a_subscript(tmp_path: Path, size: int) -> None:
    kernel = imported(tmp_path / "picked.py", PICKED).f
    A = np.random.default_rng(size).integers(0, 99, (size, size))
    same(kernel, A, A.T.copy(), np.arange(7) * 5, native=1)
    assert "w_2[j] %" in kernel.inspect_python()


def test_a_life_gets_a_name_that_nothing_has() -> None:
    text = textwrap.dedent(SOURCES["factors"])
    taken = text.replace("n = A.shape[0]", "n, w_2 = A.shape[0], 3.0", 1)
    assert "w_2[j - i]" in transform_text(text, "f.py").text
    assert "w_3[j - i]" in transform_text(taken, "f.py").text


def test_lives_that_need_no_cells_of_their_own_keep_the_name() -> None:
    text = textwrap.dedent(SOURCES["factors"]).replace("reorder i k#2 j#2", "split i 4")
    assert "w_2" not in transform_text(text, "f.py").text


def test_what_is_carried_is_refused_under_its_own_name() -> None:
    text = """\
    def f(A, n):
        w = 0.0
        # looptx: parallel i
        for i in range(n):
            w = w + A[i]
            A[i] = w
            t = A[i] * 2.0
            A[i] = t
            t = A[i] + 1.0
            A[i] = t
    """
    (error,) = transform_text(textwrap.dedent(text), "f.py").errors
    assert error.code == "LX202" and "write w at (i=0)" in str(error)


def test_a_reduction_that_is_named_keeps_its_name() -> None:
    text = """\
    def f(A, B, n):
        # looptx: reassociate w | vectorize j
        for i in range(n):
            for j in range(n):
                w = A[i, j] * 2.0
                B[i, j] = w
            w = 0.0
            for j in range(n):
                w += A[i, j]
            B[i, 0] = w
    """
    result = transform_text(textwrap.dedent(text), "f.py")
    assert not result.errors or all("w_2" not in str(x) for x in result.errors)
