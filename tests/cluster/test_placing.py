"""Where the tasks of lazy calls run, what travels between workers, and lost ones."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kit.samples import thinned

import looptx
from cluster import kernels
from cluster.test_lazy import given_back, lazily
from cluster.test_tasks import GIVEN, KERNEL, random, same

dasked = pytest.importorskip("cluster.dasked")
da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.filterwarnings("ignore")

KERNELS = {name: KERNEL(getattr(kernels, name)) for name in GIVEN}


@pytest.fixture(scope="module", params=[2, 4])
def client(request: Any) -> Iterator[Any]:
    with dasked.cluster(request.param, **dasked.PLAIN) as made:
        yield made


def travelled(client: Any) -> Counter[str]:
    """The bytes that came to workers so far, by what tasks are called."""

    def log(dask_worker: Any) -> list[Any]:
        found = [one["keys"] for one in dask_worker.transfer_incoming_log]
        dask_worker.transfer_incoming_log.clear()
        return found

    found: Counter[str] = Counter()
    for keys in (keys for some in client.run(log).values() for keys in some):
        for key, size in keys.items():
            found[key[0].rpartition("-")[0]] += size
    return found


def kept(client: Any, result: Any) -> tuple[Any, ...]:
    """Results that have been computed, on the workers that have their cells."""
    results = result if isinstance(result, tuple) else (result,)
    found = client.persist(results)
    dasked.distributed.wait(found)
    return tuple(found)


def computed(client: Any, result: Any) -> tuple[Any, ...]:
    return tuple(client.gather(client.compute(result)))


def spread(A, B, steps):
    # looptx: split s.i 6 | bind s.i worker
    for t in range(steps):
        # looptx: nest s
        for i in range(1, A.shape[0] - 1):
            for j in range(1, A.shape[1] - 1):
                B[i, j] = A[i - 1, j] + A[i + 1, j + 1] + A[i, j - 1]
        A, B = B, A


ROWS = (7, 6, 6, 7), -1
"""Chunks of the rows of blocks; the first and the last row are in no block."""


def test_halos_alone_travel(client: Any) -> None:
    """A step moves what its plan says, as dask counts it, and the first cells come."""
    given = [random(26, 4000), random(26, 4000)]
    lazy = lazily(given, ROWS)
    remote = looptx.kernel(spread).on(client)
    moved = {}
    for steps in (1, 4):
        travelled(client)
        result = kept(client, remote(*lazy, steps))
        found = travelled(client)
        assert {*found} <= {"spread.s.halo", "spread.A.in", "spread.B.in"}
        moved[steps] = found["spread.s.halo"]
        wanted = [one.copy() for one in given]
        spread(*wanted, steps)
        assert same(computed(client, result), tuple(wanted))
    planned = {steps: remote.plan(*given, steps).moved for steps in moved}
    assert planned[1] < planned[4]
    assert planned[4] <= moved[4] <= 1.05 * planned[4]


def test_blocks_stay(client: Any) -> None:
    """Nobody asks for a block of another worker, only for cells cut out of it."""
    for name in thinned([*GIVEN], 2, len(client.nthreads()) // 2):
        given, remote = GIVEN[name](27), KERNELS[name].on(client)
        for _ in range(2):
            travelled(client)
            result = kept(client, remote(*lazily(given, 8)))
            assert all(x.endswith((".halo", ".in", ".sum")) for x in travelled(client))
            assert same(computed(client, result), given_back(name, given))


def test_calls_follow_one_another_where_their_blocks_are(client: Any) -> None:
    lazy = lazily([random(26, 4000)] * 2, ROWS)
    remote = looptx.kernel(spread).on(client)
    first = kept(client, remote(*lazy, 1))
    travelled(client)
    kept(client, remote(*first, 1))
    assert 0 < sum(travelled(client).values()) < first[0].nbytes / 4


def gated(A: Any, gate: Path) -> Any:
    """An array whose last chunk is not there before a file is.

    Its task leaves its thread to others: a worker may have no second one.
    """
    index = tuple(one - 1 for one in A.numblocks)

    def waited(chunk: Any, block_id: Any = None) -> Any:
        if block_id == index:
            dasked.distributed.secede()
            dasked.until(gate.exists, 600)
        return chunk

    return A.map_blocks(waited, dtype=A.dtype, meta=A._meta)


def _begun(client: Any) -> None:
    """Wait until only the chunk that is not there yet is computed."""

    def begun() -> bool:
        running = sum(len(some) for some in client.processing().values())
        return running == 1 and any(client.has_what().values())

    dasked.until(begun)


def _killed(client: Any) -> None:
    """Kill the worker that has most."""
    pids, has = client.run(os.getpid), client.has_what()
    address = max(pids, key=lambda one: len(has[one]))
    assert has[address]
    os.kill(pids[address], signal.SIGKILL)
    dasked.until(lambda: address not in client.nthreads())


def _disturbed(
    client: Any, name: str, gate: Path, disturb: Callable[[], None]
) -> dict[str, int]:
    """Compute a lazy call in the middle of which something happens.

    Returns:
        How many tasks each worker has begun behind that.
    """
    given = GIVEN[name](35 if name == "histogram" else 21)
    lazy = lazily(given, 8)
    last = max(at for at, one in enumerate(lazy) if isinstance(one, da.Array))
    lazy[last] = gated(lazy[last], gate)
    result = KERNELS[name].on(client)(*lazy)
    futures = client.compute(result if isinstance(result, tuple) else (result,))
    _begun(client)
    assert not all(one.done() for one in futures)
    disturb()
    gate.touch()
    assert same(tuple(client.gather(futures)), given_back(name, given))
    return dasked.executed(client)


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_workers_are_killed(processes: int, tmp_path: Path) -> None:
    with dasked.cluster(processes, **dasked.PLAIN) as client:
        for name in thinned([*GIVEN], 3, processes // 2):
            dasked.settle(client, processes)
            _disturbed(client, name, tmp_path / name, lambda: _killed(client))
        assert not dasked.tasks_left(client)


def test_workers_join(tmp_path: Path) -> None:
    """One that joins is given what one had that is gone, also if all are."""
    with dasked.cluster(2, **dasked.PLAIN) as client:
        for number, how in enumerate((dasked.replaced, _deserted)):
            dasked.settle(client, 2)
            before = {*client.nthreads()}
            gate = tmp_path / str(number)
            begun = _disturbed(client, "jacobi", gate, lambda how=how: how(client, 2))
            assert all(begun[one] > 5 for one in {*client.nthreads()} - before)
        dasked.settle(client, 2)
        client.cluster.scale(3)
        client.wait_for_workers(3)
        begun = _disturbed(client, "jacobi", tmp_path / "3", lambda: None)
        assert len(begun) == 3 and all(one > 5 for one in begun.values())


def _one_for_two(client: Any) -> None:
    client.cluster.scale(0)
    dasked.until(lambda: not client.nthreads())
    client.cluster.scale(1)
    dasked.settle(client, 1)


def test_one_worker_joins_where_two_have_left(tmp_path: Path) -> None:
    """It is given what both had, although it does not run yet when it joins."""
    with dasked.cluster(2, **dasked.PLAIN) as client:
        begun = _disturbed(
            client, "jacobi", tmp_path / "gate", lambda: _one_for_two(client)
        )
        assert len(begun) == 1


@pytest.mark.parametrize("name", ["heat", "jacobi"])
def test_a_connection_is_cut(name: str, tmp_path: Path) -> None:
    """A worker is lost by that in a call; others compute what it had."""
    with dasked.cluster(2, **dasked.PLAIN) as client:
        before = {*client.nthreads()}
        begun = _disturbed(client, name, tmp_path / name, lambda: _cut_off(client))
        assert len(before) == len({*begun} & before) + 1
        assert not dasked.tasks_left(client)


def _cut_off(client: Any) -> None:
    before, has = client.nthreads(), client.has_what()
    assert has[min(before)]
    dasked.cut_off(client)
    dasked.until(lambda: min(before) not in client.nthreads())


def _deserted(client: Any, processes: int) -> None:
    dasked.deserted(client)
    dasked.settle(client, processes)


def test_a_lazy_call_is_cancelled(tmp_path: Path) -> None:
    with dasked.cluster(2, **dasked.PLAIN) as client:
        lazy = lazily([*GIVEN["jacobi"](21)[:2], 3], 8)
        result = KERNELS["jacobi"].on(client)(
            gated(lazy[0], tmp_path / "gate"), *lazy[1:]
        )
        futures = client.compute(result)
        _begun(client)
        client.cancel(futures)
        del futures
        (tmp_path / "gate").touch()
        assert not dasked.tasks_left(client)


def test_what_others_pinned_stays(client: Any) -> None:
    """Chunks that somebody computes on a certain worker are computed there."""
    address = sorted(client.nthreads())[-1]
    A = client.submit(np.ones, (40, 40), workers=[address])
    A = da.from_delayed(A, (40, 40), float).rechunk(10)
    B = KERNELS["jacobi"].on(client)(A, A, 1)[1]
    expected = np.ones((2, 40, 40))
    kernels.jacobi(*expected, 1)
    assert same(B.compute(scheduler=client), expected[1])
