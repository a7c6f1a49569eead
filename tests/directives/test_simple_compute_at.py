"""``simple_compute_at`` alone and among others, against CPython and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from kit.carried import refusal, same

SIZES = (0, 1, 2, 3, 7, 13)

PLANES = """
# looptx: {}
def f(A, B, C, n):
    # looptx: nest a
    for i in range(n):
        A[i, 0] = A[i, 0] * 0.9
        for j in range(n):
            A[i, j] = A[i, j] * 1.1
    # looptx: nest b
    for x in range(n):
        for y in range(n):
            B[x, y] = A[x, y] + C[x, y]
    # looptx: nest c
    for u in range(n):
        for v in range(n):
            C[u, v] = B[u, v] - 0.5
"""
RANGES = """
# looptx: simple_compute_at a b.x
def f(A, B, C, n):
    # looptx: nest a
    for i in {}:
        A[i, 1] = A[i, 1] * 0.9
    # looptx: nest b
    for x in {}:
        B[x, 1] = A[x, 1] + C[x, 1]
"""
TRIANGLES = """
# looptx: {}
def f(A, B, C, n):
    # looptx: nest a
    for i in range(n):
        for j in range(i, {}):
            A[i, j] = A[i, j] * 0.9
    # looptx: nest b
    for x in range(n):
        for y in range(x, n):
            B[x, y] = A[x, y] + C[x, y]
"""


def calls() -> list[tuple[object, ...]]:
    """Arguments at small and uneven sizes."""
    chance = np.random.default_rng(3)
    return [(*(chance.standard_normal((16, 16)) for _ in range(3)), n) for n in SIZES]


@pytest.mark.parametrize(
    "text",
    [
        "simple_compute_at a b.x",
        "simple_compute_at b c.v",
        "simple_compute_at b c.u | simple_compute_at a c.u",
        "simple_compute_at b c.v | collapse c.u c.v | parallel uv",
        "simple_compute_at a b.x | split b.y 2 | split a.j 3",
        "split a.i 3 | split b.x 3 | simple_compute_at a b.x | unroll xx 2",
        "split a.i 3 | split b.x 3 | simple_compute_at a b.xx | parallel x",
        "pad b.x 2 | simple_compute_at b c.v",
        "reorder b.y b.x | reorder c.v c.u | simple_compute_at b c.u",
        "skew b.y b.x | skew c.v c.u | simple_compute_at b c.v",
        "simple_compute_at a b.x | vectorize a.j | split b.x 4",
    ],
)
def test_the_bits_are_those_of_the_source(text: str) -> None:
    same(PLANES.format(text), *calls())


@pytest.mark.parametrize(
    ("ours", "theirs", "code"),
    [
        ("range(n)", "range(n)", ""),
        ("range(1, n)", "range(1, n)", ""),
        ("range(n - 1, -1, -1)", "range(n - 1, -1, -1)", ""),
        ("range(0, n, 3)", "range(0, n, 3)", ""),
        ("range(2 + 1, n + 2)", "range(3, 2 + n)", ""),
        ("range(n)", "range(1, n)", "LX106"),
        ("range(n)", "range(n - 1)", "LX106"),
        ("range(n)", "range(n - 1, -1, -1)", ""),
        ("range(n + 1, 1, -1)", "range(2, n + 2)", ""),
        ("range(n)", "range(n, -1, -1)", "LX106"),
        ("range(0, 6, 2)", "range(4, -1, -2)", "LX116"),
        ("range(n)", "range(0, n, 2)", "LX116"),
        ("range(0, n, 2)", "range(1, n, 2)", "LX106"),
    ],
)
def test_loops_take_the_same_values(ours: str, theirs: str, code: str) -> None:
    source = RANGES.format(ours, theirs)
    if code:
        assert f" {code} " in refusal(source)
    else:
        same(source, *calls())


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("range(2, n + 2, 2)", "range(2, n + 2, 2)"),
        ("range(n - 1, -1, -2)", "range(n - 1, -1, -2)"),
        ("range(n % 2, 13, 2)", "range((n + 1) // 2 * 2 - n, 13, 2)"),
        ("range(15 - n % 2, 0, -2)", "range(15 + n - (n + 1) // 2 * 2, 0, -2)"),
    ],
)
@pytest.mark.parametrize("shift", [2, 3])
def test_shifted_loops_of_steps_meet(ours: str, theirs: str, shift: int) -> None:
    """Also where it is isl that knows how far apart they start."""
    source = RANGES.replace("simple", f"pad b.x {shift} | simple")
    same(source.format(ours, theirs), *calls())


def test_a_triangle_meets_its_like() -> None:
    same(TRIANGLES.format("simple_compute_at a b.y", "n"), *calls())
    message = refusal(TRIANGLES.format("simple_compute_at a b.y", "n - 1"))
    assert "`a.i`, `a.j` and `b.x`, `b.y` do not take the same values" in message
    assert "at n=1: `b.x`, `b.y` take 0, 0" in message
    same(TRIANGLES.format("simple_compute_at a b.x", "n - 1"), *calls())


@pytest.mark.parametrize(
    "more", ["split b.y 2", "split b.x 3", "reorder b.y b.x", "skew b.x b.y"]
)
def test_what_runs_backward_meets_what_runs_forward(more: str) -> None:
    """The reader, or the nest that moves, has its loops the other way round."""
    source = TRIANGLES.format(f"simple_compute_at a b.y | {more}", "n")
    ours = source.replace("i in range(n)", "i in range(n - 1, -1, -1)")
    ours = ours.replace("j in range(i, n)", "j in range(n - 1, i - 1, -1)")
    theirs = source.replace("x in range(n)", "x in range(n - 1, -1, -1)")
    theirs = theirs.replace("y in range(x, n)", "y in range(n - 1, x - 1, -1)")
    for text in (ours, theirs):
        assert text.count("-1, -1") == 1
        same(text, *calls())


def test_what_reads_earlier_cells_does_not_run_backward() -> None:
    source = RANGES.format("range(1, n)", "range(n - 1, 0, -1)")
    same(source, *calls())
    assert "LX201" in refusal(source.replace("A[i, 1] * 0.9", "A[i - 1, 1]"))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("simple_compute_at a", "LX102"),
        ("simple_compute_at a b.x sliding", "LX102"),
        ("simple_compute_at d b.x", "LX104"),
        ("simple_compute_at a b.z", "LX104"),
        ("simple_compute_at b b.x", "LX106"),
        ("simple_compute_at a b.y", "LX106"),
        ("parallel a.i | simple_compute_at a b.x", "LX106"),
        ("collapse b.x b.y | simple_compute_at b c.u", "LX106"),
        ("split a.i 3 | simple_compute_at a b.x", "LX116"),
        ("split b.x 3 | split c.u 2 | simple_compute_at b c.u", "LX116"),
        ("simple_compute_at c b.y", "LX201"),
    ],
)
def test_what_is_wrong(text: str, code: str) -> None:
    assert f" {code} " in refusal(PLANES.format(text))
