"""What tasks cost on this machine: ``python -m examples.cluster.measure``.

Dask's own time for a task, and that of looptx on top of it; the latency and bandwidth
between two workers; what two processes are worth beside two threads; the bytes that
travel beside those of the plan. Seconds are of the clock, and of the processors where
it says so; the scheduler's are those of its thread, which serves the client, too.
"""

from __future__ import annotations

import os
import time
from typing import Any

import dask
import distributed
import numpy as np
from dask._task_spec import Task, TaskRef

from examples.cluster.kernels import powers, small, sweeps, threaded

ROUNDS = 9
"""Of measuring a thing by turns; what is told is the one in the middle."""

DEPTH = 8000
"""Of ``powers``, for each cell."""


def nothing(*_: Any) -> None:
    """A task that does nothing."""


def processors(client: distributed.Client) -> Any:
    """The seconds that the client, the scheduler and the workers computed so far."""
    loop = client.run_on_scheduler(time.thread_time)
    workers = sum(client.run(time.process_time).values())
    return np.array([time.process_time() - loop, loop, workers])


def plain(client: distributed.Client, plan: Any) -> None:
    """The tasks of a plan as a graph of dask's own, of tasks that do nothing.

    A task depends on the tasks whose cells it reads, on the same workers.
    """
    addresses = sorted(client.nthreads())
    needs: dict[Any, list[Any]] = {}
    graph, where = {}, {}
    for node, inputs in zip(plan.nodes, plan.inputs, strict=True):
        found: dict[Any, None] = {}
        for one in inputs:
            found |= dict.fromkeys([one.key] if one.work else needs[one.key])
        needs[node.key] = list(found)
        if node.work:
            graph[node.key] = Task(node.key, nothing, *map(TaskRef, found))
            where[node.key] = [addresses[node.worker]]
    with dask.annotate(workers=where.__getitem__, allow_other_workers=True):
        futures = client.get(graph, [*graph], sync=False)
    distributed.wait(futures)


def overhead(client: distributed.Client) -> tuple[Any, Any]:
    """The milliseconds for a task: of dask's own, and what a kernel's take besides.

    The tasks compute next to nothing. Each is an array: of the client, the scheduler,
    and the workers.
    """
    remote, (A, B) = small.on(client), np.zeros((2, 4000))
    remote(A, B, 1)
    plan = remote.plan(A, B, 1)
    own, more = [], []
    for _ in range(ROUNDS):
        begin = processors(client)
        plain(client, plan)
        middle = processors(client)
        remote(A, B, 1)
        own.append(middle - begin)
        more.append(processors(client) - middle - own[-1])
    scale = 1e3 / plan.tasks
    return np.median(own, axis=0) * scale, np.median(more, axis=0) * scale


def moving(client: distributed.Client, size: int) -> float:
    """The seconds until an array is on the other worker."""
    one, other = client.nthreads()
    taken = []
    for _ in range(5):
        made = client.submit(np.ones, size // 8, workers=one, pure=False)
        distributed.wait(made)
        begin = time.perf_counter()
        distributed.wait(client.submit(nothing, made, workers=other, pure=False))
        taken.append(time.perf_counter() - begin)
    return min(taken)


def travelled(client: distributed.Client, kernel: Any, *given: Any) -> tuple[int, int]:
    """The bytes that travel between workers in a call, and those of its plan.

    Args:
        client: of the workers. kernel: what is called. given: to it.
    """

    def total(dask_worker: Any) -> int:
        log = dask_worker.transfer_incoming_log
        return sum(one["total"] for one in log)

    remote = kernel.on(client)
    before = sum(client.run(total).values())
    remote(*given)
    return sum(client.run(total).values()) - before, remote.plan(*given).moved


def fastest(call: Any, rounds: int = 2) -> float:
    """The least seconds of a call."""
    taken = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        taken.append(time.perf_counter() - begin)
    return min(taken)


def main() -> None:
    """Print what was measured."""
    A, B = np.random.rand(2, 512, 512)
    # Before there is a cluster: nannies set OMP_NUM_THREADS to 1 in this process, too.
    threaded(A, B, DEPTH)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(**options) as made,
        distributed.Client(made) as client,
    ):
        own, more = overhead(client)
        names = ("client", "scheduler", "workers")
        for whose, some in (("dask", own), ("looptx besides", more)):
            parts = (f"{x:.2f} {one}" for x, one in zip(some, names, strict=True))
            print(f"a task takes {some.sum():.2f} ms of the processors", end=" ")
            print(f"for {whose}: {', '.join(parts)}")
        little, much = moving(client, 8), moving(client, 1 << 27)
        print(f"to the other worker: {little * 1e3:.1f} ms and a byte each", end=" ")
        print(f"{(much - little) / (1 << 27) * 1e9:.2f} ns")
        found, planned = travelled(client, sweeps, *np.zeros((2, 2000, 2000)), 2)
        print(f"sweeps: {found} bytes travelled, {planned} planned")
        remote = powers.on(client)
        remote(A, B, DEPTH)
        calls = (lambda: remote(A, B, DEPTH)), (lambda: threaded(A, B, DEPTH))
        begin = processors(client).sum()
        two = fastest(calls[0])
        middle = processors(client).sum()
        threads = fastest(calls[1])
        ratio = (processors(client).sum() - middle) / (middle - begin)
        print(f"two processes: {two:.2f} s, two threads: {threads:.2f} s", end=", ")
        print(f"{threads / two:.2f}; by the processors' seconds {ratio:.2f}")
        load = os.getloadavg()[1]
        print(f"{os.cpu_count()} cores, of which {load:.1f} were asked for")


if __name__ == "__main__":
    main()
