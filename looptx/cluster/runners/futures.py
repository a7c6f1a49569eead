"""Tasks on a dask cluster: as futures, of which those stay that are needed later.

A task is sent to the worker that has its block, and may run on others if that one is
gone. Nothing is waited for before somebody asks for values; what was lost with a worker
dask computes again, as all tasks are pure and the caller's cells are tasks, too.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import dask
import distributed
from dask._task_spec import Task, TaskRef

from looptx.cluster.graph.nodes import Node, TaskFailed
from looptx.cluster.graph.stores import Piece, Store
from looptx.cluster.work import cells, code
from looptx.cluster.work.boxes import Box
from looptx.errors import LooptxError

LOST = "LX602"
QUIET = {"distributed.admin.large-graph-warning-threshold": "1 PiB"}
"""The caller's arrays are in the graph on purpose: they are the same after a loss."""

AHEAD = 1000
"""How many tasks are handed over at a time."""

MOST = 8
"""How often that is done before the first of them have to be done."""


_FETCHED = itertools.count()


class Raised(Exception):
    """What a task raised, as text: it is of the worker's process."""


def guarded(function: Callable[..., Any], *given: Any) -> Any:
    """What a task does, whose exceptions are told from those of the cluster."""
    try:
        return function(*given)
    except Exception as error:
        raise Raised(f"{type(error).__name__}: {error}") from None


class Futures:
    """Runs tasks on the workers of a client.

    Args:
        client: dask's.

    Raises:
        LooptxError: LX602 where it has no workers.
    """

    def __init__(self, client: distributed.Client) -> None:
        self.client = client
        self.ordered = False
        self.ahead = AHEAD
        if client.status == "closed":
            raise lost("the client is closed")
        self.addresses = sorted(_asked(client.nthreads))
        self.workers = len(self.addresses)
        if not self.workers:
            raise lost("the client has no workers")
        self._all: list[distributed.Future] = []
        self._running: deque[list[distributed.Future]] = deque()

    def take(self, nodes: Sequence[Node], stores: Sequence[Store]) -> None:
        """Hand tasks over.

        Args:
            nodes: the tasks. stores: what their results are for.
        """
        held = {id(piece.node) for store in stores for piece in store.held()}
        # What nobody needs has to be done all the same: it may raise.
        wanted = [one for one in nodes if id(one) in held or not one.used]
        graph, where = {}, {}
        addresses = self._addresses()
        for node in nodes:
            refs = [TaskRef(one.key) for one in node.inputs]
            graph[node.key] = Task(node.key, guarded, node.function, *node.given, *refs)
            where[node.key] = _pinned(addresses, node.worker)
        futures = self._submitted(graph, where, [one.key for one in wanted])
        for node, future in zip(wanted, futures, strict=True):
            node.value = future
        for node in nodes:
            node.inputs = []
        self._running.append(futures)
        if len(self._running) > MOST:
            self._wait(self._running.popleft())

    def fetch(self, asked: Sequence[tuple[Piece, Sequence[Box]]]) -> list[list[Any]]:
        """Cells of pieces: an array for each box, or a number where there are none."""
        if not asked:
            return []
        graph, where = {}, {}
        addresses = self._addresses()
        for piece, boxes in asked:
            key = (f"{piece.node.key[0]}-out", next(_FETCHED))
            picks = ((piece.item, piece.frame, tuple(boxes)),)
            ref = TaskRef(piece.node.key)
            graph[key] = Task(key, guarded, cells.cut, picks, ref)
            where[key] = _pinned(addresses, piece.node.worker)
        futures = self._submitted(graph, where, list(graph))
        try:
            found: list[list[Any]] = _asked(self.client.gather, futures)
        except Raised as error:
            raise TaskFailed from error
        return found

    def close(self) -> None:
        """Let go of all tasks; those that wait or run are cancelled."""
        if not all(one.done() for one in self._all):
            self.client.cancel(self._all)
        self._all.clear()
        self._running.clear()

    def plainly(self, digests: Collection[str]) -> Mapping[str, Mapping[str, str]]:
        """Which functions ran as Python on which workers, with the reasons.

        Args:
            digests: of the functions that are asked for.
        """
        found: dict[str, dict[str, str]]
        found = _asked(self.client.run, code.plainly, {*digests}, on_error="ignore")
        return found

    def _addresses(self) -> list[str]:
        """Where tasks run by now: another worker stands for one that is gone."""
        known = _asked(self.client.nthreads)
        others = [one for one in sorted(known) if one not in self.addresses]
        for at, address in enumerate(self.addresses):
            if address not in known and others:
                self.addresses[at] = others.pop(0)
        return self.addresses

    def _submitted(
        self, graph: dict[Any, Task], where: dict[Any, list[str]], keys: list[Any]
    ) -> list[distributed.Future]:
        """The futures of tasks.

        Args:
            graph: the tasks. where: they run. keys: of those that are wanted.
        """
        if not graph:
            return []
        pins = dask.annotate(workers=where.__getitem__, allow_other_workers=True)
        with dask.config.set(QUIET), pins:
            futures: list[distributed.Future] = self.client.get(graph, keys, sync=False)
        self._all = [one for one in self._all if not one.done()] + futures
        return futures

    def _wait(self, futures: list[distributed.Future]) -> None:
        """Wait until tasks are done.

        Raises:
            TaskFailed: one raised.
        """
        _asked(distributed.wait, futures)
        for one in futures:
            if one.status != "finished":
                try:
                    _asked(one.result)
                except Raised as error:
                    raise TaskFailed from error


def _pinned(addresses: Sequence[str], worker: int) -> list[str]:
    return [addresses[worker]] if worker >= 0 else []


def _asked(function: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """What the cluster says.

    Raises:
        Raised: a task raised.
        LooptxError: LX602 where the cluster does not answer.
    """
    try:
        return function(*given, **options)
    except Raised:
        raise
    except Exception as error:
        text = " ".join(str(error).split())[:200]
        raise lost(f"{type(error).__name__}: {text}") from None


def lost(why: str) -> LooptxError:
    """The error of a cluster that does not do its tasks."""
    return LooptxError(
        LOST,
        f"the cluster does not run the tasks: {why}",
        hint="nothing of this was written into arrays; see the logs of its workers",
    )
