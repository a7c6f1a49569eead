"""Directives applied to a nest, and the proof that the result keeps what it does.

What isl is asked depends on types in two answers alone: which statements may raise, and
which sums are exact. A nest that is wanted for many types is proven, and its loops are
generated, once for each pair of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TypeAlias

from looptx import hints
from looptx.directives import Verb
from looptx.errors import LooptxError
from looptx.looptree.nodes import Block
from looptx.looptree.planned import Final
from looptx.model.dims import apart, distinct
from looptx.model.execution.grid import executed
from looptx.model.expr import Cond
from looptx.model.moves import Step
from looptx.model.moves.cutting import with_cuts
from looptx.model.program import Nest, Reduction
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Schedule, initial
from looptx.model.storage import Buffer, allocated
from looptx.model.types import Type
from looptx.poly import lives
from looptx.poly.analysis import Analysis, Fault
from looptx.poly.budget import FACT_OPERATIONS, PROOF_OPERATIONS, budget
from looptx.poly.delinearization import Axis
from looptx.poly.spaces import Spaces
from looptx.source.nests.statements.exact_reductions import bit_targets, integer_targets
from looptx.source.nests.statements.raising import with_raises

Key: TypeAlias = tuple[tuple[bool, ...], frozenset[str], bool]
"""Which statements may raise, what is exact in any order, and what was asked for."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What directives ask of a nest, when it is known what may raise and what is exact.

    Attributes:
        nest: whose statements know whether they may raise.
        verbs: the directives. names: those that the function uses.
        steps: the schedules before and after each directive.
        exact: targets whose arithmetic is exact in any order.
    """

    nest: Nest
    verbs: Sequence[Verb]
    names: frozenset[str]
    steps: Sequence[Schedule]
    exact: frozenset[str]

    @property
    def final(self) -> Schedule:
        """The schedule that is to be proven."""
        return self.steps[-1]

    def key(self, *, checks: bool) -> Key:
        """What the proof and the loops depend on, besides nest and directives.

        Args:
            checks: as of ``scanned``.
        """
        raises = tuple(one.raises for one in self.nest.statements.values())
        return raises, self.exact, checks


@dataclass(frozen=True, slots=True)
class Proven:
    """A schedule that keeps what a nest does, by its dependences.

    It is of use inside the ``budget`` that it was made in: isl's context is another
    after a fork.
    """

    nest: Nest
    schedule: Schedule
    analysis: Analysis


@dataclass(frozen=True, slots=True)
class Scanned:
    """The loops of a proven schedule and all else that isl says of it.

    Attributes:
        nest, schedule: what was proven. runs: the nest whose statements run, where
            directives have made others of them.
        body: the loops as isl gave them.
        buffers, finals, in_bounds, digits, wraps, reductions: as of ``Planned``, but
            that the buffers of arguments have their names.
        passing: ``{dim uid: scalars}`` that threads and lanes may not have for
            themselves.
    """

    nest: Nest
    schedule: Schedule
    runs: Nest | None
    body: Block
    buffers: tuple[Buffer, ...]
    finals: tuple[Final, ...]
    in_bounds: Cond | None
    digits: Mapping[Axis, Cond]
    wraps: frozenset[str]
    reductions: Mapping[int, tuple[Reduction, ...]]
    passing: Mapping[int, tuple[str, ...]]


Known: TypeAlias = dict[Key, Scanned]
"""What has been found of one nest under the same directives, for other types."""


def schedules(
    nest: Nest, verbs: Sequence[Verb], names: frozenset[str]
) -> list[Schedule]:
    """The schedule of the source, and the one after each directive, loop by loop.

    Args:
        nest: the nest. verbs: its directives. names: those the function uses.

    Returns:
        One schedule more than there are directives.
    """
    schedule = initial(nest, names)
    steps = [schedule]
    for verb in verbs:
        schedule = verb.apply(schedule)
        steps.append(finished(schedule))
    return steps


def finished(schedule: Schedule) -> Schedule:
    """A schedule as it runs: each loop with a dimension of its own."""
    return executed(distinct(apart(schedule)))


def asked(
    nest: Nest,
    verbs: Sequence[Verb],
    names: frozenset[str],
    types: Mapping[str, Type],
    *,
    typed: bool = True,
) -> Asked:
    """Apply the directives in order.

    Args:
        nest, verbs, names, types, typed: as of ``prove``.

    Raises:
        LooptxError: the directives are malformed, or refused whatever the proof says.
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
    return Asked(nest, verbs, names, steps, exact)


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
    return proven(asked(nest, verbs, names, types, typed=typed), types)


def proven(wanted: Asked, types: Mapping[str, Type]) -> Proven:
    """Prove that a schedule is safe.

    Args:
        wanted: the schedule. types: what is known of the names the nest reads.

    Raises:
        LooptxError: it is refused, or not decided.
    """
    nest, final, verbs, steps = wanted.nest, wanted.final, wanted.verbs, wanted.steps
    with budget(PROOF_OPERATIONS):
        analysis = Analysis.under(nest, final, wanted.exact)
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
        other = _lives_apart(nest, final, fault, wanted.names)
        if other is not None:
            more = wanted.names.union(other.scalars)
            with suppress(LooptxError):
                return prove(other, verbs, more, types, typed=False)
        raise hints.refusal(analysis, steps, verbs, fault)
    if uncombined is not None:
        before = replace(final, taken=steps[0].taken)
        raise hints.uncombined(analysis, verbs, before, *uncombined)
    if final.memory:
        check_buffers(wanted, analysis.storage(final).buffers, types)
    return Proven(with_cuts(nest, final.cuts), final, analysis)


def check_buffers(
    wanted: Asked, buffers: Iterable[Buffer], types: Mapping[str, Type]
) -> None:
    """See that buffers fit into the memory that directives put them into.

    Args:
        wanted: the schedule. buffers: of it.
        types: what is known of the names the nest reads.

    Raises:
        LooptxError: one does not.
    """
    if wanted.final.memory:
        for verb in wanted.verbs:
            with _at(verb):
                verb.check_buffers(buffers, types)


def scanned(found: Proven, *, checks: bool) -> Scanned:
    """Generate the loops of a schedule that is known to be safe.

    Args:
        found: the schedule.
        checks: also tell when all accesses stay inside their arrays, as native code and
            loops that are written of statements on arrays have to know.

    Raises:
        LooptxError: LX204 where isl gives up.
    """
    nest, final, analysis = found.nest, found.schedule, found.analysis
    storage = analysis.storage(final)
    runs = analysis.program(final).spaces.nest if final.moves else None
    statements = (nest if runs is None else runs).statements.values()
    checks = checks or any(one.elementwise for one in statements)
    return Scanned(
        nest=nest,
        schedule=final,
        runs=runs,
        body=analysis.loops(final, storage),
        buffers=storage.buffers,
        finals=analysis.finals(),
        in_bounds=analysis.in_bounds() if checks else None,
        digits=analysis.digits(final) if checks else {},
        wraps=analysis.wraps,
        reductions=analysis.reductions(final),
        # What is trusted has no other meaning than that.
        passing={} if final.trust_order else analysis.passing(final),
    )


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
