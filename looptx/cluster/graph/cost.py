"""How long tasks would take on a cluster: simulated, from a few measured numbers.

Each worker runs one task after the other, in the order they are made, when its inputs
are there; one scheduler hands all of them out; cells travel with a latency and a
bandwidth. That is the model of LogGP (Alexandrov, Ionescu, Schauser and Scheiman, 1995)
without its overheads of receiving, and with a scheduler.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from looptx.cluster.graph.nodes import Node
from looptx.cluster.work.boxes import volume


@dataclass(frozen=True, slots=True)
class Cost:
    """What things take, in seconds; ``examples/cluster`` measures them.

    Attributes:
        cell: to compute one cell that a task writes.
        scheduling: of the scheduler, for a task. starting: of the worker, for a task.
        latency: until something small is on another worker.
        bandwidth: bytes a second between two workers.
    """

    cell: float
    scheduling: float = 1e-3
    starting: float = 1e-3
    latency: float = 2e-3
    bandwidth: float = 1e9

    def travel(self, size: int) -> float:
        """Until so many bytes are on another worker."""
        return self.latency + size / self.bandwidth


def simulated(
    nodes: Sequence[Node], inputs: Sequence[Sequence[Node]], cost: Cost
) -> float:
    """The seconds until all tasks are done.

    Args:
        nodes: the tasks, in order. inputs: of each. cost: of what they do.
    """
    free: defaultdict[int, float] = defaultdict(float)
    done: dict[int, float] = {}
    for number, (node, given) in enumerate(zip(nodes, inputs, strict=True), 1):
        begin = max(free[node.worker], number * cost.scheduling)
        for one in given:
            far = one.worker != node.worker
            begin = max(begin, done[id(one)] + (cost.travel(one.size) if far else 0))
        cells = sum(volume(boxes) for boxes in node.written.values())
        end = begin + cost.starting + cells * cost.cell
        free[node.worker] = done[id(node)] = end
    return max(done.values(), default=0.0)
