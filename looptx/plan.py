"""The spine: a nest and its directives become a schedule, a verdict, and loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from looptx import hints
from looptx.attach import assign
from looptx.directives import Verb
from looptx.errors import LooptxError, Together, Unproven
from looptx.looptree.identities import started
from looptx.looptree.planned import Planned
from looptx.looptree.prepare import prepare
from looptx.looptree.rounded import rounded
from looptx.looptree.stored import plain, with_buffers
from looptx.lower.memory import memory
from looptx.model.expr import Compare, Cond, Var, variables
from looptx.model.moves import Factor, Step, promises
from looptx.model.moves.cutting import with_cuts
from looptx.model.program import Access, Directive, Kernel, Nest, Statement
from looptx.model.schedule import Schedule, bands, initial, source
from looptx.model.storage import allocated
from looptx.model.types import ArrayType, Type
from looptx.poly import lives
from looptx.poly.analysis import Analysis, Fault
from looptx.poly.bounds import always
from looptx.poly.budget import (
    FACT_OPERATIONS,
    HINT_OPERATIONS,
    PROOF_OPERATIONS,
    budget,
)
from looptx.poly.spaces import Spaces
from looptx.source.nests.statements.exact_reductions import bit_targets, integer_targets
from looptx.source.nests.statements.raising import with_raises
from looptx.steps import schedules


def plan_kernel(
    kernel: Kernel,
    directives: Sequence[Directive] = (),
    types: Mapping[str, Type] | None = None,
    *,
    everything: bool = False,
    checks: bool = True,
) -> tuple[Planned, ...]:
    """Plan every nest of a function that has directives.

    Args:
        kernel: the function, as ``source`` read it.
        directives: those of a decorator or a directive file.
        types: what is known of the names the nests read.
        everything: plan the nests without directives too, in their own order.
        checks: also tell when all accesses stay inside their arrays, as native code has
            to know; Python finds out by itself.

    Raises:
        LooptxError: the directives that are malformed, or the first of each nest that
            is refused; the others are in ``also``.
    """
    planned: list[Planned] = []
    wrong = Together()
    for nest, verbs in assign(kernel, directives):
        if verbs or everything:
            with wrong:
                planned.append(
                    plan_nest(nest, verbs, kernel.names, types or {}, checks=checks)
                )
    wrong.fail()
    return tuple(planned)


def plan_nest(
    nest: Nest,
    verbs: Sequence[Verb],
    names: frozenset[str],
    types: Mapping[str, Type],
    *,
    checks: bool = True,
) -> Planned:
    """Apply the directives in order, prove the result once, and generate its loops.

    Args:
        nest: the nest. verbs: its directives. names: those the function uses.
        types: what is known of the names the nest reads.
        checks: as for ``plan_kernel``.

    Raises:
        LooptxError: with the place of a directive, or of the nest.
    """
    with _bounded(nest):
        return generate(prove(nest, verbs, names, types), types, checks=checks)


def check_nest(
    nest: Nest,
    verbs: Sequence[Verb],
    names: frozenset[str],
    types: Mapping[str, Type],
) -> None:
    """Raise what ``plan_nest`` raises of these directives, and plan no more for it.

    Loops are generated only where they are to be unrolled, as nothing else tells how
    many they become. Whether statements may raise, and whether values are what a
    directive takes them for, is left to ``plan_nest``.

    Args:
        nest: the nest. verbs: its directives. names: those the function uses.
        types: of the names the nest reads, which allow most.

    Raises:
        LooptxError: with the place of a directive, or of the nest.
    """
    with _bounded(nest):
        proven = prove(nest, verbs, names, types, typed=False)
        marks = [band.dim.marks for band in bands(proven.schedule.tree)]
        if any(mark.unroll is not None or mark.unroll_below for mark in marks):
            generate(proven, types, checks=False)


@contextmanager
def _bounded(nest: Nest) -> Iterator[None]:
    """All that is done for a nest, in one budget; its errors have a place."""
    try:
        with budget():
            yield
    except LooptxError as error:
        raise error.at(nest.place) from None


@dataclass(frozen=True, slots=True)
class Proven:
    """A schedule that keeps what a nest does, by its dependences.

    It is of use inside the ``budget`` that it was made in: isl's context is another
    after a fork.
    """

    nest: Nest
    schedule: Schedule
    analysis: Analysis


def prove(
    nest: Nest,
    verbs: Sequence[Verb],
    names: frozenset[str],
    types: Mapping[str, Type],
    *,
    typed: bool = True,
) -> Proven:
    """Apply the directives in order and prove that the last schedule is safe.

    Args:
        nest: the nest. verbs: its directives. names: those the function uses.
        types: what is known of the names the nest reads.
        typed: whether it counts that statements may raise, and what is asserted of
            values: both are told by types that are the values' own.

    Returns:
        The schedule and the dependences that it keeps.

    Raises:
        LooptxError: the directives are malformed, refused, or not decided.
    """
    known = {**types, **allocated(nest.allocations, types)}
    if typed:
        nest = with_raises(nest, types)
    steps = schedules(nest, verbs, names)
    final = steps[-1]
    with budget(PROOF_OPERATIONS):
        integers = integer_targets(nest, known)
        exact = integers | bit_targets(nest, known)
        if not final.trust_order:
            for own, verb in _moves(steps, verbs, typed=typed):
                with _at(verb):
                    verb.check_types(own, final, known, exact, integers)
        analysis = Analysis.under(nest, final, exact)
        nest = analysis.nest
        try:
            fault = None if final.trust_order else analysis.fault(final)
            uncombined = None if fault is not None else analysis.uncombined(final)
        except LooptxError as error:
            raise _located(error, steps, verbs) from None
    if analysis.unclear is not None:
        array, unclear = analysis.unclear
        raise next(v for v in verbs if array in v.made(nest)).located(unclear)
    if fault is not None:
        other = _lives_apart(nest, final, fault, names)
        if other is not None:
            more = names.union(other.scalars)
            with suppress(LooptxError):
                return prove(other, verbs, more, types, typed=False)
        raise hints.refusal(analysis, steps, verbs, fault)
    if uncombined is not None:
        before = replace(final, taken=steps[0].taken)
        raise hints.uncombined(analysis, verbs, before, *uncombined)
    if final.memory:
        buffers = analysis.storage(final).buffers
        for verb in verbs:
            with _at(verb):
                verb.check_buffers(buffers, types)
    return Proven(with_cuts(nest, final.cuts), final, analysis)


def _moves(
    steps: Sequence[Schedule], verbs: Sequence[Verb], *, typed: bool
) -> Iterator[tuple[Sequence[Step], Verb]]:
    """What directives that types can refuse have added to a schedule.

    Args:
        steps: the schedules before and after each. verbs: the directives.
        typed: as in ``prove``.
    """
    for before, after, verb in zip(steps, steps[1:], verbs, strict=False):
        if typed or not verb.asserts:
            yield after.moves[len(before.moves) :], verb


def _lives_apart(
    nest: Nest, schedule: Schedule, fault: Fault, names: frozenset[str]
) -> Nest | None:
    """The nest with a name for each life of its scalars, if that may mend a fault.

    Args:
        nest: the nest. schedule: which is wrong. fault: what is wrong.
        names: those the function uses.
    """
    if fault.violation.dependence.source_access.array not in nest.scalars:
        return None
    kept = {*schedule.reassociate, *schedule.independent}
    with suppress(LooptxError), budget(FACT_OPERATIONS):
        spaces = Spaces(nest, schedule.assumes, known=True)
        found = lives.apart(spaces, kept, schedule.taken | names)
        return None if found.scalars == nest.scalars else found
    return None


@contextmanager
def _at(verb: Verb) -> Iterator[None]:
    """Let errors be at a directive."""
    try:
        yield
    except LooptxError as error:
        raise verb.located(error) from None


def _located(
    error: LooptxError, steps: Sequence[Schedule], verbs: Sequence[Verb]
) -> LooptxError:
    """An error of a step at the directive that takes it."""
    if error.step is None:
        return error
    at = next(at for at, one in enumerate(steps) if len(one.moves) > error.step)
    return verbs[at - 1].located(error)


def generate(
    proven: Proven, types: Mapping[str, Type], *, checks: bool = True
) -> Planned:
    """The loops of a schedule that is known to be safe, and the storage they need.

    Args:
        proven: the schedule.
        types: what is known of the names the nest reads.
        checks: as for ``plan_kernel``.

    Returns:
        The nest, ready to be written or lowered.

    Raises:
        LooptxError: LX106 where too much is unrolled, LX204 where isl gives up.
    """
    nest, final, analysis = proven.nest, proven.schedule, proven.analysis
    storage = analysis.storage(final)
    buffers = storage.buffers
    lines = tuple(memory(buffers, types))
    nest = rounded(_running(nest, final, analysis, types), types)
    nest, buffers = promises.apart(nest, buffers, final.scratch)
    stored = with_buffers(nest, buffers, types)
    # Python needs it, too, where statements on arrays are written as loops.
    checks = checks or any(one.elementwise for one in nest.statements.values())
    return Planned(
        nest=stored,
        schedule=final,
        body=prepare(stored, analysis.loops(final, storage)),
        buffers=buffers,
        plain=frozenset(b.name for b in buffers if plain(nest, b, types)),
        memory=lines,
        finals=analysis.finals(),
        in_bounds=analysis.in_bounds() if checks else None,
        wraps=analysis.wraps,
        unchecked=frozenset(
            access.array
            for statement in nest.statements.values()
            for access in statement.accesses
            if None in access.subscripts or _is_whole(access, types)
        ),
        reductions=promises.called(analysis.reductions(final), final.scratch),
    )


def _is_whole(access: Access, types: Mapping[str, Type]) -> bool:
    """Whether an access says of an array that any element may be touched."""
    return not access.subscripts and isinstance(types.get(access.array), ArrayType)


def _running(
    nest: Nest, schedule: Schedule, analysis: Analysis, types: Mapping[str, Type]
) -> Nest:
    """The nest with the statements that run, in loops of the source."""
    if not schedule.moves:
        return nest
    types = {**types, **allocated(nest.allocations, types)}
    runs = analysis.program(schedule).spaces.nest
    found = {
        name: replace(
            one,
            loops=tuple(x for x in one.loops if x in nest.loops),
        )
        for name, one in runs.statements.items()
    }
    integers = integer_targets(nest, types)
    found = {
        name: started(schedule, one, types, integers) for name, one in found.items()
    }
    gone = _touched(nest.statements) - _touched(found) - {*nest.live_out}
    made = (step.buffer for step in schedule.moves if isinstance(step, Factor))
    parts = (name for name in made if name not in runs.allocations)
    left = (name for name in nest.scalars if name not in gone)
    return replace(
        nest,
        statements=found,
        allocations=runs.allocations,
        scalars=(*left, *parts),
    )


def _touched(statements: Mapping[str, Statement]) -> set[str]:
    """The arrays and scalars that some statements read or write."""
    return {x.array for one in statements.values() for x in one.accesses}


def as_written(planned: Planned, types: Mapping[str, Type]) -> Planned:
    """The same nest in the order of the source, on one thread.

    What the user assumes stays, and so do the temporaries: only the nest sees them.
    """
    given = planned.schedule
    nest = replace(source(given.nest), name=planned.nest.name)
    order = replace(
        initial(nest, given.taken),
        assumes=given.assumes,
        independent=given.independent,
        temporaries=given.temporaries,
        scratch=given.scratch,
        applied=given.applied,
    )
    with budget():
        return generate(Proven(nest, order, Analysis.under(nest, order)), types)


def with_conditions(planned: Planned, wanted: Iterable[tuple[str, Cond]]) -> Planned:
    """The nest with the sizes for which something holds at all iterations.

    Args:
        planned: the nest.
        wanted: statements, and conditions over their loops and integer parameters;
            those that isl cannot decide are left out.
    """
    nest = planned.nest
    found: dict[tuple[str, Cond], Cond] = {}
    with budget():
        for name, cond in wanted:
            loops = nest.statements[name].loops
            # A condition that always holds makes its names parameters.
            names = (Var(text) for text in sorted(variables(cond) - set(loops)))
            known = [Compare("==", name, name) for name in names]
            with suppress(Unproven), budget(HINT_OPERATIONS):
                spaces = Spaces(nest, (*planned.schedule.assumes, *known))
                found[name, cond] = always(spaces, nest.statements[name], cond)
    return replace(planned, always=found)
