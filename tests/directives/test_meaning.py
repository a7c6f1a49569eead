"""Random schedules mean what an enumeration says they mean, and are judged as exactly.

``make fuzz TIER=meaning N=10000`` runs more.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from fuzz.meaning import judge, tier
from fuzz.meaning.copies import lacking
from fuzz.meaning.drawing import SIZES
from fuzz.meaning.judge import scheduled
from fuzz.meaning.original import Source, read
from fuzz.meaning.tree import Wrong
from fuzz.programs.model import Program
from fuzz.programs.reading import program
from fuzz.tiers.case import Answer, Verdict, transformed, witness
from fuzz.tiers.tally import REFUSED_LEGAL, Tally
from kit.samples import some

CASES = some(20)
PARTS = 2
"""The cases are shared between so many tests, for parallel test runs."""

FAMILIES = 100_000
"""How far apart they begin."""


@pytest.mark.parametrize("number", range(PARTS))
def test_schedules_mean_what_they_say(number: int) -> None:
    count = CASES // PARTS
    tally = tier.part((number * FAMILIES, count))
    assert not tally.failures, "\n".join(map(str, tally.failures))
    assert tally.cases == count
    assert tally.accepted >= tier.ACCEPTED * count
    assert tally.codes["LX203"] + tally.codes["LX204"] <= 3


def made(text: str) -> Program:
    """The program of a text, with tags."""
    return replace(program(text), tagged=True, single=True)


def source(text: str) -> Source:
    """What is to be known of the function of a text."""
    return read(program(text).functions[0])


SQUARE = """
def g(A, n: int, m: int):
{}    for i in range(n):
        for j in range(m):
            A[i, j] = 1
"""
MARK = "    # looptx: "
SWAPPED = made(SQUARE.format(f"{MARK}reorder j i\n{MARK}split j 3\n"))


def examine(one: Program) -> Verdict:
    return judge.examine(one, 0)


def answering(monkeypatch: pytest.MonkeyPatch, answer: Callable[[str], Answer]) -> None:
    """Let something else answer than looptx."""
    monkeypatch.setattr(judge, "transformed", answer)


def test_what_is_not_carried_out_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert examine(SWAPPED) == Verdict("")
    answering(monkeypatch, Answer)
    assert examine(SWAPPED).kind == "runs in another order"
    assert examine(made(SQUARE.format(""))).kind == ""
    tally = Tally()
    monkeypatch.setattr(tier, "drawn", lambda _: SWAPPED)
    tally.add(tier.part((7, 1)))
    (failure,) = tally.failures
    assert (failure.seed, failure.kind) == (7, "runs in another order")
    assert "reorder j i" in failure.program
    assert "split" not in failure.program
    assert "seed 7: runs in another order\nat n=0, m=0 instance 1 is" in str(failure)


FUSED = """
def g(A, C, n: int, m: int):
    # looptx: fuse n0 n1
    for i in range(n):
        for j in range(m):
            A[i, j] = 1
    # looptx: split n0.j 2
    for i in range(n):
        for j in range(m):
            C[i, j] = 2
        for j in range(m):
            A[i, j] = 3
"""


def test_the_name_of_a_nest_means_its_loops_wherever_the_directive_stands() -> None:
    assert examine(made(FUSED)) == Verdict("")
    assert examine(made(FUSED.replace("n0.j", "j"))) == Verdict("LX105")
    assert examine(made(FUSED.replace("n0.j", "n0.k"))) == Verdict("LX104")


@pytest.mark.parametrize(
    ("directive", "right", "wrong"),
    [
        ("unroll j 2", "range(0, m - 1, 2)", "range(0, m - 1, 3)"),
        ("unroll k", "A[i, j] = 2", "for k in range(2, 3): pass"),
    ],
)
def test_a_loop_that_is_not_unrolled_is_seen(
    directive: str, right: str, wrong: str
) -> None:
    text = f"# looptx: {directive}{COPIES}"
    body = scheduled(source(text), SIZES).body
    new = transformed(text).text
    assert right in new
    assert not lacking(body, new)
    assert lacking(body, new.replace(right, wrong)).startswith(f"`{directive[7]}` ")
    assert lacking(body, COPIES)


COPIES = """
def g(A, n: int, m: int):
    for i in range(n):
        for j in range(m):
            for k in range(3):
                A[i, j] = k
"""


def test_a_rest_of_one_iteration_is_no_loop() -> None:
    text = f"# looptx: unroll k 2{COPIES.replace('range(3)', 'range(5)')}"
    body, new = scheduled(source(text), SIZES).body, transformed(text).text
    assert "for k in range(0, 4, 2)" in new
    assert not lacking(body, new)
    assert lacking(body, new.replace("4, 2)", "4, 3)"))


def test_a_loop_that_is_too_short_for_a_factor_is_left() -> None:
    """The blocks have 3 iterations, or fewer at the end."""
    text = f"# looptx: split i 3 | unroll ii 5{COPIES}"
    body = scheduled(source(text), SIZES).body
    assert not lacking(body, transformed(text).text)
    assert lacking(body, COPIES.replace("for i in", "for ii in"))


def test_a_needless_refusal_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(text: str) -> Answer:
        told = "trust order" in text
        return transformed(text) if told else Answer("", "LX201", "no")

    answering(monkeypatch, refuse)
    monkeypatch.setattr(judge, "witness", lambda _: ({}, ""))
    assert examine(SWAPPED).kind == REFUSED_LEGAL
    answering(monkeypatch, lambda _: Answer("", "LX104", "no"))
    assert examine(SWAPPED).kind == "gives another code"


def test_too_much_that_is_not_understood_is_seen() -> None:
    tally = Tally(tier.ENOUGH, tier.ENOUGH - 3, Counter(LX204=3))
    assert not tier.alarms(tally)
    tally.codes["LX203"] = 10
    (failure,) = tier.alarms(tally)
    assert str(failure).startswith("all cases: understands too little\n187 of 200")
    tally.accepted = 10
    assert len(tier.alarms(tally)) == 2


LOOPS = """
def g(A, n: int, m: int):
    for i in range({}):
        A[i, 0] = 1
        for j in range({}):
            A[i, j] = 2
"""
TILED = "pad i 1 | split i 2 | reorder i j ii"
NESTS = """
def g(A, n: int, m: int):
    for i in range(n):
        A[i, 0] = 1
    for i in range(1, m):
        for j in range(2):
            A[i, j] = 2
"""


@pytest.mark.parametrize(
    ("function", "directives", "order"),
    [
        (LOOPS.format(2, 2), "", "0: 00 01 1: 10 11"),
        (LOOPS.format(2, 2), "reorder j i", "0: 1: 00 10 01 11"),
        (LOOPS.format(2, 3), "split j 2 | reorder j i jj", "0: 1: 00 01 10 11 02 12"),
        (LOOPS.format(2, 2), "skew i j | reorder j i", "0: 1: 00 10 01 11"),
        (LOOPS.format(3, 2), TILED, "0: 00 01 1: 2: 10 20 11 21"),
        (LOOPS.format("2, 0, -1", 2), "skew j i", "2: 20 21 1: 10 11"),
        (NESTS, "fuse n0 n1", "0: 1: 10 11 2: 20 21"),
        (NESTS, "fuse n1 n0 partial=1", "0: 10 11 1: 20 21 2:"),
        (NESTS, "fuse n0 n1 | reorder f i", "0: 1: 2: 10 20 11 21"),
        (NESTS, "pad n1.i 1 | fuse n0 n1", "0: 1: 2: 10 11 20 21"),
    ],
)
def test_the_interpreter_on_orders_that_are_known(
    function: str, directives: str, order: str
) -> None:
    text = f"# looptx: {directives}{function}" if directives else function
    space = scheduled(source(text), {"n": 3, "m": 3})
    shown = ["".join(map(str, one[1:])) + ":" * (one[0] == 0) for one in space.order()]
    assert " ".join(shown) == order


@pytest.mark.parametrize(
    ("directives", "code"),
    [
        ("split k 2", "LX104"),
        ("split i 2", "LX105"),
        ("fuse n0 n0", "LX115"),
        ("fuse n0 n1 | fuse n1 n0", "LX115"),
        ("fuse n0 n1 partial=3", "LX114"),
        ("fuse n0 n1 partial=1 | reorder j f", "LX113"),
        ("fuse n0 n1 partial=1 | unroll f 2", "LX112"),
        ("fuse n0 n1 partial=1 as i j f", "LX102"),
        ("split n1.j 2 | split n1.jj 2 | split n1.jjj 1", ""),
    ],
)
def test_the_interpreter_on_what_is_wrong(directives: str, code: str) -> None:
    found = ""
    try:
        text = f"# looptx: {directives}{NESTS}"
        scheduled(source(text), {"n": 3, "m": 3})
    except Wrong as wrong:
        found = wrong.code
    assert found == code
    assert (
        transformed(f"# looptx: trust order\n# looptx: {directives}{NESTS}").code
        == code
    )


WIDE = """\
# looptx: trust order
# looptx: split s1.j 2
def g(W, A, B, C, x, y, n: int, m: int):
    # looptx: nest s1
    for i in range(0, m, 2):
        for j in range(i, n, 2):
            x[n + 9 - j] = W[0, i, j] + C[i, j]
    # looptx: nest s2
    for i in range(0, m, 2):
        # looptx: nest s3
        for j in range(i, n, 2):
            for k in range(1, n + 1):
                C[0, k // 2] = 0.5 * x[i // 2] + W[1, i, j, k]
        C[i - i + 9, i + 1] += W[2, i] * 0.25
        # looptx: nest s4
        for j in range(i, i + 3):
            for k in range(n):
                C[i + 1, n + 9 - j] = W[3, i, j, k]
    # looptx: trust order
    # looptx: fuse n2 s1 partial=1 as p5 g6
    # looptx: fuse n2 s2 partial=1
    # looptx: split p5 4 as q u8
    # looptx: tile u8=3 g6=3
    # looptx: reorder q u8_in
    for i in range(0, m, 2):
        for j in range(1, 5 + 1):
            B[j // 2, n + 9 - j] = W[4, i, j] - 0.5 * B[i, i]
"""


def test_a_pair_of_iterations_is_found_soon() -> None:
    """Of this one, isl describes the first of all cells for minutes."""
    start = time.process_time()
    assert witness(WIDE)[0]
    assert time.process_time() - start < 20


def test_products_of_sizes_end_a_search() -> None:
    """A fact about a product must not lead back to the product."""
    text = """\
def g(B, x, n: int, m: int):
    # looptx: collapse k i
    # looptx: pad ki 0 | pad ki 1
    for k in range(m, 0, -2):
        for i in range(k + 1, 4 + 1):
            B[i + 2, n + 9 - i] = 0.5 * x[k]
"""
    assert transformed(text).code == ""


def test_names_of_another_nest_are_free_after_collapse() -> None:
    text = """\
def g(A, B, n):
    # looptx: split i 2 2 | collapse iii j
    # looptx: nest s1
    for i in range(n):
        for j in range(n):
            A[i, j] = 1.0
    # looptx: split i 2 2 | fuse s1 s2 partial=1 | pad iii 3
    # looptx: nest s2
    for i in range(n):
        B[i] = 2.0
"""
    found = transformed(text)
    assert found.code == "", found.message
