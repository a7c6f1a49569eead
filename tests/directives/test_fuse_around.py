"""``fuse_around``: which nests join an anchor, and where, against CPython."""

from __future__ import annotations

import time
from collections.abc import Mapping
from unittest import mock

import numpy as np
import pytest
from kit.around import amounts, check_plain, fates, found
from kit.carried import refusal, same, transformed

from looptx.around.judge import Judge
from looptx.poly.dependences.stages import Stage

SIZES = (0, 1, 2, 3, 7, 13)


def calls(arrays: int = 5) -> list[tuple[object, ...]]:
    """Arguments at small and uneven sizes."""
    chance = np.random.default_rng(3)
    return [
        (*(chance.standard_normal((34, 34)) for _ in range(arrays)), n) for n in SIZES
    ]


HEAD = """import numpy as np
# looptx: {}
def f(A, B, D, E, F, n):
    C = np.empty((n, n))
    T = np.empty((n, n))
    U = np.empty((n, n))
"""
PRODUCT = """    # looptx: nest mm
    for i in range(n):
        for j in range(n):
            C[i, j] = 0.5
            for k in range(n):
                C[i, j] += A[i, k] * B[k, j]
"""
BARE = """    # looptx: nest mm
    for i in range(n):
        for j in range(n):
            for k in range(n):
                C[i, j] += A[i, k] * B[k, j]
"""
WHOLE = "tile mm.i=4 mm.j=3 | reorder mm.i mm.j mm.ii mm.jj mm.k | fuse_around mm"
TILED = (
    "tile mm.i=4 mm.j=4 mm.k=2 | reorder mm.i mm.j mm.k mm.ii mm.jj mm.kk"
    " | fuse_around mm"
)
DEEP = (
    "tile mm.i=8 mm.j=8 mm.k=4 | tile mm.ii=4 mm.jj=2"
    " | reorder mm.i mm.j mm.k mm.ii mm.jj mm.iii mm.jjj mm.kk"
    " | parallel mm.i | fuse_around mm"
)
ROWS = """    # looptx: nest total
    for i in range(n):
        U[i, 0] = 1.0
        for j in range(n):
            U[i, 0] += C[i, j]
"""


def cells(name: str, cell: str, value: str) -> str:
    """A nest over two loops that assigns to each cell."""
    return f"""    # looptx: nest {name}
    for i in range(n):
        for j in range(n):
            {cell} = {value}
"""


FILL = cells("fill", "C[i, j]", "0.5")
ADD = cells("add", "T[i, j]", "C[i, j] + D[j, 0]")
RELU = cells("relu", "E[i, j]", "max(T[i, j], 0.0)")
WIDE = cells("wide", "T[i, j]", "D[j, 0] * 2.0")

CASES = {
    "a chain": (PRODUCT + ADD + RELU, {"add": "ii", "relu": "ii"}),
    "several consumers": (
        PRODUCT
        + ADD
        + cells("relu", "E[i, j]", "max(C[i, j], 0.0)")
        + cells("less", "F[i, j]", "-C[i, j]"),
        {"add": "ii", "relu": "ii", "less": "ii"},
    ),
    "a residual": (
        PRODUCT
        + ADD
        + cells("exp", "U[i, j]", "T[i, j] * 0.5 + 1.0")
        + cells("mul", "E[i, j]", "T[i, j] * U[i, j]"),
        {"add": "ii", "exp": "ii", "mul": "ii"},
    ),
    "a side producer": (
        PRODUCT + WIDE + cells("add", "E[i, j]", "C[i, j] + T[i, j]"),
        {"wide": "ii", "add": "ii"},
    ),
    "side producers in a chain": (
        PRODUCT
        + cells("low", "U[i, j]", "D[j, 1] - 2.0")
        + cells("wide", "T[i, j]", "D[j, 0] * U[i, j]")
        + cells("add", "E[i, j]", "C[i, j] + T[i, j]"),
        {"low": "ii", "wide": "ii", "add": "ii"},
    ),
    "a producer with another consumer": (
        cells("p2", "T[i, j]", "D[i, j] * 2.0")
        + cells("p1", "A[i, j]", "T[i, j] + 1.0")
        + cells("c2", "E[i, j]", "T[i, j] - 1.0")
        + PRODUCT
        + cells("relu", "F[i, j]", "max(C[i, j], 0.0)"),
        {"p2": "i", "p1": "i", "c2": "i", "relu": "ii"},
    ),
    "a join": (
        PRODUCT
        + cells("op1", "T[i, j]", "D[i, j] * 2.0")
        + cells("op2", "U[i, j]", "D[j, i] + 2.0")
        + cells("relu", "F[i, j]", "max(C[i, j], 0.5)")
        + cells("op4", "E[i, j]", "T[i, j] * U[i, j] + F[i, j]")
        + cells("op5", "E[i, j]", "E[i, j] * E[i, j] + F[i, j]"),
        {"op1": "ii", "op2": "ii", "relu": "ii", "op4": "ii", "op5": "ii"},
    ),
    "a start": (FILL + BARE + ADD, {"fill": "ii", "add": "ii"}),
    "the sum of rows": (
        PRODUCT + ROWS + cells("over", "E[i, j]", "C[i, j] / U[i, 0]"),
        {"total": "i", "over": "i"},
    ),
    "the transposed": (
        PRODUCT + cells("turned", "E[j, i]", "C[i, j] + D[j, i]"),
        {"turned": "ii"},
    ),
    "a contraction": (
        PRODUCT
        + ADD
        + BARE.replace("C[", "E[").replace("A[", "T[").replace("mm", "two"),
        {"add": "ii"},
    ),
}
DEPTHS = {"i": "mm.i", "ii": "mm.jj"}


def places(chosen: Mapping[str, str]) -> dict[str, str]:
    """Where nests went."""
    clauses = (one.split() for one in chosen["fuse_around mm"].split(" | "))
    return {words[1]: words[2] for words in clauses if words}


@pytest.mark.parametrize("name", CASES)
def test_nests_join_where_the_least_passes(name: str) -> None:
    """In a product whose sum is the innermost loop, cell by cell."""
    body, expected = CASES[name]
    text = HEAD.format(WHOLE) + body
    chosen = amounts(text)
    assert places(chosen) == {nest: DEPTHS[at] for nest, at in expected.items()}
    check_plain(text, same(text, *calls()), chosen)


@pytest.mark.parametrize("name", CASES)
def test_nests_join_a_tile_whose_sum_is_complete(name: str) -> None:
    """In a product whose sum is in blocks, tile by tile."""
    body, expected = CASES[name]
    # The start stands in a nest of its own: the sum goes in blocks.
    if PRODUCT in body:
        body, expected = body.replace(PRODUCT, FILL + BARE), {**expected, "fill": "ii"}
    text = HEAD.format(TILED) + body
    tile = {"i": "mm.i", "ii": "mm.j"}
    chosen = amounts(text)
    assert places(chosen) == {nest: tile[at] for nest, at in expected.items()}
    check_plain(text, same(text, *calls()), chosen)


@pytest.mark.parametrize("name", ["a side producer", "a residual", "a join", "a start"])
def test_three_levels_in_parallel(name: str) -> None:
    body, expected = CASES[name]
    if PRODUCT in body:
        body, expected = body.replace(PRODUCT, FILL + BARE), {**expected, "fill": "ii"}
    text = HEAD.format(DEEP) + body
    chosen = amounts(text)
    assert places(chosen) == dict.fromkeys(expected, "mm.j")
    check_plain(text, same(text, *calls()), chosen)


def test_temporaries_shrink_to_the_tile() -> None:
    body = FILL + BARE + WIDE + cells("add", "E[i, j]", "C[i, j] + T[i, j]")
    text = HEAD.format(f"assume n > 0 | {TILED} | temp C T") + body
    new = same(text, *calls()[1:])
    assert "temp C: 8 * n * n bytes -> 128 bytes" in new
    assert "temp T: 8 * n * n bytes -> 128 bytes" in new
    check_plain(text)


def test_results_that_others_read_are_still_written() -> None:
    body = PRODUCT + ADD + RELU + "    return C, T\n"
    new = same(HEAD.format(WHOLE) + body, *calls())
    assert ("C[ii, jj] =" in new and "T[i2, j2] =" in new) or "T[ii, jj] =" in new


PACK = """    # looptx: nest pa
    for i in range(n):
        for k in range(n):
            T[i, k] = A[i, k] * 2.0
    # looptx: nest pb
    for k in range(n):
        for j in range(n):
            U[k, j] = B[k, j] * 2.0
"""
PACKED = PRODUCT.replace("A[i", "T[i").replace("B[k", "U[k")


def test_a_panel_is_packed_where_it_serves_once() -> None:
    text = HEAD.format(TILED) + PACK + PACKED.replace("            C[i, j] = 0.5\n", "")
    chosen, told = found(text)
    assert places(chosen) == {"pa": "mm.i"}
    assert told[0] == "fuse_around mm: pa is in mm.i: 32768 bytes, runs once"
    again = "each of its iterations would run"
    assert f"pb stays out of mm.kk, mm.jj: {again} 256 times" not in told
    assert all("pb stays out of" in line and again in line for line in told[1:])
    check_plain(text, same(text, *calls()), chosen)


def test_a_panel_is_packed_again_where_that_is_allowed() -> None:
    text = HEAD.format(TILED) + PACK + PACKED.replace("            C[i, j] = 0.5\n", "")
    text = text.replace("fuse_around mm", "fuse_around mm recompute=256")
    chosen, _ = found(text)
    clauses = chosen["fuse_around mm recompute=256"]
    assert clauses == "compute_at pb mm.k | compute_at pa mm.ii"
    check_plain(text, same(text, *calls()), chosen)


BLOCKS = """import numpy as np
# looptx: {}
def f(A, B, D, E, F, n):
    P = np.empty((n // 4 + 1, n, 4))
    C = np.empty((n, n))
    # looptx: nest pack
    for b in range((n + {last}) // {size}):
        for k in range(n):
            for r in range(min({size}, n - {size} * b)):
                P[b, k, r] = A[{size} * b + r, k]
    # looptx: nest mm
    for i in range(n):
        for j in range(n):
            C[i, j] = 0.0
            for k in range(n):
                C[i, j] += P[i // {size}, k, i % {size}] * B[k, j]
    # looptx: nest unpack
    for b in range((n + 3) // 4):
        for r in range(min(4, n - 4 * b)):
            for j in range(n):
                E[4 * b + r, j] = C[4 * b + r, j]
"""


@pytest.mark.parametrize("size", [4, 3])
def test_packing_in_blocks_that_agree_or_do_not(size: int) -> None:
    """A block that two tiles need would be packed in both."""
    text = BLOCKS.replace("{size}", str(size)).replace("{last}", str(size - 1))
    text = text.format("split mm.i 4 | fuse_around mm").replace("n // 4 + 1", "n + 1")
    chosen, _ = found(text)
    joined = places(chosen)
    assert joined["unpack"] in ("mm.ii", "mm.j")
    assert joined["pack"] in ("mm.i", "mm.ii")
    check_plain(text, same(text, *calls()), chosen)


@pytest.mark.parametrize(
    ("body", "nest", "why"),
    [
        (
            PRODUCT + BARE.replace("C[", "E[").replace("A[", "C[").replace("mm", "two"),
            "two",
            "stays: it is a contraction",
        ),
        (
            PRODUCT + cells("far", "F[i, j]", "D[i, j]") + ADD,
            "far",
            "stays: it exchanges nothing",
        ),
        (
            FILL + BARE + cells("relu", "A[j, i]", "max(C[i, j], 0.0)"),
            "relu",
            "stays out of mm.i: at n=2: read A[",
        ),
    ],
)
def test_what_stays_is_told(body: str, nest: str, why: str) -> None:
    text = HEAD.format("fuse_around mm") + body
    chosen, lines = found(text)
    told = [line for line in lines if line.startswith(f"fuse_around mm: {nest} ")]
    assert told and any(why in line for line in told), told
    check_plain(text, same(text, *calls()), chosen)


def test_cells_that_data_choose_count_as_sizes_that_are_not_known() -> None:
    """Their number was infinity, which is no integer."""
    text = """
# looptx: fuse_around q
def f(A, B, C, K, n):
    # looptx: nest p
    for i in range(n):
        B[K[i]] = A[i] + 1.0
    # looptx: nest q
    for i in range(n):
        C[i] = B[K[i]] * 2.0
"""
    chance = np.random.default_rng(3)
    given = [
        (*(chance.standard_normal(n) for _ in range(3)), chance.permutation(n), n)
        for n in SIZES
    ]
    assert "LX901" not in "\n".join(fates(text))
    same(text, *given)


def test_a_nest_may_be_excepted() -> None:
    text = HEAD.format("fuse_around mm except relu") + PRODUCT + ADD + RELU
    chosen, lines = found(text)
    assert chosen == {"fuse_around mm except relu": "reverse_compute_at add mm.j"}
    assert "relu stays: it is excepted" in "\n".join(lines)
    same(text, *calls())


def test_what_stays_keeps_others_out() -> None:
    """A cycle through a nest that stays outside."""
    body = PRODUCT + ADD + cells("out", "U[i, j]", "T[i, j] * 2.0")
    body += cells("last", "E[i, j]", "C[i, j] + U[i, j]")
    text = HEAD.format("fuse_around mm except out") + body
    chosen, lines = found(text)
    told = [one for one in lines if " last " in one]
    assert told and all("write U[" in one or "not finished" in one for one in told)
    check_plain(text, same(text, *calls()), chosen)


def test_arrays_that_may_share_memory_stay() -> None:
    text = """
# looptx: fuse_around mm
def f(A, B, D, E, F, n):
    C = F[::2]
    G = F[1:]
    # looptx: nest mm
    for i in range(n):
        for j in range(n):
            for k in range(n):
                C[i, j] += A[i, k] * B[k, j]
    # looptx: nest relu
    for i in range(n):
        for j in range(n):
            G[i, j] = max(C[i, j], 0.0)
"""
    told = "\n".join(fates(text))
    assert "relu stays out of mm.k, mm.j, mm.i: " in told and "share memory" in told
    same(text, *calls()[:4])


def test_two_anchors() -> None:
    two = BARE.replace("C[", "F[").replace("A[", "E[").replace("mm", "two")
    body = PRODUCT + ADD + RELU + two + cells("less", "D[i, j]", "-F[i, j]")
    text = HEAD.format("fuse_around mm | fuse_around two") + body
    chosen, _ = found(text)
    assert chosen == {
        "fuse_around mm": "reverse_compute_at add mm.j | reverse_compute_at relu mm.j",
        "fuse_around two": "reverse_compute_at less two.j",
    }
    check_plain(text, same(text, *calls()), chosen)


def test_operands_at_different_places_meet_where_both_are_complete() -> None:
    body = PRODUCT + ROWS + cells("exp", "T[i, j]", "C[i, j] * 0.5")
    body += cells("over", "E[i, j]", "T[i, j] / U[i, 0]")
    text = HEAD.format(WHOLE) + body
    chosen, _ = found(text)
    assert places(chosen) == {"total": "mm.i", "exp": "mm.jj", "over": "mm.i"}
    check_plain(text, same(text, *calls()), chosen)


def test_results_that_meet_at_different_tiles_stay() -> None:
    """`turned` is complete where the other tile is."""
    body = PRODUCT + ADD + cells("mix", "E[i, j]", "C[j, i] * T[i, j]")
    text = HEAD.format("tile mm.i=4 mm.j=3 | fuse_around mm") + body
    told = [one for one in fates(text) if " mix " in one]
    assert any("complete elsewhere" in one for one in told), told
    same(text, *calls())


def test_the_choice_is_always_the_same() -> None:
    body, _ = CASES["a join"]
    text = HEAD.format(TILED) + body.replace(PRODUCT, FILL + BARE)
    assert len({(str(amounts(text)), str(fates(text))) for _ in range(3)}) == 1


def test_what_cannot_be_tried_is_unknown_for_that_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = HEAD.format("fuse_around mm") + PRODUCT + ADD + RELU
    monkeypatch.setattr("looptx.around.search.MOST_PLACES", 3)
    told = fates(text)
    assert told[0] == "fuse_around mm: add is in mm.j: 8 bytes, runs once"
    assert "relu stays out of mm.k, mm.j, mm.i: unknown" in told[1]
    monkeypatch.undo()
    monkeypatch.setattr("looptx.around.judge.TRIAL_OPERATIONS", 10)
    add, relu = fates(text)
    assert "add stays out of mm.k, mm.j, mm.i: isl needs more operations" in add
    assert "relu stays: it exchanges nothing with what has joined" in relu
    same(text, *calls())


def test_nests_too_large_to_be_analysed_together_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They are no error, and what is said of each nest alone still holds."""
    text = HEAD.format(f"{WHOLE} except relu") + PRODUCT + ADD + RELU
    monkeypatch.setattr("looptx.around.expansion.MAX_OPERATIONS", 2000)
    add, relu = (one.partition("relu: ")[2] for one in fates(text))
    assert add.startswith("add stays: it is unknown what depends on what: isl needs")
    assert relu == "relu stays: it is excepted"
    assert "is in" not in same(text, *calls())
    check_plain(text)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("fuse_around", "LX102"),
        ("fuse_around mm add", "LX102"),
        ("fuse_around mm except", "LX102"),
        ("fuse_around mm except mm", "LX102"),
        ("fuse_around mm twice=3", "LX102"),
        ("fuse_around mm recompute=0", "LX103"),
        ("fuse_around mn", "LX104"),
        ("fuse_around mm except ad", "LX104"),
    ],
)
def test_what_is_malformed(text: str, code: str) -> None:
    assert code in refusal(HEAD.format(text) + PRODUCT + ADD)


def twelve() -> str:
    """A product with twelve nests around it."""
    body, last = FILL + BARE, "C"
    head = HEAD.format(TILED)
    for number in range(10):
        head += f"    V{number} = np.empty((n, n))\n"
        other = "D[j, i]" if number % 3 else f"{last}[i, j]"
        body += cells(f"op{number}", f"V{number}[i, j]", f"{last}[i, j] + {other}")
        last = f"V{number}" if number % 4 else last
    return head + body + cells("end", "E[i, j]", f"{last}[i, j]")


def test_twelve_nests_are_rewritten_in_time() -> None:
    text = twelve()
    start = time.process_time()
    new = transformed(text)
    assert time.process_time() - start < 3
    assert new.count(" is in mm.") == 12
    same(text, *calls()[:4])


def test_a_trial_takes_no_step_again_that_it_shares_with_others() -> None:
    """Its own step, and once per nest those of the nests that have joined."""
    with (
        mock.patch.object(
            Judge, "weigh", autospec=True, side_effect=Judge.weigh
        ) as one,
        mock.patch.object(
            Stage, "after", autospec=True, side_effect=Stage.after
        ) as step,
    ):
        amounts(twelve())
    assert step.call_count <= one.call_count + sum(range(13))


def test_what_is_tried_and_given_up_leaves_nothing_behind() -> None:
    """The nests that one anchor tried are as they were for the next."""
    two = BARE.replace("C[", "F[").replace("A[", "T[").replace("mm", "two")
    body = PRODUCT + ADD + cells("stuck", "A[j, i]", "T[i, j]") + two
    text = HEAD.format("fuse_around mm | fuse_around two") + body
    check_plain(text, same(text, *calls()))


def test_nests_behind_what_cannot_move_are_left_alone() -> None:
    stop = "    print(C[0, 0] if n else 0)\n"
    text = HEAD.format("fuse_around mm") + PRODUCT + ADD + stop + RELU
    chosen, _ = found(text)
    assert chosen == {"fuse_around mm": "reverse_compute_at add mm.j"}
    check_plain(text, same(text, *calls()), chosen)


APART = """    print(F)
    # looptx: nest far
    for i in range(n):
        for j in range(n):
            F[i, j] = C[i, j]
    # looptx: nest other
    for i in range(n):
        for j in range(n):
            U[i, j] = 1.0
    if n > 3:
        # looptx: nest deep
        for i in range(n):
            for j in range(n):
                E[i, j] = C[i, j]
    # looptx: nest two
    for i in range(n):
        for j in range(n):
            for k in range(n):
                F[i, j] += D[i, k] * B[k, j]
"""


def test_what_is_apart_is_told() -> None:
    """Also of nests that are not one with the anchor it is said why they stay."""
    text = HEAD.format("fuse_around mm except two") + PRODUCT + ADD + APART
    chosen, lines = found(text)
    told = [one.removeprefix("fuse_around mm except two: ") for one in lines]
    assert told[0].startswith("add is in mm.j")
    assert told[1].startswith("far stays: line 17, `print(F)`, stands between them")
    assert told[2:] == [
        "other stays: it exchanges nothing with what has joined",
        "deep stays: it does not stand beside the anchor",
        "two stays: it is excepted",
    ]
    bare = text.replace(" except two", "")
    assert fates(bare)[-1] == "fuse_around mm: two stays: it is a contraction"
    check_plain(text, chosen=chosen)


def test_what_is_behind_an_excepted_nest_exchanges_nothing() -> None:
    text = HEAD.format("fuse_around mm except add") + PRODUCT + WIDE
    text += cells("add", "U[i, j]", "C[i, j] + T[i, j]") + cells(
        "end", "E[i, j]", "U[i, j]"
    )
    chosen, lines = found(text)
    assert [one.removeprefix("fuse_around mm except add: ") for one in lines] == [
        "wide stays: it exchanges nothing with what has joined",
        "add stays: it is excepted",
        "end stays: it exchanges nothing with what has joined",
    ]
    check_plain(text, chosen=chosen)


@pytest.mark.parametrize(
    ("directives", "again"),
    [
        ("fuse_around mm | fuse_around mm", False),
        (
            "reorder mm.k mm.i mm.j | fuse_around mm"
            " | reorder mm.i mm.j mm.k | fuse_around mm",
            True,
        ),
    ],
)
def test_what_is_said_again_counts_where_it_stands(
    directives: str, again: bool
) -> None:
    """It sees the loops as they are there, and what has joined before."""
    text = HEAD.format(directives) + FILL + BARE + ADD + RELU
    _, lines = found(text)
    joined = [one.split()[2] for one in lines if " is in mm.j:" in one]
    assert joined == ["fill", "add", "relu"]
    assert any(" stays out of " in one for one in lines) == again
    assert same(text, *calls()).count(" is in mm.j") == 3


def test_a_nest_joins_no_loop_of_one_that_has_joined() -> None:
    """It stands in a loop of the anchor, and what has moved is a part of that."""
    body = PRODUCT + ADD + RELU
    moved = HEAD.format("reverse_compute_at add mm.i | fuse_around mm") + body
    assert places(amounts(moved)) == {"relu": "mm.i"}
    fused = HEAD.format("fuse fill mm | fuse_around fill") + FILL + BARE
    fused += cells("relu", "E[i, j]", "max(C[i, j], 0.0)")
    assert amounts(fused) == {"fuse_around fill": "reverse_compute_at relu fill.j"}
    for text in (moved, fused):
        check_plain(text, same(text, *calls()))


def test_nests_join_collapsed_loops() -> None:
    """Of which another one stands there after each move."""
    body = PRODUCT + ADD + RELU
    text = HEAD.format("collapse mm.i mm.j as g | fuse_around mm") + body
    chosen, _ = found(text)
    assert places(chosen) == {"add": "mm.g", "relu": "mm.g"}
    check_plain(text, same(text, *calls()), chosen)


def test_what_a_nest_writes_may_be_read_in_the_next_round() -> None:
    """In a loop over time; only what a nest reads has to be complete in one place."""
    rounds = "    # looptx: nest rounds\n    for t in range(3):\n"
    inner = PRODUCT + cells("back", "A[i, j]", "C[i, j] * 0.5")
    body = rounds + inner.replace("    ", "        ", 1).replace("\n    ", "\n        ")
    text = HEAD.format("fuse_around mm") + body.rstrip(" ")
    chosen, _ = found(text)
    assert places(chosen) == {"back": "mm.i"}
    check_plain(text, same(text, *calls()), chosen)
    other = text.replace("A[i, k]", "A[k, i]")
    assert places(amounts(other)) == {}
    assert any("back stays out of mm.i: at n=2: read A[" in x for x in fates(other))


def test_loops_of_what_has_moved_are_told_with_their_nest() -> None:
    two = BARE.replace("C[", "F[").replace("A[", "C[").replace("mm", "two")
    body = PRODUCT + two + cells("end", "E[i, j]", "F[i, j] + C[i, j]")
    told = fates(HEAD.format("compute_at mm two.i | fuse_around mm") + body)
    assert any("end stays out of mm.i: at n=1: write F[" in one for one in told)
    assert any("read F[0, 0] at (two.i=0, mm.i=0, end.i=0, end.j=0)" in x for x in told)


def test_a_reason_is_no_directive() -> None:
    head = HEAD.format("reverse_compute_inline relu | fuse_around mm")
    told = "\n".join(fates(head + PRODUCT + ADD + RELU))
    assert "relu stays out of mm.j: `relu` has moved into a loop already" in told


def test_a_temporary_that_what_stays_uses_is_refused_with_the_reason() -> None:
    head = HEAD.format("fuse_around mm | fuse_around mm except add | temp C T")
    error = refusal(head + PRODUCT + ADD + RELU + cells("far", "A[j, i]", "T[i, j]"))
    assert "LX117 `T` is no temporary" in error
    assert "\n    fuse_around mm: far stays out of mm.j: at n=2: read A[" in error
    assert "\n    fuse_around mm except add: far stays" in error
    assert "add stays" not in error and "relu stays" not in error


def test_another_anchor_is_a_contraction_and_its_nests_are_not() -> None:
    other = BARE.replace("mm", "two").replace("C[", "E[").replace("A[", "D[")
    other += cells("end", "F[i, j]", "E[i, j] * 2.0")
    text = HEAD.format("fuse_around mm | fuse_around two") + PRODUCT + other
    assert fates(text)[:2] == [
        "fuse_around mm: two stays: it is a contraction",
        "fuse_around mm: end stays: it exchanges nothing with what has joined",
    ]
