"""Scalars that one iteration of a parallel loop sets, and that others use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kit.together import compiled
from semantics.table import exactly

import looptx

pytestmark = pytest.mark.usefixtures("rehearsed")

SIZES = (0, 1, 2, 3, 7, 40)


def picked(x, o, m: int):
    s = 1.0
    for i in range(len(x)):
        o[i] = x[i] * 2
        if 3 * i == m:
            s = s + x[i]
    o[0] = s


def picked_again(x, o, m: int):
    for t in range(3):
        s = 1.0
        for i in range(len(x)):
            o[i] += x[i] * 2
            if 3 * i == m + t:
                s = s + x[i]
        o[0] += s


def counted(x, o, m: int):
    count = 0
    for i in range(len(x)):
        o[i] = x[i] * 2
        if 3 * i == m:
            count = count + i * 2
    return count


def only_iteration(x, o, m: int):
    """An index says that there is one iteration at most, and the loop does not."""
    s = 1.0
    for i in range(m):
        s += x[i + len(x) - 1]
    return s


def handed_on(x, o, m: int):
    s = 0.5
    for i in range(m):
        o[i] = x[i + len(x) - 1] + s
        s = o[i]
    return s


DIRECTIVES = (
    "parallel i",
    "split i 3 as a b | parallel a",
    "split i 4 as a b | vectorize b",
    "split i 3 as a b | parallel a | vectorize b",
    "split i 3 as a b | bind a blockIdx.x | bind b threadIdx.x",
)
FUNCTIONS = (picked, picked_again, counted, only_iteration, handed_on)
KERNELS = [
    (function, directive, looptx.kernel(directive)(function))
    for function in FUNCTIONS
    for directive in DIRECTIVES
]


def arguments(n: int, m: int) -> tuple[Any, ...]:
    return np.random.default_rng(n).normal(size=n), np.ones(n), m


def left(called: Any, n: int, m: int) -> object:
    given = arguments(n, m)
    try:
        result = called(*given)
    except IndexError as error:
        result = str(error)
    return exactly(result), exactly(given[1])


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder: Path = tmp_path_factory.mktemp("passing")
    compiled([(kernel, *arguments(7, 1)) for _, _, kernel in KERNELS], folder)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_what_one_iteration_sets_is_what_others_see(native: None, function) -> None:
    for own, directive, kernel in KERNELS:
        if own is function:
            for n in SIZES:
                for m in (0, 1, 3, 6, 27):
                    assert left(kernel, n, m) == left(function, n, m), (directive, n, m)
            assert kernel.report().nests[0].calls, directive


def test_a_loop_that_runs_in_order_says_so(native: None) -> None:
    reports = {(own, text): str(kernel.report()) for own, text, kernel in KERNELS}
    said = "runs in order: one iteration sets `s` for others"

    assert f"a {said}" in reports[picked, DIRECTIVES[1]]
    assert f"i {said}" in reports[only_iteration, DIRECTIVES[0]]
    # The iteration stands between two loops, which have nothing to do with it.
    assert said not in reports[picked, DIRECTIVES[0]]


def kept(x, o, n: int):
    for i in range(n):
        s = x[i] * 2
        o[i] = s + 1


@pytest.mark.parametrize(
    "directive",
    ["parallel i", "distribute i | parallel i#1 | parallel i#2", "collapse i j"],
)
def test_what_iterations_have_for_themselves_stays_parallel(directive: str) -> None:
    def squares(x, o, n: int):
        for i in range(n):
            for j in range(n):
                s = x[j] * 2
                o[i] += s * s

    nested = "collapse" in directive
    function = squares if nested else kept
    text = "reassociate o | collapse i j as c | parallel c" if nested else directive
    kernel = looptx.kernel(text)(function)
    given, expected = (arguments(7, 7) for _ in range(2))
    kernel(*given)
    function(*expected)
    np.testing.assert_allclose(given[1], expected[1])
    assert "in order" not in str(kernel.report())
