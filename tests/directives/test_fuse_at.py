"""``fuse ... at``: single statements as nests, at values of the loops they lack."""

from __future__ import annotations

import textwrap
from itertools import product

import numpy as np
import pytest
from kit.carried import loops, refusal, same

SIZES = (0, 1, 2, 3, 5, 8)

ROWS = """
# looptx: {directives}
def kernel(A, B, x, n, m):
    for i in range({rows}):
        # looptx: nest a
        x[i] = B[i, 0] + 1.5
        # looptx: nest b
        for j in range({columns}):
            A[i, j] = A[i, j] * x[{read}]
        if i % 2 == 0:
            # looptx: nest c
            B[i, 1] = A[i, 2] - x[i]
"""


def rows(
    directives: str, rows: str = "n", columns: str = "m", read: str = "i + 20"
) -> str:
    """A nest of two statements around a loop, which need not touch what they touch."""
    return ROWS.format(directives=directives, rows=rows, columns=columns, read=read)


def check(source: str) -> None:
    """Original and transformed source give the same bits for small sizes."""
    calls = []
    for values in product(SIZES, repeat=2):
        rng = np.random.default_rng(7)
        shapes = (30, 30), (30, 30), (60,)
        calls.append([*(rng.standard_normal(shape) for shape in shapes), *values])
    same(source, *calls, function="kernel")


PLACES = [
    ("i", "m"),
    ("-i", "m"),
    ("m-1", "m - 1, -1, -1"),
    ("m", "2, m"),
    ("-1", "m - 1, -1, -1"),
    ("i+1", "i, m"),
    ("m//2", "m - 1, -1, -1"),
    ("i%2", "4"),
]


@pytest.mark.parametrize(("value", "columns"), PLACES)
def test_a_place_keeps_all_work(value: str, columns: str) -> None:
    check(rows(f"trust order | fuse a b at j={value}", columns=columns))


@pytest.mark.parametrize(
    "more", ["reorder j i", "split j 2", "skew j i", "fuse a c at j=n+m"]
)
def test_what_has_a_place_is_scheduled_further(more: str) -> None:
    check(rows(f"trust order | fuse a b at j=i | {more}"))


def test_a_statement_stands_before_a_cell_of_the_loop() -> None:
    assert (
        loops(rows("fuse a b at j=i", columns="i + 1"))
        == textwrap.dedent("""
        for i in range(n):
            for j in range(i):
                A[i, j] = A[i, j] * x[i + 20]
            x[i] = B[i, 0] + 1.5
            A[i, i] = A[i, i] * x[i + 20]
            if i % 2 == 0:
                B[i, 1] = A[i, 2] - x[i]
        """).strip()
    )


def test_a_loop_that_runs_backward_has_its_values_in_that_order() -> None:
    new = loops(rows("fuse a b at j=3", columns="9, -1, -1"))
    assert new.index("range(9, 3, -1)") < new.index("x[i] =") < new.index("A[i, 3] =")


@pytest.mark.parametrize(
    ("outer", "inner", "value"),
    [
        ("0, n, 2", "0, m, 2", "i"),
        ("0, n, 2", "6, m, 2", "i-2"),
        ("n", "i, m, 3", "i+3"),
        ("n", "m, -1, -2", "m-2*i"),
        ("1, n, 4", "9, -1, -2", "i+2"),
    ],
)
def test_a_value_between_no_steps_is_a_place(
    outer: str, inner: str, value: str
) -> None:
    check(rows(f"trust order | fuse a b at j={value}", rows=outer, columns=inner))


@pytest.mark.parametrize(
    ("outer", "inner", "value"),
    [
        ("n", "0, m, 2", "i"),
        ("0, n, 3", "0, m, 2", "i"),
        ("0, n, 2", "1, m, 2", "i"),
        ("n", "m, -1, -2", "2*i"),
        ("n", "i, m, 2", "0"),
        ("0, n, 2", "0, m, 4", "i"),
    ],
)
def test_a_value_between_steps_is_an_error(outer: str, inner: str, value: str) -> None:
    error = refusal(rows(f"fuse a b at j={value}", rows=outer, columns=inner))
    assert "LX116" in error
    assert "may not have that value" in error


@pytest.mark.parametrize(
    ("start", "value"), [("x % 3", "i%3"), ("x % 3", "i%3-3"), ("2 * x", "2*i+3")]
)
def test_a_start_over_a_fused_loop_is_one_over_both(start: str, value: str) -> None:
    source = f"""
# looptx: trust order | fuse a c at y={value}
def kernel(A, B, x, n, m):
    # looptx: nest a
    for i in range(n):
        A[i, 0] = A[i, 0] + 2.0
    # looptx: nest c
    for x in range(n):
        for y in range({start}, m, 3):
            B[x, y] = A[x, y + 1] + B[x, y]
"""
    check(source)
    error = refusal(source.replace(value, f"{value}+1"))
    assert "LX116 `y` has the step 3 and may not have that value" in error


@pytest.mark.parametrize("before", ["split j 2", "skew j i"])
def test_a_loop_that_shows_no_values_has_no_places(before: str) -> None:
    assert "LX106" in refusal(rows(f"{before} | fuse a b at j=0"))


@pytest.mark.parametrize("wrong", ["j=0 at", "j=0 at i=1", "at", "at partial"])
def test_places_stand_behind_at(wrong: str) -> None:
    assert "LX102" in refusal(rows(f"fuse a b {wrong}"))


@pytest.mark.parametrize("loop", ["j", "partial", "at"])
def test_a_loop_may_be_called_like_an_option(loop: str) -> None:
    source = f"""
# looptx: fuse a b at {loop}=0
def kernel(A, x, n):
    for i in range(n):
        # looptx: nest a
        A[i, 0] = x[i]
        # looptx: nest b
        for {loop} in range(n):
            A[i, {loop}] = A[i, {loop}] * 1.5 + A[i, 0]
"""
    chance = np.random.default_rng(6)
    calls = [
        (chance.standard_normal((9, 9)), chance.standard_normal(9), n) for n in SIZES
    ]
    same(source, *calls, function="kernel")
