"""Tasks on a dask cluster: as futures, of which those stay that are needed later.

A task is sent to the worker that has its block, and runs on another if that one is
gone. Nothing is waited for before somebody asks for values; what was lost with a worker
dask computes again, as all tasks are pure and the caller's cells are tasks, too.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import dask
import distributed
from dask._task_spec import Task, TaskRef

from looptx.cluster.graph.nodes import Node, TaskFailed
from looptx.cluster.graph.pieces import Piece
from looptx.cluster.graph.stores import Store
from looptx.cluster.runners.placing import HOME, Placing
from looptx.cluster.runners.waiting import ended
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


TOGETHER = 1 << 24
"""So many bytes come from a worker at a time, if some block has not more."""

Asked: TypeAlias = tuple[Piece, Sequence[Box]]

_FETCHED = itertools.count()


class Raised(Exception):
    """What a task raised, as text: it is of the worker's process."""


class Call:
    """What a task calls.

    Args:
        key: of the task. function: what it calls. given: with what, besides its inputs.
    """

    def __init__(
        self, key: Any, function: Callable[..., Any], given: Sequence[Any]
    ) -> None:
        self.key = key
        self.function = function
        self.given = given

    def __dask_tokenize__(self) -> Any:
        # No other task has this key, so dask need not look at all that it is given.
        return self.key

    def __reduce__(self) -> tuple[Any, ...]:
        return Call, (self.key, self.function, self.given)


def guarded(call: Call, *inputs: Any) -> Any:
    """What a task does, whose exceptions are told from those of the cluster."""
    try:
        return call.function(*call.given, *inputs)
    except Exception as error:
        raise Raised(f"{type(error).__name__}: {error}") from None


def _task(
    key: Any, function: Callable[..., Any], given: Sequence[Any], inputs: Iterable[Node]
) -> Task:
    """A task as dask has it.

    Args:
        key, function, given: as of a ``Call``. inputs: of the task.
    """
    refs = [TaskRef(one.key) for one in inputs]
    return Task(key, guarded, Call(key, function, given), *refs)


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
        placing(client)
        self._all: list[distributed.Future] = []
        self._running: deque[list[distributed.Future]] = deque()
        # What nobody needs has to be done all the same: it may raise.
        self._unread: list[distributed.Future] = []

    def take(self, nodes: list[Node], stores: Sequence[Store]) -> None:
        """Hand tasks over.

        Args:
            nodes: the tasks. stores: what their results are for.
        """
        held = {id(piece.node) for store in stores for piece in store.held()}
        wanted = [one for one in nodes if id(one) in held or not one.used]
        futures = self._submitted(*self._graph(nodes), [one.key for one in wanted])
        for node, future in zip(wanted, futures, strict=True):
            node.value = future
            if not node.used:
                self._unread.append(future)
        self._running.append(futures)
        if len(self._running) > MOST:
            self._wait(self._running.popleft())

    def fetch(self, asked: Sequence[Asked]) -> list[list[Any]]:
        """Cells of pieces: an array for each box, or a number where there are none."""
        return self._found([], asked)

    def finish(self, nodes: list[Node], asked: Sequence[Asked]) -> list[list[Any]]:
        """Hand over the last tasks, wait for all, and fetch cells.

        Args:
            nodes: the tasks. asked: as for ``fetch``.
        """
        found = self._found(nodes, asked)
        self._wait(self._unread)
        return found

    def _found(self, nodes: Sequence[Node], asked: Sequence[Asked]) -> list[list[Any]]:
        """Cells of pieces, when some tasks are done that nobody else asks for.

        Args:
            nodes: the tasks. asked: the pieces, with the boxes of each.
        """
        if not nodes and not asked:
            return []
        read = {id(piece.node) for piece, _ in asked}
        keys = [one.key for one in nodes if not one.used and id(one) not in read]
        graph, where = self._graph(nodes)
        groups, own = [*_grouped(asked)], len(keys)
        for group in groups:
            pieces = [asked[at] for at in group]
            given = list(dict.fromkeys(piece.node for piece, _ in pieces))
            numbers = {id(one): at for at, one in enumerate(given)}
            picks: list[tuple[int, cells.Pick]] = [
                (numbers[id(piece.node)], (piece.item, piece.frame, tuple(boxes)))
                for piece, boxes in pieces
            ]
            key = (f"{given[0].key[0]}-out", next(_FETCHED))
            graph[key] = _task(key, cells.cut_all, (picks,), given)
            where[key] = _pinned(self.addresses, given[0].worker)
            keys.append(key)
        futures = self._submitted(graph, where, keys)
        self._unread += futures[:own]
        try:
            came = self._ended(self.client.gather, futures[own:]) if groups else []
        except Raised as error:
            raise TaskFailed from error
        found = (values for some in came for values in some)
        order = (at for group in groups for at in group)
        back = dict(zip(order, found, strict=True))
        return [back[at] for at in range(len(asked))]

    def _graph(
        self, nodes: Sequence[Node]
    ) -> tuple[dict[Any, Task], dict[Any, list[str]]]:
        """Tasks as dask has them, and where they run.

        Args:
            nodes: the tasks, whose inputs are not known any more afterwards.
        """
        graph, where = {}, {}
        addresses = self._addresses()
        for node in nodes:
            graph[node.key] = _task(node.key, node.function, node.given, node.inputs)
            where[node.key] = _pinned(addresses, node.worker)
            node.inputs = []
        return graph, where

    def close(self) -> None:
        """Let go of all tasks; those that wait or run are cancelled."""
        if not all(one.done() for one in self._all):
            self.client.cancel(self._all)
        self._all.clear()
        self._running.clear()
        self._unread.clear()

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

        def home(key: Any) -> str:
            return next(iter(where[key]), "")

        pins = dask.annotate(**{"workers": where.__getitem__, HOME: home})
        with dask.config.set(QUIET), pins:
            futures: list[distributed.Future] = self.client.get(graph, keys, sync=False)
        self._all = [one for one in self._all if not one.done()] + futures
        return futures

    def _wait(self, futures: list[distributed.Future]) -> None:
        """Wait until tasks are done.

        Raises:
            TaskFailed: one raised.
        """
        if futures:
            self._ended(distributed.wait, futures)
        for one in futures:
            if one.status != "finished":
                try:
                    self._ended(self.client.gather, [one])
                except Raised as error:
                    raise TaskFailed from error

    def _ended(self, function: Callable[..., Any], *given: Any) -> Any:
        """What the cluster says when its tasks are done."""
        return _asked(ended, self.client, function, *given)


def _grouped(asked: Sequence[Asked]) -> Iterator[list[int]]:
    """The numbers of what is asked for of one worker, some bytes at a time."""
    groups: dict[int, list[int]] = {}
    sizes: dict[int, int] = {}
    for at, (piece, _) in enumerate(asked):
        worker, size = piece.node.worker, piece.node.size
        if sizes.get(worker, 0) + size > TOGETHER and worker in groups:
            yield groups.pop(worker)
            sizes[worker] = 0
        groups.setdefault(worker, []).append(at)
        sizes[worker] = sizes.get(worker, 0) + size
    yield from groups.values()


def _pinned(addresses: Sequence[str], worker: int) -> list[str]:
    return [addresses[worker]] if worker >= 0 else []


def placing(client: distributed.Client) -> None:
    """Have a client's scheduler give tasks their workers.

    Args:
        client: dask's.

    Raises:
        LooptxError: LX602, it does not answer.
    """
    _asked(client.register_plugin, Placing())


def _asked(function: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """What the cluster says.

    Raises:
        Raised: a task raised.
        LooptxError: LX602 where the cluster does not answer.
    """
    try:
        return function(*given, **options)
    except Raised as error:
        # The client keeps this exception, and would keep the futures of its frames.
        error.__traceback__ = None
        raise Raised(*error.args) from None
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
