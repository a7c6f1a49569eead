"""Directives without ``fuse_around``: what it amounts to stands in its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from looptx.around.judge import Judge
from looptx.around.nests import Nests
from looptx.around.search import Search
from looptx.directives import Verb
from looptx.directives.around.fuse_around import FuseAround
from looptx.errors import LooptxError, Malformed
from looptx.model.program import Nest
from looptx.model.schedule import Schedule, initial
from looptx.model.types import Type
from looptx.poly.budget import TRIALS_OPERATIONS, budget
from looptx.source.nests.statements.raising import with_raises


@dataclass(frozen=True, slots=True)
class Expansion:
    """Plain directives.

    Attributes:
        verbs: the directives. lines: what became of the nests around, in words.
        chosen: those in the place of each ``fuse_around``, by its text.
    """

    verbs: tuple[Verb, ...]
    lines: tuple[str, ...] = ()
    chosen: Mapping[str, tuple[Verb, ...]] = field(default_factory=dict)


def expanded(
    nest: Nest,
    verbs: Sequence[Verb],
    names: frozenset[str],
    types: Mapping[str, Type],
) -> Expansion:
    """The directives of a nest, those in the place of each ``fuse_around`` chosen.

    Args:
        nest: the nest. verbs: its directives. names: those the function uses.
        types: what is known of the names the nest reads.

    Raises:
        LooptxError: a directive is malformed.
    """
    if not any(isinstance(verb, FuseAround) for verb in verbs):
        return Expansion(tuple(verbs))
    nest = with_raises(nest, types)
    plain: list[Verb] = []
    lines: list[str] = []
    chosen: dict[str, tuple[Verb, ...]] = {}
    schedule = initial(nest, names)
    for at, verb in enumerate(verbs):
        if not isinstance(verb, FuseAround):
            plain.append(verb)
            schedule = verb.apply(schedule)
            continue
        verb.apply(schedule)
        facts, nests = _facts(schedule, verbs[at + 1 :]), Nests(schedule, verb.nest)
        try:
            with budget(TRIALS_OPERATIONS):
                judge = Judge(nest, verb, facts, types)
                search = Search(verb, schedule, nests, judge)
                fates = search.run()
        except LooptxError as error:
            raise verb.located(error) from None
        plain += search.verbs
        chosen[verb.text] = tuple(search.verbs)
        schedule = search.schedule
        lines += (line for fate in fates for line in fate.lines(verb.text))
    return Expansion(tuple(plain), tuple(lines), chosen)


def _facts(schedule: Schedule, later: Sequence[Verb]) -> Schedule:
    """A schedule with what later directives assert, too."""
    for verb in later:
        if verb.asserts or verb.temporaries:
            with suppress(Malformed):
                schedule = verb.apply(schedule)
    return schedule
