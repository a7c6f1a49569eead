"""Unswitching: full tiles and rectangles apart from what is left, bounds for guards."""

from __future__ import annotations

import ast
import random
import re
import textwrap
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from typing import Any

import pytest
from kit.carried import transformation
from kit.recording import written

SIZES = (0, 1, 2, 3, 5, 7, 13)


def nest(head: str, *lines: str) -> str:
    """The source of a function with one nest; ``%s`` stands for its directives."""
    body = textwrap.indent("# looptx: %s\n" + "\n".join(lines), "    ")
    return f"def f({head}):\n{body}\n"


PLANE = nest(
    "visit, n, m",
    "for i in range(n):",
    "    for j in range(m):",
    "        visit[i, j] = 1",
)
MATMUL = nest(
    "A, B, C, n, m, k",
    "for i in range(n):",
    "    for j in range(m):",
    "        for p in range(k):",
    "            C[i, j] = C[i, j] + A[i, p] * B[p, j]",
)
SEIDEL = nest(
    "A, T, n",
    "for t in range(T):",
    "    for i in range(1, n - 1):",
    "        A[i] = A[i - 1] + A[i] + A[i + 1]",
)
HEAT = nest(
    "A, T, n",
    "for t in range(T):",
    "    for i in range(1, n - 1):",
    "        A[t + 1, i] = A[t, i - 1] + A[t, i] + A[t, i + 1]",
)
HEAT_2D = nest(
    "A, T, n, m",
    "for t in range(T):",
    "    for i in range(1, n - 1):",
    "        for j in range(1, m - 1):",
    "            A[t + 1, i, j] = A[t, i - 1, j] + A[t, i, j - 1] + A[t, i, j + 1]",
)
SWEEPS = """
def f(A, B, T, n):
    # looptx: %s
    for t in range(T):
        # looptx: nest s1
        for i in range(1, n - 1):
            B[i] = A[i - 1] + A[i] + A[i + 1]
        # looptx: nest s2
        for i in range(1, n - 1):
            A[i] = B[i]
"""
PAIR = """
def f(A, B, n, m):
    # looptx: %s
    # looptx: nest a
    for i in range(n):
        A[i] = A[i] + 1
    # looptx: nest b
    for i in range(m):
        B[i] = B[i] + A[i]
"""


@cache
def rewritten(source: str, directives: str) -> str:
    """The body of the rewritten function, dedented, without its marking line."""
    result = transformation(source.replace("%s", directives))
    assert not result.errors, str(result.errors[0])
    _, _, body = result.text.partition("):\n")
    lines = [line for line in body.split("\n") if "looptx:" not in line]
    return textwrap.dedent("\n".join(lines)).strip() + "\n"


@cache
def function(source: str) -> Callable[..., None]:
    """The function of a source."""
    scope: dict[str, Any] = {}
    exec(source, scope)
    made: Callable[..., None] = scope["f"]
    return made


@cache
def transformed(source: str, directives: str) -> Callable[..., None]:
    """The rewritten function."""
    result = transformation(source.replace("%s", directives))
    assert not result.errors, str(result.errors[0])
    return function(result.text)


class Cells(dict[object, float]):
    """An array of any shape: cells not yet written have a number of their own."""

    def __missing__(self, key: object) -> float:
        return random.Random(str(key)).random()


def same(source: str, directives: str, *arrays: str, **sizes: int) -> None:
    """Check that the rewritten function leaves the same bits in every cell."""
    before, after = ({name: Cells() for name in arrays} for _ in range(2))
    function(source.replace("%s", "nest n"))(**before, **sizes)
    transformed(source, directives)(**after, **sizes)
    assert before == after


def loops(text: str) -> Iterator[ast.For]:
    """The loops of a text."""
    return (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.For))


def guarded(text: str) -> list[str]:
    """The innermost loops with a condition in them."""
    return [
        ast.unparse(loop)
        for loop in loops(text)
        if not any(isinstance(node, ast.For) for node in ast.walk(loop) if node != loop)
        and any(isinstance(node, ast.If) for node in ast.walk(loop))
    ]


def headers(text: str) -> list[str]:
    """The lines of the loops, without what is in them."""
    return [
        line.strip() for line in text.split("\n") if line.lstrip().startswith("for")
    ]


def test_a_skew_is_triangle_rectangle_triangle() -> None:
    assert rewritten(PLANE, "skew i j") == textwrap.dedent("""\
        n = range(n).stop  # a Python int
        m = range(m).stop  # a Python int
        for i in range(m - 1):
            for j in range(max(0, i - n + 1), i + 1):
                visit[i - j, j] = 1
        for i in range(m - 1, n):
            for j in range(m):
                visit[i - j, j] = 1
        for i in range(max(n, m - 1), n + m - 1):
            for j in range(i - n + 1, m):
                visit[i - j, j] = 1
        """)


@pytest.mark.parametrize(
    ("rows", "columns", "expected"),
    [
        (16, 10, ["i in range(9)", "j in range(i + 1)", "i in range(9, 16)"]),
        (10, 16, ["i in range(9)", "j in range(i + 1)", "i in range(9, 16)"]),
    ],
)
def test_literal_sizes(rows: int, columns: int, expected: list[str]) -> None:
    source = PLANE.replace("range(n)", f"range({rows})")
    text = rewritten(source.replace("range(m)", f"range({columns})"), "skew i j")
    middle = "j in range(10)" if rows == 16 else "j in range(i - 9, i + 1)"
    tail = ["i in range(16, 25)", f"j in range(i - {rows - 1}, {columns})"]
    assert headers(text) == [f"for {x}:" for x in [*expected, middle, *tail]]


@pytest.mark.parametrize(
    "directives",
    [
        "skew i j",
        "skew i j by 2",
        "skew i j by 3",
        "skew i j by -1",
        "skew i j by -2",
        "skew j i | reorder j i",
        "skew i j | skew j i",
        "skew i j | skew i j",
        "pad i 2 | skew i j",
        "split j 4 | skew i j",
        "skew i j | split i 4",
        "skew i j | tile i=4 j=4",
        "skew i j | tile i=4 j=4 | reorder i j ii jj",
        "skew i j unroll<3",
    ],
)
def test_every_iteration_runs_once(directives: str) -> None:
    made = transformed(PLANE, directives)
    text = rewritten(PLANE, directives)
    assert not guarded(text)
    assert "if" not in text or "split j" in directives or "tile" in directives
    for n, m in product(SIZES, repeat=2):
        seen = written(partial(made, n=n, m=m))
        assert sorted(seen) == [*product(range(n), range(m))]
        if directives == "skew i j":
            assert seen == sorted(seen, key=lambda at: (at[0] + at[1], at[1]))


def test_steps_and_starts() -> None:
    source = PLANE.replace("range(n)", "range(n - 1, -1, -1)")
    source = source.replace("range(m)", "range(1, m, 2)")
    for directives in ("skew i j", "tile i=4 j=4", "skew i j | split i 3"):
        for n, m in product(SIZES, repeat=2):
            same(source, directives, "visit", n=n, m=m)
    assert len([*loops(rewritten(source, "skew i j"))]) == 6


def test_small_triangles_are_unrolled() -> None:
    source = PLANE.replace("range(n)", "range(8)").replace("range(m)", "range(3)")
    assert rewritten(source, "skew i j unroll<3") == textwrap.dedent("""\
        visit[0, 0] = 1
        visit[1, 0] = 1
        visit[0, 1] = 1
        for i in range(2, 8):
            for j in range(3):
                visit[i - j, j] = 1
        visit[7, 1] = 1
        visit[6, 2] = 1
        visit[7, 2] = 1
        """)


def test_a_skewed_loop_with_a_statement_before_it() -> None:
    source = nest(
        "A, B, n, m",
        "for i in range(n):",
        "    B[i] = 0.0",
        "    for j in range(m):",
        "        B[i] = B[i] + A[i, j]",
    )
    text = rewritten(source, "skew i j")
    assert "if" not in text and len(text.split("\n")) < 20
    for n, m in product(SIZES, repeat=2):
        same(source, "skew i j", "A", "B", n=n, m=m)


@pytest.mark.parametrize(
    ("source", "directives"),
    [
        (SEIDEL, "skew i t by 2 | split t 4 | split i 8 | reorder t i tt ii"),
        (SEIDEL, "skew i t | tile t=3 i=4 | reorder t i tt ii"),
        (HEAT, "skew i t | split t 4 | split i 8 | reorder t i tt ii"),
        (HEAT, "skew i t by 2 | split t 4 | split i 8 | reorder t i tt ii"),
        (HEAT, "skew i t by 3 | tile t=5 i=7 | reorder t i tt ii"),
        (HEAT, "skew i t | tile t=4 i=8"),
        (HEAT, "skew i t | split i 8 | reorder i t ii"),
    ],
)
def test_time_tiles_have_no_phase_guards(source: str, directives: str) -> None:
    text = rewritten(source, directives)
    assert not guarded(text)
    assert not re.search(r"if .*% \d+ [=!]=", text)
    for steps, n in product((0, 1, 2, 4, 7, 13), (0, 2, 3, 4, 11, 23)):
        same(source, directives, "A", T=steps, n=n)


def test_full_time_tiles_have_plain_bounds() -> None:
    text = rewritten(HEAT, "skew i t by 2 | tile t=4 i=8 | reorder t i tt ii")
    assert (
        "    for i in range(2 * t + 9, n + 2 * t - 8, 8):\n"
        "        for tt in range(t, t + 4):\n"
        "            for ii in range(i - 2 * tt, i - 2 * tt + 8):\n"
    ) in text


@pytest.mark.parametrize("by", ["", " by 2"])
def test_time_tiles_of_a_plane(by: str) -> None:
    directives = (
        f"skew i t{by} | skew j t{by} | tile t=4 i=8 j=8 | reorder t i j tt ii jj"
    )
    text = rewritten(HEAT_2D, directives)
    assert not guarded(text) and len(text.split("\n")) <= 80
    assert not re.search(r"if .*% \d+ [=!]=", text)
    for steps, n, m in ((0, 5, 5), (1, 3, 4), (4, 9, 9), (7, 11, 6), (5, 19, 21)):
        same(HEAT_2D, directives, "A", T=steps, n=n, m=m)


def test_two_sweeps_in_time_tiles() -> None:
    directives = (
        "pad s2.i 1 | fuse s1 s2 | skew i t by 2 | tile t=4 i=8 | reorder t i tt ii"
    )
    assert not guarded(rewritten(SWEEPS, directives))
    for steps, n in product((0, 1, 3, 4, 9), (0, 3, 4, 11, 23)):
        same(SWEEPS, directives, "A", "B", T=steps, n=n)


@pytest.mark.parametrize(
    ("directives", "most"),
    [
        ("tile i=32 j=32 p=32", 30),
        ("tile i=4 j=4 p=4 | reorder i j p ii jj pp", 30),
        ("tile i=8 j=8 p=8 | tile ii=4 jj=2 | reorder i j p ii jj pp iii jjj", 45),
        ("pad i 1 | pad j 2 | pad p 3 | tile i=4 j=4 p=4", 60),
    ],
)
def test_tiles_and_remainders(directives: str, most: int) -> None:
    text = rewritten(MATMUL, directives)
    assert not guarded(text) and len(text.split("\n")) < most
    for n, m, k in ((0, 3, 3), (1, 1, 1), (4, 4, 4), (7, 5, 3), (3, 2, 11)):
        same(MATMUL, directives, "A", "B", "C", n=n, m=m, k=k)


def test_a_triangle_of_tiles() -> None:
    source = PLANE.replace("range(m)", "range(i + 1)")
    for directives in (
        "tile i=4 j=4",
        "tile i=4 j=4 | reorder i j ii jj",
        "reorder j i | tile j=4 i=4",
        "skew i j",
        "skew j i | tile i=3 j=2",
    ):
        assert not guarded(rewritten(source, directives))
        for n in range(14):
            same(source, directives, "visit", n=n, m=0)


def test_sizes_that_divide_leave_no_remainder() -> None:
    text = rewritten(PLANE, "assume n % 8 == 0 | assume m % 8 == 0 | tile i=8 j=8")
    checked, _, _ = text.partition("else:")
    assert len(headers(checked)) == 4 and checked.count("if") == 1


def test_shapes_need_no_guards() -> None:
    source = nest(
        "A", "n = A.shape[0]", "for i in range(n):", "    A[i] = A[i] + 1.0"
    ).replace(
        "    # looptx: %s\n    n = A.shape[0]\n",
        "    n = A.shape[0]\n    # looptx: %s\n",
    )
    assert "if" not in rewritten(source, "split i 8")


def test_fused_nests_of_unequal_extents() -> None:
    assert rewritten(PAIR, "fuse a b") == textwrap.dedent("""\
        for i in range(min(n, m)):
            A[i] = A[i] + 1
            B[i] = B[i] + A[i]
        for i in range(max(0, m), n):
            A[i] = A[i] + 1
        for i in range(max(0, n), m):
            B[i] = B[i] + A[i]
        """)
    for directives in ("fuse a b", "fuse a b | split i 8", "fuse a b | split i 3 2"):
        assert not guarded(rewritten(PAIR, directives))
        for n, m in product(SIZES, repeat=2):
            same(PAIR, directives, "A", "B", n=n, m=m)


def test_outer_fused_loops_with_other_loops_inside() -> None:
    source = """
def f(A, B, n, m, p, q):
    # looptx: %s
    # looptx: nest a
    for i in range(n):
        for j in range(p):
            A[i, j] = A[i, j] + 1.0
    # looptx: nest b
    for i in range(m):
        for j in range(q):
            B[i, j] = B[i, j] + 1.0
"""
    for directives, most in (
        ("fuse a b partial=1", 14),
        ("fuse a b", 17),
        ("fuse a b | tile i=4 j=4", 81),
        ("fuse a b | tile i=4 j=4 | reorder i j f ii jj", 29),
        ("fuse a b partial=1 | split i 4", 43),
    ):
        text = rewritten(source, directives)
        assert not guarded(text) and len(text.split("\n")) <= most
        for n, m, p, q in product((0, 1, 5), (0, 3, 9), (0, 2, 5), (1, 6)):
            same(source, directives, "A", "B", n=n, m=m, p=p, q=q)


def test_blocks_of_different_phases() -> None:
    """Statements of one loop at even and at odd values."""
    source = nest(
        "A, n",
        "for i in range(n):",
        "    if i % 2 == 0:",
        "        A[i] = A[i] + 1",
        "    if i % 2 == 1:",
        "        A[i] = A[i] * 2",
    )
    for directives in ("nest x", "split i 3", "split i 4", "pad i 1 | split i 4"):
        for n in range(20):
            same(source, directives, "A", n=n)


def test_no_iteration_is_lost_where_steps_start_at_a_size() -> None:
    """isl, given the phase of the steps as a function of n, drops odd n."""
    source = nest(
        "A, n",
        "for i in range(n, 0, -2):",
        "    for j in range(i, n):",
        "        A[i, j] = A[i, j] + 1",
    )
    for n in range(24):
        same(source, "split j 9 | skew j i | skew i j by 2", "A", n=n)


THREE = """
def f(A, B, C, n, m, p):
    # looptx: %s
    for i in range(n):
        A[i] = A[i] + 1.0
    for i in range(m):
        B[i] = B[i] + A[i]
    for i in range(p):
        C[i] = C[i] + B[i]
"""


def test_full_blocks_of_three_nests_with_extents_of_their_own() -> None:
    text = rewritten(THREE, "fuse n0 n1 n2 | split i 3")
    assert not guarded(text) and len(text.split("\n")) <= 31
    assert text.startswith(
        textwrap.dedent("""\
        n = range(n).stop  # a Python int
        m = range(m).stop  # a Python int
        p = range(p).stop  # a Python int
        for i in range(0, min(n - 2, m - 2, p - 2), 3):
            for ii in range(i, i + 3):
                A[ii] = A[ii] + 1.0
                B[ii] = B[ii] + A[ii]
                C[ii] = C[ii] + B[ii]
        for i in range(max(0, 3 * (min(n, m, p) // 3)), max(n, m, p), 3):
            for ii in range(i, min(i + 3, n, m, p)):
        """)
    )
    for n, m, p in product((-2, 0, 1, 3, 7), (0, 2, 5), (0, 1, 6, 11)):
        same(THREE, "fuse n0 n1 n2 | split i 3", "A", "B", "C", n=n, m=m, p=p)


def test_blocks_of_a_band_have_plain_bounds() -> None:
    source = nest(
        "A, n, m",
        "for i in range(n):",
        "    for j in range(max(0, i - 2), min(m, i + 3)):",
        "        A[i, j] = A[i, j] + 1.0",
    )
    text = rewritten(source, "tile i=3 j=2")
    assert not guarded(text) and len(text.split("\n")) <= 24
    assert "for jj in range(j, j + 2):" in text
    for directives in ("tile i=3 j=2", "tile i=4 j=4 | reorder i j ii jj"):
        for n, m in product((0, 1, 2, 3, 5, 8, 11, 17), repeat=2):
            same(source, directives, "A", n=n, m=m)


def test_full_blocks_of_falling_loops_have_plain_bounds() -> None:
    source = nest("A, n", "for i in range(n - 1, -1, -2):", "    A[i] = A[i] + 1.0")
    assert rewritten(source, "split i 3") == textwrap.dedent("""\
        n = range(n).stop  # a Python int
        for i in range(n - 1, 3, -6):
            for ii in range(i, i - 6, -2):
                A[ii] = A[ii] + 1.0
        if n > 0:
            for ii in range((n + 1) % 6 - 2, -1, -2):
                A[ii] = A[ii] + 1.0
        """)
    for n in range(-1, 20):
        same(source, "split i 3", "A", n=n)


CHECKERS = nest(
    "A, n, m",
    "for i in range(1, n - 1):",
    "    for j in range(1 + i % 2, m - 1, 2):",
    "        A[i, j] = A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1]",
)
RAYS = nest(
    "A, n, m",
    "for i in range(n):",
    "    for j in range(i, m, 3):",
    "        A[i, j] = A[i, j] + 1.0",
)


@pytest.mark.parametrize(
    ("source", "directives", "loop"),
    [
        (CHECKERS, "split i 4", "for j in range(ii % 2 + 1, m - 1, 2):"),
        (CHECKERS, "split j 4", ""),
        (CHECKERS, "tile i=3 j=4 | reorder i j ii jj", ""),
        (RAYS, "parallel i", "for j in range(i, m, 3):"),
        (RAYS, "split j 5", "for jj in range(j + i % 3, j + 15, 3):"),
        (RAYS, "tile i=4 j=4", "for jj in range(j + ii % 3, j + 12, 3):"),
        (RAYS, "unroll j 3", ""),
        (RAYS, "skew j i", ""),
    ],
)
def test_steps_from_values_of_other_loops(
    source: str, directives: str, loop: str
) -> None:
    text = rewritten(source, directives)
    assert loop in text and (not loop or not guarded(text))
    for n, m in product((0, 1, 2, 3, 5, 8, 13, 19), repeat=2):
        same(source, directives, "A", n=n, m=m)
