"""Clusters of dask's for tests: processes of this machine, begun quickly."""

from __future__ import annotations

import gc
import logging
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import dask
import distributed
import distributed.utils

from looptx.cluster.graph.nodes import Node
from looptx.cluster.graph.stores import Store
from looptx.cluster.runners.futures import Futures
from looptx.native.compile import collector

# One process imports dask and looptx, and the workers are copies of it. They are not
# measured, and collect no garbage of what they imported. A worker in the process of the
# tests freezes nothing: it would stay so for all tests that follow.
dask.config.set(
    {
        "multiprocessing.context": "forkserver",
        "distributed.worker.multiprocessing-method": "forkserver",
        "distributed.worker.preload": [
            "import gc, multiprocessing\n"
            "if multiprocessing.parent_process() is not None:\n"
            "    gc.freeze()\n"
        ],
        "distributed.worker.profile.enabled": False,
        "distributed.admin.system-monitor.interval": "10s",
        "distributed.admin.tick.interval": "1s",
    }
)
distributed.utils.get_mp_context().set_forkserver_preload(
    [
        "numpy.random",
        "distributed.http.worker.prometheus",
        "looptx.cluster.runners.placed",
        "looptx.cluster.work.chunks",
        "looptx.decorator",
        "looptx.native.call.prepared",
    ]
)

PLAIN = {"LOOPTX_DISABLE": "1"}
"""For workers that run rewritten Python, which is begun sooner."""


@contextmanager
def _frozen() -> Iterator[None]:
    """Objects of the other tests are not looked at: dask collects, and so do we."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        collector._Waiting.frozen = False


@contextmanager
def cluster(processes: int, **environment: str) -> Iterator[distributed.Client]:
    """The client of a cluster, which collects no garbage of what there was before.

    Args:
        processes: how many. environment: variables of theirs.
    """
    with (
        _frozen(),
        # So long after a worker was lost, dask looks whether another has its name;
        # if that one was killed at this moment, no other is begun any more.
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 day"}),
        distributed.LocalCluster(
            n_workers=processes,
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address=None,
            env=environment,
            silence_logs=logging.CRITICAL,
        ) as made,
        distributed.Client(made) as client,
    ):
        yield client


def until(holds: Callable[[], Any], seconds: float = 120) -> None:
    """Wait until something holds; it is a failure if it never does."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"not within {seconds} seconds"
        time.sleep(0.02)


def settle(client: distributed.Client, processes: int) -> None:
    """Wait until so many workers run, also as those see it who would restart them."""
    client.wait_for_workers(processes, 300)
    nannies, running = [*client.cluster.workers.values()], distributed.Status.running
    until(lambda: all(one.process.status == running for one in nannies))


def tasks_left(client: distributed.Client) -> int:
    """How many tasks the scheduler knows when it has forgotten those of no future."""

    def count(dask_scheduler: Any) -> int:
        return len(dask_scheduler.tasks)

    # The traceback of an exception may have some still.
    gc.collect()
    end = time.monotonic() + 10
    while (left := client.run_on_scheduler(count)) and time.monotonic() < end:
        time.sleep(0.02)
    return int(left)


class Killing(Futures):
    """Kills a worker when so many tasks have been done, and what it had is lost.

    Args:
        client: of the cluster. after: so many tasks. ahead: as of ``Futures``.
    """

    def __init__(self, client: distributed.Client, after: int, ahead: int) -> None:
        super().__init__(client)
        self.ahead = ahead
        self.after = after
        self.killed = 0

    def take(self, nodes: Sequence[Node], stores: Sequence[Store]) -> None:
        super().take(nodes, stores)
        self.after -= len(nodes)
        if self.after <= 0 and not self.killed:
            distributed.wait(self._all)
            pids = self.client.run(os.getpid)
            # The one that has most: all of it has to be computed again.
            address = max(pids, key=lambda one: len(self.client.has_what()[one]))
            os.kill(pids[address], signal.SIGKILL)
            self.killed = pids[address]


class Disturbing(Futures):
    """Does something to the cluster in the middle of a call, when tasks wait or run.

    Args:
        client: of the cluster. disturb: what is done, once. ahead: as of ``Futures``.
    """

    def __init__(
        self, client: distributed.Client, disturb: Callable[[], None], ahead: int
    ) -> None:
        super().__init__(client)
        self.ahead = ahead
        self.disturb = disturb
        self.times = 0

    def take(self, nodes: Sequence[Node], stores: Sequence[Store]) -> None:
        super().take(nodes, stores)
        self.times += 1
        if self.times == 2:
            self.disturb()


def cut_off(client: distributed.Client) -> None:
    """Let one worker lose its connections, to the scheduler and to the others."""

    async def cut(dask_worker: Any) -> None:
        await dask_worker.rpc.close()
        dask_worker.batched_stream.comm.abort()

    address = sorted(client.nthreads())[0]
    client.run(cut, workers=[address], on_error="ignore")


def replaced(client: distributed.Client, processes: int) -> None:
    """Lose one worker, and wait until another one has joined."""
    pids = client.run(os.getpid)
    address = min(pids)
    os.kill(pids[address], signal.SIGKILL)
    until(lambda: address not in client.nthreads())
    settle(client, processes)


def deserted(client: distributed.Client) -> None:
    """Lose all workers at once; others join under other addresses."""
    pids = client.run(os.getpid)
    for pid in pids.values():
        os.kill(pid, signal.SIGKILL)
    until(lambda: pids.keys().isdisjoint(client.nthreads()))


def executed(client: distributed.Client) -> dict[str, int]:
    """How many tasks each worker has begun since it joined."""

    def count(dask_worker: Any) -> int:
        return int(dask_worker.state.executed_count)

    found: dict[str, int] = client.run(count)
    return found
