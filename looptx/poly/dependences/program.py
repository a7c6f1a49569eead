"""A nest under a schedule's moves: which instances run, and what they have to keep.

The dependences of the source are between instances of the source. A statement that
moved (see ``model.moves``) has instances of its own, each a copy of one of the source;
each dependence is lifted to them:

- an instance that runs once keeps all its dependences;
- copies of one instance keep those that others have with it, all of them: what they
  read is written before the first, and changes after the last;
- but of the cells that the moved statements write themselves, each iteration of the
  loop they moved into has its own: dependences by those cells are kept inside it.

The last is the view of array expansion (Feautrier, "Array expansion", ICS 1988). Where
storage is not expanded, as it is for temporaries, ``reruns`` sees that every read gets
the same value all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from looptx.errors import LooptxError, Unproven
from looptx.model.expr import IntExpr
from looptx.model.moves import Cache, Case, Factor, Inline, Move, Step
from looptx.model.moves.changes import changed
from looptx.model.program import Nest
from looptx.model.schedule import Schedule, running
from looptx.model.tree import without
from looptx.poly.dependences.caching.flows import Cached, shared
from looptx.poly.dependences.cases import Cases
from looptx.poly.dependences.copies import Copies
from looptx.poly.dependences.factoring import Factored
from looptx.poly.dependences.flows import Flow
from looptx.poly.dependences.inlining import Inlining
from looptx.poly.dependences.memory_based import Dependence
from looptx.poly.dependences.order import SourceTimes
from looptx.poly.dependences.origins import Origins
from looptx.poly.dependences.placing import exchanged
from looptx.poly.dependences.privatization import Dataflow, dataflow, users
from looptx.poly.dependences.state import Lifting, State
from looptx.poly.spaces import Spaces

Tags: TypeAlias = Mapping[str, tuple[IntExpr, ...]]
"""``{statement: the iteration of a loop that it runs in}``."""


@dataclass(frozen=True, slots=True)
class Program:
    """What runs, and in which order it has to.

    Attributes:
        spaces: with the statements under their new names, and when they run.
        dependences: that every order has to keep.
        dataflows: of temporaries and private scalars.
        shared: the arrays with cells that several iterations write again, each with
            the writes that reads get their values from.
        tags: for each of them, and each move of what writes it, in which iteration of
            the loop it moved into a statement runs.
        idle: the statements of the schedule that never run.
        again: those that run several times.
        origins: of which instances of the source they are runs.
        flows: by array or scalar that moves exchange, from writes to reads.
        last: what the last step makes of the instances before it.
        traces: of the source, what has been asked for so far of where values flow.
    """

    spaces: Spaces
    dependences: Sequence[Dependence]
    dataflows: Mapping[str, Dataflow]
    shared: Mapping[str, Sequence[Flow]]
    tags: Mapping[str, Sequence[Tags]]
    origins: Origins
    idle: frozenset[str] = frozenset()
    again: frozenset[str] = frozenset()
    flows: Mapping[str, Sequence[Flow]] = field(default_factory=dict)
    last: Lifting | None = None
    traces: dict[str, Dataflow] = field(default_factory=dict)

    def busy(self, schedule: Schedule) -> Schedule:
        """A schedule without the statements that never run."""
        idle = self.idle
        if not idle:
            return schedule
        position = {
            uid: {name: value for name, value in known.items() if name not in idle}
            for uid, known in schedule.position.items()
        }
        owner = {
            uid: {name: loop for name, loop in known.items() if name not in idle}
            for uid, known in schedule.owner.items()
        }
        return replace(
            schedule,
            tree=without(schedule.tree, idle),
            position=position,
            owner=owner,
            index={key: x for key, x in schedule.index.items() if key[0] not in idle},
            collapsed={
                loop: pair
                for loop, pair in schedule.collapsed.items()
                if position[pair.outer.uid]
            },
        )


def moved(source: Program, schedule: Schedule) -> Program:
    """The program of a schedule's moves.

    Args:
        source: the program of the source.
        schedule: the schedule.

    Raises:
        Unproven: LX203 where it cannot be told what an iteration needs.
    """
    if not schedule.moves:
        return source
    stage = _Stage(source, schedule)
    for number, step in enumerate(schedule.moves):
        try:
            stage.take(step)
        except LooptxError as error:
            error.step = number
            raise
    state = stage.state
    values = {name: stage.values[name] for name in stage.tags}
    moved = {x for move in schedule.moves for x in (*move.moved, *move.moved.values())}
    idle = frozenset(
        x for x in moved & state.domains.keys() if state.domains[x].is_empty()
    )
    nest = running(replace(schedule, nest=state.nest))
    left = {x: one for x, one in nest.statements.items() if x not in idle}
    spaces = state.spaces.extended(replace(nest, statements=left), ())
    flows = {
        name: replace(one, users=busy)
        for name, one in state.dataflows.items()
        if (busy := tuple(x for x in one.users if x.name not in idle))
    }
    dependences = [
        x for x in stage.dependences if not {x.source.name, x.sink.name} & idle
    ]
    again = frozenset(stage.again)
    return Program(
        spaces,
        dependences,
        flows,
        values,
        stage.tags,
        stage.origins,
        idle,
        again,
        state.flows,
        stage.last,
    )


class _Stage:
    """The program after some of the moves.

    Attributes:
        state: what runs.
        dependences: between what runs.
        values: by array or scalar, from writes to the reads and the end that get their
            values, for all copies of both.
        tags, origins, last: as in ``Program``.
    """

    def __init__(self, source: Program, schedule: Schedule) -> None:
        spaces = source.spaces.extended(schedule.nest, ())
        spaces.domains = {
            name: source.spaces.domain(one)
            for name, one in source.spaces.nest.statements.items()
        }
        self.state = State(schedule.nest, spaces)
        self.state.dataflows = dict(source.dataflows)
        self.dependences = list(source.dependences)
        self.values: dict[str, list[Flow]] = {}
        self.tags: dict[str, list[dict[str, tuple[IntExpr, ...]]]] = {}
        self.again: set[str] = set()
        self.last: Lifting | None = None
        self.origins = Origins(source.spaces)
        order = SourceTimes(source.spaces)

        def traced(name: str) -> Dataflow:
            """Where reads and the end get their values from in the source."""
            if name not in source.traces:
                own = users(source.spaces.nest, name)
                found = dataflow(source.spaces, order, name, own, end=True)
                source.traces[name] = found
            return source.traces[name]

        buffers = {x.buffer for x in schedule.moves if isinstance(x, Cache | Factor)}
        for step in schedule.moves:
            if isinstance(step, Move):
                written = self.state.accessed(step.moved, write=True)
                _check_alone(self.state.nest, written)
            if isinstance(step, Inline):
                _check_alone(self.state.nest, (step.array,))
                if step.array not in self.state.dataflows:
                    self.state.origins[step.array] = traced(step.array)
            needed = exchanged(self.state, step) - self.values.keys() - buffers
            for name in sorted(needed):
                found = traced(name)
                self.state.flows[name] = list(found.flow)
                self.values[name] = list(found.flow)

    def take(self, step: Step) -> None:
        """Take a step: what it changes is made of the statements as they are now.

        Raises:
            LooptxError: LX106, LX201, LX203 where the step cannot be taken.
        """
        state, nest = self.state, self.state.nest
        known = {**nest.statements, **changed(nest, step)}
        state.nest = replace(nest, statements=known)
        if not isinstance(step, Move) and step.array in self.tags:
            raise shared(step.array)
        lifting = _lifting(state, step)
        self.dependences = lifting.dependences(self.dependences)
        flows = {x: lifting.flows(x, known) for x, known in state.flows.items()}
        values = {x: lifting.values(x, known) for x, known in self.values.items()}
        lives = _lives(lifting, state.dataflows)
        state.origins = _lives(lifting, state.origins)
        state.spaces.places = {**state.spaces.places, **lifting.places()}
        left = (x for x in state.domains.items() if x[0] not in lifting.gone)
        state.spaces.domains = {**dict(left), **lifting.domains}
        self.origins.follow(lifting)
        made = lifting.made()
        own = {name: list(one.flow) for name, one in made.items()}
        state.flows, self.values = {**flows, **own}, {**values, **own}
        state.dataflows = {**lives, **made}
        self.last = lifting
        self._tag(lifting)

    def _tag(self, lifting: Lifting) -> None:
        """Keep what runs again and again, and where, under the names of now."""
        names = lifting.names
        for tags in (one for several in self.tags.values() for one in several):
            tags.update({y: tags[x] for x, y in names.items() if x in tags})
        self.again.update(y for x, y in names.items() if x in self.again)
        if isinstance(lifting, Copies) and not lifting.unique:
            self.again.update(names.values())
            for name in lifting.written - lifting.expanded:
                self.tags.setdefault(name, []).append({**lifting.tags})


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
