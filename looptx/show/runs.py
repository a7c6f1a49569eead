"""The runs of a nest at concrete sizes: which statement runs at which iteration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from looptx.model.expr import variables
from looptx.model.expr.evaluate import holds, value
from looptx.model.program import LoopNode, Nest, Node, StatementNode
from looptx.model.records import dataclass, field

NO_LIMITS: Mapping[str, int] = {}


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a statement; ``point`` holds the values of its loops."""

    statement: str
    point: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Space:
    """Every run of a nest, in the order of the source.

    Attributes:
        nest: the nest.
        sizes: the value of each parameter.
        runs: what runs; other modules name a run by its number here.
        starts: the first value of each loop over the whole nest, as ``Start`` means.
        limits: loops that were cut to their first iterations.
        coordinates: by statement how many of its loops, the first ones, only say in
            which iteration of a loop that it moved into it runs.
    """

    nest: Nest
    sizes: Mapping[str, int]
    runs: tuple[Run, ...]
    starts: Mapping[str, int]
    limits: Mapping[str, int]
    coordinates: Mapping[str, int] = field(default_factory=dict)

    def own(self, run: Run) -> tuple[int, ...]:
        """The values of a run's loops of the source."""
        return run.point[self.coordinates.get(run.statement, 0) :]

    def values(self, run: Run) -> dict[str, int]:
        """The value of every parameter and of every loop around a run."""
        loops = self.nest.statements[run.statement].loops
        return {**self.sizes, **dict(zip(loops, run.point, strict=True))}


def enumerate_runs(
    nest: Nest,
    sizes: Mapping[str, int],
    most: int,
    limits: Mapping[str, int] = NO_LIMITS,
) -> Space | None:
    """The runs of a nest at these sizes; None when there are more than ``most``.

    Args:
        nest: the nest.
        sizes: a value for every parameter.
        most: how many runs are enough.
        limits: ``{loop id: iterations}`` for loops to be cut short.

    Returns:
        The runs in the order of the source.
    """
    seen: dict[str, list[int]] = {}
    runs = tuple(islice(_visit(nest, nest.body, dict(sizes), limits, seen), most + 1))
    if len(runs) > most:
        return None
    starts = {
        name: (min if nest.loops[name].step > 0 else max)(values)
        for name, values in seen.items()
    }
    for loop in nest.loops.values():
        # What is fused with a loop that never runs is still counted from its start.
        if loop.id not in starts and variables(loop.start) <= set(sizes):
            starts[loop.id] = value(loop.start, sizes)
    return Space(nest, sizes, runs, starts, limits)


def _visit(
    nest: Nest,
    nodes: Iterable[Node],
    values: dict[str, int],
    limits: Mapping[str, int],
    seen: dict[str, list[int]],
) -> Iterator[Run]:
    """The runs of some nodes; ``seen`` collects extreme values of every loop."""
    for node in nodes:
        match node:
            case StatementNode(name):
                statement = nest.statements[name]
                if holds(statement.guard, values):
                    yield Run(name, tuple(values[loop] for loop in statement.loops))
            case LoopNode(loop, body):
                first, stop = value(loop.start, values), value(loop.stop, values)
                numbers = range(first, stop, loop.step)
                if loop.id in limits:
                    numbers = numbers[: limits[loop.id]]
                if numbers and holds(loop.guard, values):
                    extremes = seen.setdefault(loop.id, [numbers[0], numbers[0]])
                    extremes[0] = min(extremes[0], numbers[0])
                    extremes[1] = max(extremes[1], numbers[0])
                    for number in numbers:
                        inner = {**values, loop.id: number}
                        yield from _visit(nest, body, inner, limits, seen)
