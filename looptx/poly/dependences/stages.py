"""What runs after each step of a schedule, kept for schedules that begin alike.

A choice among many places for a nest tries schedules that differ in their last step
only, and directives are judged one after the other: each step is taken once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import TypeAlias

from looptx.errors import LooptxError, Unproven
from looptx.model.expr import IntExpr
from looptx.model.moves import Cache, Case, Factor, Inline, Move, Step
from looptx.model.moves.changes import changed
from looptx.model.program import Nest, Statement
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Schedule
from looptx.poly.dependences.caching.flows import Cached, shared
from looptx.poly.dependences.cases import Cases
from looptx.poly.dependences.factoring import Factored
from looptx.poly.dependences.flows import Flow
from looptx.poly.dependences.inlining import Inlining
from looptx.poly.dependences.memory_based import Dependence
from looptx.poly.dependences.moving.copies import Copies
from looptx.poly.dependences.moving.placing import exchanged
from looptx.poly.dependences.order import SourceTimes
from looptx.poly.dependences.origins import Origins
from looptx.poly.dependences.privatization import Dataflow, dataflow, users
from looptx.poly.dependences.state import Lifting, State
from looptx.poly.spaces import Spaces

Tags: TypeAlias = Mapping[str, tuple[IntExpr, ...]]
"""``{statement: the iteration of a loop that it runs in}``."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What runs after some of the steps.

    Attributes:
        state: what runs. changed: its statements that are others than in the source.
        dependences: between what runs.
        values: by array or scalar, from writes to the reads and the end that get their
            values, for all copies of both.
        tags, origins, again, last: as in ``Program``.
    """

    state: State
    dependences: Sequence[Dependence]
    values: Mapping[str, Sequence[Flow]]
    origins: Origins
    changed: Mapping[str, Statement]
    tags: Mapping[str, Sequence[Tags]]
    again: frozenset[str] = frozenset()
    last: Lifting | None = None

    def after(self, nest: Nest, step: Step) -> Stage:
        """What runs after a step; it is made of the statements as they are now.

        Args:
            nest: of a schedule with these steps. step: the next one.

        Raises:
            LooptxError: LX106, LX201, LX203 where the step cannot be taken.
        """
        if not isinstance(step, Move) and step.array in self.tags:
            raise shared(step.array)
        known = {**nest.statements, **self.changed}
        known |= changed(replace(nest, statements=known), step)
        state = replace(
            self.state,
            nest=replace(nest, statements=known),
            spaces=self.state.spaces.extended(nest, ()),
        )
        lifting = _lifting(state, step)
        dependences = lifting.dependences(self.dependences)
        flows = {x: lifting.flows(x, known) for x, known in state.flows.items()}
        values = {x: lifting.values(x, known) for x, known in self.values.items()}
        lives = _lives(lifting, state.dataflows)
        state.origins = _lives(lifting, state.origins)
        state.spaces.places = {**state.spaces.places, **lifting.places()}
        left = (x for x in state.domains.items() if x[0] not in lifting.gone)
        state.spaces.domains = {**dict(left), **lifting.domains}
        made = lifting.made()
        own = {name: list(one.flow) for name, one in made.items()}
        state.flows = {**flows, **own}
        state.dataflows = {**lives, **made}
        tags, again = self._tagged(lifting)
        old = nest.statements
        return Stage(
            state,
            dependences,
            {**values, **own},
            self.origins.followed(lifting),
            {x: y for x, y in state.nest.statements.items() if old.get(x) is not y},
            tags,
            again,
            lifting,
        )

    def _tagged(
        self, lifting: Lifting
    ) -> tuple[dict[str, Sequence[Tags]], frozenset[str]]:
        """What runs again and again, and where, under the names of now."""
        names = lifting.names
        tags: dict[str, Sequence[Tags]] = {
            array: [
                {**one, **{y: one[x] for x, y in names.items() if x in one}}
                for one in several
            ]
            for array, several in self.tags.items()
        }
        again = self.again.union(y for x, y in names.items() if x in self.again)
        if isinstance(lifting, Copies) and not lifting.unique:
            again = again.union(names.values())
            for name in lifting.written - lifting.expanded:
                tags[name] = [*tags.get(name, ()), lifting.tags]
        return tags, again


class Stages:
    """The stages of the schedules of a nest.

    Args:
        spaces: of the source. dependences: of it.
        dataflows: of its temporaries and private scalars.
    """

    def __init__(
        self,
        spaces: Spaces,
        dependences: Sequence[Dependence],
        dataflows: Mapping[str, Dataflow],
    ) -> None:
        self._spaces, self._dependences = spaces, dependences
        self._dataflows = dataflows
        self._traces: dict[str, Dataflow] = {}
        self._order = SourceTimes(spaces)
        self._followed: tuple[frozenset[str], frozenset[str]] | None = None
        self._steps: list[Step] = []
        self._kept: list[Stage] = []

    def last(self, schedule: Schedule) -> Stage:
        """What runs after all steps of a schedule.

        Raises:
            LooptxError: a step cannot be taken; it has its number.
        """
        followed = self._values(schedule)
        if followed != self._followed:
            self._kept = [self._first(*followed)]
            self._followed, self._steps = followed, []
        pairs = zip(self._steps, schedule.moves, strict=False)
        same = len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])
        del self._steps[same:], self._kept[same + 1 :]
        for number, step in enumerate(schedule.moves[same:], same):
            try:
                self._kept.append(self._kept[-1].after(schedule.nest, step))
            except LooptxError as error:
                error.step = number
                raise
            self._steps.append(step)
        return self._kept[-1]

    def _values(self, schedule: Schedule) -> tuple[frozenset[str], frozenset[str]]:
        """The arrays and scalars whose values are followed, from writes and from reads.

        Raises:
            Unproven: LX203 where others might write or read them, too.
        """
        state = State(schedule.nest, self._spaces)
        flows, origins = set[str](), set[str]()
        for step in schedule.moves:
            if isinstance(step, Move):
                _check_alone(state.nest, state.accessed(step.moved, write=True))
            if isinstance(step, Inline):
                _check_alone(state.nest, (step.array,))
                if step.array not in self._dataflows:
                    origins.add(step.array)
            flows |= exchanged(state, step)
        made = {x.buffer for x in schedule.moves if isinstance(x, Cache | Factor)}
        return frozenset(flows - made), frozenset(origins)

    def _first(self, flows: Iterable[str], origins: Iterable[str]) -> Stage:
        """The source.

        Args:
            flows: from whose writes values are followed.
            origins: from whose reads.
        """
        nest = self._spaces.nest
        spaces = self._spaces.extended(nest, ())
        spaces.domains = {
            name: self._spaces.domain(one) for name, one in nest.statements.items()
        }
        known = {name: list(self._traced(name).flow) for name in sorted(flows)}
        traced = {name: self._traced(name) for name in sorted(origins)}
        state = State(nest, spaces, known, dict(self._dataflows), traced)
        start, own = Origins(self._spaces), nest.statements
        return Stage(state, self._dependences, known, start, own, {})

    def _traced(self, name: str) -> Dataflow:
        """Where reads and the end get their values from in the source."""
        if name not in self._traces:
            own = users(self._spaces.nest, name)
            found = dataflow(self._spaces, self._order, name, own, end=True)
            self._traces[name] = found
        return self._traces[name]


def _lifting(state: State, step: Step) -> Lifting:
    """What relates the instances that run after a step."""
    match step:
        case Move():
            return Copies(state, step)
        case Cache():
            return Cached(state, step)
        case Factor():
            return Factored(state, step)
        case Inline():
            return Inlining(state, step)
        case Case():
            return Cases(state, step)


def _lives(lifting: Lifting, known: Mapping[str, Dataflow]) -> dict[str, Dataflow]:
    """The dataflows that there are after a step."""
    found = ((name, lifting.dataflow(name, one)) for name, one in known.items())
    return {name: one for name, one in found if one is not None}


def _check_alone(nest: Nest, written: Iterable[str]) -> None:
    """See that nobody else may write, or read, what is not written as in the source.

    Raises:
        Unproven: LX203.
    """
    for name in sorted(written):
        others = nest.others(name) & {*nest.arrays}
        if others or frozenset((name,)) in nest.aliases:
            raise Unproven(
                "LX203",
                f"unknown: who needs what is written into `{name}`",
                detail=(f"`{name}` may share memory with other arrays",),
                hint="leave this directive out, or use arrays of their own",
            )
