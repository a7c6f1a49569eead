"""Loops that do little run on one thread: seen by the threads that a process has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = """\
import os
import sys

import looptx
import numpy as np


@looptx.kernel
def doubled(x, y, n):
    # looptx: parallel i {options}
    for i in range(n):
        y[i] = 2.0 * x[i]


def threads():
    return len(os.listdir("/proc/self/task"))


x = np.arange(200000.0)
before = threads()
for n in map(int, sys.argv[1:]):
    y = np.zeros(200000)
    doubled(x, y, n)
    assert (y[:n] == 2.0 * x[:n]).all() and not y[n:].any()
    print(threads() - before)
"""

pytestmark = pytest.mark.skipif(
    not os.path.isdir("/proc/self/task"), reason="threads are counted in /proc"
)


def started(
    folder: Path, options: str, sizes: tuple[int, ...], always: str = ""
) -> list[int]:
    """The threads that there are after loops of some sizes, beside the first.

    Args:
        folder: for the source.
        options: of ``parallel``. sizes: of the loops.
        always: what the environment says of it.
    """
    (folder / "subject.py").write_text(SOURCE.format(options=options))
    own = {"LOOPTX_NUM_THREADS": "3", "LOOPTX_ALWAYS_PARALLEL": always}
    done = subprocess.run(
        [sys.executable, "subject.py", *map(str, sizes)],
        cwd=folder,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.split()]


def test_few_operations_are_done_by_one_thread(tmp_path: Path) -> None:
    # Two cells, an assignment and a product: 4 operations for each iteration.
    assert started(tmp_path, "", (0, 1, 4999, 5000)) == [0, 0, 0, 2]


def test_the_least_iterations_may_be_said(tmp_path: Path) -> None:
    assert started(tmp_path, "least=101", (0, 100, 101)) == [0, 0, 2]
    assert started(tmp_path, "least=100000", (99999, 100000)) == [0, 2]


def test_the_environment_may_ask_for_threads_always(tmp_path: Path) -> None:
    assert started(tmp_path, "", (4,), always="0") == [0]
    assert started(tmp_path, "", (4,), always="1") == [2]
