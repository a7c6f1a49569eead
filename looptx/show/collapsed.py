"""The values of collapsed loops, by enumeration."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

from looptx.model.expr import variables
from looptx.model.expr.evaluate import holds, value
from looptx.model.program import LoopNode, Node
from looptx.model.records import dataclass, field
from looptx.model.schedule import Schedule
from looptx.show.runs import Run, Space

Values = dict[str, int]


@dataclass(frozen=True, slots=True)
class Collapses:
    """The collapsed loops of a schedule at the sizes of a space."""

    schedule: Schedule
    space: Space
    _spans: dict[int, range] = field(default_factory=dict)

    def values(self, run: Run) -> Values:
        """The value of every parameter and of every loop, collapsed ones included."""
        known = self.space.values(run)
        for loop, pair in self.schedule.collapsed.items():
            if run.statement not in self.schedule.position[pair.outer.uid]:
                continue
            row, column = (
                value(
                    self.schedule.position[dim.uid][run.statement],
                    known,
                    self.space.starts,
                )
                for dim in pair.dims
            )
            rows, columns = self._sides(loop)
            known[loop] = (row - rows.start) * len(columns) + column - columns.start
        return known

    def _sides(self, loop: str) -> tuple[range, range]:
        outer, inner = self.schedule.collapsed[loop].dims
        return self._span(outer.uid), self._span(inner.uid)

    def _span(self, uid: int) -> range:
        """The positions of a dimension: from 0, or the first below it, to the last."""
        if uid not in self._spans:
            seen = set(self._positions(uid))
            self._spans[uid] = range(min({0, *seen}), max({-1, *seen}) + 1)
        return self._spans[uid]

    def _positions(self, uid: int) -> Iterator[int]:
        """The positions of all iterations of the loops that a dimension is made of."""
        for statement, position in self.schedule.position[uid].items():
            used = variables(position)
            own = self.schedule.nest.statements[statement].loops
            last = next((loop for loop in reversed(own) if loop in used), None)
            made = [loop for loop in self.schedule.collapsed if loop in used]
            counts = [range(prod(map(len, self._sides(loop)))) for loop in made]
            for around in self._iterations(last):
                for places in product(*counts):
                    known = {**around, **dict(zip(made, places, strict=True))}
                    yield value(position, known, self.space.starts)

    def _iterations(self, last: str | None) -> Iterator[Values]:
        """The iterations of a loop, with those around it; one when there is none."""
        sizes = dict(self.space.sizes)
        if last is None:
            return iter((sizes,))
        return _visit(self.schedule.nest.body, sizes, last)


def _visit(nodes: tuple[Node, ...], values: Values, last: str) -> Iterator[Values]:
    for node in nodes:
        if isinstance(node, LoopNode) and holds(node.loop.guard, values):
            loop = node.loop
            first, end = value(loop.start, values), value(loop.stop, values)
            for number in range(first, end, loop.step):
                inside = {**values, loop.id: number}
                if loop.id == last:
                    yield inside
                else:
                    yield from _visit(node.body, inside, last)
