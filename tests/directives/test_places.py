"""Nests of no loops and ``fuse ... at k=j``: meaning, errors, and native code."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from kit.carried import left, refusal, same

import looptx

SIZES = (0, 1, 2, 3, 5, 8, 13)

LU = """
def kernel(A, n: int):
    # looptx: {directives}
    for i in range(n):
        # looptx: nest lower
        for j in range(i):
            # looptx: nest update
            for k in range(j):
                A[i, j] -= A[i, k] * A[k, j]
            # looptx: nest scale
            A[i, j] /= A[j, j]
        # looptx: nest upper
        for j in range(i, n):
            for k in range(i):
                A[i, j] -= A[i, k] * A[k, j]
"""

MAXIMA = """
import numpy as np

def kernel(A: np.ndarray, n: int):
    # looptx: {directives}
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            # looptx: nest left
            A[i, j] = max(A[i, j], A[i, j - 1])
            if i + 1 < n:
                # looptx: nest below
                A[i, j] = max(A[i, j], A[i + 1, j])
            # looptx: nest inside
            for k in range(i + 1, j):
                A[i, j] = max(A[i, j], A[i, k] + A[k + 1, j])
"""

TERMS = """
# looptx: {directives}
def kernel(A, y, z, n: int, m: int):
    # looptx: nest start
    for i in range(n):
        y[i] = 1.5
    # looptx: nest add
    for i in range(n):
        for k in range({terms}):
            {target} += A[i, k]
    # looptx: nest finish
    for i in range(n):
        z[i] = y[i] * 2.0
"""


def square(n: int, seed: int = 3) -> np.ndarray[Any, Any]:
    values = np.random.default_rng(seed).standard_normal((n, n))
    return values + n * np.eye(n)


@pytest.mark.parametrize(
    "directives",
    [
        "fuse update scale at k=j",
        "fuse update scale at k=j | fuse lower upper | reorder k j",
        "fuse update scale at k=j | fuse lower upper as j k g | tile k=2 j=3",
        "fuse update scale at k=j+2",
        "fuse update scale at k=n",
        "fuse update scale at k=j | split k#1 2",
    ],
)
def test_factors_of_a_matrix(directives: str) -> None:
    source = LU.format(directives=directives)
    same(source, *[[square(n), n] for n in SIZES], function="kernel")


@pytest.mark.parametrize(
    "directives",
    [
        "fuse left below inside at k=j | reorder k j",
        "fuse left below inside at k=j",
        "fuse left below inside at k=n-1",
    ],
)
def test_maxima_backwards(directives: str) -> None:
    source = MAXIMA.format(directives=f"reassociate A | {directives}")
    same(source, *[[square(n), n] for n in SIZES], function="kernel")


@pytest.mark.parametrize(
    ("terms", "place"),
    [
        ("m", "m"),
        ("m", "m+3"),
        ("1, m", "m"),
        ("0, m, 1", "n+m"),
        ("m - 1, -1, -1", "-1"),
        ("m - 1, -1, -1", "-4"),
        ("0, 6, 2", "6"),
        ("0, 6, 2", "8"),
        ("6, 0, -2", "0"),
        ("i, m", "m+i"),
    ],
)
def test_behind_the_last_term(terms: str, place: str) -> None:
    """What needs the whole sum runs behind a loop, also at values far from it."""
    directives = f"fuse add finish at k={place}"
    source = TERMS.format(directives=directives, terms=terms, target="y[i]")
    sizes = [(n, m) for n in SIZES[:5] for m in SIZES[:5]]
    rng = np.random.default_rng(5)
    calls = [
        [rng.standard_normal((n, max(m, 7))), np.zeros(n), np.zeros(n), n, m]
        for n, m in sizes
    ]
    same(source, *calls, function="kernel")


def test_every_nest_that_lacks_the_loop_is_placed() -> None:
    source = TERMS.format(
        directives="assume m >= 0 | fuse add finish at k=m | fuse start add at k=-1",
        terms="m",
        target="y[i]",
    )
    calls = [
        [np.random.default_rng(1).standard_normal((n, m)), *np.zeros((2, n)), n, m]
        for n, m in ((0, 0), (1, 0), (2, 3), (5, 7))
    ]
    same(source, *calls, function="kernel")


def test_what_lacks_a_loop_may_be_opaque_and_conditional() -> None:
    source = """
def kernel(A, x, n: int):
    # looptx: fuse add cut at k=n
    for i in range(n):
        # looptx: nest add
        for k in range(i):
            x[i] = x[i] + A[i, k]
        if i > 1:
            # looptx: nest cut
            if x[i] > 0.5:
                x[i] = 0.5
            else:
                x[i] = x[i - 1]
"""
    same(source, *[[square(n), np.ones(n), n] for n in SIZES], function="kernel")


@pytest.mark.parametrize(
    ("directives", "code", "words"),
    [
        ("fuse update scale", "LX201", "`fuse update scale at k=j` is legal"),
        ("fuse update scale at k", "LX102", "needs LOOP=VALUE behind `at`"),
        ("fuse update scale at", "LX102", "needs LOOP=VALUE behind `at`"),
        ("fuse update at scale k=j", "LX102", "needs LOOP=VALUE behind `at`"),
        ("fuse update scale k=j", "LX102", "`fuse` has no option `k`"),
        ("fuse update scale at k=j*i", "LX102", "a product of two names"),
        ("fuse update scale at k=j+", "LX102", "where more is expected"),
        ("fuse update scale at k=j)", "LX102", "`j)` is not a name or an integer"),
        ("fuse update scale at k=j//0", "LX103", "not positive"),
        ("fuse update scale at k=99999999999", "LX103", "too large"),
        ("fuse update scale at j=3", "LX104", "such loops: k"),
        ("fuse update scale at k=k", "LX104", "known: i, j, n"),
        ("fuse update scale at k=q+1", "LX104", "known: i, j, n"),
        ("split k#1 2 | fuse update scale at k=j", "LX106", "not values of a loop"),
        ("fuse lower scale at k=j", "LX106", "do not stand side by side"),
    ],
)
def test_wrong_places_are_told(directives: str, code: str, words: str) -> None:
    message = refusal(LU.format(directives=directives))
    assert code in message and words in message, message


def test_a_value_between_the_steps_of_a_loop_is_an_error() -> None:
    source = TERMS.format(
        directives="fuse add finish at k=7", terms="0, 6, 2", target="y[i]"
    )
    assert "LX116 `k` has the step 2" in refusal(source)


ABOVE = """
def kernel(A, x, n: int):
    {}
    for i in range(n):
        {}
        x[i] = 0.0
"""


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (ABOVE.format("", "# looptx: split i 2"), "LX107 the directive stands on no"),
        (ABOVE.format("", "# looptx: nest i j"), "LX102 `nest` takes one name"),
        (
            ABOVE.format("# looptx: nest a", "# looptx: nest a"),
            "LX109 two nests of the function are named `a`",
        ),
        (
            "def f(x):\n    # looptx: nest a\n    x[0] = 1\n",
            "LX107 the directive stands on no loop",
        ),
        (
            "def f(x):\n    for i in {*x}:\n        # looptx: nest a\n"
            "        x[i] = 1\n",
            "LX107 the directive stands on no loop",
        ),
        (
            "# looptx: nest a\nx = 1\n",
            "LX107 the directive stands on no loop",
        ),
        (
            "def f(x, n):\n    for i in range(n):\n        # looptx: nest a\n"
            "        if i > 3:\n            x[i] = 1\n",
            "LX106 `a` does not stand on a single statement",
        ),
        (
            "def f(x, n):\n    for i in range(n):\n        if x[i] > 3:\n"
            "            # looptx: nest a\n            x[i] = 1\n",
            "LX106 `a` does not stand on a single statement",
        ),
    ],
)
def test_names_of_statements_that_cannot_be(source: str, words: str) -> None:
    assert words in refusal(source)


def run(source: str, *calls: Sequence[Any]) -> None:
    """The kernel, compiled, does what CPython does, and compiled code has run."""
    linecache.cache["p.py"] = (len(source), None, source.splitlines(True), "p.py")
    scope: dict[str, Any] = {"np": np}
    exec(compile(source, "p.py", "exec"), scope)
    plain = scope["kernel"]
    kernel = looptx.kernel()(plain)
    for arguments in calls:
        assert left(kernel, arguments) == left(plain, arguments)
    assert not any(nest.fallbacks for nest in kernel.report().nests)


def test_native_code_has_the_places() -> None:
    source = LU.format(
        directives="fuse update scale at k=j | fuse lower upper | reorder k j"
    )
    run(source.replace("A,", "A: 'float64[:, :]',"), *[[square(n), n] for n in SIZES])
    source = MAXIMA.format(
        directives="reassociate A | fuse left below inside at k=j | reorder k j"
    )
    tables = [np.random.default_rng(2).integers(-9, 9, (n, n)) for n in SIZES]
    run(source, *[[table, n] for table, n in zip(tables, SIZES, strict=True)])


def test_objects_say_the_same() -> None:
    made = looptx.fuse(
        "a", "b", partial=2, at={"k": "j+1", "l": 3}, as_=("p", "q", "g")
    )
    assert made.text == "fuse a b partial=2 at k=j+1 l=3 as p q g"
