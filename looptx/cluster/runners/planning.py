"""Tasks that are made and not run: how many, what they move, and what they hold."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from looptx.cluster.graph.cost import Cost, simulated
from looptx.cluster.graph.graph import Graph
from looptx.cluster.graph.memory import peaks
from looptx.cluster.graph.nodes import Node
from looptx.cluster.graph.pieces import Piece
from looptx.cluster.graph.steps import Step
from looptx.cluster.graph.stores import Store
from looptx.cluster.runners.drawing import drawing
from looptx.cluster.work.boxes import Box
from looptx.model.records import dataclass


class Unknown(BaseException):
    """Python asks for values, which nobody has computed.

    No handler of the function's own may take it for its exception.
    """


@dataclass(frozen=True, slots=True)
class Plan:
    """The tasks of a call, before anything runs.

    Attributes:
        name: of the kernel. workers: how many there are.
        tasks: how many run parts of nests. cuts: how many cut cells out for others.
        moved: the bytes that go from one worker to another. sent: from the caller.
        peak: the most bytes that a worker holds, where workers run their tasks in the
            order they are made; for each worker.
        ends: where Python looks at arrays, after which there may be more tasks; ""
            where these are all.
        nodes, inputs: the tasks, and what each needs. steps: of which they are.
    """

    name: str
    workers: int
    tasks: int
    cuts: int
    moved: int
    sent: int
    peak: Mapping[int, int]
    ends: str
    nodes: Sequence[Node]
    inputs: Sequence[Sequence[Node]]
    steps: Sequence[Step]

    def __str__(self) -> str:
        peak = max(self.peak.values(), default=0)
        lines = [
            f"{self.name}: {self.tasks} tasks on {self.workers} workers",
            f"  {self.moved} bytes between workers, in {self.cuts} pieces",
            f"  {self.sent} bytes sent to them",
            f"  {peak} bytes at most on one worker at a time",
        ]
        if self.ends:
            lines.append(
                f"  and what comes after Python has looked at arrays: {self.ends}"
            )
        return "\n".join(lines)

    @property
    def whole(self) -> bool:
        """Whether these are all tasks."""
        return not self.ends

    def drawing(self) -> str:
        """The blocks, their halos, and the bytes of each step, as a text."""
        return drawing(str(self), self.steps, self.nodes, self.inputs)

    def simulated(self, cost: Cost) -> float:
        """The seconds that the tasks would take, simulated.

        Args:
            cost: of what they do.
        """
        return simulated(self.nodes, self.inputs, cost)


class Planning:
    """Keeps tasks and runs none.

    Args:
        workers: how many there are.
        ordered: whether tasks would run one after the other, as they are made.
    """

    def __init__(self, workers: int, ordered: bool) -> None:
        self.workers = workers
        self.ordered = ordered
        self.ahead = 1000
        self.nodes: list[Node] = []
        self.inputs: list[list[Node]] = []

    def take(self, nodes: list[Node], stores: Sequence[Store]) -> None:
        """Keep tasks.

        Args:
            nodes: the tasks. stores: what their results are for.
        """
        self.nodes += nodes
        self.inputs += (one.inputs for one in nodes)

    def fetch(self, asked: Sequence[tuple[Piece, Sequence[Box]]]) -> list[list[Any]]:
        """Nobody has these cells.

        Raises:
            Unknown: always, with what is asked for.
        """
        names = ", ".join(sorted({f"`{piece.item}`" for piece, _ in asked}))
        raise Unknown(f"the value of {names} is asked for")

    def finish(
        self, nodes: list[Node], asked: Sequence[tuple[Piece, Sequence[Box]]]
    ) -> list[list[Any]]:
        """Keep the last tasks; nobody has any cells.

        Args:
            nodes: the tasks. asked: as for ``fetch``.

        Raises:
            Unknown: always.
        """
        self.nodes += nodes
        self.inputs += (one.inputs for one in nodes)
        return self.fetch(asked)

    def close(self) -> None:
        """Nothing runs."""

    def plainly(self, digests: Collection[str]) -> Mapping[str, Mapping[str, str]]:
        """Nothing ran."""
        return {}

    def plan(
        self, name: str, graph: Graph, stores: Iterable[Store], ends: str = ""
    ) -> Plan:
        """The plan of what was taken.

        Args:
            name: of the kernel. graph: the tasks. stores: what their results are for.
            ends: why these are not all.
        """
        pieces = (piece for store in stores for piece in store.pieces)
        kept = {(id(one.node), one.node.worker) for one in pieces}
        traffic = graph.traffic
        return Plan(
            name,
            self.workers,
            traffic.tasks,
            traffic.cuts,
            traffic.moved,
            traffic.sent,
            peaks(self.nodes, self.inputs, kept),
            ends,
            self.nodes,
            self.inputs,
            graph.steps,
        )
