"""How long tasks would take on a cluster: simulated, from a few measured numbers.

Each worker runs one task after the other: of those whose inputs are there, the one that
was made first. One scheduler hands all of them out, and cells travel with a latency and
a bandwidth. That is the model of LogGP (Alexandrov, Ionescu, Schauser, Scheiman, 1995)
without its overheads of receiving, and with a scheduler.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from looptx.cluster.graph.nodes import Node
from looptx.cluster.work.boxes import volume
from looptx.model.records import dataclass


@dataclass(frozen=True, slots=True)
class Cost:
    """What things take, in seconds; ``examples/cluster/measure.py`` measures a machine.

    The defaults are those of a machine of two cores that did nothing else, its network
    its own memory.

    Attributes:
        cell: to compute one cell that a task writes.
        scheduling: of the scheduler, for a task. starting: of the worker, for a task.
        latency: until something small is on another worker.
        bandwidth: bytes a second between two workers.
    """

    cell: float
    scheduling: float = 6e-4
    starting: float = 8e-4
    latency: float = 1.2e-2
    bandwidth: float = 4e9

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
    simulation = _Simulation(nodes, inputs, cost)
    while simulation.events:
        simulation.step()
    return simulation.now


class _Simulation:
    """Tasks that become ready and are done, one event after the other.

    Args:
        nodes, inputs, cost: as of ``simulated``.

    Attributes:
        now: the time. events: what is still known to come: when, whether a task is done
            by then or ready, and which.
    """

    def __init__(
        self, nodes: Sequence[Node], inputs: Sequence[Sequence[Node]], cost: Cost
    ) -> None:
        self.now = 0.0
        self.nodes = nodes
        self.cost = cost
        numbers = {id(node): at for at, node in enumerate(nodes)}
        self.waits = [len(given) for given in inputs]
        self.earliest = [at * cost.scheduling for at in range(1, len(nodes) + 1)]
        self.users: list[list[int]] = [[] for _ in nodes]
        for at, given in enumerate(inputs):
            for one in given:
                self.users[numbers[id(one)]].append(at)
        begin = (at for at, many in enumerate(self.waits) if not many)
        self.events = [(self.earliest[at], False, at) for at in begin]
        heapify(self.events)
        self.ready: defaultdict[int, list[tuple[bool, int]]] = defaultdict(list)
        self.busy: set[int] = set()

    def step(self) -> None:
        """All that comes at the next time there is an event."""
        self.now = self.events[0][0]
        workers = set()
        while self.events and self.events[0][0] == self.now:
            _, done, at = heappop(self.events)
            worker = self.nodes[at].worker
            workers.add(worker)
            if done:
                self.busy.discard(worker)
                self._reach(at)
            else:
                # What others wait for is cut out first.
                heappush(self.ready[worker], (bool(self.nodes[at].written), at))
        for worker in workers - self.busy:
            if self.ready[worker]:
                self._start(worker)

    def _reach(self, at: int) -> None:
        """Let tasks have what a task gave."""
        node = self.nodes[at]
        for user in self.users[at]:
            far = self.nodes[user].worker != node.worker
            then = self.now + (self.cost.travel(node.size) if far else 0.0)
            self.earliest[user] = max(self.earliest[user], then)
            self.waits[user] -= 1
            if not self.waits[user]:
                heappush(self.events, (self.earliest[user], False, user))

    def _start(self, worker: int) -> None:
        """Let a worker begin the first task that is ready there."""
        _, at = heappop(self.ready[worker])
        cells = sum(volume(boxes) for boxes in self.nodes[at].written.values())
        end = self.now + self.cost.starting + cells * self.cost.cell
        heappush(self.events, (end, True, at))
        self.busy.add(worker)
