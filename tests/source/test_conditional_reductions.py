"""A reduction under a condition is one: ``if x[i] > 0: c += 1``."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import looptx
from looptx.cli.text import transform_text

KERNEL = """\
def f(x: "float64[:]", n: int):
    c = 0
    # looptx: {directives}
    for i in range(n):
        {body}
    return c
"""

COUNTED = "if x[i] > 0:\n            c += 1"


def verdict(directives: str, body: str = COUNTED) -> str:
    """The code of the first error and its hint; empty when all is well."""
    errors = transform_text(
        KERNEL.format(directives=directives, body=body), "f.py"
    ).errors
    return f"{errors[0].code} {errors[0].hint}" if errors else ""


@pytest.mark.parametrize(
    ("directives", "body"),
    [
        ("parallel i", COUNTED),
        ("split i 4 | reorder ii i", COUNTED),
        ("vectorize i", "if x[i] > 0:\n            c = c + 2"),
        (
            "parallel i",
            "if x[i] > 0:\n            if x[i] < 3:\n                c += 1",
        ),
        (
            "parallel i",
            "if x[i] > 0:\n            c += 1\n        else:\n            c -= 2",
        ),
        (
            "split i 4 | parallel i",
            "if x[i] > 0:\n            c += 1\n        elif x[i] < -2:\n"
            "            c += 5\n        else:\n            c = c + 2",
        ),
    ],
)
def test_counting_needs_no_permission(directives: str, body: str) -> None:
    assert not verdict(directives, body)


@pytest.mark.parametrize(
    "body",
    [
        "if c < 3:\n            c += 1",
        "if x[i] > 0:\n            c += 1\n        else:\n            c = 0",
        "if x[i] > 0:\n            c += 1\n        else:\n            c *= 2",
        "if x[i] > 0:\n            c += 1\n        elif c > 2:\n            c += 2",
        "if x[c] > 0:\n            c += 1",
        "if x[i] > 0:\n            c += c",
    ],
)
def test_what_reads_its_target_is_no_reduction(body: str) -> None:
    assert verdict("parallel i", body).startswith("LX20")


def test_the_hint_names_what_is_reduced() -> None:
    found = verdict("parallel i", "if x[i] > 0:\n            c += x[i]")
    assert "`reassociate c`" in found


def test_no_hint_to_trust_what_iterations_share() -> None:
    found = verdict("parallel i", "if x[i] > 0:\n            c = x[i]")
    assert found.startswith("LX203")
    assert "trust" not in found


@pytest.mark.parametrize(
    "body",
    [
        "if x[i] > 0:\n            c += 1\n            x[i] = 0",
        "if x[i] > 0:\n            c += 1\n        else:\n            x[i] = 0",
    ],
)
def test_the_hint_says_where_it_has_to_stand(body: str) -> None:
    assert verdict("parallel i", body).endswith("give `c` an `if` of its own")


def test_no_hint_to_part_what_is_combined_in_two_ways() -> None:
    body = "if x[i] > 0:\n            c += 1\n        else:\n            c *= 2"
    assert not verdict("parallel i", body).endswith("an `if` of its own")


def mixed(x, y, n):
    c = 0
    best = -1.0
    for i in range(n):
        if x[i] > 0:
            c += 1
        elif x[i] == 0:
            c -= 2
        else:
            c += 5
        if x[i] < 0:
            best = max(best, x[i])
        if x[i] > 0.25:
            y[1] += 3
    return c, best


@pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)
@pytest.mark.parametrize(
    "directives",
    [("parallel i",), ("split i 16", "parallel i", "vectorize ii")],
    ids=lambda found: " | ".join(found),
)
def test_native_code_combines_what_the_condition_lets_through(
    directives: tuple[str, ...],
) -> None:
    kernel = looptx.kernel("reassociate best", *directives, strict=True)(mixed)
    for n in (0, 1, 7, 97, 1024):
        x = np.random.default_rng(n).integers(-8, 9, n) / 8
        found, expected = np.zeros(3, np.int64), np.zeros(3, np.int64)
        assert kernel(x, found, n) == mixed(x, expected, n)
        assert found.tobytes() == expected.tobytes()
    (nest,) = kernel.report().nests
    assert nest.calls == 5


def smallest(x, y, n):
    for i in range(len(x)):
        if y[i] > 3:
            n = min(x[i], n)
        elif x[i] <= n:
            n = x[i]
    return n


def largest(x, y, n):
    for i in range(len(x)):
        n = max(n, x[i])
    return n


def first(x, y, n):
    for i in range(len(x)):
        if y[i] > 3:
            n = min(x[i], n)
        elif x[i] < n:
            n = x[i]
    return n


@pytest.mark.filterwarnings("ignore:looptx:RuntimeWarning")
@pytest.mark.parametrize("written", [smallest, largest, first])
def test_of_two_that_are_equal_the_same_is_taken(written) -> None:
    """It has a type: ``n`` is a number of Python, and those of arrays are NumPy's."""
    kernel = looptx.kernel("parallel i")(written)
    rng = np.random.default_rng(1)
    for length in (0, 1, 7, 70, 200):
        for start in (0, 1, 7, 8):
            x, y = rng.integers(1, 8, length), rng.integers(0, 8, length)
            found, expected = kernel(x, y, start), written(x, y, start)
            assert (type(found), found) == (type(expected), expected)
    (nest,) = kernel.report().nests
    assert nest.calls == (0 if written is first else 20)
