"""Many files at once: a pool of processes, when there is more than one to work on."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def each(
    work: Callable[[Item], Outcome],
    items: Sequence[Item],
    lost: Callable[[Item], Outcome],
    jobs: int = 0,
) -> Iterator[tuple[Item, Outcome]]:
    """``work(item)`` for every item, in the order of the items.

    Args:
        work: a function of a module (it is sent to other processes); it does not raise.
        items: what to work on.
        lost: the outcome of an item whose process died.
        jobs: how many processes, 0 for one per core.

    Returns:
        Each item with its outcome, as soon as all before it are done.
    """
    workers = min(jobs or cores(), len(items))
    if workers <= 1:
        for item in items:
            yield item, work(item)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    with ProcessPoolExecutor(workers) as pool:
        futures: deque[Future[Outcome]] = deque()
        futures.extend(pool.submit(work, item) for item in items)
        done = 0
        for item in items:
            try:
                outcome = futures.popleft().result()
            except BrokenProcessPool:
                break
            yield item, outcome
            done += 1
    for item in items[done:]:
        yield item, _alone(work, item, lost)


def _alone(
    work: Callable[[Item], Outcome], item: Item, lost: Callable[[Item], Outcome]
) -> Outcome:
    """In a process of its own: when a pool breaks, only the culprit is lost."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    # The pool before has left a thread in this process, which must not fork then.
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        try:
            return pool.submit(work, item).result()
        except BrokenProcessPool:
            return lost(item)
