"""The schedules that directives make of a nest, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from looptx.directives import Verb
from looptx.model.dims import apart, distinct
from looptx.model.execution.grid import executed
from looptx.model.program import Nest
from looptx.model.schedule import Schedule, initial


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
