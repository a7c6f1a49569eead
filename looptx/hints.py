"""One hint that works: every suggestion is tried on the nest before it is made."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from looptx.directives import Verb, parse
from looptx.directives.marks import mark
from looptx.errors import LooptxError, Place, Refused
from looptx.model.dims import apart
from looptx.model.program import Directive, Nest, Reduction
from looptx.model.records import replace
from looptx.model.schedule import Dim, Schedule, bands, initial
from looptx.poly.analysis import Analysis, Fault
from looptx.poly.budget import FACT_OPERATIONS, HINT_OPERATIONS, Exceeded, budget
from looptx.poly.dependences.verdict import carried_error, order_error, trust_hint

LAST_RESORT = "leave this directive out"
"""What can always be done."""

IN_PLACE = (
    "write what it does in the nest, or move it out; "
    "`trust order` if any order of it is fine"
)
"""What can be done where a statement may use anything."""

UNPROVEN = f"{LAST_RESORT}, or write `trust order` if you know better"
"""What can be done where the proof had to assume the worst."""


def suggest(
    analysis: Analysis,
    verbs: Sequence[Verb],
    guilty: int,
    fault: Fault,
    taken: frozenset[str],
) -> str:
    """What the user may write instead of directives that are refused.

    Args:
        analysis: the nest. verbs: its directives.
        guilty: the number of the directive from which on the order is wrong.
        fault: what is wrong with it. taken: the names of the function.

    Returns:
        The first change that makes the directives legal, or how to take the risk.
    """
    for changed, hint in _candidates(analysis, verbs, guilty, fault, taken):
        if _legal(analysis, changed, taken):
            return hint
    if fault.dim is not None:
        free = _free_loops(analysis, verbs, guilty, fault.dim, taken)
        if free:
            loops = " or ".join(free)
            return f"no dependence is carried by {loops}; try that loop instead"
    if fault.violation.effects is not None:
        return IN_PLACE
    scalar = fault.violation.dependence.source_access.array
    nest = analysis.nest
    if _is_counted(nest, scalar):
        return f"give `{scalar}` an `if` of its own"
    if not fault.violation.dependence.exact:
        rest = LAST_RESORT if fault.violation.proven else UNPROVEN
        return trust_hint(fault.violation) or _typed(analysis) or rest
    if scalar in nest.live_out and scalar in nest.scalars:
        left = tuple(name for name in nest.live_out if name != scalar)
        if _legal(analysis, verbs, taken, replace(nest, live_out=left)):
            return f"`{scalar}` is read after the nest; use another name for it inside"
    return LAST_RESORT


def _is_counted(nest: Nest, scalar: str) -> bool:
    """Whether conditions on data hold ``scalar += x`` beside other statements.

    Nothing else there may be about the scalar: one ``if`` more would not help then.
    """
    inside = [one.code[-1] for one in nest.statements.values() if one.reduction is None]
    tests = [code for code in inside if isinstance(code, ast.If)]
    nodes = [node for code in tests for node in ast.walk(code)]
    sums = [
        node.target
        for node in nodes
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub)
    ]
    used = [x for x in nodes if isinstance(x, ast.Name) and x.id == scalar]
    return bool(used) and all(any(x is one for one in sums) for x in used)


def _typed(analysis: Analysis) -> str:
    """That an argument in a condition may be a float, or ``""``."""
    if not analysis.nest.entry.untyped:
        return ""
    name = analysis.nest.entry.untyped[0]
    return f"if `{name}` is an integer, write `{name}: int` to make its condition known"


def uncombined(
    analysis: Analysis,
    verbs: Sequence[Verb],
    final: Schedule,
    dim: Dim,
    reduction: Reduction,
) -> LooptxError:
    """The error for an array that a parallel loop reduces into but also reads. (LX205)

    Args:
        analysis: of the nest.
        verbs: the directives.
        final: the schedule after all of them.
        dim: the dimension of the parallel loop.
        reduction: into the array.
    """
    other = ""
    at = max(number for number, verb in enumerate(verbs) if verb.parallel)
    array = reduction.target.array
    who = "thread" if dim.marks.parallel is not None else "worker"
    with suppress(Exceeded), budget(HINT_OPERATIONS):
        other = elsewhere(analysis, verbs, at, final, dim)
    error = Refused(
        "LX205",
        f"refused: {verbs[at].text}",
        detail=(
            f"several iterations of {dim.name} combine into the same cells of {array},",
            f"so each {who} needs a copy of it; but the loop uses {array} otherwise,"
            " too.",
        ),
        hint=other or f"keep what the loop reads of `{array}` in another array",
    )
    return verbs[at].located(error)


def elsewhere(
    analysis: Analysis, verbs: Sequence[Verb], guilty: int, final: Schedule, dim: Dim
) -> str:
    """Which loops may run in parallel instead of ``dim``; ``""`` when none may.

    Args:
        analysis: of the nest.
        verbs: the directives.
        guilty: the number of the one that asks for ``dim``.
        final: the schedule after all of them.
        dim: the dimension that cannot be parallel.
    """
    free = _free_loops(analysis, verbs, guilty, dim, final.taken, final.reassociate)
    return f"make {' or '.join(free)} parallel instead" if free else ""


def _candidates(
    analysis: Analysis,
    verbs: Sequence[Verb],
    guilty: int,
    fault: Fault,
    taken: frozenset[str],
) -> Iterator[tuple[list[Verb], str]]:
    """(the directives, changed; the hint that says how), the least intrusive first."""
    dependence = fault.violation.dependence
    for text in analysis.spaces.parameters:
        if text.isidentifier() and not fault.violation.proven:
            fact = f"assume {text} == 64"
            yield (
                _insert(verbs, fact, 0),
                f"`{fact}` makes it legal: the collapsed loop has a literal width.",
            )
    if dependence.reduction is not None:
        target = dependence.reduction.target.array
        yield (
            _insert(verbs, f"reassociate {target}", len(verbs)),
            f"`reassociate {target}` lets its terms be combined in another order "
            "(the last bits of a float result may differ).",
        )
        statements = analysis.nest.statements.values()
        found = (one.reduction for one in statements if one.reduction is not None)
        targets = " ".join(dict.fromkeys(each.target.array for each in found))
        yield (
            _insert(verbs, f"reassociate {targets}", len(verbs)),
            f"`reassociate {targets}` lets their terms be combined in another order "
            "(the last bits of a float result may differ).",
        )
    array = dependence.source_access.array
    if array in analysis.nest.allocations and array not in analysis.temporaries:
        yield (
            _insert(verbs, f"temp {array}", len(verbs)),
            f"`temp {array}` gives every iteration cells of its own.",
        )
    for text in analysis.spaces.parameters:
        if text.isidentifier() and dependence.source_access.array in analysis.wraps:
            for low in (0, 1):
                fact = f"assume {text} >= {low}"
                yield (
                    _insert(verbs, fact, 0),
                    f"`{fact}` makes it legal: no subscript counts from the end.",
                )
    yield from _changed(analysis, verbs, guilty, fault, taken)
    nest = analysis.nest
    read = {
        x.array for y in nest.statements.values() for x in y.accesses if not x.write
    }
    if array in read.intersection(nest.arrays) - nest.escapes.seen.keys():
        yield (
            _insert(verbs, f"trust scratch {array}", len(verbs)),
            f"`trust scratch {array}` makes it legal, if nobody reads"
            f" `{array}` afterwards.",
        )


def _changed(
    analysis: Analysis,
    verbs: Sequence[Verb],
    guilty: int,
    fault: Fault,
    taken: frozenset[str],
) -> Iterator[tuple[list[Verb], str]]:
    """Other directives in the place of the guilty one, or before it."""
    verb = verbs[guilty]
    before = initial(analysis.nest, taken)
    for earlier in verbs[:guilty]:
        before = earlier.apply(before)
    for other, how in verb.weaker(before):
        changed = [*verbs[:guilty], other, *verbs[guilty + 1 :]]
        yield changed, f"`{other.text}` is legal: {how}."
    if verb.joins:
        loops = [loop.var for loop in analysis.nest.loops.values()]
        yield from _shifted(verbs, guilty, dict.fromkeys(loops))
    elif fault.dim is None:
        known = {loop.var for loop in analysis.nest.loops.values()}
        dims = dict.fromkeys(band.dim for band in bands(before.tree))
        own = (verb.calls(before, x) for x in dims if x.name in known)
        names = list(filter(None, own))
        for inner in names:
            for outer in names:
                if inner != outer:
                    fact = f"skew {inner} {outer}"
                    yield (
                        _insert(verbs, fact, guilty),
                        f"`{fact}` before this {verb.verb} makes it legal.",
                    )


def _shifted(
    verbs: Sequence[Verb], guilty: int, loops: Iterable[str]
) -> Iterator[tuple[list[Verb], str]]:
    """The nests that a directive joins, shifted against one another, or as they were
    without one of the directives before it.
    """
    this = verbs[guilty]
    for name in this.joins[1:]:
        for loop in loops:
            for positions in (1, 2):
                text = f"pad {name}.{loop} {positions}"
                yield (
                    _insert(verbs, text, guilty),
                    f"`{text}` before this {this.verb} makes it legal.",
                )
    for at, verb in enumerate(verbs[:guilty]):
        yield (
            [*verbs[:at], *verbs[at + 1 :]],
            f"without `{verb.text}` before it this {this.verb} is legal.",
        )


def _insert(verbs: Sequence[Verb], text: str, at: int) -> list[Verb]:
    near = verbs[min(at, len(verbs) - 1)]
    directive = Directive(text, near.place or Place("<hint>", 1), loop=near.on)
    made = (replace(verb, within=near.within) for verb in parse(directive))
    return [*verbs[:at], *made, *verbs[at:]]


def refusal(
    analysis: Analysis, steps: Sequence[Schedule], verbs: Sequence[Verb], fault: Fault
) -> LooptxError:
    """The error at the directive from which on this is wrong, with a hint.

    What one directive breaks, a later one may mend. The verdict stands even where the
    search for the directive or for a hint is too expensive.

    Args:
        analysis: the nest. steps: its schedules. verbs: its directives.
        fault: what is wrong with the last schedule.
    """
    facts = steps[-1]
    guilty, found = len(verbs) - 1, fault
    look = analysis.disorder if fault.dim is None else analysis.race
    with suppress(LooptxError), budget(FACT_OPERATIONS):
        for at in reversed(range(len(verbs) - 1)):
            early = look(
                replace(
                    steps[at + 1],
                    reassociate=facts.reassociate,
                    independent=facts.independent,
                )
            )
            if early is None or early.violation.exact != fault.violation.exact:
                break
            guilty, found = at, early
    verb = verbs[guilty]
    shown = analysis.telling(found.violation)
    spaces = analysis.program(steps[guilty + 1]).spaces
    error = (
        order_error(spaces, shown, verb.text)
        if found.dim is None
        else carried_error(spaces, shown, verb.text, found.dim.name)
    )
    error.hint = LAST_RESORT
    with suppress(Exceeded), budget(HINT_OPERATIONS):
        error.hint = suggest(analysis, verbs, guilty, found, steps[0].taken)
    return verb.located(error)


def _legal(
    analysis: Analysis,
    verbs: Sequence[Verb],
    taken: frozenset[str],
    changed: Nest | None = None,
) -> bool:
    """Whether directives are legal for a nest, or for one that is changed."""
    nest = changed or analysis.nest
    try:
        schedule = initial(nest, taken)
        for verb in verbs:
            schedule = verb.apply(schedule)
    except LooptxError:
        return False
    known = analysis.assumes, analysis.temporaries
    if changed or known != (schedule.assumes, schedule.temporaries):
        analysis = Analysis.under(nest, schedule, analysis.integers)
    return analysis.unclear is None and _proven(analysis, schedule)


def _free_loops(
    analysis: Analysis,
    verbs: Sequence[Verb],
    guilty: int,
    fault: Dim,
    taken: frozenset[str],
    reassociate: frozenset[str] = frozenset(),
) -> list[str]:
    """The loops that could be marked instead: no dependence is carried there.

    Args:
        analysis: of the nest. verbs: the directives.
        guilty: the number of the one that asks for ``fault``, or may not stand there.
        fault: the dimension that cannot be marked. taken: the names of the function.
        reassociate: what may be combined in any order.
    """
    schedule = initial(analysis.nest, taken)
    for verb in verbs[:guilty]:
        schedule = verb.apply(schedule)
    schedule = replace(schedule, reassociate=schedule.reassociate | reassociate)
    result = []
    for dim in dict.fromkeys(band.dim for band in bands(schedule.tree)):
        if dim.uid != fault.uid and dim.name != fault.name and not dim.fusing:
            label = verbs[guilty].calls(schedule, dim)
            if label and _proven(analysis, mark(schedule, dim, fault.marks)):
                result.append(f"`{label}`")
    return result


def _proven(analysis: Analysis, schedule: Schedule) -> bool:
    """Whether a schedule is safe; one that is not understood is not."""
    schedule = apart(schedule)
    try:
        fault = analysis.fault(schedule)
        return fault is None and analysis.uncombined(schedule) is None
    except LooptxError:
        return False
