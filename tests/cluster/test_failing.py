"""Exceptions of lazy calls: those of the loops as written, whatever runs first."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from kit.samples import crossed

import looptx
from cluster.test_lazy import lazily
from cluster.test_tasks import KERNEL, same

dasked = pytest.importorskip("cluster.dasked")
dask = pytest.importorskip("dask")
verdicts = pytest.importorskip("looptx.cluster.lazy.verdicts")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with dasked.cluster(2, **dasked.PLAIN) as made:
        yield made


def looked_up(A, B, T):
    # looptx: tile i=4 j=5 | bind i worker.x | bind j worker.y
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            B[i, j] = T[int(A[i, j])]


def several(A, B, T):
    """The second nest needs nothing of the first."""
    # looptx: tile i=4 j=5 | bind i worker.x | bind j worker.y
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            B[i, j] = math.sqrt(500 + A[i, j])
    # looptx: split k 3 | bind k worker
    for k in range(T.shape[0]):
        T[k] = 1 // int(T[k])


def overwritten(A, B, T):
    # looptx: split i 4 | bind i worker
    for i in range(A.shape[0]):
        B[i, 0] = T[int(A[i, 0])]
    # looptx: split j 4 | bind j worker
    for j in range(A.shape[0]):
        B[j, 0] = A[j, 1]


def summed(A, B, T):
    s = 0
    # looptx: split i 4 | bind i worker
    for i in range(A.shape[0]):
        s += int(A[i, 0]) // int(T[i])
    return s


def unwritten(A, B, T):
    """What raises is of an array that the function makes."""
    own = np.zeros(A.shape[0])
    # looptx: split i 4 | bind i worker
    for i in range(A.shape[0]):
        own[i] = T[int(A[i, 0])]
    # looptx: split j 4 | bind j worker
    for j in range(A.shape[0] - 8):
        B[j, 0] = own[j]


def given(*bad: tuple[int, int]) -> list[Any]:
    """Arrays; some elements make functions raise, each with a message of its own."""
    A, T = np.arange(96.0).reshape(8, 12), np.arange(1.0, 101.0)
    for i, j in bad:
        A[i, j] = -1000 - 10 * i - j
        T[9 * i] = 0
    return [A, np.zeros((8, 12)), T]


def raised(function: Any, *args: Any, **options: Any) -> tuple[type, str] | None:
    try:
        function(*args, **options)
    except Exception as error:
        return type(error), str(error)
    return None


FUNCTIONS = [looked_up, several, overwritten, summed, unwritten]
PLACES = [(), [(5, 3), (0, 11)], [(0, 11)], [(7, 0)], [(3, 0), (1, 0), (6, 6)]]


def compared(function: Any, remote: Any, args: list[Any], **options: Any) -> None:
    """What any of its results raises is what the function raises, if anything is."""
    result = remote(*args)
    results = result if isinstance(result, tuple) else (result,)
    own = [x.compute() if hasattr(x, "compute") else x.copy() for x in args]
    wanted = raised(function, *own)
    assert raised(dask.compute, results, **options) == wanted
    assert raised(results[-1].compute, **options) == wanted
    if wanted is None:
        (found,) = dask.compute(results[:1], **options)
        assert same(found, (own[1],)) or function is summed


@crossed(function=FUNCTIONS, bad=PLACES, scheduler=["synchronous", "threads", "client"])
def test_the_first_iteration_that_raises(
    function: Any, bad: Any, scheduler: str, client: Any
) -> None:
    runs = {"synchronous": (), "threads": (3,), "client": (client,)}[scheduler]
    remote = KERNEL(function).on(*runs)
    options = {"scheduler": client if scheduler == "client" else scheduler}
    A, B, T = given(*bad)
    compared(function, remote, lazily([A, B, T], 5), **options)
    if function is looked_up:
        compared(function, remote, [*lazily([A, B], 5), T], **options)


def test_an_exception_leaves_nothing_behind(client: Any) -> None:
    """No task runs or waits, and no worker has cells any more."""

    def left(dask_scheduler: Any) -> list[Any]:
        found = (one.state for one in dask_scheduler.tasks.values())
        return [state for state in found if state != "released"]

    A, B, T = given((5, 3), (0, 11))
    result = looptx.kernel(looked_up).on(client)(*lazily([A, B, T], 5))
    with pytest.raises(IndexError, match="index -1011 is"):
        result.compute(scheduler=client)
    end = time.monotonic() + 20
    while client.run_on_scheduler(left) and time.monotonic() < end:
        time.sleep(0.1)
    assert not client.run_on_scheduler(left)


@pytest.mark.parametrize("how", ["large", "closure", "processes"])
def test_what_cannot_run_as_written(how: str, client: Any, monkeypatch: Any) -> None:
    """The first task says what it raised; nothing else changes."""
    function, options = looked_up, {"scheduler": client}
    if how == "large":
        monkeypatch.setattr(verdicts, "MOST", 8)
    elif how == "processes":
        options = {"scheduler": "processes"}
    else:
        lock = threading.Lock()

        def function(A, B, T):
            if lock is None:
                return
            # looptx: split i 4 | bind i worker
            for i in range(A.shape[0]):
                for j in range(A.shape[1]):
                    B[i, j] = T[int(A[i, j])]

    remote = looptx.kernel(function).on(client)
    for bad in ((), ((3, 1),), ((7, 1), (2, 1))):
        A, B, T = given(*bad)
        own = A, B.copy(), T
        wanted = raised(function, *own)
        result = remote(*lazily([A, B], 5), T)
        assert raised(result.compute, **options) == wanted
        if wanted is None:
            assert same(result.compute(**options), own[1])
