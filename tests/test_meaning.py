"""Random schedules mean what an enumeration says they mean, and are judged as exactly.

``LOOPTX_CASES`` says how many are tried: ``make fuzz N=10000``.
"""

from __future__ import annotations

import itertools
import os
import random
from collections import Counter
from collections.abc import Mapping

import meaning_run
import pytest
from meaning import Space
from meaning_programs import Case, applied, write
from meaning_run import Source, conflicts, instances, read, run
from programs_run import rewritten

import looptx.source
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


def problem(case: Case) -> tuple[str, str]:
    """The code that looptx gives, and what is wrong with it or its result."""
    wrong = applied(case)[1]
    plain = rewritten(case.text())
    final = plain
    if plain.code in ("LX201", *UNKNOWN):
        # What is malformed in a later nest is not yet seen then.
        final = rewritten(case.text(trust=True))
    if wrong or final.code:
        same = wrong == final.code
        return final.code, "" if same else f"{final.message} where {wrong} is due"
    source = read(case.text())
    why = _misplaced(source, final.text, accepted=not plain.code)
    if not why and plain.code == "LX201" and not _needed(source, case.text(trust=True)):
        why = f"this refuses a legal schedule: {plain.message}"
    return plain.code, why


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


def shrunk(case: Case) -> Case:
    """The smallest case found that still has a problem."""
    for smaller in case.smaller():
        try:
            bad = bool(problem(smaller)[1])
        except Exception:
            continue
        if bad:
            return shrunk(smaller)
    return case


@pytest.mark.parametrize("part", range(PARTS))
def test_schedules_mean_what_they_say(part: int) -> None:
    codes: Counter[str] = Counter()
    start = int(os.environ.get("LOOPTX_SEED", "0")) * PARTS + part
    for number in range(max(CASES // PARTS, 1)):
        seed = start * FAMILIES + number
        case = numbered(seed)
        code, why = problem(case)
        codes[code] += 1
        if why:
            small = shrunk(case)
            pytest.fail(f"seed {seed}: {problem(small)[1]}\n{small.text()}")
    assert codes[""] >= 0.3 * codes.total(), codes
