"""Caches of buffers, names of copies, and what happens behind the back of a cache."""

from __future__ import annotations

import numpy as np
import pytest
from kit.carried import refusal, same

SIZES = (0, 1, 2, 3, 5, 7)


def vectors() -> list[tuple[object, ...]]:
    chance = np.random.default_rng(3)
    return [(chance.standard_normal(9), chance.standard_normal(9), n) for n in SIZES]


def matrices() -> list[tuple[object, ...]]:
    return [(np.random.default_rng(n).standard_normal((9, 9)), n) for n in SIZES]


@pytest.mark.parametrize("verb", ["cache_read A at i", "cache_read A", "cache_write B"])
def test_loops_of_copies_have_none_of_the_names_of_the_function(verb: str) -> None:
    source = f"""
def f(A, B, n, ax0=3):
    # looptx: {verb}
    for i in range(n - 1):
        B[i] = A[i] + A[i + 1] + ax0
    return ax0
"""
    same(source, *vectors())


def test_a_buffer_may_be_named_like_the_loops_of_copies() -> None:
    source = """
def f(A, B, n):
    # looptx: cache_read A as ax0
    for i in range(n - 1):
        B[i] = A[i] + A[i + 1]
"""
    same(source, *vectors())


@pytest.mark.parametrize("place", ["", " at i"])
@pytest.mark.parametrize("first", ["cache_write A", "cache_read A"])
def test_a_second_cache_at_one_place(place: str, first: str) -> None:
    second = first.replace("A", "X")
    source = f"""
def f(A, B, n):
    # looptx: {first}{place} as X | {second}{place} as Y
    for i in range(1, n):
        {"A[i] = A[i] + 1" if "write" in first else "B[i] = A[i] + 1"}
"""
    same(source, *vectors())


def test_what_a_buffer_leaves_to_its_array_stays_there() -> None:
    source = """
def f(A, n):
    # looptx: cache_write A at i as X | cache_write X at j as Y
    for i in range(1, n):
        for j in range(n):
            A[i, j] = A[i - 1, j] + A[i, j]
"""
    assert "A[i - 1, j] +" in same(source, *matrices())


LEFT = """
import numpy as np
# looptx: {}
def f(A, B, C, n):
    T = np.empty(n)
    # looptx: nest p
    for i in range(n):
        T[i] = C[i] * 2.0
    # looptx: nest c
    for i in range(n):
        A[i] = T[i] + 0.1
        for k in range(2):
            B[k] += T[i] * A[n + i]
"""


@pytest.mark.parametrize(
    "directives",
    [
        "cache_write A at c.i | compute_inline p",
        "cache_write A at c.i | compute_inline p | cache_read C at c.k",
        "cache_write A at c.i | trust order | rfactor c.i",
        "cache_write A at c.i | compute_at p c.i",
        "cache_write A at c.i | cache_write B at c.k",
    ],
)
def test_what_a_buffer_leaves_to_its_array_stays_there_in_later_steps(
    directives: str,
) -> None:
    chance = np.random.default_rng(5)
    arrays = chance.standard_normal(15), np.full(2, -0.0), chance.standard_normal(9)
    new = same(LEFT.format(directives), *((*arrays, n) for n in SIZES))
    assert "A[n + i]" in new


def test_what_a_buffer_leaves_to_its_array_is_no_use_of_the_buffer() -> None:
    source = """
# looptx: reassociate x | cache_write x at i | parallel j
def f(x, A, B, n):
    for i in range(n):
        for j in range(3):
            x[i] += A[j]
            B[j] = x[n + i]
"""
    new = same(source, *((np.arange(15.0), np.ones(3), np.ones(3), n) for n in SIZES))
    assert "x_cache" in new


def test_a_second_cache_makes_no_stale_read_legal() -> None:
    source = """
def f(A, B, n):
    # looptx: cache_read A as X{}
    for i in range(n):
        A[i] = B[i]
        B[i] = A[i] + 1
"""
    for more in ("", " | cache_write A as Y"):
        assert "LX201" in refusal(source.format(more))


def test_the_order_inside_an_iteration_is_kept_where_nothing_is_loaded() -> None:
    source = """
def f(A, n):
    # looptx: cache_write A at i{}
    for i in range(n):
        # looptx: nest a
        for j in range(n):
            A[i, j] = 0.5
        # looptx: nest b
        for j in range(n):
            A[i, j] += 1.0
"""
    same(source.format(" | fuse a b"), *matrices())
    assert "LX201" in refusal(source.format(" | fuse b a"))


def test_a_call_may_use_the_array_behind_a_cache() -> None:
    source = """
import numpy as np
G = np.zeros(20)
def g(x):
    return x + G[0]
def f(B, n):
    # looptx: cache_write G
    for i in range(n):
        G[i] = g(B[i])
    return G.copy()
"""
    assert "LX203" in refusal(source)


def test_a_packed_cache_moves_with_its_nest() -> None:
    source = """
def f(A, B, n):
    D = [0.0] * (n + 1)
    # looptx: nest p
    for i in range(n):
        D[i] = A[i]
    # looptx: nest c
    # looptx: cache_read A at p.i packed | compute_at p c.j
    for j in range(n):
        B[j] = D[j]
"""
    same(source, *vectors())


REFUSED = (
    """
# looptx: fuse a b
# looptx: cache_write B
def f(A, B, C, n):
    # looptx: nest a
    for i in range(n):
        B[i] = A[i]
    # looptx: nest b
    for i in range(n):
        C[i] = B[n - 1 - i]
""",
    """
# looptx: fuse n0 n2
# looptx: cache_write B at n0.i
def f(A, B, C, n):
    for i in range(n):
        B[i] = A[i]
    for i in range(n):
        if A[i] > 0:
            B[i] = 0
    for i in range(n):
        C[i] = B[i]
""",
    """
# looptx: reverse_compute_at n2 n0.i | cache_write B at n0.i
def f(A, B, C, n):
    D = B[:]
    for i in range(n):
        B[i] = A[i]
    for i in range(n):
        D[i] = 5
    for i in range(n):
        C[i] = B[i]
""",
    """
# looptx: fuse n0 n2
# looptx: cache_write B at n0.i
def f(A, B, C, n):
    for i in range(n):
        if i >= 1:
            B[i] = A[i]
    for i in range(1, n):
        if A[i] > 0:
            B[i] = 0
    for i in range(n):
        C[i] = B[i]
""",
    """
# looptx: cache_write B at t packed
def f(A, B, C, n):
    for t in range(2):
        for i in range(n):
            for k in range(2):
                if k == 0:
                    B[i - k + 1] = A[i] + t
                if k == 1:
                    C[i] = B[i - k + 1]
""",
)


@pytest.mark.parametrize("source", REFUSED)
def test_what_happens_between_a_write_and_a_read_of_a_buffer(source: str) -> None:
    assert refusal(source).partition(" ")[2][:5] in ("LX106", "LX201", "LX203")


def test_a_read_that_is_not_loaded_may_not_run_beside_its_write() -> None:
    source = """
def f(A, B, C, n):
    # looptx: cache_write C at i{}
    for i in range(1):
        for k in range(n):
            C[i + k] = A[k]
            if k >= 1:
                B[k] = C[i + k - 1]
"""
    assert "LX202" in refusal(source.format(" | parallel k"))
    assert "LX201" in refusal(source.format(" | split k 2 | reorder kk k"))


def test_a_copy_with_nothing_to_load_has_no_place_beside_a_call() -> None:
    """The sum begins in the buffer: its cells are never loaded."""
    text = """
def seen(value, log):
    log.append(value)


# looptx: rfactor n1.k as part
# looptx: cache_write part at part.k as one
# looptx: cache_write part at part.k as two
def f(T: "int64[:]", x: "int64[:]", y: "int64[:]", n: int, log):
    for i in range(n):
        T[i] = x[i]
    for i in range(n):
        for k in range(i + 1):
            T[i] += x[k]
    for i in range(3):
        seen(i, log)
    for i in range(n):
        y[i] += T[i]
"""
    arrays = [np.ones(7, int), np.arange(7), np.arange(7)]
    same(text, *([*arrays, size, []] for size in (0, 1, 5)))


COPIES = """
import numpy as np
# looptx: {}
def f(A, B, n, m):
    T = np.empty((n, m))
    # looptx: nest p
    for i in range(n):
        for j in range(m):
            T[i, j] = A[i, j] * 2
    # looptx: nest c
    for i in range(n):
        for j in range(m):
            B[i, j] = T[i, j]
"""


@pytest.mark.parametrize(
    "directives",
    [
        "cache_read A at p | compute_at A_cache p.i",
        "cache_read A | compute_at A_cache p.j",
        "cache_read T at c | compute_at T_cache c.i",
        "cache_write B at c | reverse_compute_at B_cache c.i",
    ],
)
def test_copies_of_one_of_several_nests_move(directives: str) -> None:
    arrays = [np.arange(64.0).reshape(8, 8), np.zeros((8, 8))]
    sizes = ((0, 0), (0, 3), (1, 1), (3, 5), (7, 2))
    same(COPIES.format(directives), *([*arrays, n, m] for n, m in sizes))


@pytest.mark.parametrize(
    "directives",
    [
        "cache_read A at p | simple_compute_at A_cache p.j",
        "cache_read A at p | compute_inline A_cache",
        "cache_read A at p | fuse A_cache p",
        "cache_write B at c | reverse_compute_inline B_cache",
    ],
)
def test_copies_are_no_nests_for_all_directives(directives: str) -> None:
    assert "LX106" in refusal(COPIES.format(directives))


def test_packed_buffers_of_one_cell_in_one_another() -> None:
    text = """
# looptx: cache_write C at n0.i packed as one
# looptx: cache_write C at n0.i packed as two
def f(A, C, n):
    for i in range(1, n):
        C[i] = A[i] * 2.0 + C[i]
"""
    same(text, *([np.arange(8.0), np.ones(8), n] for n in (0, 1, 2, 7)))


@pytest.mark.parametrize("more", ["", " packed", " packed | split z 3"])
def test_a_cache_of_a_nest_with_a_collapsed_loop(more: str) -> None:
    text = f"""
# looptx: collapse n0.i n0.j as z | cache_write T at n0{more}
def f(A, T, n, m):
    for i in range(n):
        for j in range(m):
            T[i, j] = A[i, j] * 2.0
"""
    arrays = [np.arange(64.0).reshape(8, 8), np.ones((8, 8))]
    sizes = ((0, 0), (0, 2), (1, 1), (3, 5), (7, 2))
    same(text, *([*arrays, n, m] for n, m in sizes))


def test_a_packed_cache_of_a_split_collapsed_loop_is_malformed() -> None:
    text = """
# looptx: collapse n0.i n0.j as z | split z 3 | cache_write T at n0 packed
def f(A, T, n, m):
    for i in range(n):
        for j in range(m):
            T[i, j] = A[i, j] * 2.0
"""
    assert "LX106" in refusal(text)


SUBNESTS = """
import numpy as np
# looptx: {}
def f(A, B, C, n):
    T = np.empty(n)
    for t in range(3):
        C[t] = A[t] + B[t]
        # looptx: nest x
        for i in range(n):
            A[i] = B[n - 1 - i] + t
        # looptx: nest y
        for i in range(n):
            T[i] = A[n - 1 - i]
        # looptx: nest z
        for i in range(n):
            B[i] += A[i] * T[i]
        C[t] -= A[t]
"""


@pytest.mark.parametrize(
    "directives",
    [
        "cache_read A at y",
        "cache_write A at x",
        "cache_write A at x | cache_read A at y",
        "split y.i 2 | cache_read A at y",
        "compute_at y z.i | cache_read A at y",
        "cache_read A at z | cache_read T at z",
        "fuse y z | cache_read A at y",
    ],
)
def test_at_a_sub_nest_is_there_and_in_the_loops_around_it(
    directives: str,
) -> None:
    """Whatever stands beside the sub-nest goes on using the array."""
    chance = np.random.default_rng(8)
    sets = [(*chance.standard_normal((3, 9)), n) for n in SIZES]
    new = same(SUBNESTS.format(directives), *sets)
    loop = new.partition("for t in")[2]
    assert "A_cache" in loop
    assert "C[t] = A[t] + B[t]" in loop
    assert "C[t] -= A[t]" in loop


def test_at_a_sub_nest_whose_loops_are_outside_is_before_these() -> None:
    source = """
# looptx: reorder i t | cache_read A at y
def f(A, B, n):
    for t in range(3):
        # looptx: nest y
        for i in range(n):
            B[i] += A[i + t]
"""
    sets = [(np.arange(12.0), np.ones(9), n) for n in SIZES]
    new = same(source, *sets)
    assert new.index("A_cache[ax0] = ") < new.index("for i in")
