"""One program put to looptx, and its answer put to the oracles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from unittest import mock

from fuzz import dataflow, legality, tidy
from fuzz.model import Program
from fuzz.tally import REFUSED_LEGAL
from looptx import hints, source
from looptx.cli.text import plan, transform_text
from looptx.poly import legality as legality_of
from looptx.poly.analysis import Analysis
from looptx.poly.spaces import budget

BROKEN = ("LX107", "LX302", "LX303", "LX305", "LX901")
"""Errors that no program of ours deserves."""

OTHER = "run other iterations"
"""What looptx says where isl writes wrong loops in each way."""

TIDY = 10
"""The text of every so many cases is looked at closely, as formatting takes long."""


@dataclass(frozen=True)
class Verdict:
    """What became of a case.

    Attributes:
        code: of looptx's error, or ``""``. kind: of what is wrong, or ``""``.
        detail: what was seen. notes: what else is worth counting.
    """

    code: str
    kind: str = ""
    detail: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What looptx made of a text: another one, or an error with its message."""

    text: str
    code: str = ""
    message: str = ""


def transformed(text: str) -> Answer:
    """The text with its directives carried out, or why not.

    Looking for a hint takes longer than all the rest, and is tested elsewhere.
    """
    with mock.patch.object(hints, "suggest", lambda *_: ""):
        result = transform_text(text, "f.py")
    if result.errors:
        error = result.errors[0]
        return Answer("", error.code, str(error))
    return Answer(result.text)


def trusted(program: Program) -> bool:
    """Whether the program asks looptx not to prove something."""
    return any("trust " in line for line in program.directives)


def examine(program: Program, seed: int, *, formatting: bool | None = None) -> Verdict:
    """Transform a program and look for faults.

    Args:
        program: the program.
        seed: what sizes depend on.
        formatting: whether to look at the text closely; by default at a share.
    """
    answer = transformed(program.text())
    if answer.code in BROKEN:
        return Verdict(answer.code, f"error {answer.code}", answer.message)
    if OTHER in answer.message:
        return Verdict(answer.code, "finds no loops", answer.message)
    if trusted(program):
        return Verdict(answer.code, notes=("trusted",))
    if answer.code in ("LX201", "LX202"):
        return _refused(program, answer)
    if answer.code:
        return Verdict(answer.code)
    why = dataflow.difference(program, answer.text, seed)
    notes = ("never ran",) if why is None else ()
    if why:
        return Verdict("", "computes something else", f"{why}\n{answer.text}")
    why = legality.accepted(program, answer.text)
    if why:
        return Verdict("", "accepts an illegal schedule", f"{why}\n{answer.text}")
    if formatting or (formatting is None and seed % TIDY == 0):
        why = tidy.untidy(program)
        if why:
            return Verdict("", "untidy text", why)
    return Verdict("", notes=notes)


def witness(text: str) -> tuple[Mapping[str, int], str]:
    """The sizes at which looptx sees a trusted schedule go wrong, and in which loop.

    The error has those of the first directive that is wrong, which the ones behind it
    may put off to larger sizes or into another loop.
    """
    module = source.read(text, "f.py")
    for kernel in module.kernels:
        for planned in plan(module, kernel, checks=False):
            given = planned.schedule
            with budget():
                analysis = Analysis(
                    given.nest,
                    given.assumes,
                    given.independent,
                    temporaries=given.temporaries,
                )
                fault = analysis.fault(given)
                if fault is not None:
                    found = legality_of.witness(analysis.spaces, fault.violation)
                    loop = fault.dim.name if fault.dim is not None else ""
                    return found.sizes, loop.rstrip("_0123456789")
    return {}, ""


def _refused(program: Program, answer: Answer) -> Verdict:
    """The verdict on a refusal: whether some run shows that it is needed."""
    trusting = transformed(program.trusting())
    if trusting.code:
        return Verdict(answer.code, notes=(f"unjudged: {trusting.code} on trust",))
    needed = legality.refused(
        program,
        trusting.text,
        answer.code,
        answer.message,
        lambda: witness(program.trusting()),
    )
    if needed is None:
        return Verdict(answer.code, notes=("unjudged refusals",))
    if not needed:
        return Verdict(answer.code, REFUSED_LEGAL, answer.message)
    return Verdict(answer.code, notes=("confirmed refusals",))
