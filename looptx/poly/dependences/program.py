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

from collections.abc import Mapping, Sequence

from looptx.model.records import dataclass, field, replace
from looptx.model.schedule import Schedule, running
from looptx.model.tree import without
from looptx.poly.dependences.flows import Flow
from looptx.poly.dependences.memory_based import Dependence
from looptx.poly.dependences.origins import Origins
from looptx.poly.dependences.privatization import Dataflow
from looptx.poly.dependences.stages import Stages, Tags
from looptx.poly.dependences.state import Lifting
from looptx.poly.spaces import Spaces


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


def moved(stages: Stages, schedule: Schedule) -> Program:
    """The program of a schedule's moves.

    Args:
        stages: of the source. schedule: the schedule, with moves.

    Raises:
        Unproven: LX203 where it cannot be told what an iteration needs.
    """
    stage = stages.last(schedule)
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
    return Program(
        spaces,
        dependences,
        flows,
        values,
        stage.tags,
        stage.origins,
        idle,
        stage.again,
        state.flows,
        stage.last,
    )
