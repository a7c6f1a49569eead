"""When every run of a nest happens under a schedule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from looptx.model.expr.evaluate import value
from looptx.model.records import dataclass
from looptx.model.schedule import Band, Leaf, Schedule, bands, path, statements
from looptx.show.collapsed import Collapses
from looptx.show.runs import Space

Time = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Order:
    """The order of the runs under a schedule, by the number of the run.

    Attributes:
        positions: ``{dim uid: position}`` of each run.
        times: the positions along the tree, the places in sequences included; running
            is visiting them in lexicographic order.
        steps: the rank of each run from 0 on; runs of different iterations of a
            parallel or vector loop that may happen together have the same.
        together: per statement, where in its times the parallel and vector loops are.
    """

    positions: Sequence[dict[int, int]]
    times: Sequence[Time]
    steps: Sequence[int]
    together: dict[str, frozenset[int]]


def order_of(schedule: Schedule, space: Space) -> Order:
    """Evaluate a schedule at every run."""
    positions: list[dict[int, int]] = []
    collapses = Collapses(schedule, space)
    for run in space.runs:
        values = collapses.values(run)
        positions.append(
            {
                uid: value(each[run.statement], values, space.starts)
                for uid, each in schedule.position.items()
                if run.statement in each
            }
        )
    paths = {name: path(schedule.tree, name) for name in statements(schedule.tree)}
    lanes = dict(_lanes(schedule))
    times: list[Time] = []
    clocks: list[Time] = []
    for run, position in zip(space.runs, positions, strict=True):
        time: list[int] = []
        clock: list[int] = []
        for node, taken in paths[run.statement]:
            match node:
                case Band(dim, _):
                    at = position[dim.uid]
                    time.append(at)
                    width = lanes.get(dim.uid, 1)
                    clock.append(at // width if width else 0)
                case Leaf():
                    pass
                case _:
                    time.append(taken)
                    clock.append(taken)
        times.append(tuple(time))
        clocks.append(tuple(clock))
    rank = {clock: number for number, clock in enumerate(sorted(set(clocks)))}
    together = {
        name: frozenset(
            at
            for at, (node, _) in enumerate(nodes)
            if isinstance(node, Band) and node.dim.uid in lanes
        )
        for name, nodes in paths.items()
    }
    return Order(positions, times, [rank[clock] for clock in clocks], together)


def _lanes(schedule: Schedule) -> Iterator[tuple[int, int]]:
    """The loops whose iterations run together: how many at once, 0 for all of them."""
    for band in bands(schedule.tree):
        marks = band.dim.marks
        if not marks.together:
            continue
        width = marks.vectorize or 0 if marks.parallel is None else 0
        yield band.dim.uid, width
