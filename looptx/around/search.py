"""The nests that join an anchor, each in its best loop, breadth first.

A queue holds the nests that have joined. Of each the producers are tried, then the
consumers. (Pre- and post-operations around a contraction, as compilers of MLIR fuse
them; here legality is the proof's, so any nest may be an anchor or join one.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from looptx.around.fates import Fate
from looptx.around.judge import Judge, Unfit, Weighed
from looptx.around.nests import Nests
from looptx.directives import Verb
from looptx.directives.around.fuse_around import FuseAround
from looptx.directives.moving.compute_at import ComputeAt
from looptx.directives.moving.reverse_compute_at import ReverseComputeAt
from looptx.directives.moving.verb import MovingVerb
from looptx.model.records import dataclass, field
from looptx.model.schedule import Band, Schedule, bands, statements

MOST_PLACES = 2000
"""Places that are tried for all nests together."""

NOTHING = "it exchanges nothing with what has joined"
"""Why a nest stays that nobody asked to come."""

Way: TypeAlias = type[MovingVerb]
"""How a nest joins: ``compute_at`` for a producer, or ``reverse_compute_at``."""


class Stays(Exception):
    """A nest has no place.

    Args:
        nest: its name. reasons: why it has none in each loop, inner ones first.
    """

    def __init__(self, nest: str, reasons: Mapping[str, str]) -> None:
        super().__init__(nest)
        self.nest = nest
        self.reasons = reasons


@dataclass
class Search:
    """What has been chosen so far.

    Attributes:
        around: the directive. schedule: with all that has moved.
        nests: those of the schedule before.
        verbs: the directives that have been chosen.
        joined: the anchor, and the nests that have moved, in their order.
        stay: the others, as far as they were tried.
        tried: how many places. judge: of places.
    """

    around: FuseAround
    schedule: Schedule
    nests: Nests
    verbs: list[Verb] = field(default_factory=list)
    joined: dict[str, Fate] = field(default_factory=dict)
    stay: dict[str, Fate] = field(default_factory=dict)
    tried: int = 0
    judge: Judge = field(init=False)

    def run(self, judge: Judge | str) -> list[Fate]:
        """Move what can be moved; what became of each nest, in the source's order.

        Nothing moves where places cannot be judged: ``judge`` says why.
        """
        anchor, names = self.nests.anchor, self.nests.names
        self.stay = {name: Fate(name, why=why) for name, why in self._borders()}
        if isinstance(judge, str):
            return [self.stay.get(name) or Fate(name, why=judge) for name in names]
        self.judge = judge
        borders = frozenset(self.stay)
        queue = [anchor]
        while queue:
            own = queue.pop(0)
            pairs: list[tuple[str, Way]]
            pairs = [(x, ComputeAt) for x in self.nests.producers(own)]
            pairs += [(x, ReverseComputeAt) for x in self.nests.consumers(own)]
            for name, way in pairs:
                if name not in borders and name not in self.joined:
                    queue += self._joining(name, way)
        for name in names:
            if name not in self.joined and name not in self.stay:
                self.stay[name] = Fate(name, why=NOTHING)
        return [self.joined.get(name) or self.stay[name] for name in names]

    def _borders(self) -> list[tuple[str, str]]:
        """The nests that never move, each with the reason."""
        named = [(name, "it is excepted") for name in self.around.without]
        sums = [x for x in self.nests.names if x in self.nests.contractions]
        whole = [x for x in self.nests.names if x not in {name for name, _ in named}]
        return named + [(x, "it is a contraction") for x in whole if x in sums]

    def _joining(self, name: str, way: Way) -> list[str]:
        """Let a nest join, and then those that only waited for it.

        Args:
            name: of the nest. way: in which it was found.

        Returns:
            The nests that have joined, in their order.
        """
        new = self._joined(name, way)
        for one in new:
            waiting = [x for x, fate in self.stay.items() if fate.reasons]
            for other in waiting:
                if other not in self.joined and self.nests.meet(one, other):
                    new += self._joined(other, self._way(other))
        return new

    def _way(self, name: str) -> Way:
        """How a nest joins that exchanges something with what has joined."""
        known = (self.nests.anchor, *self.joined)
        feeds = any(self.nests.feeds(name, one) for one in known)
        return ComputeAt if feeds else ReverseComputeAt

    def _joined(self, name: str, way: Way) -> list[str]:
        """Let a nest join, and what has to come along; which have joined."""
        other = ReverseComputeAt if way is ComputeAt else ComputeAt
        known = (self.nests.anchor, *self.joined)
        free = [
            x
            for x in self.nests.names
            if x not in self.joined
            and not (x in self.stay and self.stay[x].why)
            and not any(self.nests.meet(x, one) for one in known)
        ]
        along = [(x, other) for x in self.nests.along(name, free)]
        try:
            places = self._placed(self.schedule, [(name, way), *along])
        except Stays as error:
            self.stay[name] = Fate(name, reasons=error.reasons)
            return []
        self.schedule = places[-1].schedule
        for one in places:
            moved = one.candidate.nest
            self.verbs.append(one.verb)
            self.stay.pop(moved, None)
            self.joined[moved] = Fate(moved, one.candidate)
        return [one.candidate.nest for one in places]

    def _placed(
        self, schedule: Schedule, wanted: Sequence[tuple[str, Way]]
    ) -> list[Weighed]:
        """The best places of nests that join together: the first decides.

        Args:
            schedule: before. wanted: the nests, each with how it joins.

        Raises:
            Stays: one of them has none.
        """
        (name, way), *rest = wanted
        found, reasons = self._weighed(schedule, name, way)
        aside = {held for other, _ in rest for held in self.nests.held(other)}
        for one in sorted(found, key=lambda each: each.cost):
            loop = one.candidate.loop
            reasons[loop] = self.judge.refusal(one.schedule, one.verb, aside)
            if reasons[loop]:
                continue
            try:
                more = self._placed(one.schedule, rest) if rest else []
            except Stays as error:
                why = [*error.reasons.values(), "there is no loop"][0]
                reasons[loop] = f"{error.nest} would have to come along, but {why}"
                continue
            return [one, *more]
        raise Stays(name, {loop: why for loop, why in reasons.items() if why})

    def _weighed(
        self, schedule: Schedule, name: str, way: Way
    ) -> tuple[list[Weighed], dict[str, str]]:
        """The loops a nest may run in as far as its values tell, inner ones first.

        Args:
            schedule: before. name: of the nest. way: how it joins.

        Returns:
            These, and why not in the others; of places that may do the reason is empty.
        """
        found: list[Weighed] = []
        reasons: dict[str, str] = {}
        closed: list[tuple[Band, Unfit]] = []
        for band in self.nests.loops(schedule):
            loop = self.around.calls(schedule, band.dim, self.nests.anchor)
            if not loop:
                continue
            verb = self.around.plain(way(name, loop))
            try:
                self._check_open(band, closed)
                found.append(self.judge.weigh(schedule, verb))
                reasons[loop] = ""
            except Unfit as error:
                reasons[loop] = str(error)
                closed.append((band, error))
        return found[::-1], dict(reversed(reasons.items()))

    def _check_open(self, band: Band, closed: Sequence[tuple[Band, Unfit]]) -> None:
        """See that a loop has to be tried.

        Args:
            band: the loop. closed: those outside of it, or beside it, that are unfit.

        Raises:
            Unfit: it is as unfit as a loop around it, or too many have been tried.
        """
        held = frozenset(statements(band))
        for around, error in closed:
            within = any(one is band for one in bands(around))
            if error.inside is not None and within and error.inside <= held:
                raise error
        self.tried += 1
        if self.tried > MOST_PLACES:
            raise Unfit("unknown, as too many places have been tried")
