"""What a nest would cost in a loop, and whether the one proof lets it run there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import isnan
from numbers import Real

from looptx.directives import Verb
from looptx.directives.around.fuse_around import Candidate, FuseAround
from looptx.directives.moving.verb import MovingVerb
from looptx.errors import LooptxError, Malformed
from looptx.model.dtypes import DTYPES
from looptx.model.program import Nest
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Schedule
from looptx.model.storage import allocated
from looptx.model.types import Type
from looptx.poly.analysis import Analysis
from looptx.poly.budget import TRIAL_OPERATIONS, budget
from looptx.poly.dependences.verdict import carried_error, order_error
from looptx.poly.exchange.exchange import Exchange
from looptx.proof import finished
from looptx.source.nests.statements.exact_reductions import bit_targets, integer_targets

_USUAL_SIZE = 8
"""The bytes of an element of which nothing says the type."""


class Unfit(Exception):
    """A loop is no place for a nest.

    Args:
        why: in words.
        inside: why each loop in it is none either, if it holds these statements.
    """

    def __init__(self, why: str, inside: frozenset[str] | None = None) -> None:
        super().__init__(why)
        self.inside = inside


@dataclass(frozen=True, slots=True)
class Weighed:
    """A nest in a loop, not proven yet.

    Attributes:
        verb: puts it there. schedule: then.
        candidate: what it is. cost: the least wins.
    """

    verb: MovingVerb
    schedule: Schedule
    candidate: Candidate
    cost: float


class Judge:
    """The dependences of a nest, by which any number of places is judged.

    Args:
        nest: the nest, as it is written.
        around: the directive. facts: what all directives together assert.
        types: what is known of the names the nest reads.
    """

    def __init__(
        self, nest: Nest, around: FuseAround, facts: Schedule, types: Mapping[str, Type]
    ) -> None:
        known = {**types, **allocated(nest.allocations, types)}
        self._around, self._facts = around, facts
        self._sizes = {
            name: DTYPES[kind.dtype].size
            for name, kind in known.items()
            if kind.dtype in DTYPES
        }
        exact = integer_targets(nest, known) | bit_targets(nest, known)
        self._analysis = Analysis.under(nest, facts, exact)

    def weigh(self, schedule: Schedule, verb: MovingVerb) -> Weighed:
        """A nest in a loop.

        Args:
            schedule: before. verb: puts the nest there.

        Raises:
            Unfit: it cannot be put there, or should not.
        """
        try:
            with budget(TRIAL_OPERATIONS, "this place", ""):
                # An error need not say which directive it is about.
                after = replace(verb, source="").apply(schedule)
                program = self._analysis.program(self._final(after))
                exchange = Exchange(program)
                _check(exchange)
                cells = exchange.cells()
                size = sum(
                    self._sizes.get(name, _USUAL_SIZE) * number
                    for name, number in cells.items()
                )
                times = exchange.recomputed()
        except LooptxError as error:
            raise Unfit(told(error)) from None
        most = self._around.recompute
        if times > most or (most == 1 and not exchange.once):
            raise Unfit(f"each of its iterations would run {times:.4g} times")
        candidate = Candidate(verb.nest, verb.loop, size, times)
        return Weighed(verb, after, candidate, self._cost(candidate))

    def _cost(self, candidate: Candidate) -> float:
        """What a candidate costs.

        Raises:
            Unfit: the function of the user does not want it.
            Malformed: LX120 where that gives no number.
        """
        if self._around.cost is None:
            return candidate.bytes
        where = f"the cost of `{candidate.nest}` in `{candidate.loop}`"
        try:
            cost = self._around.cost(candidate)
        except Exception as error:
            what = f"{where} raises {type(error).__name__}: {error}"
            raise self._around.located(_no_number(what)) from error
        if cost is None:
            raise Unfit("the cost function leaves it out")
        if not isinstance(cost, Real) or isnan(cost):
            raise self._around.located(_no_number(f"{where} is {cost!r}"))
        return float(cost)

    def refusal(self, schedule: Schedule, verb: Verb, aside: Collection[str]) -> str:
        """Why a schedule is not safe, or "" where it is.

        Args:
            schedule: the schedule. verb: the last directive.
            aside: statements that are going to move, and do not matter yet.
        """
        final, analysis = self._final(schedule), self._analysis
        try:
            with budget(TRIAL_OPERATIONS, "this place", ""):
                fault = analysis.fault(final, aside)
                if fault is not None:
                    shown = analysis.telling(fault.violation)
                    spaces = analysis.program(final).spaces
                    if fault.dim is None:
                        raise order_error(spaces, shown, verb.text)
                    raise carried_error(spaces, shown, verb.text, fault.dim.name)
                uncombined = analysis.uncombined(final)
        except LooptxError as error:
            return told(error)
        if uncombined is None:
            return ""
        dim, reduction = uncombined
        array = reduction.target.array
        return (
            f"`{dim.name}` runs in parallel, and `{array}` is used in other ways, too"
        )

    def _final(self, schedule: Schedule) -> Schedule:
        """A schedule as it runs, with all that is asserted."""
        facts = self._facts
        return replace(
            finished(schedule),
            assumes=facts.assumes,
            reassociate=facts.reassociate,
            independent=facts.independent,
            temporaries=facts.temporaries,
            trust_order=False,
        )


def _check(exchange: Exchange) -> None:
    """See that a nest finds in a loop what is complete, and in one place.

    Raises:
        Unfit: it does not.
    """
    carried = exchange.carried()
    if carried is not None:
        name, loop = carried.array, carried.loop
        why = f"the sum into `{name}` over {loop} is not finished there"
        raise Unfit(why, carried.statements)
    apart = exchange.scattered()
    if apart:
        raise Unfit(f"what it reads of `{apart}` is complete elsewhere")


def _no_number(what: str) -> Malformed:
    """The error for a cost function that does not say what a place costs. (LX120)"""
    hint = "return a number, the least wins, or None for never"
    return Malformed("LX120", what, hint=hint)


def told(error: LooptxError) -> str:
    """An error as a reason: what it shows, or what it says."""
    shown = " ".join(error.detail) or error.message
    return shown.rstrip(".")
