"""Tasks run in this process, one after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from looptx.cluster.graph.nodes import Node, TaskFailed
from looptx.cluster.graph.pieces import Piece
from looptx.cluster.graph.stores import Store
from looptx.cluster.work import cells, code
from looptx.cluster.work.boxes import Box, slices


class Here:
    """Runs tasks as they come. What no later task can need is forgotten.

    Args:
        workers: how many workers it stands for: what they exchange is cut out and
            copied as between processes.
        ahead: how many tasks are made before they run.
    """

    def __init__(self, workers: int = 1, ahead: int = 256) -> None:
        self.workers = workers
        self.ordered = True
        self.ahead = ahead

    def take(self, nodes: list[Node], stores: Sequence[Store]) -> None:
        """Run tasks, in their order.

        Args:
            nodes: the tasks. stores: what their results are for.
        """
        left = deque(nodes)
        # What no later task can need is forgotten.
        nodes.clear()
        while left:
            node = left.popleft()
            inputs = [one.value for one in node.inputs]
            try:
                node.value = node.function(*node.given, *inputs)
            except Exception as error:
                raise TaskFailed(node.key) from error
            node.inputs = []
            del inputs
            if node.through:
                _put(node)

    def fetch(self, asked: Sequence[tuple[Piece, Sequence[Box]]]) -> list[list[Any]]:
        """Cells of pieces: an array for each box, or a number where there are none."""
        return [
            cells.cut([(piece.item, piece.frame, tuple(boxes))], piece.node.value)
            for piece, boxes in asked
        ]

    def finish(
        self, nodes: list[Node], asked: Sequence[tuple[Piece, Sequence[Box]]]
    ) -> list[list[Any]]:
        """Run the last tasks, and fetch cells.

        Args:
            nodes: the tasks. asked: as for ``fetch``.
        """
        self.take(nodes, ())
        return self.fetch(asked)

    def close(self) -> None:
        """Nothing runs any more."""

    def plainly(self, digests: Collection[str]) -> Mapping[str, Mapping[str, str]]:
        """Which functions ran as Python, with the reasons.

        Args:
            digests: of the functions that are asked for.
        """
        return {"this process": code.plainly(digests)}


def _put(node: Node) -> None:
    """Put what a task gave into arrays in files; it is not kept."""
    for array, box, item in node.through:
        lower, values = node.value[item]
        array[slices(box, (0,) * len(box))] = values[slices(box, lower)]
    for item in {item for *_, item in node.through}:
        del node.value[item]
