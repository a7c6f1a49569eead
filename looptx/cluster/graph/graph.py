"""The tasks of a call as they are made: what they need of each other, and move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from looptx.cluster.graph.nodes import Key, Layout, Node
from looptx.cluster.graph.steps import Step, Traffic
from looptx.cluster.work import cells
from looptx.model.records import dataclass, field


@dataclass(slots=True)
class Graph:
    """Tasks that were made and not handed over yet.

    Attributes:
        name: of the kernel. token: what tells this call from others.
        layout: of the workers.
        nodes: the tasks. traffic: what all of them move. steps: of what they were made.
        count: how many names were given.
    """

    name: str
    token: str
    layout: Layout
    nodes: list[Node] = field(default_factory=list)
    traffic: Traffic = field(default_factory=Traffic)
    steps: list[Step] = field(default_factory=list)
    count: int = 0
    _cuts: dict[Any, Node] = field(default_factory=dict)
    _reached: set[tuple[Key, int]] = field(default_factory=set)

    def key(self, label: str, block: Sequence[int]) -> Key:
        """The name of a new task.

        Args:
            label: the nest, or what else it does. block: which one.
        """
        self.count += 1
        return (f"{self.name}.{label}-{self.token}", self.count, *block)

    def add(self, node: Node) -> None:
        """Add a task, whose inputs were added before."""
        self.nodes.append(node)

    def cut(self, node: Node, picks: Sequence[cells.Pick], size: int) -> Node:
        """The task that cuts cells out of what another one gives, where it runs.

        Args:
            node: the other. picks: the cells. size: their bytes.
        """
        key = node.key, tuple(picks)
        known = self._cuts.get(key)
        if known is None:
            label = node.key[0].removesuffix(f"-{self.token}")
            label = label.removeprefix(f"{self.name}.")
            name = self.key(f"{label}.halo", node.key[2:])
            given = (tuple(picks),)
            known = Node(name, node.worker, cells.cut, given, [node])
            known.size = size
            node.used = True
            self._cuts[key] = known
            self.add(known)
            self.traffic.cuts += 1
        return known

    def reach(self, node: Node, worker: int) -> None:
        """What a task gives is needed on a worker."""
        node.used = True
        if node.worker != worker and (node.key, worker) not in self._reached:
            self._reached.add((node.key, worker))
            self.traffic.moved += node.size

    def taken(self) -> list[Node]:
        """The tasks that are to be handed over now."""
        nodes, self.nodes = self.nodes, []
        for one in nodes:
            one.sent = True
        self._cuts.clear()
        self._reached.clear()
        return nodes
