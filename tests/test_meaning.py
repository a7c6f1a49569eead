"""Random schedules mean what an enumeration says they mean, and are judged as exactly.

``LOOPTX_CASES`` says how many are tried: ``make fuzz TIER=meaning N=10000``.
"""

from __future__ import annotations

import itertools
import os
import random
import time
import warnings
from collections.abc import Mapping

import meaning_run
import pytest
from meaning import Space
from meaning_cases import Case, applied
from meaning_programs import write
from meaning_run import Source, conflicts, instances, read, run
from meaning_tree import Wrong
from programs_run import rewritten

import looptx.source
from looptx import hints
from looptx.cli.text import plan
from looptx.poly.analysis import Analysis
from looptx.poly.legality import witness
from looptx.poly.spaces import budget

CASES = int(os.environ.get("LOOPTX_CASES", "500"))
PARTS = 4
"""The cases are shared between so many tests, for parallel test runs."""

FAMILIES = 100_000
"""How many cases a part may try."""

SOME = ((0, 0), (1, 1), (2, 2), (3, 3), (5, 4), (4, 7), (7, 6), (0, 3), (6, 1))
"""Sizes at which orders are compared."""

ALL = tuple(itertools.product(range(8), repeat=2))
"""Sizes at which a refusal must find its reason."""

UNKNOWN = ("LX203", "LX204")


def numbered(seed: int) -> Case:
    """A case that is always the same for a number."""
    return write(random.Random(seed).randint)


@pytest.fixture(autouse=True)
def no_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking for a hint takes longer than all the rest, and is tested elsewhere."""
    monkeypatch.setattr(hints, "suggest", lambda *_: "")


def problem(case: Case) -> tuple[str, str]:
    """The code that looptx gives, and what is wrong with it or its result.

    A schedule that is not understood (LX203, LX204) is no problem here.
    """
    wrong = applied(case)[1]
    first = last = rewritten(case.text())
    if first.code in ("LX201", *UNKNOWN):
        # What is malformed in a later nest is not yet seen then.
        last = rewritten(case.text(trust=True))
    both = {wrong, last.code} in ({wrong}, {"LX106", "LX206"})
    if not both and last.code not in UNKNOWN:
        return (
            last.code,
            f"{last.message or 'nothing'} where {wrong or 'no code'} is due",
        )
    if last.code:
        return last.code, ""
    source = read(case.text())
    why = _misplaced(source, last.text, accepted=not first.code)
    if not why and first.code == "LX201" and not _needed(source, case.text(trust=True)):
        why = f"this refuses a legal schedule: {first.message}"
    return first.code, why


def scheduled(
    source: Source, sizes: Mapping[str, int], extents: Mapping[str, int] | None = None
) -> Space:
    """The loops of a function at some sizes with all its directives."""
    space = Space(source, sizes, extents)
    for text, line in source.directives:
        space.apply(text, line)
    return space


def _misplaced(source: Source, new: str, accepted: bool) -> str:
    """Where the new text runs something else, or in another order, than it should."""
    for n, m in SOME:
        sizes = {"n": n, "m": m}
        space = scheduled(source, sizes)
        expected = space.order()
        ran = run(new, source.ranks, sizes)
        found = instances(ran)
        if found != expected:
            pairs = enumerate(itertools.zip_longest(found, expected))
            at, pair = next((at, pair) for at, pair in pairs if pair[0] != pair[1])
            return f"at n={n}, m={m} instance {at} is {pair[0]}, not {pair[1]}"
        touched = space.run.touched
        if ran.events != [event for one in found for event in touched[one]]:
            return f"at n={n}, m={m} something else is read or written"
        if accepted:
            if conflicts(found, touched) != conflicts(space.run.order, touched):
                return f"at n={n}, m={m} conflicting accesses change their order"
            if not meaning_run.same(ran.cells, space.run.cells):
                return f"at n={n}, m={m} other numbers come out"
    return ""


def _needed(source: Source, trusted: str) -> bool:
    """Whether conflicting accesses change their order at some sizes."""
    for n, m in ALL:
        if _broken(scheduled(source, {"n": n, "m": m})):
            return True
    named = _witness(trusted)
    extents = {text: number for text, number in named.items() if "." in text}
    sizes = {name: named.get(name, 0) for name in "nm"}
    return _broken(scheduled(source, sizes, extents))


def _broken(space: Space) -> bool:
    touched = space.run.touched
    return conflicts(space.order(), touched) != conflicts(space.run.order, touched)


def _witness(text: str) -> Mapping[str, int]:
    """Where looptx sees the trusted order of a function go wrong."""
    module = looptx.source.read(text, "f.py")
    (kernel,) = module.kernels
    for planned in plan(module, kernel):
        with budget():
            analysis = Analysis(planned.nest)
            if fault := analysis.fault(planned.schedule):
                return witness(analysis.spaces, fault.violation).sizes
    raise AssertionError("nothing is wrong here")


def shrunk(case: Case, code: str) -> Case:
    """The smallest case found that has a problem with the same code."""
    for smaller in case.smaller():
        try:
            found, why = problem(smaller)
        except Exception:
            continue
        if why and found == code:
            return shrunk(smaller, code)
    return case


@pytest.mark.parametrize("part", range(PARTS))
def test_schedules_mean_what_they_say(part: int) -> None:
    seeds: dict[str, list[int]] = {}
    start = int(os.environ.get("LOOPTX_SEED", "0")) * PARTS + part
    count = max(CASES // PARTS, 1)
    for seed in range(start * FAMILIES, start * FAMILIES + count):
        case = numbered(seed)
        code, why = problem(case)
        seeds.setdefault(code, []).append(seed)
        if why:
            small = shrunk(case, code)
            pytest.fail(f"seed {seed}: {problem(small)[1] or why}\n{small.text()}")
    unknown = [seed for code in UNKNOWN for seed in seeds.get(code, [])]
    if unknown:
        warnings.warn(f"not understood: the cases of the seeds {unknown}", stacklevel=1)
    assert len(unknown) <= max(0.02 * count, 3), unknown
    assert len(seeds.get("", [])) >= 0.3 * count


LOOPS = """
def g(W, A, n: int, m: int):
    for i in range({}):
        A[i, 0] = W[0, i]
        for j in range({}):
            A[i, j] = W[1, i, j]
"""
TILED = "pad i 1 | split i 2 | reorder i j ii"
NESTS = """
def g(W, A, n: int, m: int):
    for i in range(n):
        A[i, 0] = W[0, i]
    for i in range(1, m):
        for j in range(2):
            A[i, j] = W[1, i, j]
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
    space = scheduled(read(text), {"n": 3, "m": 3})
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
    source = read(f"# looptx: {directives}{NESTS}")
    found = ""
    try:
        scheduled(source, {"n": 3, "m": 3})
    except Wrong as wrong:
        found = wrong.code
    assert found == code
    assert (
        rewritten(f"# looptx: trust order\n# looptx: {directives}{NESTS}").code == code
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
    assert _witness(WIDE)
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
    assert rewritten(text).code == ""


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
    found = rewritten(text)
    assert found.code == "", found.message
