"""Cases put to looptx, and its answers compared with what directives mean.

What an enumeration finds decides: the order of all instances, what each of them
touches, which code is due, and whether a refusal is needed.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping

import meaning_run
from fuzz.case import BROKEN, Answer, Verdict, transformed
from fuzz.tally import REFUSED_LEGAL
from meaning import Space
from meaning_cases import SIZES, Case, applied
from meaning_copies import lacking
from meaning_programs import write
from meaning_run import Source, conflicts, instances, read, run

import looptx.source
from looptx.cli.text import plan
from looptx.poly.analysis import Analysis
from looptx.poly.budget import budget
from looptx.poly.dependences.legality import witness

SOME = ((0, 0), (1, 1), (2, 2), (3, 3), (5, 4), (4, 7), (7, 6), (0, 3), (6, 1))
"""Sizes at which orders are compared."""

ALL = tuple(itertools.product(range(8), repeat=2))
"""Sizes at which a refusal must find its reason."""

UNKNOWN = ("LX203", "LX204")
"""What looptx answers where it does not understand a schedule."""

ALIKE = ({"LX106", "LX206"},)
"""Codes of which either will do."""


def numbered(seed: int) -> Case:
    """A case that is always the same for a number."""
    return write(random.Random(seed).randint)


def examine(case: Case) -> Verdict:
    """The code that looptx gives a case, and what is wrong with it or its result.

    A schedule that is not understood is no fault here; a tier counts them.
    """
    due = applied(case)[1]
    first = last = transformed(case.text())
    if first.code in ("LX201", *UNKNOWN):
        # What is malformed in a later nest is not yet seen then.
        last = transformed(case.text(trust=True))
    if last.code in BROKEN:
        return Verdict(last.code, f"error {last.code}", last.message)
    known = last.code == due or {last.code, due} in ALIKE
    if not known and last.code not in UNKNOWN:
        detail = f"{last.message or 'nothing'} where {due or 'no code'} is due"
        return Verdict(last.code, "gives another code", detail)
    if last.code:
        return Verdict(last.code)
    return _compared(case, first, last.text)


def _compared(case: Case, first: Answer, new: str) -> Verdict:
    """The verdict on the text that the directives give, perhaps on trust."""
    source = read(case.text())
    kind, detail = _misplaced(source, new, accepted=not first.code)
    if not kind and (detail := lacking(scheduled(source, SIZES).body, new)):
        kind = "unrolls something else"
    if kind:
        return Verdict(first.code, kind, f"{detail}\n{new}")
    if first.code == "LX201" and not _needed(source, case.text(trust=True)):
        return Verdict(first.code, REFUSED_LEGAL, first.message)
    return Verdict(first.code)


def scheduled(
    source: Source, sizes: Mapping[str, int], extents: Mapping[str, int] | None = None
) -> Space:
    """The loops of a function at some sizes with all its directives."""
    space = Space(source, sizes, extents)
    for text, line in source.directives:
        space.apply(text, line)
    return space


def _misplaced(source: Source, new: str, accepted: bool) -> tuple[str, str]:
    """What the new text does otherwise than it should, and where."""
    for n, m in SOME:
        sizes = {"n": n, "m": m}
        at = f"at n={n}, m={m}"
        space = scheduled(source, sizes)
        expected = space.order()
        ran = run(new, source.ranks, sizes)
        found = instances(ran)
        if found != expected:
            pairs = enumerate(itertools.zip_longest(found, expected))
            place, pair = next((k, pair) for k, pair in pairs if pair[0] != pair[1])
            detail = f"{at} instance {place} is {pair[0]}, not {pair[1]}"
            return "runs in another order", detail
        touched = space.run.touched
        if ran.events != [event for one in found for event in touched[one]]:
            return "touches other cells", at
        if accepted:
            if conflicts(found, touched) != conflicts(space.run.order, touched):
                return "accepts an illegal schedule", at
            if not meaning_run.same(ran.cells, space.run.cells):
                return "computes something else", at
    return "", ""


def _needed(source: Source, trusted: str) -> bool:
    """Whether conflicting accesses change their order at some sizes."""
    for n, m in ALL:
        if _broken(scheduled(source, {"n": n, "m": m})):
            return True
    named = reason(trusted)
    extents = {text: number for text, number in named.items() if "." in text}
    sizes = {name: named.get(name, 0) for name in "nm"}
    return _broken(scheduled(source, sizes, extents))


def _broken(space: Space) -> bool:
    touched = space.run.touched
    return conflicts(space.order(), touched) != conflicts(space.run.order, touched)


def reason(text: str) -> Mapping[str, int]:
    """Where looptx sees the trusted order of a function go wrong."""
    module = looptx.source.read(text, "f.py")
    (kernel,) = module.kernels
    for planned in plan(module, kernel):
        with budget():
            analysis = Analysis(planned.nest)
            if fault := analysis.fault(planned.schedule):
                return witness(analysis.spaces, fault.violation).sizes
    raise AssertionError("nothing is wrong here")
