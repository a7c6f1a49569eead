"""Arrays in files: tasks read and write them block by block, in bounded memory."""

from __future__ import annotations

import copy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cluster import kernels
from cluster.test_tasks import GIVEN, placed, random, roots, scaled
from looptx.cluster.call.remote import Remote

pytestmark = pytest.mark.filterwarnings("ignore:looptx")


def mapped(folder: Path, name: str, array: Any) -> Any:
    """An array in a file of its own."""
    made = np.lib.format.open_memmap(
        folder / f"{name}.npy", mode="w+", dtype=array.dtype, shape=array.shape
    )
    made[...] = array
    return made


def compared(remote: Remote, function: Any, given: list[Any], folder: Path) -> None:
    """See that a call leaves in files what the function does in arrays."""
    expected = copy.deepcopy(given)
    files = [
        mapped(folder, str(at), one) if isinstance(one, np.ndarray) else one
        for at, one in enumerate(given)
    ]
    remote(*files)
    function(*expected)
    for one, other in zip(files, expected, strict=True):
        assert np.array_equal(one, other)
    assert remote.failed is None and remote.last is not None
    assert not remote.last.reasons


@pytest.mark.parametrize("name", ["jacobi", "product", "warshall", "histogram", "lu"])
def test_what_is_in_files(name: str, tmp_path: Path) -> None:
    function = getattr(kernels, name)
    for workers, ahead in ((1, 1), (3, 60)):
        remote = placed(function, workers, ahead)
        for n in (1, 19):
            compared(remote, function, GIVEN[name](n), tmp_path)


def test_arrays_that_are_exchanged_and_looked_at(tmp_path: Path) -> None:
    given = [random(14), random(14)]
    expected = copy.deepcopy(given)
    files = [mapped(tmp_path, str(at), one) for at, one in enumerate(given)]
    C, last = placed(scaled)(*files, 3)
    wanted, other = scaled(*expected, 3)
    assert np.array_equal(C, wanted) and np.array_equal(last, other)
    assert all(map(np.array_equal, files, expected))


def test_blocks_before_an_exception_are_in_the_file(tmp_path: Path) -> None:
    A, B = np.arange(16.0), mapped(tmp_path, "B", np.zeros(16))
    A[[6, 13]] = -1.0
    with pytest.raises(ValueError, match="math domain error"):
        placed(roots)(A, B)
    assert np.array_equal(B[:4], np.sqrt(A[:4])) and not B[4:].any()


def test_two_maps_of_one_file_run_as_written(tmp_path: Path) -> None:
    array = np.arange(20.0)
    A = mapped(tmp_path, "A", array)
    B = np.load(tmp_path / "A.npy", mmap_mode="r+")
    remote = placed(roots)
    remote(A, B)
    roots(array, array)
    assert np.array_equal(A, array)
    assert "A and B share memory" in remote.report()


LARGE = """
import resource, sys, tracemalloc
import numpy as np
import looptx

@looptx.kernel("split i 128 | bind i worker")
def smooth(A, B):
    n, m = A.shape
    for i in range(1, n - 1):
        for j in range(m):
            B[i, j] = 0.25 * A[i - 1, j] + 0.5 * A[i, j] + 0.25 * A[i + 1, j]

def made(rows, columns):
    return [
        np.lib.format.open_memmap(name, mode="w+", shape=(rows, columns))
        for name in ("A.npy", "B.npy")
    ]

rows, columns = 2000, 4000
remote = smooth.on()
remote(*made(300, 20))
A, B = made(rows, columns)
for at in range(rows):
    A[at] = np.sin(np.arange(columns) * (at + 1.0))
limit = A.nbytes // 4
status = open("/proc/self/status").read()
data = int(status.split("VmData:")[1].split()[0]) * 1024
plan = remote.plan(A, B)
resource.setrlimit(resource.RLIMIT_DATA, (data + limit, data + limit))
try:
    np.empty(A.nbytes, np.uint8)[:] = 1
    raise SystemExit("the limit limits nothing")
except MemoryError:
    pass
tracemalloc.start()
remote(A, B)
peak = tracemalloc.get_traced_memory()[1]
tracemalloc.stop()
assert remote.last.graph.traffic.tasks == plan.tasks == 16, remote.report()
for at in range(1, rows - 1):
    assert np.array_equal(
        B[at], 0.25 * A[at - 1] + 0.5 * A[at] + 0.25 * A[at + 1]
    ), at
assert not {"dask", "distributed", "zarr"} & sys.modules.keys()
print(peak, plan.peak[0])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_an_array_four_times_the_memory(tmp_path: Path) -> None:
    (tmp_path / "large.py").write_text(LARGE)
    done = subprocess.run(
        [sys.executable, "large.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert not done.returncode, done.stderr
    peak, planned = map(int, done.stdout.split())
    assert 0.9 * planned <= peak <= 1.1 * planned


def test_zarr(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    function = kernels.jacobi
    given = GIVEN["jacobi"](19)
    expected = copy.deepcopy(given)
    files = [
        zarr.create_array(str(tmp_path / name), data=one, chunks=(8, 8))
        for name, one in zip("AB", given, strict=False)
    ]
    remote = placed(function)
    remote(*files, given[2])
    function(*expected)
    for one, other in zip(files, expected, strict=False):
        assert np.array_equal(one[...], other)
    assert remote.last is not None and not remote.last.reasons
