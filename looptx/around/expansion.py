"""What ``fuse_around`` amounts to: plain directives, and what there is to say of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from looptx.around.fates import Fate
from looptx.around.judge import Judge, told
from looptx.around.nests import Nests
from looptx.around.search import NOTHING, Search
from looptx.directives import Verb
from looptx.directives.around.contraction import is_contraction
from looptx.directives.around.fuse_around import Cost, FuseAround
from looptx.errors import LooptxError, Malformed, Unproven
from looptx.lower.types import lasting
from looptx.model.program import Kernel, Nest
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Schedule, initial
from looptx.model.types import Type
from looptx.poly.budget import MAX_OPERATIONS, TRIALS_OPERATIONS, budget
from looptx.source.nests.statements.raising import with_raises


@dataclass(frozen=True, slots=True)
class Expansion:
    """One ``fuse_around``, chosen and proven.

    Attributes:
        around: the directive. verbs: the plain ones in its place.
        fates: what became of the nests around the anchor.
    """

    around: FuseAround
    verbs: tuple[Verb, ...]
    fates: tuple[Fate, ...]

    @property
    def written(self) -> tuple[Verb, ...]:
        """The directives in its place: itself, done, where no nest joins."""
        return self.verbs or (replace(self.around, done=True),)

    @property
    def lines(self) -> tuple[str, ...]:
        """What became of the nests, in words."""
        return self._told(self.fates)

    def left(self, nests: Collection[str]) -> tuple[str, ...]:
        """Why those among some nests stayed that did."""
        stayed = (one for one in self.fates if one.place is None)
        return self._told(one for one in stayed if one.nest in nests)

    def _told(self, fates: Iterable[Fate]) -> tuple[str, ...]:
        return tuple(x for one in fates for x in one.lines(self.around.text))


def expansions(
    nest: Nest,
    verbs: Sequence[Verb],
    kernel: Kernel,
    costs: Mapping[str, Cost],
    others: Sequence[Nest],
) -> dict[str, Expansion]:
    """What each ``fuse_around`` among the directives of a nest amounts to, by its key.

    Only annotations say types, so that the choice is one for all calls of a function.

    Args:
        nest: the nest. verbs: its directives. kernel: its function.
        costs: what a place costs, for some of them.
        others: the nests of the function that are not one with the nest.

    Raises:
        LooptxError: a directive is malformed, or LX120.
    """
    found: dict[str, Expansion] = {}
    if not any(isinstance(verb, FuseAround) for verb in verbs):
        return found
    types = lasting(kernel)
    nest = with_raises(nest, types)
    schedule = initial(nest, kernel.names)
    for at, verb in enumerate(verbs):
        schedule = verb.apply(schedule)
        if not isinstance(verb, FuseAround):
            continue
        verb = replace(verb, cost=costs.get(verb.key))
        facts, nests = _facts(schedule, verbs[at + 1 :]), Nests(schedule, verb.nest)
        try:
            with budget(TRIALS_OPERATIONS):
                search = Search(verb, schedule, nests)
                fates = search.run(_judge(nest, verb, facts, types))
        except LooptxError as error:
            raise verb.located(error) from None
        schedule = search.schedule
        fates += _outside(verb, search, kernel, others)
        found[verb.key] = Expansion(verb, tuple(search.verbs), tuple(fates))
    return found


def _judge(
    nest: Nest, around: FuseAround, facts: Schedule, types: Mapping[str, Type]
) -> Judge | str:
    """What judges places in a nest, or why nothing can.

    Args:
        nest: the nest. around: the directive.
        facts: what all directives assert. types: what is known of its names.
    """
    try:
        with budget(MAX_OPERATIONS):
            return Judge(nest, around, facts, types)
    except Unproven as error:
        return f"it is unknown what depends on what: {told(error)}"


def _outside(
    around: FuseAround, search: Search, kernel: Kernel, others: Sequence[Nest]
) -> Iterator[Fate]:
    """Why the nests stay that are not one with the anchor.

    Args:
        around: the directive. search: what has joined. kernel: their function.
        others: those nests.
    """
    nest, joined = search.schedule.nest, (search.nests.anchor, *search.joined)
    for other in others:
        known = other.statements.values()
        sums = {one.loops[0] for one in known if is_contraction(one)}
        names = other.name.split("+")
        for name in names:
            root = (
                other.asked.subnests[name]
                if len(names) > 1
                else next(iter(other.loops))
            )
            if name in around.without:
                why = "it is excepted"
            elif root in sums:
                why = "it is a contraction"
            elif any(search.nests.exchange(one, other) for one in joined):
                why = _apart(nest, other, kernel)
            else:
                why = NOTHING
            yield Fate(name, why=why)


def _apart(nest: Nest, other: Nest, kernel: Kernel) -> str:
    """Why two nests cannot be one, with all that is between them."""
    low, high = sorted((nest, other), key=lambda one: one.text.first_line)
    between = [
        one
        for one in kernel.nests
        if low.text.first_line <= one.text.first_line
        and one.text.last_line <= high.text.last_line
    ]
    assert kernel.join is not None
    try:
        kernel.join(between)
    except LooptxError as error:
        beside = error.code != "LX106"
        return told(error) if beside else "it does not stand beside the anchor"
    return "it is one with other nests"


def _facts(schedule: Schedule, later: Sequence[Verb]) -> Schedule:
    """A schedule with what later directives assert, too."""
    for verb in later:
        if verb.asserts or verb.temporaries:
            with suppress(Malformed):
                schedule = verb.apply(schedule)
    return schedule
