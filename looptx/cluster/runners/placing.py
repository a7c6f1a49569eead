"""Where tasks run, decided in dask's scheduler.

By itself dask runs a task on any worker that has some of its inputs, on the one that
seems free first, and lets others steal it if it may run there at all: for a halo's sake
a block may move. So tasks have one worker each, and another only when that is gone.
Those of lazy calls say their block: the blocks of a call are laid out over the workers
that there are when its graph comes, neighbours together, and chunks that nobody has
computed yet are computed where most of their cells are needed.

A task whose worker is gone stays with the one that it is given then, unless another
worker joins, which is given all that waits of such a one. Dask tells nobody when a
worker that has joined begins to run: as long as tasks wait, they are looked at again.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from distributed import Status
from distributed.diagnostics.plugin import SchedulerPlugin

from looptx.cluster.graph.nodes import Layout
from looptx.cluster.runners.placed import At

HOME = "looptx_home"
"""The annotation of tasks that says which worker they were made for."""

DONE = "memory", "processing"
"""States of tasks that need no worker."""

LOOK = 1.0
"""So many seconds go by between two looks at tasks that wait for a worker."""


class Placing(SchedulerPlugin):  # type: ignore[misc]
    """Gives tasks their workers."""

    name = "looptx-placing"
    idempotent = True
    _next: object = None
    """When tasks that wait are looked at."""

    async def start(self, scheduler: Any) -> None:
        """Know the scheduler, which calls this first.

        Args:
            scheduler: dask's.
        """
        self.scheduler = scheduler

    async def close(self) -> None:
        """Look at nothing any more."""
        if self._next is not None:
            self.scheduler.loop.remove_timeout(self._next)

    def update_graph(
        self, scheduler: Any, *, tasks: Iterable[Any], **kwargs: Any
    ) -> None:
        """Pin the tasks of a graph that say their block, of which none runs yet.

        Args:
            scheduler: dask's. tasks: their keys. kwargs: what else there is to know.
        """
        addresses = sorted(one.address for one in scheduler.running)
        if not addresses:
            return
        layout = Layout(len(addresses))
        takers: dict[Any, list[tuple[Any, str, int]]] = {}
        for task in (scheduler.tasks[key] for key in tasks):
            at = getattr(task.run_spec, "func", None)
            if isinstance(at, At):
                address = addresses[layout.worker(*at.spot)]
                if not at.takes:
                    _pin(task, address)
                for chunk in task.dependencies if at.takes else ():
                    takers.setdefault(chunk, []).append((task, address, at.takes))
        for chunk, some in takers.items():
            _pin_takers(chunk, some)

    def transition(self, key: Any, start: str, finish: str, **kwargs: Any) -> None:
        """Find another worker for a task that has none any more.

        Args:
            key: of the task. start, finish: its states. kwargs: what else is known.
        """
        if finish == "no-worker":
            self._look_in(0.0)

    def add_worker(self, scheduler: Any, worker: str) -> None:
        """Give a worker that joins what waits of one that is gone.

        Args:
            scheduler: dask's. worker: the address of the new one.
        """
        left: dict[str, list[Any]] = {}
        for task in scheduler.tasks.values():
            home = _home(task)
            if home and home not in scheduler.workers and task.state not in DONE:
                left.setdefault(home, []).append(task)
        for task in max(left.values(), key=len, default=()):
            task.worker_restrictions = {worker}
            task.annotations[HOME] = worker
        self._look_in(0.0)

    def _look_in(self, seconds: float) -> None:
        if self._next is not None:
            self.scheduler.loop.remove_timeout(self._next)
        self._next = self.scheduler.loop.call_later(seconds, self._look)

    def _look(self) -> None:
        self._next = None
        if take_up(self.scheduler):
            self._look_in(LOOK)


def take_up(dask_scheduler: Any) -> bool:
    """Give tasks that wait for a worker which does not run any more another one.

    Returns:
        Whether some wait still.
    """
    busy = Counter({one.address: len(one.processing) for one in dask_scheduler.running})
    others: dict[str, str] = {}
    again, waits = {}, False
    for task in [*dask_scheduler.unrunnable]:
        if not _home(task):
            continue
        (address,) = task.worker_restrictions
        worker = dask_scheduler.workers.get(address)
        if not busy or (worker is not None and worker.status == Status.init):
            waits = True
            continue
        if address not in busy:
            if address not in others:
                others[address] = min(busy, key=lambda one: busy[one])
                busy[others[address]] += len(busy)
            task.worker_restrictions = {others[address]}
        again[task.key] = "processing"
    dask_scheduler.transitions(again, stimulus_id=f"looptx-take-up-{time.time()}")
    return waits


def _home(task: Any) -> str:
    """The worker that a task was made for, if looptx has said one."""
    return (task.annotations or {}).get(HOME) or ""


def _pin(task: Any, address: str) -> bool:
    """Pin a task, unless it runs or somebody has said where it is to run.

    Args:
        task: of the scheduler. address: of a worker.
    """
    said = task.worker_restrictions, task.host_restrictions, task.resource_restrictions
    if task.state != "released" or any(said):
        return False
    task.worker_restrictions = {address}
    task.annotations = {**(task.annotations or {}), HOME: address}
    return True


def _pin_takers(chunk: Any, takers: Sequence[tuple[Any, str, int]]) -> None:
    """Pin tasks that take cells of a chunk to where it is, or will be.

    Args:
        chunk: the task that makes it.
        takers: the tasks, with the workers that need the cells, and their bytes.
    """
    sizes = Counter[str]()
    for _, address, size in takers:
        sizes[address] += size
    ((address, _),) = sizes.most_common(1)
    _pin_with_inputs(chunk, address)
    known = {one.address for one in chunk.who_has or ()} or chunk.worker_restrictions
    for task, *_ in takers if known else ():
        _pin(task, min(known))


def _pin_with_inputs(task: Any, address: str) -> None:
    """Pin a task of dask's own, and all that only tasks of that worker need.

    Args:
        task: of the scheduler. address: of a worker.
    """
    left = [task]
    while left:
        one = left.pop()
        if _pin(one, address):
            left += (
                other
                for other in one.dependencies
                if all(
                    user.worker_restrictions == {address} for user in other.dependents
                )
            )
