"""Tasks that were made, as arrays of dask's."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import dask.array as da
from dask._task_spec import Task, TaskRef
from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer

from looptx.cluster.graph.graph import Graph
from looptx.cluster.graph.inputs import Inputs
from looptx.cluster.graph.nodes import Apart, Node
from looptx.cluster.graph.stores import Store
from looptx.cluster.lazy.chunked import elsewhere, grid
from looptx.cluster.lazy.standins import Chunks, Later
from looptx.cluster.lazy.verdicts import Verdict, ends
from looptx.cluster.runners.placed import At, Placed
from looptx.cluster.work import chunks, failing
from looptx.cluster.work.boxes import Box, sides, volume
from looptx.cluster.work.cells import Window
from looptx.cluster.work.failing import Passing
from looptx.model.records import dataclass, field


@dataclass(slots=True)
class Result:
    """What a call gives of what tasks do.

    Attributes:
        name: of it, in the graph.
        nodes: the tasks that make it of others.
        sizes, dtype: of an array; a number has none.
    """

    name: str
    nodes: list[Node] = field(default_factory=list)
    sizes: Chunks | None = None
    dtype: str = ""


class Results:
    """Makes arrays of dask's of what tasks give.

    Args:
        graph: of the tasks.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._found: list[Result] = []

    def array(self, store: Store, sizes: Chunks | None) -> int:
        """Make the tasks of an array's chunks.

        Args:
            store: the array. sizes: of its chunks; None for those of its blocks.

        Returns:
            The number of the result.
        """
        found = Result(self._name(store.label), [], sizes or _sizes(store), store.dtype)
        assert found.sizes is not None
        for index, box in grid(found.sizes):
            found.nodes.append(self._chunk(store, (found.name, *index), box))
        return self._noted(found)

    def number(self, later: Later) -> int:
        """Make the task of a number, and give that of the result.

        Args:
            later: the number.
        """
        piece = later.piece
        found = Result(self._name(str(piece.item)))
        given = (str(piece.item),)
        key = (found.name,)
        found.nodes = [Node(key, -1, chunks.number, given, [piece.node])]
        return self._noted(found)

    def all(
        self, nodes: Sequence[Node], given: Sequence[Any], verdict: Verdict | None
    ) -> list[Any]:
        """All results, of which none is computed.

        Args:
            nodes: the tasks of the call. given: the arrays whose chunks they take.
            verdict: raises what they raise; None where they raise nothing.
        """
        name = f"{self._graph.name}-{self._graph.token}"
        layers: dict[str, Any] = {}
        needs: dict[str, set[str]] = {}
        for one in given:
            layers |= one.dask.layers
            needs |= {own: {*others} for own, others in one.dask.dependencies.items()}
        tasks = self._tasks(nodes, verdict is not None)
        behind = self._judged(tasks, nodes, verdict) if verdict is not None else None
        layers[name] = MaterializedLayer(tasks)
        needs[name] = {layer for one in given for layer in one.__dask_layers__()}
        results = []
        for result in self._found:
            own = {**layers, result.name: MaterializedLayer(self._last(result, behind))}
            graph = HighLevelGraph(own, {**needs, result.name: {name}})
            if result.sizes is None:
                key = result.nodes[0].key
                results.append(Delayed(key, graph, layer=result.name))
            else:
                results.append(
                    da.Array(graph, result.name, result.sizes, dtype=result.dtype)
                )
        return results

    def _noted(self, result: Result) -> int:
        self._found.append(result)
        return len(self._found) - 1

    def _name(self, label: str) -> str:
        number = len(self._found)
        return f"{self._graph.name}.{label}.out{number}-{self._graph.token}"

    def _chunk(self, store: Store, key: tuple[Any, ...], box: Box) -> Node:
        """The task that makes a chunk, where most of its cells are.

        Args:
            store: the array. key: of the chunk. box: its cells.
        """
        boxes = [box] if all(sides(box)) else []
        where: dict[int, int] = {}
        for piece, own in store.find(boxes)[0]:
            worker = piece.node.worker
            where[worker] = where.get(worker, 0) + volume(own)
        worker = max(where, key=lambda one: where[one], default=0)
        node = Node(key, worker, chunks.made)
        inputs = Inputs(self._graph, node)
        window = Window(box, store.dtype)
        inputs.window(window, store, boxes)
        inputs.close()
        node.given = (window,)
        return node

    def _tasks(self, nodes: Sequence[Node], passing: bool) -> dict[Any, Task]:
        """Tasks as dask has them.

        Args:
            nodes: the tasks. passing: whether they pass on what others raised.
        """
        return {
            node.key: self._task(
                node, Passing(node.function, number) if passing else node.function
            )
            for number, node in enumerate(nodes)
            if node.function is not elsewhere
        }

    def _last(self, result: Result, behind: TaskRef | None) -> dict[Any, Task]:
        """The tasks of a result.

        Args:
            result: it. behind: what has to be done before there is one.
        """
        if behind is None:
            return self._tasks(result.nodes, passing=False)
        return {
            one.key: self._task(
                one, functools.partial(failing.behind, one.function), behind
            )
            for one in result.nodes
        }

    def _judged(
        self, tasks: dict[Any, Task], nodes: Sequence[Node], verdict: Verdict
    ) -> TaskRef:
        """Add the task that raises what others raised.

        Args:
            tasks: of the call. nodes: the same. verdict: what is raised.
        """
        last, taken = ends(nodes)
        for one in verdict.wholes:
            own = ((key, box) for key, box in taken.items() if key[0] == one.array.name)
            one.chunks = [*own]
        flags = []
        for node in last:
            key = self._graph.key("raised", node.key[2:])
            flags.append(Node(key, node.worker, failing.flag, (), [node]))
            tasks[key] = self._task(flags[-1], failing.flag)
        key = self._graph.key("verdict", ())
        refs = (TaskRef(one.key) for one in flags)
        tasks[key] = Task(key, verdict, *refs)
        return TaskRef(key)

    def _task(self, node: Node, function: Callable[..., Any], *more: TaskRef) -> Task:
        """A task, which says its block where that has a worker of its own.

        Args:
            node: it. function: what it calls. more: what it needs besides.
        """
        refs = (*(TaskRef(one.key) for one in node.inputs), *more)
        layout = self._graph.layout
        if not isinstance(layout, Apart) or not 0 <= node.worker < len(layout.spots):
            return Task(node.key, function, *node.given, *refs)
        takes = node.size if node.function is chunks.taken else 0
        at = At(function, layout.spots[node.worker], takes)
        return Placed(node.key, at, *node.given, *refs)


def _sizes(store: Store) -> Chunks:
    """The sizes of chunks for an array: those of the largest block in it."""
    found = []
    for at, size in enumerate(store.shape):
        ends = (one.box[at] for one in store.pieces)
        side = max((stop - start for start, stop, _ in ends), default=size) or 1
        full, rest = divmod(size, side)
        found.append((side,) * full + ((rest,) if rest or not full else ()))
    return tuple(found)
