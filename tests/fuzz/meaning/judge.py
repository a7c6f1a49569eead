"""Cases put to looptx, and its answers compared with what directives mean.

What an enumeration finds decides which code is due and the order of all instances;
whether that order is legal, and a refusal needed, the other oracles tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import zip_longest

from fuzz.meaning.copies import lacking
from fuzz.meaning.drawing import SIZES, UNDEFINED, applied
from fuzz.meaning.original import Source, read
from fuzz.meaning.space import Space
from fuzz.oracles import dataflow, legality, refusals
from fuzz.oracles.enumeration import Extents
from fuzz.oracles.orders import Runs
from fuzz.programs.model import Function, Program
from fuzz.tiers.case import BROKEN, Verdict, transformed, witness
from fuzz.tiers.tally import REFUSED_LEGAL

SOME = ((0, 0), (1, 1), (2, 2), (3, 3), (5, 4), (4, 7), (7, 6), (0, 3), (6, 1))
"""Sizes at which orders are compared."""

UNKNOWN = ("LX203", "LX204")
"""What looptx answers where it does not understand a schedule."""

ALIKE = ({"LX106", "LX206"},)
"""Codes of which either will do."""

UNSET = "sets no variable"


def examine(program: Program, seed: int) -> Verdict:
    """The code that looptx gives a case, and what is wrong with it or its result.

    A schedule that is not understood is no fault here; a tier counts them.
    """
    (function,) = program.functions
    due = applied(function)[1]
    if due == UNDEFINED:
        return Verdict("")
    first = last = transformed(program.text())
    if first.code in ("LX201", *UNKNOWN):
        # What is malformed in a later nest is not yet seen then.
        last = transformed(trusting(program))
    if last.code in BROKEN:
        return Verdict(last.code, f"error {last.code}", last.message)
    known = last.code == due or {last.code, due} in ALIKE
    if not known and last.code not in UNKNOWN:
        detail = f"{last.message or 'nothing'} where {due or 'no code'} is due"
        return Verdict(last.code, "gives another code", detail)
    if last.code:
        return Verdict(last.code)
    kind, why = _misplaced(function, last.text)
    if kind == UNSET and first.code:
        kind = ""  # An order that is not legal may read what is set later.
    if not kind and not first.code:
        why = legality.accepted(program, first.text).why
        kind = "accepts an illegal schedule" if why else ""
    if not kind and not first.code:
        why = dataflow.difference(program, first.text, seed) or ""
        kind = "computes something else" if why else ""
    if kind:
        return Verdict(first.code, kind, f"{why}\n{last.text}")
    if first.code == "LX201":
        told = trusting(program)
        given = program, last.text, first.code, first.message
        need = refusals.refused(*given, lambda: witness(told))
        if need.needed is False:
            return Verdict(first.code, REFUSED_LEGAL, first.message)
    return Verdict(first.code)


def trusting(program: Program) -> str:
    """The text in which all new orders are trusted, wherever directives stand."""
    (function,) = program.functions
    texts = ("trust order", *function.directives)
    return replace(program, functions=(replace(function, directives=texts),)).text()


def scheduled(source: Source, sizes: Mapping[str, int]) -> Space:
    """The loops of a function at some sizes with all its directives."""
    space = Space(source, sizes)
    for text, at in source.directives:
        space.apply(text, at)
    return space


def _misplaced(function: Function, new: str) -> tuple[str, str]:
    """What the new text runs in another order than it should, and where."""
    source = read(function)
    runs = Runs(new)
    for n, m in SOME:
        at = f"at n={n}, m={m}"
        expected = scheduled(source, {"n": n, "m": m}).order()
        recorder = runs.at(Extents(function, n, m))
        if recorder is None:
            return UNSET, at
        found = [(number - 1, *at) for number, at in recorder.order]
        # A statement in no loop has one instance.
        expected = [one if len(one) > 1 else (*one, 0) for one in expected]
        if found != expected:
            pairs = enumerate(zip_longest(found, expected))
            place, pair = next((k, pair) for k, pair in pairs if pair[0] != pair[1])
            detail = f"{at} instance {place} is {pair[0]}, not {pair[1]}"
            return "runs in another order", detail
    detail = lacking(scheduled(source, SIZES).body, new)
    return ("unrolls something else" if detail else ""), detail
