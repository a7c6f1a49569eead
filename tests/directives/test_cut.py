"""``cut`` alone and among other directives, against CPython and by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from kit.carried import loops, refusal, same
from kit.nests import Run, accesses_in_order, accesses_of, boxes, nest_of
from kit.samples import crossed

from looptx.directives import parse
from looptx.errors import LooptxError, Place
from looptx.model.moves.cutting import with_cuts
from looptx.model.program import Directive, Nest
from looptx.model.schedule import Schedule, bands, initial

SIZES = (0, 1, 2, 3, 5, 7)

PATHS = """
def f(A, B, n, m):
    # looptx: {}
    for k in range(n):
        for i in range(n):
            for j in range(n):
                A[i, j] = min(A[i, j], A[i, k] + A[k, j])
"""
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
DOWN = """
def f(A, B, n, m):
    # looptx: {}
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, i, -3):
            A[i, j] = 0.1 * A[i, j]
            B[i, j] = A[i, j] + B[i, j]
"""
LOWER = """
def f(A, B, n, m):
    s = 0.0
    # looptx: {}
    for i in range(2, n):
        for j in range(i):
            A[i, j] = A[i - 1, j] * 0.5 + B[i, j]
            if j % 2 == 0:
                s += A[i, j]
        B[i, i - 1] = A[i, 0]
    return s, n
"""
NESTS = """
# looptx: {}
def f(A, B, n, m):
    # looptx: nest a
    for i in range(n):
        for j in range(m):
            A[i, j] = 0.7 * A[i, j] + B[i, 0]
    # looptx: nest b
    for i in range(1, n):
        for j in range(m):
            B[i, j] = 1.1 * B[i, j] + A[i, j]
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
        (PATHS, "cut j k k+1 | cut i k k+1 | parallel i#1 | vectorize j#9"),
        (PATHS, "cut i k k+1 | parallel i#3 | cut j#1 k k+1 | vectorize j#1"),
        (PATHS, "cut j k | reorder j#1 i | unroll j#2 2"),
        (PATHS, "cut j i k | tile i=2 j#3=3"),
        (PATHS, "cut k 1 n-1 as first k last | cut j#2 k"),
        (PATHS, "reorder k i j | split k 3 | cut j kk | split j#1 2"),
        (ROWS, "cut i 1 | split i#2 3 | unroll i#1 2"),
        (ROWS, "cut i n//2 2 | parallel i#2 | distribute i#3"),
        (ROWS, "cut j#2 i+2 | cut j#1 2*i m-1 | cut i 3"),
        (ROWS, "cut j#1 3 | distribute i | collapse i#3 j#1 | collapse i#3 j#1"),
        (ROWS, "distribute i | cut i#2 2 | cut i#1 4"),
        (ROWS, "cut i 5 2 | split i#2 2 | skew j#1 i#1"),
        (ROWS, "cut i -3 100 | pad i#2 3 | split i#2 2"),
        (ROWS, "pad i 2 | cut i 1 3 | split i#2 2 | split i#3 4"),
        (DOWN, "cut i n//2 | cut j#1 i+3 | split i#2 2"),
        (DOWN, "cut j 4 | split j#2 2 | unroll j#1 2"),
        (DOWN, "cut j m-2 i+1 | reorder j#2 i"),
        (DOWN, "reorder j i | cut j 3 | parallel j#1"),
        (DOWN, "reorder j i | cut i j-2 1 | unroll i#1 2"),
        (DOWN, "cut i 2 4 | collapse i#3 j#3 | vectorize ij"),
        (LOWER, "cut j i-1 | unroll j#1 2 | cut i 4"),
        (LOWER, "cut j 1 | split j#2 2 | reassociate s"),
        (LOWER, "split i 2 | cut j ii-2 | unroll j#1 2"),
        (LOWER, "cut i n-1 | unroll i#1 2 | skew j#1 i#1"),
        (NESTS, "fuse a b partial=1 | cut i 2 | cut a.j#1 1 m-1 | cut b.j#2 i"),
        (NESTS, "fuse a b partial=1 | cut i n//2 as p q | split q 2"),
        (NESTS, "cut a.i 2 | cut b.j i as j0 j1 | parallel a.i#2"),
        (NESTS, "cut b.j 2 | compute_at a b.i"),
        (NESTS, "cut b.i 3 as few many | compute_at a b.many"),
        (ROWS, "cut j#1 2 | cache_write B at i"),
        (ROWS, "cut i 2 | cache_write A at i#2 | vectorize A_cache_load.ax1"),
    ],
)
def test_the_bits_are_those_of_the_source(source: str, text: str) -> None:
    same(source.format(text), *cases())


HAND = """
for i in range(n):
    P[i] = i
    for j in range(0, m, 2):
        Q[i, j] = 0
        R[i, j] = 1
    for j in range(m, -1, -1):
        S[i, j] = 2
"""


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (
            "cut j#1 3 i | cut i 2",
            """
for i in range(min(n, 2)):
    P[i] = i
    for j in range(0, min(m, 3), 2):
        Q[i, j] = 0
        R[i, j] = 1
    for j in range(4, m, 2):
        Q[i, j] = 0
        R[i, j] = 1
    for j in range(m, -1, -1):
        S[i, j] = 2
for i in range(2, n):
    P[i] = i
    for j in range(0, min(m, 3), 2):
        Q[i, j] = 0
        R[i, j] = 1
    for j in range(4, min(m, i), 2):
        Q[i, j] = 0
        R[i, j] = 1
    for j in range(max(4, i + i % 2), m, 2):
        Q[i, j] = 0
        R[i, j] = 1
    for j in range(m, -1, -1):
        S[i, j] = 2
""",
        ),
        (
            "cut j#2 i+1 as few many | distribute i | reorder few i#3",
            """
for i in range(n):
    P[i] = i
for i in range(n):
    for j in range(0, m, 2):
        Q[i, j] = 0
        R[i, j] = 1
for j in range(m, -1, -1):
    for i in range(n):
        if j > i + 1:
            S[i, j] = 2
for i in range(n):
    for j in range(m, -1, -1):
        if j <= i + 1:
            S[i, j] = 2
""",
        ),
        (
            "cut i 1 3 | split i#2 4 | split i#3 3 | distribute i#1 | distribute j#4",
            """
for i in range(min(n, 1)):
    P[i] = i
for i in range(min(n, 1)):
    for j in range(0, m, 2):
        Q[i, j] = 0
        R[i, j] = 1
for i in range(min(n, 1)):
    for j in range(m, -1, -1):
        S[i, j] = 2
for i in range(1, min(n, 3)):
    P[i] = i
    for j in range(0, m, 2):
        Q[i, j] = 0
        R[i, j] = 1
    for j in range(m, -1, -1):
        S[i, j] = 2
for i in range(3, n):
    P[i] = i
    for j in range(0, m, 2):
        Q[i, j] = 0
        R[i, j] = 1
    for j in range(m, -1, -1):
        S[i, j] = 2
""",
        ),
    ],
)
def test_the_order_is_that_of_the_loops_written_by_hand(text: str, after: str) -> None:
    nest = nest_of(HAND)
    schedule = applied(nest, text)
    for sizes in boxes(5, "n", "m"):
        run = Run(with_cuts(nest, schedule.cuts), sizes)
        order = run.order(schedule)
        assert sorted(order) == sorted(run.instances)
        expected = accesses_of(after, nest.arrays, sizes)
        assert accesses_in_order(run, order, nest.arrays) == expected


def applied(nest: Nest, text: str) -> Schedule:
    schedule = initial(nest)
    for verb in parse(Directive(text, Place("t.py", 1))):
        schedule = verb.apply(schedule)
    return schedule


def test_parts_keep_marks_and_the_first_keeps_the_comments() -> None:
    schedule = applied(nest_of(HAND), "parallel i | cut i 2 n")
    found = [band.dim for band in bands(schedule.tree)]
    assert [dim.name for dim in found] == ["i", "j", "j"] * 3
    outer = found[::3]
    assert all(dim.marks.parallel is not None for dim in outer)
    assert [dim.headers for dim in outer] == [("i",), (), ()]
    assert len({dim.uid for dim in found}) == len(found)


def test_blocks_of_a_part_begin_where_it_begins() -> None:
    source = """
def kernel(x, n):
    # looptx: cut i 2 | cut i#2 5 | split i#3 4
    for i in range(n):
        x[i] = 2.0 * x[i]
"""
    assert "for i in range(5, n - 3, 4):" in loops(source)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("cut", "LX102"),
        ("cut i", "LX102"),
        ("cut 3 i", "LX102"),
        ("cut i k=2", "LX102"),
        ("cut i 1 as p", "LX102"),
        ("cut i 1 2 as p q", "LX102"),
        ("cut i 1 as p p", "LX102"),
        ("cut i n*m", "LX102"),
        ("cut i n//m", "LX102"),
        ("cut i n+", "LX102"),
        ("cut i (n", "LX102"),
        ("cut i n)", "LX102"),
        ("cut i n<2", "LX102"),
        ("cut i n.shape", "LX102"),
        ("cut i 1 | cut i 2", "LX105"),
        ("cut i n//0", "LX103"),
        ("cut i 2.5", "LX103"),
        ("cut i 99999999999", "LX103"),
        ("cut i 1 2 3 4 5 6 7 8 9", "LX103"),
        ("cut k 1", "LX104"),
        ("cut i#2 1", "LX104"),
        ("cut i j", "LX104"),
        ("cut i i", "LX104"),
        ("cut i A", "LX104"),
        ("cut i A.shape[0]", "LX104"),
        ("cut i len(B)", "LX104"),
        ("cut j q", "LX104"),
        ("cut i 1 as A b", "LX109"),
        ("cut i 1 as j p", "LX109"),
        ("split i 4 | cut i 2", "LX106"),
        ("split i 4 | cut ii 2", "LX106"),
        ("split i 4 | cut j i", "LX106"),
        ("skew i j | cut i 2", "LX106"),
        ("collapse i j | cut ij 2", "LX106"),
        ("collapse i j | cut i 2", "LX106"),
        ("cache_read A at i | cut i 2", "LX106"),
        ("cut i 1 2 3 4 5 6 7 8" + " | cut i#1 1 2 3 4 5 6 7 8" * 7, "LX106"),
        ("cut i j-1 | reorder j i", "LX104"),
        ("cut i m | reorder j#2 i#2 | parallel j#2", "LX202"),
    ],
)
def test_what_is_wrong_has_a_code(text: str, code: str) -> None:
    source = """
def f(A, n, m):
    # looptx: {}
    for i in range(1, n):
        for j in range(m):
            A[i, j] = A[i - 1, j] + A[i, j - 1]
"""
    found = refusal(source.format(text))
    assert f" {code} " in found, found
    assert "hint: " in found


LACKING = """
# looptx: trust order | {}fuse a b {}| cut j {}
def f(A, x, n, m):
    # looptx: nest a
    for i in range(n):
        x[i] = A[i, 0] + 1.5
    # looptx: nest b
    for i in range(n):
        for j in range({}):
            A[i, j + 1] = A[i, j + 2] * x[i + 20]
"""


@crossed(
    columns=["m", "i, m", "1, m, 2", "m - 1, -1, -1"],
    place=["", "at j=i ", "at j=m "],
    values=["2", "i", "0 i+1 | split j#2 2", "m | pad j#1 1"],
)
def test_what_has_no_such_loop_goes_where_it_is_placed(
    columns: str, place: str, values: str
) -> None:
    if "2" in columns:
        place = place.replace("=i", "=2*i+1").replace("=m", "=7")
    chance = np.random.default_rng(2)
    calls = [
        [chance.standard_normal((9, 12)), chance.standard_normal(30), n, m]
        for n in (0, 1, 2, 5)
        for m in (0, 1, 2, 3, 7)
    ]
    for pad in ("", "pad b.j 1 | "):
        same(LACKING.format(pad, place, values, columns), *calls)


def test_a_row_of_elimination_has_its_factor_in_a_part_of_its_own() -> None:
    source = """
# looptx: fuse factors rest at j=k | cut j k+1 | split i 2 | reorder i k j#2 ii
def f(A, n):
    for k in range(n):
        # looptx: nest factors
        for i in range(k + 1, n):
            A[i, k] = A[i, k] / A[k, k]
        # looptx: nest rest
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                A[i, j] = A[i, j] - A[i, k] * A[k, j]
"""
    matrix = np.random.default_rng(4).standard_normal((8, 8))
    new = same(source, *([matrix, n] for n in (0, 1, 2, 3, 5, 8)))
    block = """
        for k in range(i):
            for ii in range(i, i + 2):
                A[ii, k] = A[ii, k] / A[k, k]
            for j in range(k + 1, n):
                for ii in range(i, i + 2):
                    A[ii, j] = A[ii, j] - A[ii, k] * A[k, j]
"""
    assert block in new


def test_a_loop_in_steps_from_elsewhere_that_one_nest_lacks_is_not_cut() -> None:
    source = LACKING.format("", "at j=i", " i", "i, m, 2").replace("j=i|", "j=i |")
    assert "LX106 `j` was fused with a nest that has no such loop" in refusal(source)


def test_sizes_of_arrays_are_values() -> None:
    source = """
def f(A, B):
    # looptx: cut i len(A)//2 A.shape[0]-1
    for i in range(A.shape[0]):
        B[i] = 2.0 * A[i]
"""
    new = same(source, *([np.arange(n) + 0.1, np.zeros(n)] for n in SIZES))
    assert "range(len(A) // 2" in new or "A.shape[0] // 2" in new


def test_a_size_that_no_bound_has_is_a_value() -> None:
    source = """
def f(A, B):
    n, m = A.shape
    # looptx: cut i n-1
    for i in range(m):
        B[i] = A[0, i] + n
"""
    sizes = ((1, 1), (2, 5), (3, 1), (5, 3), (7, 6))
    arrays = (np.arange(n * m + 0.0).reshape(n, m) for n, m in sizes)
    same(source, *([array, np.zeros(array.shape[1])] for array in arrays))


def test_what_a_loop_leaves_in_its_variable_is_that_of_the_last_part() -> None:
    source = """
def f(x, n):
    i = -7
    # looptx: cut i n-2 4 | split i#1 2
    for i in range(n):
        x[i] = x[i] + i
    return i
"""
    same(source, *([np.arange(9.0), n] for n in SIZES))


def test_an_exception_is_the_same_in_each_part() -> None:
    source = """
def f(x, y, n):
    # looptx: cut i 3
    for i in range(n):
        y[i] = 1.0 / x[i]
    return y
"""
    given = [([1.0] * at + [0.0] * (6 - at), [0.0] * 6, 6) for at in range(7)]
    same(source, *given)


def test_parts_are_loops_without_conditions() -> None:
    source = """
def kernel(A, n):
    # looptx: cut j k k+1
    for k in range(n):
        for j in range(n):
            A[j] = A[j] + A[k]
"""
    assert loops(source) == (
        "for k in range(n):\n"
        "    for j in range(k):\n"
        "        A[j] = A[j] + A[k]\n"
        "    A[k] = A[k] + A[k]\n"
        "    for j in range(k + 1, n):\n"
        "        A[j] = A[j] + A[k]"
    )


def test_what_is_refused_before_a_cut_is_not_blamed_on_it() -> None:
    source = """
def f(A, n):
    # looptx: {}
    for i in range(1, n):
        for j in range(n - 1):
            A[i, j] = A[i - 1, j + 1]
"""
    for text in ("reorder j i | cut j 3", "cut j 3 | reorder j#2 i"):
        found = refusal(source.format(text))
        assert "LX201 refused: reorder" in found
    mended = "skew j i | reorder j i"
    same(source.format(mended), *([np.arange(49.0).reshape(7, 7), n] for n in SIZES))


def test_cuts_are_errors_with_a_code_where_nests_have_moved() -> None:
    source = NESTS.format("compute_at a b.i | cut b.j 2")
    assert "LX106 `b.j` cannot be cut after" in refusal(source)
    with pytest.raises(LooptxError):
        applied(nest_of(HAND), "cut i 1 | cut i#2 2 as P b")


@pytest.mark.parametrize(
    "text",
    [
        "cut b.i 2 | compute_at a b.i#2",
        "cut b.j 2 as low high | compute_at a b.high",
        "cut b.j i | compute_at a b.i | parallel b.i",
        "cut b.i 3 | cut b.j#2 1 | compute_at a b.j#3",
    ],
)
def test_work_moves_into_a_part(text: str) -> None:
    source = """
# looptx: {}
def f(A, B, n, m):
    T = np.zeros((n, m))
    # looptx: nest a
    for i in range(n):
        for j in range(m):
            T[i, j] = 2.0 * A[i, j]
    # looptx: nest b
    for i in range(n):
        for j in range(m):
            B[i, j] = T[i, j] + B[i, j]
"""
    same(source.format(text), *cases())


@pytest.mark.parametrize(
    ("head", "hint"),
    [
        ("i in range(n):\n        # looptx: nest a\n", "leave this directive out, or"),
        ("i in range(n):\n", "fuse fewer loops with `partial=`"),
    ],
)
def test_a_loop_that_one_nest_lacks_has_a_hint_that_is_no_round(
    head: str, hint: str
) -> None:
    inside = "nest a" in head
    second = "" if inside else "    for i in range(n):\n"
    text = f"""
# looptx: {{}}
def f(A, B, s, n, m):
    {"" if inside else "# looptx: nest a"}
    for {head}        for k in range(i % 2, m, 2):
            s[i] += A[k]
    {"    " if inside else ""}# looptx: nest o
{second}        B[i] = s[i]
"""
    assert hint in refusal(text.format("fuse a o at k=i%2 | cut k 2"))
    other = "cut a.k 2" if inside else "fuse a o partial=1 | cut k 2"
    chance = np.random.default_rng(4)
    calls = [
        (*(chance.standard_normal(9) for _ in range(3)), n, m)
        for n in (0, 1, 3, 7)
        for m in (0, 1, 2, 5)
    ]
    same(text.format(other), *calls)


def test_a_nest_of_which_a_part_is_left_is_not_fused() -> None:
    found = refusal(NESTS.format("cut a.i 2 | fuse a b"))
    assert "LX106 `a` is no longer one nest: its loops are distributed or cut" in found
