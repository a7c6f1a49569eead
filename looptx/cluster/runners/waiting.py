"""Waiting for what a cluster does, which ends although its workers leave and join.

Dask sets a task aside whose worker is gone, and takes it up again when that worker
joins: one that joins under another address does not count, although the task may run
there (``Scheduler.bulk_schedule_unrunnable_after_adding_worker`` asks for
``valid_workers``, which do not know of ``allow_other_workers``). So looptx gives such
tasks other workers (``placing``), in the scheduler; who waits sees to it that there are
any.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import time
from collections.abc import Callable
from typing import Any

import distributed

LOOK = 1.0
"""So many seconds go by between two looks at the workers."""

PATIENCE = 300.0
"""So many seconds a cluster may be without workers."""


class Deserted(Exception):
    """All workers have left, and no other has joined."""


def ended(client: distributed.Client, function: Callable[..., Any], *given: Any) -> Any:
    """What a function of dask's gives that waits for tasks.

    Args:
        client: of the cluster. function: it, which may be awaited in the client's loop.
        given: what it is called with.

    Raises:
        Deserted: there has been no worker for too long.
    """

    async def begun() -> Any:
        # Some functions ask for the client of the context.
        with client.as_current():
            return await function(*given)

    running = asyncio.run_coroutine_threadsafe(begun(), client.loop.asyncio_loop)
    seen = time.monotonic()
    try:
        while not concurrent.futures.wait([running], LOOK).done:
            if client.nthreads():
                seen = time.monotonic()
            elif time.monotonic() - seen > PATIENCE:
                raise Deserted(f"all workers left, and none joined in {PATIENCE:g} s")
        return running.result()
    finally:
        running.cancel()
