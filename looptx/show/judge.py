"""What the proof says of a schedule, and the sizes at which it goes wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from looptx.directives import Verb
from looptx.errors import LooptxError, Refused, Unproven
from looptx.model.program import Nest
from looptx.model.records import dataclass
from looptx.model.schedule import Schedule
from looptx.model.types import Type
from looptx.plan import plan_nest
from looptx.poly.analysis import Analysis
from looptx.poly.budget import budget
from looptx.poly.dependences import legality
from looptx.poly.dependences.privatization import dataflows
from looptx.poly.spaces import Spaces
from looptx.show.runs import Run


def verdict(
    nest: Nest, verbs: Sequence[Verb], names: frozenset[str], types: Mapping[str, Type]
) -> LooptxError | None:
    """Why the directives are refused or unknown; None when they are safe.

    Args:
        nest: the nest.
        verbs: its directives.
        names: the identifiers of the function.
        types: what is known of the names the nest reads.

    Returns:
        The refusal, if there is one.

    Raises:
        LooptxError: the directives are malformed.
    """
    try:
        plan_nest(nest, verbs, names, types, checks=False)
    except (Refused, Unproven) as error:
        return error
    return None


@dataclass(frozen=True, slots=True)
class Witness:
    """The sizes and the two runs that the proof shows for a refusal."""

    sizes: Mapping[str, int]
    source: Run
    sink: Run


def witness(nest: Nest, schedule: Schedule, integers: frozenset[str]) -> Witness | None:
    """The smallest case in which a schedule breaks a dependence, where known.

    Args:
        nest: the nest.
        schedule: the schedule.
        integers: targets of exact arithmetic.

    Returns:
        The sizes and the two runs.
    """
    with suppress(Unproven), budget():
        analysis = Analysis.under(nest, schedule, integers)
        fault = analysis.fault(schedule)
        if fault is not None:
            shown = analysis.telling(fault.violation)
            found = legality.witness(analysis.program(schedule).spaces, shown)
            return Witness(
                found.sizes,
                Run(found.source.name, found.source_point),
                Run(found.sink.name, found.sink_point),
            )
    return None


def private(nest: Nest, schedule: Schedule) -> dict[str, int]:
    """The temporaries with cells of their own in each iteration of some outer loops.

    Returns:
        How many these loops are, by the name of the temporary.
    """
    with suppress(Unproven), budget():
        spaces = Spaces(nest, schedule.assumes, known=True)
        known = dataflows(spaces, schedule.temporaries, None)
        return {name: len(dataflow.loops) for name, dataflow in known.items()}
    return {}
