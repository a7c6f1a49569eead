"""``compute_at`` and ``reverse_compute_at`` among others, against CPython."""

from __future__ import annotations

import numpy as np
import pytest
from kit.carried import refusal, same
from kit.samples import crossed

SIZES = (0, 1, 2, 3, 7, 13)


def calls(arrays: int = 4) -> list[tuple[object, ...]]:
    """Arguments at small and uneven sizes."""
    chance = np.random.default_rng(5)
    return [
        (*(chance.standard_normal((34, 34)) for _ in range(arrays)), n) for n in SIZES
    ]


SHAPES = """
import numpy as np
# looptx: {}
def f(A, B, C, D, n):
    T = np.empty((2 * n + 4, 2 * n + 4))
    # looptx: nest p
    for i in range(n):
        for j in range(n):
            T[i, j] = A[i, j] * 1.1 + A[j, i]
    # looptx: nest c
    for x in range(n):
        for y in range({}):
            B[x, y] = {}
"""
STENCIL = """
import numpy as np
# looptx: {}
def f(A, B, C, D, n):
    T = np.empty((2 * n + 4, 2 * n + 4))
    # looptx: nest p
    for i in range(n):
        for j in range(1, n - 1):
            T[i, j] = A[i, j - 1] + A[i, j] + A[i, j + 1]
    # looptx: nest c
    for x in range(1, n - 1):
        for y in range(1, n - 1):
            B[x, y] = T[x - 1, y] + T[x, y] + T[x + 1, y]
"""
PRODUCT = """
# looptx: {}
def f(A, B, C, D, n):
    # looptx: nest mm
    for i in range(n):
        for j in range(n):
            C[i, j] = 0.5
            for k in range(n):
                C[i, j] += A[i, k] * B[k, j]
    # looptx: nest relu
    for x in range(n):
        for y in range(n):
            D[x, y] = max(C[x, y], 0.0)
"""
CHAIN = """
import numpy as np
# looptx: {}
def f(A, B, C, D, n):
    S = np.empty((n + 3, n + 3))
    T = np.empty((n + 3, n + 3))
    # looptx: nest a
    for i in range(n + 2):
        for j in range(n):
            S[i, j] = A[i, j] * 0.3
    # looptx: nest b
    for i in range(n + 1):
        for j in range(n):
            T[i, j] = S[i, j] + S[i + 1, n - 1 - j]
    # looptx: nest c
    for i in range(n):
        for j in range(n):
            C[i, j] = T[i, j] * T[i + 1, j]
    # looptx: nest d
    for i in range(n):
        for j in range(n):
            D[i, j] = C[i, j] - T[i, j]
"""
TIME = """
# looptx: {}
def f(A, B, C, D, n):
    for t in range(3):
        # looptx: nest p
        for i in range(n):
            B[t, i] = A[t, i] * 0.7
        # looptx: nest c
        for i in range(1, n - 1):
            A[t + 1, i] = B[t, i - 1] + B[t, i + 1]
"""


@crossed(
    loop=["x", "y"],
    cells=[
        ("n", "T[x, y]"),
        ("n", "T[n - 1 - x, y] + T[x, n - 1 - y]"),
        ("n - 1", "T[x, y + 1] - T[y, x]"),
        ("n // 2", "T[x, 2 * y] + T[y // 2, x // 3]"),
        ("n", "T[x // 16, y % 4]"),
        ("x + 1", "T[x, x - y] + T[y, y]"),
        ("n", "T[x, x]"),
        ("n - x", "T[x + y, y]"),
    ],
    more=["", " sliding", " | temp T"],
)
def test_subscripts(loop: str, cells: tuple[str, str], more: str) -> None:
    stop, read = cells
    text = f"compute_at p c.{loop}{more}"
    if loop == "y" and more == " | temp T" and "//" in read:
        text = f"reorder c.y c.x | {text}"
    same(SHAPES.format(text, stop, read), *calls())


@pytest.mark.parametrize(
    "text",
    [
        "compute_at p c.x sliding | temp T",
        "compute_at p c.y | temp T",
        "compute_at p c.x | temp T | parallel x | vectorize p.j | unroll c.y 2",
        "tile c.x=4 c.y=3 | reorder c.x c.y xx yy | compute_at p c.y | temp T",
        "tile c.x=5 c.y=2 | reorder c.x c.y xx yy | compute_at p c.x | parallel c.x"
        " | temp T",
        "split c.x 4 | compute_at p c.xx sliding | temp T",
        "split c.x 4 | compute_at p c.x sliding",
        "split p.i 3 | compute_at p c.x | temp T",
        "tile p.i=2 p.j=4 | reorder p.i p.j ii jj | compute_at p c.x",
        "reorder p.j p.i | compute_at p c.x",
        "reorder p.j p.i | compute_at p c.y sliding",
        "skew p.j p.i | compute_at p c.x",
        "skew c.y c.x | reorder c.y c.x | compute_at p c.y",
        "skew c.x c.y | compute_at p c.x | temp T",
        "compute_at p c.x | split p.i 2 | unroll p.j 3",
        "compute_at p c.x | split p.j 4 as u v | vectorize v | reorder p.u p.i",
        "compute_at p c.x | tile p.i=2 p.j=2 as s t | unroll t | temp T",
        "compute_at p c.x | split c.x 3 | reorder c.y xx",
        "compute_at p c.x | pad c.x 2 | split c.x 3",
        "compute_at p c.x sliding | split c.x 3 as s t | unroll t | temp T",
        "compute_at p c.x | collapse p.i p.j",
        "reverse_compute_at c p.i",
        "reverse_compute_at c p.j",
        "split p.i 4 | reverse_compute_at c p.i | split c.y 3",
        "reorder p.j p.i | reverse_compute_at c p.j",
        "reverse_compute_at c p.i | skew c.y p.i",
    ],
)
def test_a_stencil(text: str) -> None:
    same(STENCIL.format(text), *calls())


@pytest.mark.parametrize(
    "text",
    [
        "reverse_compute_at relu mm.j",
        "reverse_compute_at relu mm.k",
        "reverse_compute_at relu mm.i | vectorize relu.y | parallel i",
        "tile i=4 j=3 | reorder i j ii jj k | reverse_compute_at relu mm.j",
        "tile i=4 j=3 k=2 | reorder i j k ii jj kk | reverse_compute_at relu mm.k"
        " | unroll relu.x 2",
        "compute_at mm relu.x",
        "compute_at mm relu.y | unroll mm.k 2",
        "compute_at mm relu.y | parallel x",
        "split relu.x 4 | compute_at mm relu.x | reorder mm.k mm.i",
        "compute_at mm relu.y | split mm.k 3",
        "reorder mm.k mm.i mm.j | compute_at mm relu.x",
        "reverse_compute_at relu mm.i | reorder relu.y relu.x",
    ],
)
def test_a_product(text: str) -> None:
    same(PRODUCT.format(text), *calls())


@pytest.mark.parametrize(
    "text",
    [
        "compute_at b c.i sliding | compute_at a b.i",
        "compute_at b c.i | compute_at a c.i | temp S",
        "compute_at b c.j | compute_at a c.j",
        "reverse_compute_at d c.i | compute_at b c.i | compute_at a c.i | temp S T",
        "reverse_compute_at d c.j | compute_at b c.i sliding | temp T",
        "fuse c d partial=1 | compute_at b c.i | compute_at a c.i | temp S T",
        "fuse c d as u v g | compute_at b u sliding",
        "pad b.i 1 | fuse a b partial=1 | reverse_compute_at c a.i",
        "compute_at a b.i sliding | compute_at b c.i | parallel d.i",
        "compute_at a b.j | split c.i 3 | compute_at b c.i | temp S",
        "reverse_compute_at b a.i | reverse_compute_at c a.i",
    ],
)
def test_chains_and_two_consumers(text: str) -> None:
    same(CHAIN.format(text), *calls())


@pytest.mark.parametrize(
    "text", ["compute_at p c.i", "compute_at p c.i sliding", "reverse_compute_at c p.i"]
)
def test_nests_under_a_time_loop(text: str) -> None:
    same(TIME.format(text), *calls())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("compute_at p", "LX102"),
        ("compute_at p c.x twice", "LX102"),
        ("compute_at p c.x as q", "LX102"),
        ("compute_at 3 c.x", "LX102"),
        ("compute_at q c.x", "LX104"),
        ("compute_at p c.z", "LX104"),
        ("compute_at p p.i", "LX106"),
        ("collapse c.x c.y as z | split c.z 4 | compute_at p c.z", "LX106"),
        ("fuse p c | compute_at c p.j", "LX115"),
        ("distribute p.i | compute_at p f", "LX104"),
        ("reverse_compute_at c", "LX102"),
        ("reverse_compute_at c p.i sliding", "LX102"),
        ("reverse_compute_at c c.x", "LX106"),
    ],
)
def test_what_is_malformed(text: str, code: str) -> None:
    assert f" {code} " in refusal(STENCIL.format(text))


def test_a_nest_that_has_moved_does_not_move_out_again() -> None:
    wrong = refusal(STENCIL.format("compute_at p c.y | compute_at p c.x"))
    assert "LX106 `p` has moved into a loop already, and `c.x` is around it" in wrong
    assert "hint: put this directive in the place of the one that moved it" in wrong
    same(STENCIL.format("compute_at p c.x"), *calls())
    same(STENCIL.format("compute_at p c.x | compute_at p c.y sliding"), *calls())


def test_a_sum_that_starts_in_the_array_needs_a_temp_or_sliding() -> None:
    source = """
import numpy as np
# looptx: {}
def f(A, B, C, D, n):
    T = np.zeros(n)
    # looptx: nest p
    for i in range(n):
        for k in range(3):
            T[i] += A[i, k]
    # looptx: nest c
    for i in range(n - 1):
        B[i, 0] = T[i] + T[i + 1]
"""
    message = refusal(source.format("compute_at p c.i"))
    assert "LX211 refused: compute_at p c.i" in message
    assert "write T[1] at (c.i=0, p.i=1, p.k=2) runs last" in message
    assert "hint: `temp T` gives every iteration cells of its own." in message
    for text in ("compute_at p c.i | temp T", "compute_at p c.i sliding"):
        same(source.format(text), *calls())


def test_a_nest_that_changes_what_it_reads_runs_once() -> None:
    source = """
# looptx: {}
def f(A, B, C, D, n):
    # looptx: nest p
    for i in range(1, n):
        A[i, 0] = A[i, 0] * 2.0
    # looptx: nest c
    for i in range(2, n):
        B[i, 0] = A[i - 1, 0] + A[i, 0]
"""
    message = refusal(source.format("compute_at p c.i"))
    assert "at n=4: write A[2, 0] at (c.i=2, p.i=2) runs last" in message
    assert "`compute_at p c.i sliding` is legal" in message
    same(source.format("compute_at p c.i sliding"), *calls())


def test_what_writes_again_is_not_parallel() -> None:
    message = refusal(STENCIL.format("compute_at p c.x | parallel x"))
    assert "LX202 refused: parallel x" in message
    assert "`temp T` gives every iteration" in message


def test_a_value_that_has_changed_is_not_read() -> None:
    source = """
# looptx: compute_at p c.i
def f(A, B, C, D, n):
    # looptx: nest p
    for i in range(n):
        B[i, 0] = A[i, 0]
    # looptx: nest q
    for i in range(n):
        A[i, 0] = 0.0
    # looptx: nest c
    for i in range(n):
        C[i, 0] = B[i, 0]
"""
    message = refusal(source)
    assert "read A[0, 0] at (c.i=0, p.i=0) runs before write" in message


def test_what_stays_is_seen_by_a_nest_that_moves_in_part() -> None:
    """A statement of ``c`` reads nothing of ``b`` and stays with what it reads."""
    source = """
import numpy as np
# looptx: reverse_compute_at c b.i | compute_at a b.i
def f(A, B, C, D, n):
    T = np.zeros((40, 40))
    # looptx: nest a
    for i in range(2, n):
        T[i, 1] += A[i, 0]
        T[i, 0] += A[i, 1]
    # looptx: nest b
    for i in range(n):
        B[i, 0] = A[i, 2] + T[i, 1]
    # looptx: nest c
    for i in range(n):
        D[i, 0] = B[i, 0] * 2.0
        C[i, 0] = T[i + 2, 0] + T[i, 1]
"""
    same(source, *calls())


@pytest.mark.parametrize(
    "directive",
    ["compute_at c p.i", "compute_at c p.i sliding", "reverse_compute_at p c.i"],
)
def test_a_nest_of_which_nothing_moves_is_told(directive: str) -> None:
    error = refusal(RELAY.format(directive))
    assert "LX106" in error
    assert "that an iteration of the loop" in error


RELAY = """
# looptx: {}
def f(A, B, n):
    # looptx: nest p
    for i in range(n):
        A[i] = 2.0 * i
    # looptx: nest c
    for i in range(n):
        B[i] = A[i] * 3
"""
CHANGED = """
import numpy as np
# looptx: {}
def f(A, B, C, D, n):
    T = np.zeros(n)
    # looptx: nest p
    for i in range(n):
        T[i] = A[i, 0] * 2.0
    # looptx: nest c
    for i in range(n):
        for j in range(n):
            if i == 3:
                T[j] = 7.0
        for j in range(n):
            B[i, j] = T[j]
"""


@pytest.mark.parametrize("more", ["", " | temp T"])
def test_a_reader_that_writes_leaves_its_values_to_later_iterations(more: str) -> None:
    same(CHANGED.format(f"compute_at p c.i{more}"), *calls())
    text = refusal(CHANGED.format(f"compute_at p c.i{more} | reorder c.j#1 c.i"))
    assert "LX211" in text


def test_what_moves_again_is_read_in_later_iterations_of_the_first_loop() -> None:
    same(
        """
import numpy as np
# looptx: compute_at p c.i sliding | compute_at p c.j | temp T
def f(A, B, C, D, n):
    T = np.ones((2 * n + 4, 2 * n + 4))
    # looptx: nest p
    for i in range(1, n - 1):
        for j in range(2, n):
            T[i, j] = A[n - 1, i + 1] + T[i, j - 1]
    # looptx: nest c
    for i in range(1, n - 1):
        for j in range(i + 1):
            B[i, j] = A[j, j] + T[i // 2, n - 1 - i]
""",
        *calls(),
    )


def test_what_stays_is_read_in_later_steps_by_what_moves() -> None:
    source = """
import numpy as np
# looptx: {}
def f(A, B, C, D, n):
    T = np.zeros((2 * n + 4, 2 * n + 4))
    for t in range(3):
        # looptx: nest p
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                T[i, j] = A[i % 3, n - 1] + T[i + 2, j - 1]
        # looptx: nest c
        for x in range(1, n - 1):
            for y in range(1, n - 1):
                B[x, y] = T[y, y - 1] + A[y, x - 1]
"""
    assert "LX211" in refusal(source.format("compute_at p c.x"))


def test_rows_that_slide_in_blocks_that_run_in_parallel() -> None:
    blocks = "split c.x 4 | parallel c.x | compute_at p c.x | compute_at p c.xx sliding"
    same(STENCIL.format(f"{blocks} | temp T"), *calls())


def test_a_stencil_that_slides_in_tiles_is_short() -> None:
    """What its first iterations need is said in few pieces, without divisions."""
    text = """
import numpy as np
# looptx: tile c.i=3 c.j=4 | reorder c.i c.j c.ii c.jj | compute_at p c.i sliding
# looptx: unroll p.j 2
def f(A, B, n, m):
    T = np.empty((n, m))
    # looptx: nest p
    for i in range(n):
        for j in range(m):
            T[i, j] = A[i, j] * 2 + 1
    # looptx: nest c
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            B[i, j] = T[i - 1, j] + T[i + 1, j] - T[i, j - 1] + T[i, j + 1]
"""
    at = [(A, B, n, m) for A, B, n in calls(2) for m in (0, 1, 5, 7)]
    assert same(text, *at).count("\n") < 110


@pytest.mark.parametrize("more", ["s += 1", "s ^= i"])
def test_a_sum_of_integers_is_no_freedom_to_repeat(more: str) -> None:
    source = f"""
def f(A, B, C, D, n: int):
    s = 0
    # looptx: nest p
    for i in range(n):
        {more}
        C[i, 0] = s
    # looptx: nest c
    # looptx: compute_at p c.i{{}}
    for i in range(1, n):
        B[i, 0] = C[i, 0] + C[i - 1, 0]
    return s
"""
    assert "LX211" in refusal(source.format(""))
    same(source.format(" sliding"), *calls())


def test_a_call_that_nobody_knows_does_not_run_again() -> None:
    source = """
def f(A, B, C, D, n):
    it = iter(range(100))
    # looptx: nest p
    for i in range(n):
        C[i, 0] = next(it)
    # looptx: nest c
    # looptx: compute_at p c.i{}
    for i in range(1, n):
        B[i, 0] = C[i, 0] + C[i - 1, 0]
"""
    assert "LX203" in refusal(source.format(""))
    same(source.format(" sliding"), *calls())


def test_what_a_reader_writes_is_needed_by_what_moves_to_it() -> None:
    source = """
import numpy as np
# looptx: {}simple_compute_at c1 c2.i | compute_at p c2.i
def f(A, B, C, D, n):
    T = np.zeros(n + 2)
    # looptx: nest c1
    for i in range(n):
        T[i + 2] = A[i, 0]
    # looptx: nest p
    for x in range(n):
        T[x + 2] = T[x + 2] + 1
    # looptx: nest c2
    for i in range(n):
        B[i, 0] = T[i + 1] + T[i]
"""
    for more in ("", "temp T | "):
        assert refusal(source.format(more))


def test_a_whole_sum_does_not_run_again_where_its_start_does_not() -> None:
    source = """
def f(A, B, C, D, n):
    s = 0
    # looptx: nest p
    for k in range(n):
        s += 1
    # looptx: nest c
    # looptx: compute_at p c.j
    for j in range(n):
        B[j, 0] = s
"""
    assert "LX211" in refusal(source)


COLLAPSED = """
import numpy as np
# looptx: {}
def f(A, C, n, m):
    T = np.empty((n + 1, m + 1))
    # looptx: nest p
    for i in range(n + 1):
        for j in range(m + 1):
            T[i, j] = A[i, j] * 2
    # looptx: nest c
    for i in range(n):
        for j in range(m):
            C[i, j] = T[i, j] + T[i + 1, j] / T[i, j + 1]
"""


@pytest.mark.parametrize(
    "directives",
    [
        "compute_at p c.j | collapse c.i c.j as ij",
        "compute_at p c.j | temp T | collapse c.i c.j as ij",
        "compute_at p c.i | collapse p.i p.j as ij",
        "collapse p.i p.j as ij | compute_at p c.j",
        "collapse p.i p.j as ij | compute_at p c.i | temp T",
        "compute_at p c.j | collapse p.i p.j | collapse c.i c.j",
        "compute_at p c.j sliding | collapse c.i c.j as ij | split c.ij 3",
        "compute_at p c.i | temp T | collapse p.i p.j as pq | split p.pq 3",
        "cache_read T at c.j | collapse c.i c.j",
        "reverse_compute_at c p.j | collapse p.i p.j",
        "collapse c.i c.j as ij | compute_at p c.ij",
        "collapse c.i c.j as ij | compute_at p c.ij sliding",
        "collapse c.i c.j as ij | compute_at p c.ij | temp T | parallel c.ij",
        "collapse c.i c.j as ij | compute_at p c.ij | temp T | split c.ij 4",
        "collapse c.i c.j as ij | compute_at p c.ij sliding | split c.ij 4",
        "collapse p.i p.j as pq | collapse c.i c.j as ij | compute_at p c.ij | temp T",
        "collapse c.i c.j as ij | cache_read T at c.ij",
        "collapse p.i p.j as ij | cache_write T at p.ij packed",
        "collapse c.i c.j as ij | cache_write C at c.ij | split c.ij 3",
        "collapse p.i p.j as ij | reverse_compute_at c p.ij | split p.ij 3",
        "collapse p.i p.j as ij | compute_inline p",
        "split c.j 2 | collapse c.i c.j as ij | collapse c.ij c.jj as ijj |"
        " compute_at p c.ijj",
    ],
)
def test_loops_of_one_name_stay_apart_where_they_are_collapsed(directives: str) -> None:
    calls = [
        (np.arange(1.0, 73.0).reshape(8, 9) ** 1.5, np.zeros((8, 9)), n, m)
        for n in (0, 1, 2, 5)
        for m in (0, 1, 3, 7)
    ]
    same(COLLAPSED.format(directives), *calls)


def test_a_collapsed_loop_of_run_time_rows_is_split_after_the_move() -> None:
    split = "collapse c.i c.j as ij | split c.ij 4"
    message = refusal(COLLAPSED.format(f"{split} | compute_at p c.ij"))
    assert "LX106 `ij` is made of the collapsed loop `ij`, whose rows have a" in message
    assert "or `assume` how many iterations `j` has" in message
    calls = [np.ones((8, 9)), np.zeros((8, 9)), 5]
    after = "collapse c.i c.j as ij | compute_at p c.ij | split c.ij 4"
    known = f"assume m == 7 | {split} | compute_at p c.ij"
    for directives in (known, after):
        same(COLLAPSED.format(directives), [*calls, 6], [*calls, 7])


IN_BLOCKS = [
    "split c.ij 4 | compute_at p c.ij",
    "split c.ij 4 | compute_at p c.ij | temp T | parallel c.ij",
    "split c.ij 4 | compute_at p c.ij sliding",
    "split c.ij 4 2 | compute_at p c.ij_in | temp T",
    "split c.ij 3 | compute_at p c.ij | split p.i 2 | unroll p.j 2",
    "split c.ij 4 | compute_at p c.ij_in | compute_at s c.ij",
    "split c.ij 4 | cache_read T at c.ij",
    "split c.ij 3 | cache_write C at c.ij | vectorize C_cache.ax1",
    "split c.ij 3 | cache_write C at c.ij | cache_read T at c.ij | compute_at p c.ij",
    "split c.ij 4 | reorder c.ij_in c.ij | compute_at p c.ij_in",
    "skew c.ij k | compute_at p c.ij",
    "pad c.ij 1 | split c.ij 4 | compute_at p c.ij",
]


@pytest.mark.parametrize("width", [1, 5])
@pytest.mark.parametrize("directives", IN_BLOCKS)
def test_blocks_of_a_collapsed_loop(directives: str, width: int) -> None:
    text = f"""
import numpy as np
# looptx: collapse c.i c.j as ij | {directives}
def f(A, C, n):
    S = np.empty((n + 1, {width}))
    T = np.empty((n + 1, {width}))
    # looptx: nest s
    for i in range(n + 1):
        for j in range({width}):
            S[i, j] = A[i, j] * 3.0
    # looptx: nest p
    for i in range(n + 1):
        for j in range({width}):
            T[i, j] = S[i, j] + 2.0
    # looptx: nest c
    for i in range(n):
        for j in range({width}):
            for k in range(2):
                C[i, j] += T[i + 1, {width - 1} - j] * T[i, j] - k
"""
    chance = np.random.default_rng(4)
    calls = [[*chance.standard_normal((2, 9, 9)), n] for n in range(8)]
    same(text, *calls)


def test_a_block_of_a_collapsed_loop_is_not_packed() -> None:
    text = (
        "assume m == 7 | collapse c.i c.j as ij | split c.ij 4 | cache_write C at c.ij"
    )
    message = refusal(COLLAPSED.format(f"{text} packed"))
    assert "LX106 `ij` is made of the collapsed loop `ij`\n" in message
    assert "or leave `packed` out" in message
    same(COLLAPSED.format(text), [np.ones((8, 9)), np.zeros((8, 9)), 5, 7])


CHAINED = """
import numpy as np
# looptx: {}
def f(A, B, C, n, m):
    T = np.empty((n + 1, m))
    U = np.empty((n, m))
    # looptx: nest q
    for i in range(n + 1):
        for j in range(m):
            T[i, j] = A[i, j] * 2
    # looptx: nest p
    for i in range(n):
        for j in range(m):
            U[i, j] = T[i, j] / B[i, j]
    # looptx: nest c
    for i in range(n):
        for j in range(m):
            C[i, j] = U[i, j] - T[i + 1, j] * B[i, j]
"""


@pytest.mark.parametrize(
    "directives",
    [
        "collapse p.i p.j | compute_at p c.j | compute_at q c.j",
        "collapse p.i p.j | compute_at p c.j | compute_at q c.i",
        "collapse p.i p.j | compute_at p c.i | compute_at q c.i | temp T | temp U",
        "collapse p.i p.j | compute_at p c.i sliding | compute_at q c.i sliding",
        "collapse p.i p.j as pq | split p.pq 3 | compute_at p c.i | compute_at q c.i",
        "collapse p.i p.j as pq | compute_at p c.i | split p.pq 3 | compute_at q c.i",
        "collapse q.i q.j | collapse p.i p.j | compute_at p c.j | compute_at q c.j",
        "collapse q.i q.j as z | collapse p.i p.j | compute_at p c.i | compute_at q c.i"
        " | split q.z 2",
        "collapse p.i p.j as pq | compute_at p c.i | cache_read B at p.pq",
        "collapse p.i p.j as pq | compute_at p c.i | cache_read T at p.pq packed",
        "collapse p.i p.j as pq | compute_at p c.i | cache_write U at c.i",
        "collapse p.i p.j as z | split p.z 2 | compute_at p c.i | cache_read B at c.j",
        "collapse p.i p.j as pq | split p.pq 2 | cache_read T at c",
        "collapse p.i p.j as pq | compute_at p c.i | compute_inline q",
        "collapse p.i p.j as pq | collapse c.i c.j as ij | compute_at p c.ij"
        " | compute_at q c.ij | split c.ij 4",
        "collapse c.i c.j as ij | reverse_compute_at c p.i | temp U",
        "collapse q.i q.j as z | split q.z 4 2 | compute_at q c.i | compute_at p c.i",
    ],
)
def test_more_moves_beside_a_collapsed_loop_that_moved(directives: str) -> None:
    A = np.arange(1.0, 73.0).reshape(8, 9) ** 1.5
    calls = [
        (A, A[::-1] + 3.0, np.zeros((8, 9)), n, m)
        for n in (0, 1, 2, 5)
        for m in (0, 1, 3, 7)
    ]
    same(CHAINED.format(directives), *calls)


def test_what_nobody_reads_stays_behind_a_nest_that_it_cannot_join() -> None:
    """Its subscript may leave the array; each iteration of it runs once."""
    text = """
def f(A, B, n, m):
    # looptx: nest first
    for i in range(n):
        B[i] = i
    # looptx: nest last
    # looptx: reverse_compute_at last first.i
    for j in range(m):
        t = A[j] + B[j + 2]
"""
    sizes = ((0, 5), (5, 3), (5, 2), (0, 0))
    same(text, *([np.arange(4.0), np.zeros(9), *both] for both in sizes))


def test_what_runs_again_in_a_collapsed_loop_in_another_order_is_unknown() -> None:
    order = "collapse q.i q.j as z | split q.z 4 | reorder q.zz q.z | compute_at p c.i"
    message = refusal(CHAINED.format(f"{order} | compute_at q c.i"))
    assert "LX203 unknown: whether what runs again keeps its values" in message
    assert "the iterations of the collapsed loop `z` are not run in its" in message
    calls = [np.ones((8, 9)), np.ones((8, 9)), np.ones((8, 9)), 5, 7]
    same(CHAINED.format(f"{order} | compute_at q c.i sliding"), calls)


WRITTEN_ON = """
import numpy as np
# looptx: compute_at p c.j | compute_at z q.k
def f(A, B, E, F, n):
    P = np.empty(3 * n + 3)
    R = np.empty(n + 1)
    Z = np.empty(n + 1)
    # looptx: nest z
    for i in range(n):
        Z[i] = 3.0 * A[i]
    # looptx: nest p
    for i in range(n + 1):
        {first}
        R[i] = 2.0 * P[i]
    # looptx: nest c
    for j in range(n):
        E[j] = R[j] + R[j + 1]
        {inside}P[j + 1] = B[j]
        {last}
    # looptx: nest q
    for k in range(n):
        F[k] = {read} + Z[k]
"""


@pytest.mark.parametrize(
    ("first", "inside", "last", "read", "code"),
    [
        ("P[i] = A[i]", "F[j] = P[j]\n        ", "pass", "F[k]", "LX211"),
        ("P[i] = A[i]", "", "P[2 * n + j] = 7.0", "P[k + 1] + P[3 * n - 1]", "LX211"),
        ("P[i] = P[2 * n + i] = A[i]", "", "pass", "P[k + 1] + P[2 * n + k]", "LX211"),
    ],
)
def test_what_runs_again_destroys_what_was_written_since(
    first: str, inside: str, last: str, read: str, code: str
) -> None:
    """In the iteration itself, beside a cell that is right, and one of several."""
    text = WRITTEN_ON.format(first=first, inside=inside, last=last, read=read)
    assert f" {code}" in refusal(text)


def test_a_row_that_is_written_again_destroys_its_other_cells() -> None:
    text = WRITTEN_ON.format(first="P[i] = A[i] % 9.0", inside="", last="pass", read="")
    text = text.replace("np.empty(3 * n + 3)", "np.empty((3 * n + 3, 2))")
    text = text.replace("P[j + 1] = B[j]", "P[j + 1, 0] = B[j]")
    text = text.replace("2.0 * P[i]", "2.0 * P[i, 1]").replace("* A[i]", "* A[i, 0]")
    text = text.replace("F[k] = ", "F[k] = P[k + 1, 0] + P[k + 1, 1]")
    message = refusal(text)
    assert " LX211 refused: compute_at p c.j" in message
    assert "write P[1] at (c.j=1, p.i=1) runs last in the new order," in message


CELLWISE = """
import numpy as np
# looptx: compute_at p c.j
def f(A, B, C, E, n):
    P = np.zeros({shape})
    R = np.zeros(3 * n + 3)
    # looptx: nest p
    for i in range(n + 1):
        {producer}
    # looptx: nest c
    for j in range(n):
        {consumer}
    return P, R
"""
LINES = "\n        "


@pytest.mark.parametrize(
    ("shape", "producer", "consumer"),
    [
        (
            "3 * n + 3",
            "P[i] = P[2 * n + 2 + i] = A[i, 0]",
            ("E[j] = P[j] + P[2 * n + 3 + j]", "P[j] = B[j, 0]"),
        ),
        (
            "(n + 1, 2)",
            "P[i] = A[i, 0]",
            ("E[j] = P[j, 0] + P[j + 1, 1]", "P[j, 0] = B[j, 0]"),
        ),
        (
            "(n + 1, 2)",
            "P[i] = A[i, 0]",
            ("E[j] = P[j, 0] + P[j + 1, 1]", "P[j] = P[j] * 2"),
        ),
        (
            "n + 1",
            ("if A[i, 0] > 0:", "    P[i] = 1.5", "if B[i, 0] > 0:", "    P[i] += 2"),
            ("E[j] = P[j + 1]",),
        ),
        (
            "n + 1",
            ("if A[i, 0] > 0:", "    P[i] = 1.5", "if B[i, 0] > 0:", "    P[i] = 2"),
            ("E[j] = P[j] + P[j + 1]",),
        ),
    ],
)
def test_each_cell_is_judged_by_itself(
    shape: str, producer: str | tuple[str, ...], consumer: tuple[str, ...]
) -> None:
    """One run writes several, or a row, and only what is read has to be right."""
    lines = (producer,) if isinstance(producer, str) else producer
    text = CELLWISE.format(
        shape=shape, producer=LINES.join(lines), consumer=LINES.join(consumer)
    )
    assert "applied compute_at p c.j" in same(text, *calls())


def test_what_may_be_written_over_in_between_is_run_again_with_it() -> None:
    """The value of `P[i]` that `R[i]` needs is not what is left in the end."""
    producer = (
        "P[i] = A[i, 0]",
        "if i < n:",
        "    R[i] = 2.0 * P[i]",
        "if B[i, 0] > 0:",
        "    P[i] = 7.0",
    )
    text = CELLWISE.format(
        shape="n + 1", producer=LINES.join(producer), consumer="E[j] = {}"
    )
    message = refusal(text.format("P[j + 1] + R[j] + P[0]"))
    assert " LX203 unknown: compute_at p c.j" in message
    assert "whether P is used depends on data" in message
    assert "at n=2: write P[1] at (c.j=1, p.i=1) runs last in the new order," in message
    same(text.format("P[j + 1] + R[j] + P[j] + P[0]"), *calls())


def test_what_a_buffer_is_stored_from_is_what_was_written_last() -> None:
    text = """
import numpy as np
# looptx: cache_write P at s.t
# looptx: compute_at p c.j
def f(A, B, E, P, n):
    R = np.zeros(3 * n + 4)
    # looptx: nest s
    for t in range(2):
        # looptx: nest p
        for i in range(n + 1):
            P[i] = A[i]
            if i < n:
                R[i] = P[i] * 2.0
            P[i] = B[i]
        # looptx: nest c
        for j in range(n):
            E[j] = P[j + 1] + R[j] + P[0]
"""
    message = refusal(text)
    assert "LX211 refused: compute_at p c.j" in message
    assert "write P_cache[1] at (j=1, t=1, i=1) runs last in the new order," in message
    assert "before read P_cache[1] in round (t=1, ax0=1) of a copy" in message
    vectors = [
        (*(x[0] for x in one[:3]), one[3][1], one[-1]) for one in map(list, calls())
    ]
    assert "P_cache" in same(text.replace("+ R[j] ", "+ R[j] + P[j] "), *vectors)


def test_a_chain_that_slides_through_blocks_keeps_the_rows_that_are_live() -> None:
    text = """
import numpy as np
# looptx: split c.i 8 | compute_at b c.ii sliding | compute_at a c.ii sliding | temp T U
def f(A, B, n, m):
    T = np.empty((n, m))
    U = np.empty((n, m))
    # looptx: nest a
    for i in range(n):
        for j in range(m):
            T[i, j] = A[i, j] * 2.0
    # looptx: nest b
    for i in range(1, n - 1):
        for j in range(m):
            U[i, j] = T[i - 1, j] + T[i, j] + T[i + 1, j]
    # looptx: nest c
    for i in range(2, n - 2):
        for j in range(m):
            B[i, j] = U[i - 1, j] + U[i, j] + U[i + 1, j]
"""
    calls = [
        [np.arange(float(n * m)).reshape(n, m), np.ones((n, m)), n, m]
        for n in (0, 1, 3, 4, 5, 11, 12, 13, 20, 21, 29)
        for m in (0, 3)
    ]
    new = same(text, *calls)
    assert "T = np.empty((5, m))" in new
    assert "U = np.empty((3, m))" in new
    assert "elif" not in new
