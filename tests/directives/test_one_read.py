"""``cache_read`` of one of several reads of an array, told apart by its subscripts."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kit.calls import imported, same

from looptx.cli.text import transform_text
from looptx.directives import parse
from looptx.directives.moving.cache_read import cache_read
from looptx.errors import Place
from looptx.model.program import Directive

SIZES = (0, 1, 2, 3, 5, 8, 13, 19)

NESTS = {
    "syrk": """
        for i in range(n):
            for k in range(n):
                for j in range(i + 1):
                    C[i, j] += A[i, k] * A[j, k]
    """,
    "factor": """
        for i in range(n):
            for j in range(i):
                for k in range(j):
                    C[i, j] -= C[i, k] * C[j, k]
                C[i, j] /= A[j, j]
    """,
    "three": """
        for i in range(1, n - 1):
            for j in range(n):
                C[i, j] = A[i - 1, j] + A[i, j] * A[i + 1, j]
    """,
}

SCHEDULES = {
    "packed": ("syrk", "cut j i//4*4 as lo rest | tile i=4 lo=4"
               " | reorder i lo k#1 ii lo_in | cache_read A[j,k] at lo packed"
               " | vectorize lo_in"),
    "each its own": ("syrk", "tile i=4 k=4 | reorder i k ii j kk"
                     " | cache_read A[j,k] at k as P | cache_read A[i,k] at k as Q"),
    "the other one": ("syrk", "split i 4 | cache_read A[i,k] at i | parallel i"),
    "in place": ("factor", "cut j i//4*4 as lo mid | cut k#1 lo//4*4 as full rest"
                 " | split i 4 | split lo 4 | reorder i lo full ii lo_in"
                 " | cache_read C[j,k] at full packed | vectorize lo_in#1"),
    "in the middle": ("three", "cache_read A[i,j] at i | vectorize j"),
    "an edge": ("three", "split i 2 | cache_read A[i+1,j] at i"),
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOOPTX_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


def source(nest: str, schedule: str) -> str:
    """A function with a nest and its directives."""
    body = f"# looptx: {schedule}\n{textwrap.dedent(NESTS[nest]).strip()}"
    return f"def f(C, A, n):\n{textwrap.indent(body, '    ')}\n"


def inputs(size: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Two matrices of numbers that make sums round."""
    values = np.random.default_rng(size)
    eye = size * np.eye(size)
    return values.random((size, size)) + eye, values.random((size, size)) + eye, size


@pytest.mark.parametrize("name", SCHEDULES)
def test_rewritten_results_are_those_of_the_source(name: str) -> None:
    text = source(*SCHEDULES[name])
    result = transform_text(text, "f.py", validate=True)
    assert not result.errors, result.errors
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    exec(text, before)
    exec(result.text, after)
    for size in SIZES:
        expected, found = inputs(size), inputs(size)
        before["f"](*expected)
        after["f"](*found)
        assert found[0].tobytes() == expected[0].tobytes()


@pytest.mark.parametrize("name", SCHEDULES)
def test_native_results_are_those_of_the_source(name: str, tmp_path: Path) -> None:
    text = source(*SCHEDULES[name]).replace("def f", "@looptx.kernel\ndef f")
    kernel = imported(tmp_path / "one.py", f"import looptx\n{text}").f
    for size in SIZES:
        same(kernel, *inputs(size), native=1)


def test_the_other_reads_stay_with_the_array() -> None:
    text = transform_text(source("syrk", "cache_read A[j,k] as P"), "f.py").text
    assert "A[i, k] * P[j, k]" in text


def test_a_read_that_there_is_none_of_is_an_error() -> None:
    (error,) = transform_text(source("syrk", "cache_read A[k,j]"), "f.py").errors
    assert error.code == "LX104" and error.hint == "name one of A[i,k], A[j,k]"


def test_what_is_written_before_it_is_read_is_refused() -> None:
    text = "cache_read C[i,k] at i"
    (error,) = transform_text(source("factor", text), "f.py").errors
    assert error.code == "LX201" and "C" in str(error)


@pytest.mark.parametrize(
    "text", ["cache_write A[i,k]", "cache_read A[i", "cache_read [i]"]
)
def test_other_words_are_malformed(text: str) -> None:
    (error,) = transform_text(source("syrk", text), "f.py").errors
    assert error.code == "LX102"


def test_the_object_is_the_text() -> None:
    made = cache_read("A[j,k]", "i", packed=True)
    assert made.text == "cache_read A[j,k] at i packed"
    assert (made,) == parse(Directive(made.text, Place("f.py", 1)))
