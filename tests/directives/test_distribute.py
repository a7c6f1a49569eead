"""``distribute`` alone and among other directives, against CPython and by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from kit.carried import refusal, same
from kit.nests import Run, accesses_in_order, accesses_of, boxes, nest_of

from looptx.directives import parse
from looptx.errors import LooptxError, Place
from looptx.model.program import Directive, Nest
from looptx.model.schedule import Schedule, bands, initial

SIZES = (0, 1, 2, 5, 7)

ROWS = """
def f(A, B, n, m):
    # looptx: {}
    for i in range(n):
        t = A[i, 0] + 0.1
        B[i, 0] = t * A[i, 0]
        for j in range(m):
            A[i, j] = A[i, j] * t
        for j in range(i, m, 2):
            B[i, j] += 0.3 * A[i, j]
"""
PAIR = """
def f(A, B, n, m):
    # looptx: {}
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, m):
            A[i, j] = 0.1 * A[i, j]
            B[i, j] = A[i, j] + B[i, j]
"""
NESTS = """
# looptx: {}
def f(A, B, n, m):
    # looptx: nest a
    for i in range(n):
        A[i, 0] = 0.1 * A[i, 0]
        for j in range(m):
            A[i, j] = 0.7 * A[i, j] + B[i, 0]
    # looptx: nest b
    for i in range(1, n):
        for j in range(m):
            B[i, j] = 1.1 * B[i, j] + A[i, j]
    # looptx: nest c
    for i in range(n):
        B[i, 0] = 0.9 * B[i, 0]
"""


def cases() -> list[tuple[np.ndarray, np.ndarray, int, int]]:
    """Arguments at small and uneven sizes."""
    chance = np.random.default_rng(11)
    shape = max(SIZES), max(SIZES)
    return [
        (chance.standard_normal(shape), chance.standard_normal(shape), n, m)
        for n, m in product(SIZES, repeat=2)
    ]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (ROWS, "distribute i"),
        (ROWS, "distribute i | parallel i#3 | reorder j#2 i#4"),
        (ROWS, "distribute i as p q r s | tile r=2 j#1=3 | skew j#2 s"),
        (ROWS, "split i 3 | distribute ii"),
        (ROWS, "split i 3 | distribute ii | distribute i | reorder ii#3 i#3"),
        (ROWS, "pad i 2 | distribute i | split i#1 4 | unroll ii 2 | pad i#2 1"),
        (ROWS, "skew j#1 i | distribute i | reorder j#1 i#3"),
        (ROWS, "distribute i | split i#4 2 as p i | reorder i#4 p | unroll j#2 3"),
        (ROWS, "reorder i j#1 | distribute i"),
        (ROWS, "parallel i chunk=2 | distribute i"),
        (ROWS, "unroll i 3 | distribute i | distribute i#1"),
        (PAIR, "distribute j"),
        (PAIR, "distribute j | distribute i | collapse i#1 j#1 as p | vectorize p"),
        (PAIR, "collapse i j | distribute ij as p q | split p 3 | parallel q"),
        (PAIR, "collapse i j | split ij 4 | distribute ij_in | distribute ij"),
        (PAIR, "skew i j | reorder j i | distribute i | distribute j"),
        (PAIR, "tile i=2 j=2 | reorder i j ii jj | distribute jj | distribute ii"),
        (PAIR, "distribute i as p | distribute j as q r | distribute p as u v"),
        (NESTS, "fuse a b partial=1 | distribute a.i"),
        (NESTS, "distribute a.i | reorder a.j a.i#2 | fuse b c"),
        (NESTS, "fuse a b c partial=1 | distribute i as p q r s | parallel q"),
        (NESTS, "fuse a b c partial=1 as i g | split i 2 | distribute ii"),
        (
            NESTS,
            "fuse a b c partial=1 as i g | split i 2 | distribute ii | distribute i",
        ),
        (NESTS, "fuse b c partial=1 | reorder f b.i | distribute b.i"),
        (NESTS, "fuse b c | reorder b.j b.i f | distribute b.i | distribute b.j#1"),
    ],
)
def test_the_bits_are_those_of_the_source(source: str, text: str) -> None:
    same(source.format(text), *cases())


HAND = """
for i in range(n):
    P[i] = i
    for j in range(m):
        Q[i, j] = 0
        R[i, j] = 1
    if i < 3:
        S[i] = 2
        T[i] = 3
"""


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (
            "distribute i",
            "for i in range(n):\n"
            "    P[i] = i\n"
            "for i in range(n):\n"
            "    for j in range(m):\n"
            "        Q[i, j] = 0\n"
            "        R[i, j] = 1\n"
            "for i in range(min(n, 3)):\n"
            "    S[i] = 2\n"
            "for i in range(min(n, 3)):\n"
            "    T[i] = 3",
        ),
        (
            "distribute j | distribute i as a b c d e | reorder j#2 c",
            "for i in range(n):\n"
            "    P[i] = i\n"
            "for i in range(n):\n"
            "    for j in range(m):\n"
            "        Q[i, j] = 0\n"
            "for j in range(m):\n"
            "    for i in range(n):\n"
            "        R[i, j] = 1\n"
            "for i in range(min(n, 3)):\n"
            "    S[i] = 2\n"
            "for i in range(min(n, 3)):\n"
            "    T[i] = 3",
        ),
    ],
)
def test_the_order_is_that_of_the_loops_written_by_hand(text: str, after: str) -> None:
    nest = nest_of(HAND)
    schedule = applied(nest, text)
    for sizes in boxes(5, "n", "m"):
        run = Run(nest, sizes)
        order = run.order(schedule)
        assert sorted(order) == sorted(run.instances)
        expected = accesses_of(after, nest.arrays, sizes)
        assert accesses_in_order(run, order, nest.arrays) == expected


def applied(nest: Nest, text: str) -> Schedule:
    schedule = initial(nest)
    for verb in parse(Directive(text, Place("t.py", 1))):
        schedule = verb.apply(schedule)
    return schedule


def test_a_single_thing_stays() -> None:
    nest = nest_of("for i in range(n):\n    for j in range(n):\n        A[i, j] = 1")
    before = initial(nest)
    (verb,) = parse(Directive("distribute i", Place("t.py", 1)))
    assert verb.apply(before).tree == before.tree
    names = [band.dim.name for band in bands(applied(nest, "distribute j as k").tree)]
    assert names == ["i", "k"]


def test_parts_keep_marks_and_one_loop_keeps_the_comments() -> None:
    nest = nest_of(HAND)
    found = [
        band.dim
        for band in bands(applied(nest, "parallel i | distribute i").tree)
        if band.dim.name == "i"
    ]
    assert all(dim.marks.parallel is not None for dim in found)
    assert [dim.headers for dim in found] == [("i",), (), (), ()]
    assert len({dim.uid for dim in found}) == 4


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("distribute", "LX102"),
        ("distribute i j", "LX102"),
        ("distribute 3", "LX102"),
        ("distribute i=2", "LX102"),
        ("distribute i as p q", "LX102"),
        ("distribute i as p q r s t", "LX102"),
        ("distribute k", "LX104"),
        ("distribute i | distribute i", "LX105"),
        ("distribute i | collapse i#2 j as p | split i#3 2 | split i#4 2", "LX104"),
        ("distribute i as P p q r", "LX109"),
        ("distribute i as j p q r", "LX109"),
        ("distribute i | fuse n0 n1", "LX104"),
    ],
)
def test_what_is_malformed(text: str, code: str) -> None:
    with pytest.raises(LooptxError) as caught:
        applied(nest_of(HAND), text)
    assert caught.value.code == code


def test_the_fusing_dimension_is_not_distributed() -> None:
    assert "LX112" in refusal(NESTS.format("fuse b c | distribute f"))


def test_a_refusal_shows_two_runs_that_change_places() -> None:
    source = """
def f(A, B, n):
    # looptx: distribute i
    for i in range(n - 1):
        A[i] = 2.0 * B[i]
        B[i + 1] = A[i] + 1.0
"""
    message = refusal(source)
    assert "LX201 refused: distribute i" in message
    assert "at n=3: write B[1] at (i=0) runs before read B[1] at (i=1)" in message
    # The witness, run: all of the first statement, then all of the second.
    ours, theirs = (np.zeros(3), np.ones(3)), (np.zeros(3), np.ones(3))
    scope: dict[str, object] = {}
    exec(source, scope)
    scope["f"](*ours, 3)  # type: ignore[operator]
    for i in range(2):
        theirs[0][i] = 2.0 * theirs[1][i]
    for i in range(2):
        theirs[1][i + 1] = theirs[0][i] + 1.0
    assert ours[0][1] != theirs[0][1]


def test_a_temporary_is_kept_for_all_iterations() -> None:
    source = """
import numpy as np

def f(A, n):
    T = np.empty(n)
    # looptx: {}
    for i in range(n):
        T[0] = A[i]
        A[i] = T[0] * T[0]
"""
    assert "`temp T` gives every iteration" in refusal(source.format("distribute i"))
    given = [(np.arange(8.0) + 0.1, n) for n in SIZES if n]
    same(source.format("temp T | distribute i"), *given)
