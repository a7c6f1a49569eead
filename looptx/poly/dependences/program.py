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
from dataclasses import dataclass, replace
from typing import TypeAlias

import islpy as isl

from looptx.errors import LooptxError, Malformed, Unproven
from looptx.model.expr import IntExpr
from looptx.model.moves import Cache, Factor, Inline, Move, Step, When
from looptx.model.moves.changes import changed
from looptx.model.program import ANYTHING, OUTPUT, Nest
from looptx.model.schedule import Schedule, running
from looptx.model.tree import without
from looptx.poly.dependences.caching.dependences import dependences
from looptx.poly.dependences.caching.flows import Flows, shared
from looptx.poly.dependences.caching.uses import Uses
from looptx.poly.dependences.copies import Copies
from looptx.poly.dependences.factoring import Factored
from looptx.poly.dependences.inlining import Inlining
from looptx.poly.dependences.memory_based import Dependence
from looptx.poly.dependences.order import SourceTimes
from looptx.poly.dependences.placing import State
from looptx.poly.dependences.privatization import Dataflow, dataflow, users
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
            the pairs of instances in which a read gets its value from a write.
        tags: for each of them, and each move of what writes it, in which iteration of
            the loop it moved into a statement runs.
        idle: the statements of the schedule that never run.
        again: those that run several times.
    """

    spaces: Spaces
    dependences: Sequence[Dependence]
    dataflows: Mapping[str, Dataflow]
    shared: Mapping[str, Sequence[isl.Map]]
    tags: Mapping[str, Sequence[Tags]]
    idle: frozenset[str] = frozenset()
    again: frozenset[str] = frozenset()

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
    again = frozenset(stage.again)
    return Program(spaces, stage.dependences, flows, values, stage.tags, idle, again)


class _Stage:
    """The program after some of the moves.

    Attributes:
        state: what runs.
        dependences: between what runs.
        values: by array or scalar, from writes to the reads and the end that get their
            values, for all copies of both.
        tags: as in ``Program``.
    """

    def __init__(self, source: Program, schedule: Schedule) -> None:
        spaces = source.spaces.extended(schedule.nest, ())
        domains = {
            name: source.spaces.domain(one)
            for name, one in source.spaces.nest.statements.items()
        }
        spaces.domains = domains
        self.state = State(schedule.nest, spaces, domains)
        self.state.dataflows = dict(source.dataflows)
        self.dependences = list(source.dependences)
        self.values: dict[str, list[isl.Map]] = {}
        self.tags: dict[str, list[dict[str, tuple[IntExpr, ...]]]] = {}
        self.again: set[str] = set()
        order = SourceTimes(source.spaces)
        buffers = {x.buffer for x in schedule.moves if isinstance(x, Cache | Factor)}
        for step in schedule.moves:
            if isinstance(step, Move):
                written = self.state.accessed([*step.moved], write=True)
                _check_alone(self.state.nest, written)
            if isinstance(step, Inline):
                _check_alone(self.state.nest, (step.array,))
                self._trace(source, order, step.array)
            needed = self.state.exchanged(step) - self.values.keys() - buffers
            for name in sorted(needed):
                own = users(source.spaces.nest, name)
                found = dataflow(source.spaces, order, name, own, end=True)
                self.state.flows[name] = list(found.flow)
                self.values[name] = list(found.flow)

    def _trace(self, source: Program, order: SourceTimes, name: str) -> None:
        """Find where reads of an array or scalar get their values from."""
        if name not in self.state.dataflows:
            own = users(source.spaces.nest, name)
            found = dataflow(source.spaces, order, name, own, end=True)
            self.state.origins[name] = found

    def take(self, step: Step) -> None:
        """Take a step: what it changes is made of the statements as they are now."""
        nest = self.state.nest
        known = {**nest.statements, **changed(nest, step)}
        self.state.nest = replace(nest, statements=known)
        if isinstance(step, Inline):
            self.inline(step)
        elif isinstance(step, Move):
            self.move(step)
        else:
            self.keep(step)

    def move(self, move: Move) -> None:
        """Let statements move."""
        state, known = self.state, self.state.nest.statements
        copies = Copies(state, move)
        if all(one.is_empty() for one in copies.domains.values()):
            raise _idle(move)
        unknown = copies.written & {ANYTHING, OUTPUT}
        if unknown and not copies.unique:
            raise Unproven(
                "LX203",
                "unknown: what happens where an iteration runs again",
                detail=tuple(filter(None, {known[x].effects for x in move.moved})),
                hint="write `sliding`, or leave this directive out",
            )
        self._lift(copies)
        state.domains.update({**copies.domains, **copies.left})
        state.spaces.places = {**state.spaces.places, **copies.places()}

    def keep(self, step: Cache | Factor) -> None:
        """Let statements use a buffer.

        Raises:
            Unproven: LX203 for an array of which iterations have cells of their own.
        """
        state = self.state
        if step.array in self.tags:
            raise shared(step.array)
        uses: Uses | Factored
        flows: Flows | Factored
        if isinstance(step, Cache):
            uses = Uses(state, step)
            self.dependences = dependences(uses, self.dependences)
            flows = Flows(uses)
        else:
            uses = flows = Factored(state, step)
            self.dependences = flows.dependences(self.dependences)
        own = flows.buffer()
        for known in (state.flows, self.values):
            renamed = {x: flows.renamed(x, pairs) for x, pairs in known.items()}
            known.update(renamed)
            known[step.buffer] = list(own.flow)
        state.dataflows = {
            **{x: flows.other(x, known) for x, known in state.dataflows.items()},
            step.buffer: own,
        }
        state.origins = {x: flows.other(x, y) for x, y in state.origins.items()}
        self._rename(step.moved)
        for old in step.moved:
            del state.domains[old]
        state.domains.update(uses.domains)
        places = {**state.spaces.places, **uses.renamed_places(), **uses.places}
        state.spaces.places = places

    def inline(self, step: Inline) -> None:
        """Let statements compute what they read.

        Raises:
            Refused: LX201 where a read may get another value.
            Unproven: LX203 where that cannot be told.
        """
        state, array = self.state, step.array
        if array in self.tags:
            raise shared(array)
        known = state.dataflows if array in state.dataflows else state.origins
        found = Inlining(state, step, known[array], self.dependences)
        self.dependences = found.dependences
        for flows in (state.flows, self.values):
            flows.update({x: found.flows(pairs) for x, pairs in flows.items()})
        for lives in (state.dataflows, state.origins):
            changed = {x: found.dataflow(x, one) for x, one in lives.items()}
            lives.clear()
            lives.update({x: one for x, one in changed.items() if one is not None})
        self._rename(step.moved)
        for old in (*step.moved, step.producer):
            del state.domains[old]
        state.domains.update(found.domains)
        state.spaces.places = {**state.spaces.places, **found.places()}

    def _rename(self, names: Mapping[str, str]) -> None:
        """Let statements that run again and again have other names."""
        for tags in (one for several in self.tags.values() for one in several):
            tags.update({y: tags[x] for x, y in names.items() if x in tags})
        self.again.update(y for x, y in names.items() if x in self.again)

    def _lift(self, copies: Copies) -> None:
        """Relate what runs now."""
        state, moved = self.state, copies.move.moved
        self.dependences = [
            replace(
                one,
                source=state.nest.statements[source],
                sink=state.nest.statements[sink],
                relation=pairs,
            )
            for one in self.dependences
            for own in [one.source_access.array in copies.written]
            for source, sink, pairs in copies.lifted(
                (one.source.name, one.sink.name, one.relation), own=own
            )
        ]
        for name, flow in state.flows.items():
            own = name in copies.written
            state.flows[name] = copies.all_lifted(flow, own=own)
            self.values[name] = copies.all_lifted(self.values[name], own=False)
        state.dataflows = {
            name: copies.dataflow(name, known)
            for name, known in state.dataflows.items()
        }
        state.origins = {x: copies.dataflow(x, y) for x, y in state.origins.items()}
        self._rename(moved)
        if not copies.unique:
            self.again.update(copies.domains)
            for name in copies.written - copies.expanded:
                self.tags.setdefault(name, []).append(copies.tags())


def _idle(move: Move) -> Malformed:
    """The error for a nest of which nothing moves."""
    waits = move.when is When.COMPLETE
    does, other = ("reads", "writes") if waits else ("writes", "reads")
    return Malformed(
        "LX106",
        f"the nest {does} nothing that an iteration of the loop {other}",
        hint=f"name a nest that {does} what the loop {other},"
        " or leave this directive out",
    )


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
