"""What tasks cost on this machine: ``python -m examples.cluster.measure``.

Dask's own time for a task, and that of looptx on top of it; the latency and bandwidth
between two workers; what two processes are worth beside two threads; the bytes that
travel beside those of the plan. Seconds are of the clock, and of the processors where
it says so.
"""

from __future__ import annotations

import time
from typing import Any

import distributed
import numpy as np
from dask._task_spec import Task, TaskRef

from examples.cluster.kernels import powers, small, sweeps, threaded

TASKS = 500

ROUNDS = 2000
"""Of ``powers``, for each cell."""


def nothing(*_: Any) -> None:
    """A task that does nothing."""


def processors(client: distributed.Client) -> float:
    """The seconds that all processes computed so far."""
    return time.process_time() + sum(client.run(time.process_time).values())


def empty(client: distributed.Client) -> float:
    """The processors' seconds for a task that does nothing: dask's own."""
    before = processors(client)
    graph: dict[Any, Any] = {}
    for at in range(TASKS):
        refs = [TaskRef(("e", other)) for other in range(max(0, at - 20), at - 15)]
        graph["e", at] = Task(("e", at), nothing, *refs)
    distributed.wait(client.get(graph, [*graph], sync=False))
    return (processors(client) - before) / TASKS


def ours(client: distributed.Client) -> float:
    """The same for a task of a kernel's that computes next to nothing."""
    remote, (A, B) = small.on(client), np.zeros((2, 4000))
    remote(A, B, 1)
    before = processors(client)
    remote(A, B, 1)
    traffic = remote.last.graph.traffic
    return (processors(client) - before) / (traffic.tasks + traffic.cuts)


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


def travelled(client: distributed.Client) -> tuple[int, int]:
    """The bytes that travel in a call, and those of its plan."""

    def total(dask_worker: Any) -> int:
        log = dask_worker.transfer_incoming_log
        return sum(one["total"] for one in log)

    A, B = np.zeros((2, 2000, 2000))
    remote = sweeps.on(client)
    before = sum(client.run(total).values())
    remote(A, B, 2)
    return sum(client.run(total).values()) - before, remote.plan(A, B, 2).moved


def fastest(call: Any, rounds: int = 3) -> float:
    """The least seconds of a call."""
    taken = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        taken.append(time.perf_counter() - begin)
    return min(taken)


def main() -> None:
    """Print what was measured."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(**options) as made,
        distributed.Client(made) as client,
    ):
        own = min(empty(client) for _ in range(3)) * 1e3
        all_of_it = min(ours(client) for _ in range(3)) * 1e3
        print(
            f"a task takes {all_of_it:.2f} ms of the processors, {own:.2f} dask's own"
        )
        little, much = moving(client, 8), moving(client, 1 << 27)
        print(f"to the other worker: {little * 1e3:.1f} ms and a byte each", end=" ")
        print(f"{(much - little) / (1 << 27) * 1e9:.2f} ns")
        found, planned = travelled(client)
        print(f"sweeps: {found} bytes travelled, {planned} planned")
        A, B = np.random.rand(2, 512, 512)
        remote = powers.on(client)
        remote(A, B, ROUNDS)
        threaded(A, B, ROUNDS)
        two = fastest(lambda: remote(A, B, ROUNDS))
        threads = fastest(lambda: threaded(A, B, ROUNDS))
        print(f"two processes: {two:.2f} s, two threads: {threads:.2f} s", end=", ")
        print(f"{threads / two:.2f}")


if __name__ == "__main__":
    main()
