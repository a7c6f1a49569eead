"""What runs where statements moved into loops of other nests.

An instance of the source may run several times there. Each time is a run of its own: in
the picture of the source all are at the place of the instance.
"""

from __future__ import annotations

from collections.abc import Mapping

from looptx.errors import Unproven
from looptx.model.moves import Move, When
from looptx.model.program import Nest
from looptx.model.records import dataclass, replace
from looptx.model.schedule import (
    Band,
    Leaf,
    Schedule,
    Sequence,
    Tree,
    initial,
    running,
    sequence,
    statements,
)
from looptx.poly.analysis import Analysis
from looptx.poly.budget import budget
from looptx.poly.instances import instances
from looptx.show.order import order_of
from looptx.show.picture_sizes import MOST
from looptx.show.runs import Run, Space
from looptx.show.touches import Tags

UNKNOWN = "What would run where is not known."
"""Why a picture shows the source twice."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A nest some of whose statements moved.

    Attributes:
        space: all that runs, in the order of the source.
        source: that order. final: the schedule, without what never runs.
        tags: by array, what tells the values of several runs of one instance apart.
        notes: what the picture does not show.
    """

    space: Space
    source: Schedule
    final: Schedule
    tags: Tags
    notes: tuple[str, ...] = ()


def moved(space: Space, nest: Nest, final: Schedule) -> Moved:
    """What runs under a schedule; as in the source where that is not known.

    Args:
        space: the runs of the source, as they are cut. nest: as it is written.
        final: the schedule.
    """
    source = initial(space.nest, final.taken)
    if not final.moves:
        return Moved(space, source, final, {})
    origin = {name: (name, 0) for name in source.nest.statements}
    for step in final.moves:
        more = len(step.coordinates) if isinstance(step, Move) else 0
        for old, new in step.moved.items():
            name, count = origin[old]
            origin[new] = name, count + more
    try:
        with budget():
            analysis = Analysis.under(nest, final)
            program = analysis.program(final)
            known = instances(program.spaces, space.sizes, MOST)
    except Unproven:
        return Moved(space, source, source, {}, (UNKNOWN,))
    final, drawn = program.busy(final), set(space.runs)
    nest = running(final)
    runs = [
        Run(name, point)
        for name in statements(final.tree)
        if name in origin
        for point in known[name]
        if Run(origin[name][0], point[origin[name][1] :]) in drawn
    ]
    names = {name: whole for name, whole in origin.items() if name in nest.statements}
    lifted = _lifted(source, final, names)
    counts = {name: count for name, (_, count) in names.items()}
    all_runs = replace(space, nest=nest, runs=tuple(runs), coordinates=counts)
    times = order_of(lifted, all_runs).times
    order = sorted(range(len(runs)), key=lambda at: (times[at], runs[at].point))
    result = replace(all_runs, runs=tuple(runs[at] for at in order))
    return Moved(result, lifted, final, _tags(final))


def _lifted(
    source: Schedule, final: Schedule, names: Mapping[str, tuple[str, int]]
) -> Schedule:
    """The order of the source with the statements that run in the end."""
    now: dict[str, list[str]] = {}
    for name, (old, _) in names.items():
        now.setdefault(old, []).append(name)

    def visit(tree: Tree) -> Tree:
        match tree:
            case Leaf(name):
                # Only one instance of all of them is there at a time.
                return sequence(tuple(map(Leaf, now.get(name, ())))) if now else tree
            case Band(dim, body):
                return Band(dim, visit(body))
            case Sequence(children):
                return Sequence(tuple(map(visit, children)))

    return replace(
        source,
        nest=replace(final.nest, statements=running(final).statements),
        tree=visit(source.tree),
        position={
            uid: {new: values[old] for new, (old, _) in names.items() if old in values}
            for uid, values in source.position.items()
        },
        owner={
            uid: {new: values[old] for new, (old, _) in names.items() if old in values}
            for uid, values in source.owner.items()
        },
        index={
            (new, loop): index
            for new, (old, _) in names.items()
            for (name, loop), index in source.index.items()
            if name == old
        },
    )


def _tags(final: Schedule) -> Tags:
    """Where the iterations of a loop have values of their own: what they run again."""
    found: Tags = {}
    for step in final.moves:
        if not isinstance(step, Move) or step.when is not When.NEEDED:
            continue
        known = final.nest.statements
        written = {
            access.array
            for new in step.moved.values()
            for access in known[new].accesses
            if access.write
        }
        for array in written:
            own = found.setdefault(array, {})
            own.update(step.inside)
            own.update(dict.fromkeys(step.moved.values(), step.coordinates))
    return found
