"""The loops of fused nests are one list: one name, one place, the same marks."""

from __future__ import annotations

import linecache
import textwrap
from itertools import product
from typing import Any

import numpy as np
import pytest
from kit.carried import loops, refusal, same

import looptx

MATRICES = """
# looptx: reorder n1.k1 n1.j1
# looptx: fuse n0 n1 partial=2 as i j f | tile j=4 k0=4 as jj kk0
# looptx: reorder j i f k0 j1 kk0 jj{more}
def kernel(A, B, C, D, E, n, m, p, q):
    for i0 in range(n):
        for j0 in range(m):
            for k0 in range(p):
                C[i0, j0] += A[i0, k0] * B[k0, j0]
    for i1 in range(n):
        for j1 in range(q):
            for k1 in range(m):
                E[i1, j1] += C[i1, k1] * D[k1, j1]
"""
"""Three matrices (Accera's manual, section 4), at sizes known at run time."""

LAYER = """
# looptx: fuse a b partial=2 | tile i=2 j=4
# looptx: {directives}
def kernel(A, B, C, n, m, p, q):
    # looptx: nest a
    for i in range(n):
        for j in range(m):
            C[i, j] = 0.0
            for k in range(p):
                C[i, j] += A[i, k]
    # looptx: nest b
    for i in range(n):
        for j in range(m):
            for l in range(q):
                B[i, j] = B[i, j] * 0.5 + C[i, j]
"""

SIZES = (0, 1, 2, 5, 9)


def check(source: str, arrays: int) -> None:
    """Original and transformed source give the same bits at small sizes."""
    rng = np.random.default_rng(7)
    given = [rng.standard_normal((10, 10)) for _ in range(arrays)]
    calls = ([*given, *values] for values in product(SIZES, repeat=4))
    same(source, *calls, function="kernel")


def sized(source: str, **sizes: int) -> str:
    """A source with numbers for its sizes."""
    for name, size in sizes.items():
        source = source.replace(f"range({name})", f"range({size})")
    return source


def test_the_order_of_the_manual() -> None:
    source = sized(MATRICES.format(more=""), n=4, m=8, p=8, q=10)
    assert (
        loops(source)
        == textwrap.dedent("""
        for j in range(0, 8, 4):
            for i in range(4):
                for k0 in range(0, 8, 4):
                    for kk0 in range(k0, k0 + 4):
                        for jj in range(j, j + 4):
                            C[i, jj] += A[i, kk0] * B[kk0, jj]
                for j1 in range(10):
                    for jj in range(j, j + 4):
                        E[i, j1] += C[i, jj] * D[jj, j1]
        """).strip()
    )


@pytest.mark.parametrize(
    "more", ["", " | unroll jj", " | unroll kk0 2 | parallel n0.jj", " | split jj 3"]
)
def test_the_order_of_the_manual_gives_the_same_bits(more: str) -> None:
    check(MATRICES.format(more=more), 5)


@pytest.mark.parametrize(
    "directives",
    [
        "reorder j i f k jj ii | unroll ii | vectorize jj",
        "reorder j i f k l jj ii | parallel ii",
        "reorder i j f k jj | skew jj ii | pad jj 1",
        "reorder j i f k l jj ii | collapse jj ii | split jj_ii 3",
        "reorder j i f k jj | reorder f jj k | unroll jj 2",
        "reorder i j f jj k l | unroll b.jj | vectorize jj#1",
        "reorder i f k j",
    ],
)
def test_common_loops_behind_others_give_the_same_bits(directives: str) -> None:
    check(LAYER.format(directives=directives), 3)


def test_a_mark_is_on_all_loops_of_a_common_one() -> None:
    source = LAYER.format(directives="reorder j i f k jj ii | unroll ii")
    assert (
        loops(sized(source, n=2, m=4, p=3, q=3))
        == textwrap.dedent("""
        for jj in range(4):
            C[0, jj] = 0.0
            C[1, jj] = 0.0
        for k in range(3):
            for jj in range(4):
                C[0, jj] += A[0, k]
                C[1, jj] += A[1, k]
        for jj in range(4):
            for l in range(3):
                B[0, jj] = B[0, jj] * 0.5 + C[0, jj]
            for l in range(3):
                B[1, jj] = B[1, jj] * 0.5 + C[1, jj]
        """).strip()
    )


def test_a_common_loop_comes_back_to_one_place() -> None:
    one = LAYER.format(directives="reorder j i f jj ii k")
    two = LAYER.format(directives="reorder j i f k l jj ii | reorder f jj ii k l")
    assert loops(one) == loops(two)


def test_a_place_in_the_list_is_one_for_all_nests() -> None:
    """`j` takes the place of `l`, which is behind that of `k`."""
    source = LAYER.replace("tile i=2 j=4", "pad a.i 0")
    assert (
        loops(sized(source.format(directives="reorder f l j"), n=6, m=6, p=6, q=6))
        == textwrap.dedent("""
        for i in range(6):
            for j in range(6):
                C[i, j] = 0.0
            for k in range(6):
                for j in range(6):
                    C[i, j] += A[i, k]
            for l in range(6):
                for j in range(6):
                    B[i, j] = B[i, j] * 0.5 + C[i, j]
        """).strip()
    )


@pytest.mark.parametrize(
    ("name", "count"), [("jj", 3), ("b.jj", 1), ("a.jj", 2), ("jj#2", 1), ("jj#3", 1)]
)
def test_a_nest_or_a_number_says_some_of_the_loops(name: str, count: int) -> None:
    source = LAYER.format(directives=f"reorder j i f k jj ii | unroll {name}")
    found = loops(sized(source, n=4, m=8, p=3, q=3))
    assert found.count("for jj in") == 3 - count


def test_loops_of_one_place_are_told_apart_inside_f() -> None:
    source = LAYER.format(directives="reorder i j f jj ii k l | unroll b.jj")
    assert loops(sized(source, n=4, m=8, p=3, q=3)).count("for jj in") == 1
    source = LAYER.format(directives="reorder i j jj f ii k l | unroll b.jj")
    assert "LX104 no loop is named `b.jj`" in refusal(source)


@pytest.mark.parametrize(
    ("directives", "code", "text"),
    [
        ("reorder j i f k jj | unroll jj#4 2", "LX104", "write `jj`"),
        ("reorder j i f k jj | unroll b.jj 2 | unroll jj 2", "LX105", "jj#2"),
        ("reorder j i f k jj | parallel jj | parallel k", "LX106", "one inside"),
        ("reorder j i k jj f", "LX113", "`k` is not fused"),
        ("reorder j i f k jj | pad a.jj 1 | reorder a.jj f", "LX113", "`jj` is not"),
        ("reorder j i f k jj | pad a.jj 1 | reorder b.jj f", "LX113", "`jj` is not"),
    ],
)
def test_what_is_refused(directives: str, code: str, text: str) -> None:
    found = refusal(LAYER.format(directives=directives))
    assert code in found
    assert text in found


def test_loops_side_by_side_in_one_nest_have_no_order() -> None:
    more = "            for l in range(q):\n                C[i, j] += 1.0\n"
    source = LAYER.format(directives="reorder f l k")
    source = source.replace("            for k", f"{more}            for k")
    assert "LX105" in refusal(source)
    assert "LX106" in refusal(source.replace("f l k", "f a.l k"))
    check(source.replace("f l k", "f b.l k"), 3)


@pytest.mark.parametrize("more", ["", " | parallel n0.jj", " | vectorize jj#1"])
def test_native_code_of_common_loops(more: str) -> None:
    source = MATRICES.format(more=more)
    linecache.cache["c.py"] = (len(source), None, source.splitlines(True), "c.py")
    namespace: dict[str, Any] = {}
    exec(compile(source, "c.py", "exec"), namespace)
    plain = namespace["kernel"]
    kernel = looptx.kernel(strict=True)(plain)
    for sizes in ((0, 3, 3, 3), (1, 1, 1, 1), (7, 9, 5, 3), (4, 8, 8, 10)):
        rng = np.random.default_rng(3)
        ours = [rng.standard_normal((10, 10)) for _ in range(5)]
        theirs = [array.copy() for array in ours]
        plain(*ours, *sizes)
        kernel(*theirs, *sizes)
        for one, other in zip(ours, theirs, strict=True):
            assert one.tobytes() == other.tobytes(), sizes
