"""One program put to looptx, and its answer put to the oracles.

A schedule is *legal* as its runs say (``refusals``): the order on memory is kept, but
for sums that may be combined in any order, and for cells of their own. Where the order
is not kept and yet every value is the same, a refusal counts as ``order only``: it is
no failure, as looptx promises nothing about values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

from fuzz.oracles import dataflow, legality, movable, refusals, temporaries, unknowns
from fuzz.oracles.executions import judged
from fuzz.oracles.marks import marks
from fuzz.oracles.refusals import Need
from fuzz.programs.model import Program
from fuzz.tiers import tidy, validated
from fuzz.tiers.tally import (
    CHOSEN,
    FALSE_WITNESS,
    ORDER_ONLY,
    REFUSED_KEPT,
    REFUSED_LEGAL,
    UNSEEN,
)
from looptx import hints, source
from looptx.cli import text as cli_text
from looptx.cli.text import plan, transform_text
from looptx.looptree.planned import Planned
from looptx.lower.types import annotated
from looptx.model.program import Kernel
from looptx.model.schedule import source as as_written
from looptx.poly.analysis import Analysis
from looptx.poly.budget import budget
from looptx.poly.dependences import legality as legality_of
from looptx.source import Module
from looptx.source.nests.statements.exact_reductions import bit_targets, integer_targets

BROKEN = ("LX107", "LX302", "LX303", "LX305", "LX901")
"""Errors that no program of ours deserves."""

OTHER = "run other iterations"
"""What looptx says where isl writes wrong loops in each way."""

TIDY = 10
"""The text of every so many cases is looked at closely, as formatting takes long."""

OTHERS: Mapping[str, Callable[[Program, str], Need]] = {
    "LX203": unknowns.approximate,
    "LX204": unknowns.expensive,
    "LX206": movable.stuck,
    "LX207": temporaries.unclear,
}
"""What tells whether looptx may refuse for other reasons than an order."""


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
    """What looptx made of a text: another one, or an error with its message.

    Attributes:
        plans: the nests that were rewritten, with the names of their functions.
    """

    text: str
    code: str = ""
    message: str = ""
    plans: tuple[tuple[str, Planned], ...] = ()


def transformed(text: str) -> Answer:
    """The text with its directives carried out, or why not.

    Looking for a hint takes longer than all the rest, and is tested elsewhere.
    """
    plans: list[tuple[str, Planned]] = []

    def noted(module: Module, kernel: Kernel, *args: Any, **options: Any) -> Any:
        found = plan(module, kernel, *args, **options)
        name = kernel.qualname.rpartition(".")[2]
        plans.extend((name, one) for one in found)
        return found

    unhinted = mock.patch.object(hints, "suggest", lambda *_: "")
    with unhinted, mock.patch.object(cli_text, "plan", noted):
        result = transform_text(text, "f.py")
    if result.errors:
        error = result.errors[0]
        return Answer("", error.code, str(error))
    return Answer(result.text, plans=tuple(plans))


def examine(program: Program, seed: int, *, formatting: bool | None = None) -> Verdict:
    """Transform a program and look for faults.

    Args:
        program: the program.
        seed: what sizes depend on.
        formatting: whether to look at the text closely; by default at a share.
    """
    answer = transformed(program.text())
    if answer.code in ("LX301", "LX302") and program.opaque:
        return Verdict(answer.code, REFUSED_KEPT, answer.message)
    if answer.code in BROKEN:
        return Verdict(answer.code, f"error {answer.code}", answer.message)
    if OTHER in answer.message:
        return Verdict(answer.code, "finds no loops", answer.message)
    if program.trusts:
        return _trusted(program, answer, seed)
    moves = _moves(program)
    if answer.code and moves:
        return Verdict(answer.code, notes=(f"{answer.code} unjudged: it moves",))
    if answer.code:
        return _refused(program, answer, seed)
    why = dataflow.difference(program, answer.text, seed)
    notes: tuple[str, ...] = ("never ran",) if why is None else ()
    if why:
        return Verdict("", "computes something else", f"{why}\n{answer.text}")
    if moves and _again(program, moves):
        return Verdict("", notes=(*notes, "moved: same values"))
    if moves:
        judgement = legality.accepted(program, answer.text)
    else:
        judgement = _judgement(program, answer)
    if judgement.why:
        detail = f"{judgement.why}\n{answer.text}"
        return Verdict("", "accepts an illegal schedule", detail)
    if validated.chosen(program, seed):
        kind, detail = validated.wrong(program.text())
        if kind:
            return Verdict("", kind, f"{detail}\n{answer.text}")
        notes += ("validated",)
    if judgement.unseen:
        known = judged(replace(program, tagged=True))
        notes += (UNSEEN if known else "mark unjudged: depends on data",)
    why = tidy.unremarked(program, answer.text)
    if formatting or (formatting is None and seed % TIDY == 0):
        why = why or tidy.untidy(program)
    if why:
        return Verdict("", "untidy text", why)
    return Verdict("", notes=notes)


MOVING = ("compute_", "cache_", "bind ", "sync_threads ", "rfactor ")
"""What makes other accesses, or runs instances elsewhere, by parts of the text."""


def _moves(program: Program) -> list[str]:
    """The directives of which only the values that are computed are judged."""
    clauses = (each.strip() for text in program.directives for each in text.split("|"))
    return [each for each in clauses if any(part in each for part in MOVING)]


def _again(program: Program, moves: list[str]) -> bool:
    """Whether something may run again, or not at all where nobody sees it."""
    local = any(function.locals for function in program.functions)
    return local or any(
        "compute_at" not in each
        or (each.startswith("compute_at") and not each.endswith("sliding"))
        for each in moves
    )


def _judgement(program: Program, answer: Answer) -> legality.Judgement:
    """What runs say of a program that was accepted; marks are looked at with tags."""
    tagged = replace(program, tagged=True)
    if tagged != program and any(marks(answer.plans)) and judged(tagged):
        again = transformed(tagged.text())
        if again.code:  # tags are no integers
            return legality.Judgement(unseen=frozenset(marks(answer.plans)))
        program, answer = tagged, again
    return legality.accepted(program, answer.text, marks(answer.plans))


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
                nest, types = as_written(given.nest), annotated(kernel)
                exact = integer_targets(nest, types) | bit_targets(nest, types)
                analysis = Analysis.under(nest, given, exact)
                fault = analysis.fault(given)
                if fault is not None:
                    shown = analysis.telling(fault.violation)
                    found = legality_of.witness(analysis.spaces, shown)
                    loop = fault.dim.name if fault.dim is not None else ""
                    return found.sizes, loop.rstrip("_0123456789")
    return {}, ""


def _refused(program: Program, answer: Answer, seed: int) -> Verdict:
    """The verdict on a refusal: whether something shows that it is needed."""
    code = answer.code
    if code in ("LX201", "LX202"):
        need = _needed(program, answer, seed)
    elif code == "LX206" and program.tagged:
        return _untagged(program, answer, seed)
    elif code in OTHERS:
        need = OTHERS[code](program, answer.message)
        if code == "LX203" and not need.needed:
            need = _needed(program, answer, seed)
    else:
        return Verdict(code)
    if need.needed and code == "LX201" and need.why != ORDER_ONLY:
        found = _overlooked(program, seed)
        if found:
            return Verdict(code, "validation sees nothing wrong", found)
    if need.wrong:
        return Verdict(code, FALSE_WITNESS, f"{need.why}\n{answer.message}")
    if need.needed is False and code == "LX203" and unknowns.chosen(program):
        return Verdict(code, notes=(f"{code} too cautious: {CHOSEN}",))
    if need.needed is False:
        return Verdict(code, REFUSED_LEGAL, answer.message)
    state = "unjudged" if need.needed is None else "confirmed"
    why = f": {need.why}" if need.why else ""
    return Verdict(code, notes=(f"{code} {state}{why}",))


def _overlooked(program: Program, seed: int) -> str:
    """The wrong text that validation takes for right, in some cases, or ``""``."""
    tagged = replace(program, tagged=True)
    answer = transformed(tagged.trusting())
    if answer.code or not validated.chosen(program, seed):
        return ""
    if not dataflow.difference(tagged, answer.text, seed):
        return ""
    return answer.text if validated.overlooked(tagged.trusting()) else ""


def _untagged(program: Program, answer: Answer, seed: int) -> Verdict:
    """The verdict on a refusal that the tag of a statement may be the reason of."""
    plain = replace(program, tagged=False)
    found = transformed(plain.text())
    if found.code == answer.code:
        return _refused(plain, found, seed)
    return Verdict(answer.code, notes=(f"{answer.code} unjudged: its tag",))


def _needed(program: Program, answer: Answer, seed: int) -> Need:
    """Whether some run shows that a refusal about an order is needed."""
    tagged = replace(program, tagged=True)
    if not judged(tagged):
        return Need(None, "depends on data")
    if tagged != program:
        code, answer = answer.code, transformed(tagged.text())
        if answer.code != code:
            return Need(None, f"{answer.code or 'accepted'} with tags")
    trusting = transformed(tagged.trusting())
    if trusting.code:
        return Need(None, f"{trusting.code} on trust")
    text = tagged.trusting()
    given = tagged, trusting.text, answer.code, answer.message
    need = refusals.refused(*given, lambda: witness(text))
    at = need.extents
    if need.needed and answer.code == "LX201" and at is not None:
        shapes = {array.name: at.of(array.name) for array in at.function.arrays}
        both = tagged, trusting.text
        same = dataflow.same_at(*both, at.function, (at.n, at.m), shapes)
        if same and dataflow.difference(*both, seed) == "":
            return replace(need, why=ORDER_ONLY)
    return need


def _trusted(program: Program, answer: Answer, seed: int) -> Verdict:
    """The verdict on a program that asks looptx not to prove something.

    What the proof accepts is accepted on trust, too; and where runs show that the order
    is kept, the values must be the same.
    """
    without = program.distrusting()
    if answer.code:
        if answer.code.startswith("LX20") and not transformed(without.text()).code:
            detail = f"accepted without trust\n{answer.message}"
            return Verdict(answer.code, REFUSED_LEGAL, detail)
        return Verdict(answer.code, notes=("trusted: refused",))
    kept = legality.keeps(
        without, answer.text, lambda one: dataflow.sizes(without, one, seed)
    )
    if kept is None:
        return Verdict("", notes=("trusted: unjudged",))
    if not kept:
        return Verdict("", notes=("trusted: another order",))
    why = dataflow.difference(without, answer.text, seed)
    if why:
        return Verdict("", "computes something else", f"{why}\n{answer.text}")
    return Verdict("", notes=("trusted: same values",))
