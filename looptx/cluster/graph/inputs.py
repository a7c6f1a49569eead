"""Where a task gets its cells from: tasks beside it, others, or the caller's arrays.

What a worker has already is used where it is. From others only the cells travel that
are needed, cut out where they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from looptx.cluster.graph.graph import Graph
from looptx.cluster.graph.nodes import Node
from looptx.cluster.graph.pieces import Piece
from looptx.cluster.graph.stores import Store
from looptx.cluster.work.boxes import Box, common, hull, volume
from looptx.cluster.work.cells import Pick, Source, Window

ROOM = 1.5
"""A window may become so many times as large as what is written in it, for its first
reader to work there."""

Asked: TypeAlias = "tuple[list[Source], Piece, list[Box], int]"
"""Cells of a piece, with their bytes, that are to become sources of a window."""


class Inputs:
    """The inputs of one task.

    Args:
        graph: of the tasks. node: the task.
    """

    def __init__(self, graph: Graph, node: Node) -> None:
        self.graph = graph
        self.node = node
        self._numbers: dict[int, int] = {}
        self._far: dict[int, tuple[Node, list[Asked]]] = {}

    def window(self, window: Window, store: Store, read: Sequence[Box]) -> None:
        """Let a window begin with some cells of an array.

        Args:
            window: the window. store: the array. read: the cells.
        """
        found, left = store.find(read)
        for piece, boxes in found:
            self.take(window.sources, piece, boxes, volume(boxes) * store.itemsize)
        if left:
            store.base.give(self, window, store, left)

    def take(
        self, sources: list[Source], piece: Piece, boxes: list[Box], size: int
    ) -> None:
        """Take cells of a piece; a scalar has no boxes.

        Args:
            sources: of a window. piece: the piece.
            boxes: the cells. size: their bytes.
        """
        if piece.node.worker == self.node.worker:
            number = self.number(piece.node)
            sources.append(Source(number, piece.item, piece.frame, boxes))
        else:
            _, asked = self._far.setdefault(id(piece.node), (piece.node, []))
            asked.append((sources, piece, boxes, size))

    def number(self, node: Node) -> int:
        """The number of an input, which what another task gives becomes."""
        known = self._numbers.get(id(node))
        if known is None:
            known = self._numbers[id(node)] = len(self.node.inputs)
            self.node.inputs.append(node)
            self.graph.reach(node, self.node.worker)
        return known

    def close(self) -> None:
        """Have what is with other workers cut out there."""
        for node, asked in self._far.values():
            picks: list[Pick] = [
                (piece.item, piece.frame, tuple(boxes)) for _, piece, boxes, _ in asked
            ]
            size = sum(size for *_, size in asked)
            number = self.number(self.graph.cut(node, picks, size))
            at = 0
            for sources, _, boxes, _ in asked:
                if not boxes:
                    sources.append(Source(number, at, None, []))
                    at += 1
                for box in boxes:
                    sources.append(Source(number, at, box, [box]))
                    at += 1

    def settle(self, window: Window) -> None:
        """Let the task work in the window of another one, where that is possible.

        Args:
            window: of the task, which is only read, with all its sources.
        """
        for source in window.sources:
            node = self._home(window, source)
            if node is not None:
                work = node.work
                assert work is not None and isinstance(source.item, str)
                own = work.windows[source.item]
                own.box = hull([own.box, window.box])
                node.lent.add(source.item)
                window.home = source
                window.sources.remove(source)
                return

    def _home(self, window: Window, source: Source) -> Node | None:
        """The task in whose window another one may be, if that is possible."""
        node, item = self.node.inputs[source.number], source.item
        if source.frame is not None or node.work is None or item in node.lent:
            return None
        assert isinstance(item, str)
        own, written = node.work.windows[item], node.written[item]
        room = hull([own.box, window.box])
        if room != own.box and (node.sent or volume([room]) > ROOM * volume(written)):
            return None
        others = [
            box for one in window.sources if one is not source for box in one.boxes
        ]
        large = 2 * volume(source.boxes) > volume([window.box])
        return node if large and not common(others, written) else None
