"""Kernels on dask's workers: processes of this machine, some of which are killed."""

from __future__ import annotations

import copy
import io
import os
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kit.samples import thinned

import looptx
from cluster import kernels
from cluster.test_lazy import computed, given_back, lazily
from cluster.test_tasks import GIVEN, KERNEL, compared, random, roots, same
from looptx.errors import LooptxError
from looptx.native.compile import keys

QUICK = Path(__file__).parents[1] / "quick" / "cc"

try:
    import zarr
except ModuleNotFoundError:
    zarr = None
dasked = pytest.importorskip("cluster.dasked")
pytestmark = pytest.mark.filterwarnings("ignore")

KERNELS = {name: KERNEL(getattr(kernels, name)) for name in GIVEN}


def test_one_process_without_a_compiler() -> None:
    with dasked.cluster(1, CC="/nowhere/cc", LOOPTX_CACHE_DIR="") as client:
        remote = KERNELS["jacobi"].on(client)
        compared(remote, kernels.jacobi, GIVEN["jacobi"](19))
        assert "as Python, on 1 of 1 workers: jacobi_s1: LX501" in remote.report()
        client.run(os.environ.__setitem__, "LOOPTX_DISABLE", "1")
        _all(client, 19, thinned([*GIVEN], 3))
        assert not dasked.tasks_left(client)


COUNTING = f"""#!/bin/sh
echo "$*" | tr ' ' '\\n' | grep '_looptx_.*[.]c$' | sed 's:.*/::' >> "$LOOPTX_COUNTED"
exec {QUICK} "$@"
"""


@pytest.mark.parametrize("processes", thinned([2, 1, 4], 2))
def test_natively_and_compiled_once(processes: int, tmp_path: Path) -> None:
    """All processes of a host together compile each nest once."""
    compiler, counted = tmp_path / "cc", tmp_path / "counted"
    compiler.write_text(COUNTING)
    compiler.chmod(0o755)
    counted.touch()
    own = {"LOOPTX_CACHE_DIR": str(tmp_path), "LOOPTX_COUNTED": str(counted)}
    with dasked.cluster(processes, CC=str(compiler), **own) as client:
        # Each worker has blocks of both sweeps, and begins when the others do.
        remote = KERNELS["jacobi"].on(client)
        compared(remote, kernels.jacobi, GIVEN["jacobi"](33))
        assert "as Python" not in remote.report()
        compiled = counted.read_text().split()
        assert len(compiled) == len({*compiled}) == 2
        some = GIVEN if processes == 2 else ["lu"]
        _all(client, 19, some, natively=True)
        compiled = counted.read_text().split()
        assert len(compiled) == len({*compiled})
        assert not dasked.tasks_left(client)


CPUS = "/proc/cpuinfo"


def _other_processor() -> None:
    """Let this process run on another processor, as the system says it."""
    said = b"model name : of another kind\n" + Path(CPUS).read_bytes()

    def opened(path: Any, *how: Any, **options: Any) -> Any:
        return io.BytesIO(said) if path == CPUS else open(path, *how, **options)

    keys.open = opened  # type: ignore[attr-defined]
    keys.machine.cache_clear()


def _processor() -> tuple[str, set[str]]:
    """What a process is tuned for, and the compiled nests that it has."""
    names = {one.rpartition(".")[2] for one in [*sys.modules]}
    return keys.machine(), {one for one in names if one.startswith("_looptx_")}


@pytest.mark.skipif(not Path(CPUS).exists(), reason="asks elsewhere")
def test_different_processors(tmp_path: Path) -> None:
    """Those of a kind compile each nest once, and none runs what is tuned for others.

    The second cluster finds all of it in the cache, and each process takes its own.
    """
    compiler, counted = tmp_path / "cc", tmp_path / "counted"
    compiler.write_text(COUNTING)
    compiler.chmod(0o755)
    counted.touch()
    own = {"LOOPTX_CACHE_DIR": str(tmp_path), "LOOPTX_COUNTED": str(counted)}
    ran = []
    for processes in (4, 2):
        with dasked.cluster(processes, CC=str(compiler), **own) as client:
            others = sorted(client.nthreads())[::3]
            client.run(_other_processor, workers=others)
            remote = KERNELS["jacobi"].on(client)
            compared(remote, kernels.jacobi, GIVEN["jacobi"](33))
            assert "as Python" not in remote.report()
            found = client.run(_processor)
            mine, those = (
                {found[x][0] for x in found if (x in others) == y} for y in (0, 1)
            )
            assert len(mine) == len(those) == 1 and mine != those
            nests = {kind: names for kind, names in found.values()}
            assert all(found[x][1] == nests[found[x][0]] for x in found)
            ran.append(nests)
        one, other = nests.values()
        assert len(one) == len(other) == 2 and not one & other
        compiled = counted.read_text().split()
        assert len(compiled) == len({*compiled}) == 4
    assert ran[0] == ran[1]


def test_four_processes(tmp_path: Path) -> None:
    with dasked.cluster(4, **dasked.PLAIN) as client:
        _all(client, 23)
        _in_files(client, tmp_path)
        _lazily(client)
        assert not dasked.tasks_left(client)


def _all(
    client: Any, n: int, names: Iterable[str] = GIVEN, natively: bool = False
) -> None:
    """Compare kernels with themselves as written."""
    for name in names:
        function, given = getattr(kernels, name), GIVEN[name]
        remote = KERNELS[name].on(client)
        for size in (0, 1, n):
            compared(remote, function, given(size))
        assert remote.last is not None
        assert remote.last.graph.traffic.tasks > 1
        assert ("as Python" in remote.report()) != natively


def _in_files(client: Any, folder: Path) -> None:
    """Workers read what they need from files."""
    given = GIVEN["jacobi"](19)
    expected = copy.deepcopy(given)
    files: list[Any] = []
    for name, one in zip("AB", given, strict=False):
        if zarr is None:
            path = folder / f"{name}.npy"
            np.save(path, one)
            files.append(np.load(path, mmap_mode="r+"))
        else:
            options = {"data": one, "chunks": (8, 8)}
            files.append(zarr.create_array(str(folder / name), **options))
    remote = KERNELS["jacobi"].on(client)
    remote(*files, given[2])
    kernels.jacobi(*expected)
    for one, other in zip(files, expected, strict=False):
        assert np.array_equal(one[...], other)
    assert remote.last is not None and not remote.last.reasons
    assert (remote.last.graph.traffic.sent == 0) == (zarr is not None)


def _lazily(client: Any) -> None:
    """Arrays of dask's: only cells that blocks need of each other travel."""
    for name in GIVEN:
        given = GIVEN[name](19)
        remote = KERNELS[name].on(client)
        result = remote(*lazily(given, 8))
        assert "tasks made for dask to run" in remote.report()
        assert same(computed(result, scheduler=client), given_back(name, given))
    bad = lazily([random(9, 9)], 4)[0].map_blocks(np.int64, dtype=float)
    A, _ = KERNELS["jacobi"].on(client)(bad, bad, 2)
    with pytest.raises(LooptxError, match="LX604 a chunk of `A`"):
        A.compute(scheduler=client)


def test_faults(capsys: Any) -> None:
    """One cluster for all of them: what they leave behind must not matter."""
    with dasked.cluster(2, **dasked.PLAIN) as client:
        for name in thinned([*GIVEN], 2):
            _killed(client, name)
        _joined(client)
        _raising(client)
        _raising_unread(client)
        _interrupted(client)
        _named(client)
        _shown(client, capsys)
        _late(client)
        _cut_off(client)
        assert not dasked.tasks_left(client)


def _killed(client: Any, name: str) -> None:
    """A worker is killed in the middle, and with it what it has computed."""
    function = getattr(kernels, name)
    given = GIVEN[name](35 if name == "histogram" else 21)
    runners = []

    def runner() -> Any:
        runners.append(dasked.Killing(client, made // 2, max(1, made // 4)))
        return runners[-1]

    remote = KERNELS[name].on()
    remote(*copy.deepcopy(given))
    assert remote.last is not None
    made = remote.last.graph.traffic.tasks
    dasked.settle(client, 2)
    remote._runner = runner  # type: ignore[method-assign]
    compared(remote, function, given)
    assert all(one.killed for one in runners)


def _raising(client: Any) -> None:
    """The exception is that of the loops as written, and so are the arrays."""
    given = [np.arange(11.0), np.zeros(11)]
    given[0][[6, 9]] = -1.0
    expected = copy.deepcopy(given)
    remote = KERNEL(roots).on(client)
    for function, arrays in ((remote, given), (roots, expected)):
        with pytest.raises(ValueError, match="math domain error"):
            function(*arrays)
    assert same(tuple(given), tuple(expected))
    assert "a task raised" in remote.report()
    assert "ValueError: math domain error" in remote.report()


def _cut_off(client: Any) -> None:
    """A worker's connections break in the middle of a call, and it is lost by that."""
    before = len(client.nthreads())
    remote, given = KERNELS["heat"].on(), GIVEN["heat"](21)
    runner = dasked.Disturbing(client, lambda: dasked.cut_off(client), 8)
    remote._runner = lambda: runner
    compared(remote, kernels.heat, given)
    assert runner.times > 2 and len(client.nthreads()) == before - 1


def _joined(client: Any) -> None:
    """A worker that joins in the middle of a call gets the tasks of one that left."""
    dasked.settle(client, 2)
    before = {*client.nthreads()}
    remote, given = KERNELS["jacobi"].on(), GIVEN["jacobi"](29)
    runner = dasked.Disturbing(client, lambda: dasked.replaced(client, 2), 30)
    remote._runner = lambda: runner
    compared(remote, kernels.jacobi, given)
    (new,) = {*client.nthreads()} - before
    assert runner.times > 3 and dasked.executed(client)[new] > 20


def overwritten(A, B, C):
    import math

    # looptx: split i 4 | bind i worker
    for i in range(A.shape[0]):
        B[i] = math.sqrt(A[i])
    # looptx: split j 4 | bind j worker
    for j in range(A.shape[0]):
        B[j] = C[j]


def _raising_unread(client: Any) -> None:
    """A task raises whose cells nobody needs."""
    given = [np.arange(9.0) - 5.0, np.zeros(9), np.ones(9)]
    expected = copy.deepcopy(given)
    for function, arrays in (
        (KERNEL(overwritten).on(client), given),
        (overwritten, expected),
    ):
        with pytest.raises(ValueError, match="math domain error"):
            function(*arrays)
    assert same(tuple(given), tuple(expected))
    assert not dasked.tasks_left(client)


def slow(A, steps):
    # looptx: split rows.i 4 | bind rows.i worker
    for t in range(steps):
        # looptx: nest rows
        for i in range(A.shape[0]):
            for k in range(20000):
                A[i] += 0.5 * (A[i] + k)


def _interrupted(client: Any) -> None:
    """No task is left, and arrays are as they were."""
    given = random(16)
    before = given.copy()
    remote = looptx.kernel(slow).on(client)
    main = threading.main_thread().ident
    assert main is not None

    def interrupt() -> None:
        while not any(client.processing().values()):
            time.sleep(0.01)
        os.kill(os.getpid(), 2)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        remote(given, 50)
    thread.join()
    assert same(given, before)
    assert not dasked.tasks_left(client)


def _named(client: Any) -> None:
    """Names of tasks say kernel, nest and block."""
    made = []

    class Noting(dasked.Futures):
        def _graph(self, nodes: Any) -> Any:
            made.extend(one.key for one in nodes)
            return super()._graph(nodes)

    remote = KERNELS["jacobi"].on(client)
    remote._runner = lambda: Noting(client)  # type: ignore[method-assign]
    remote(random(21, 21), random(21, 21), 1)
    names = {key[0].rpartition("-")[0] for key in made}
    assert names >= {"jacobi.s1", "jacobi.s2", "jacobi.s1.halo", "jacobi.A.in"}
    assert {key[2:] for key in made if key[0].startswith("jacobi.s1-")} >= {
        (0, 1, 1),
        (0, 15, 10),
    }


def _shown(client: Any, capsys: Any) -> None:
    """What shows progress has a line for each kernel and nest, and all its blocks."""
    from distributed.diagnostics.progress import MultiProgress

    def counts(dask_scheduler: Any) -> dict[str, int]:
        groups = dask_scheduler.task_groups.values()
        return {one.prefix.name: len(one) for one in groups}

    async def bars(dask_scheduler: Any, keys: Any) -> dict[str, int]:
        shown = MultiProgress(keys, dask_scheduler, complete=True)
        await shown.setup()
        return {name: len(some) for name, some in shown.all_keys.items()}

    remote, size = KERNELS["jacobi"].on(client), random(21, 21)
    result = client.persist(remote(*lazily([size, size], 8), 2))
    dasked.distributed.progress(*result, notebook=False)
    assert "100% Completed" in capsys.readouterr().out
    keys = [one.key for one in dasked.distributed.futures_of(result)]
    for found in (
        client.run_on_scheduler(bars, keys=keys),
        client.run_on_scheduler(counts),
    ):
        assert found["jacobi.s1"] == found["jacobi.s2"] == 2 * 9


def _late(client: Any) -> None:
    """A worker that joins takes the place of one that has left."""
    client.cluster.scale(1)
    dasked.until(lambda: len(client.nthreads()) == 1)
    remote = KERNELS["heat"].on(client)
    compared(remote, kernels.heat, GIVEN["heat"](13))
    client.cluster.scale(3)
    client.wait_for_workers(3)
    compared(remote, kernels.heat, GIVEN["heat"](13))
    assert remote.last is not None
    assert remote.last.graph.layout.workers == 3


def test_a_cluster_without_workers() -> None:
    with (
        dasked.distributed.LocalCluster(
            n_workers=0, processes=False, dashboard_address=None
        ) as made,
        dasked.distributed.Client(made) as client,
        pytest.raises(LooptxError, match="LX602"),
    ):
        KERNELS["heat"].on(client)(random(5, 5, 5), 1)
