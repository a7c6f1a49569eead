"""What two threads are worth: ``python -m examples.threads [ROUNDS]``.

One thread and two take turns, in processes of their own; the least times count. Shown
are the efficiency, a half of how much faster two are (what computes should have 0.9),
and for what moves memory its bandwidth over that of two threads that copy (0.95). What
is small should be as fast as on one thread, since it runs on one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import looptx

LARGE = 1 << 23
"""Elements of arrays that no cache holds: 64 MiB."""


@looptx.kernel
def powers(x, y):
    # looptx: parallel i
    for i in range(x.shape[0]):
        s = 0.0
        for k in range(500):
            s = s * 0.5 + x[i]
        y[i] = s


@looptx.kernel
def copied(x, y):
    # looptx: parallel i
    for i in range(x.shape[0]):
        y[i] = x[i]


@looptx.kernel
def heated(A, B, steps):
    n, m = A.shape
    # looptx: parallel i#1 | parallel i#2
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                B[i, j] = 0.25 * (A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1])
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                A[i, j] = 0.25 * (B[i - 1, j] + B[i + 1, j] + B[i, j - 1] + B[i, j + 1])


def by_numpy(x: np.ndarray, y: np.ndarray, threads: int) -> Callable[[], object]:
    """A copy by threads of Python's: what the machine can do."""
    pool, half = ThreadPoolExecutor(threads), -(-len(x) // threads)
    parts = [slice(at, at + half) for at in range(0, len(x), half)]

    def copy() -> object:
        return list(pool.map(lambda part: np.copyto(y[part], x[part]), parts))

    return copy


def calls(threads: int) -> dict[str, Callable[[], object]]:
    """What is timed."""
    x, y = np.ones(LARGE), np.zeros(LARGE)
    grids = np.ones((2, 200, 240)), np.ones((2, 1000, 1200)), np.ones((2, 12, 12))
    near, far, tiny = ((a, b) for a, b in grids)
    return {
        "compute": lambda: powers(x[:20_000], y[:20_000]),
        "memory": lambda: copied(x, y),
        "copy by NumPy": by_numpy(x, y, threads),
        "steps, in cache": lambda: heated(*near, 100),
        "steps, in memory": lambda: heated(*far, 10),
        "small": lambda: copied(x[:500], y[:500]),
        "small steps": lambda: heated(*tiny, 100),
    }


def measured(threads: int) -> dict[str, float]:
    """The least seconds of each."""
    found = {}
    for name, call in calls(threads).items():
        call()
        end, best = time.perf_counter() + 0.4, float("inf")
        while time.perf_counter() < end:
            start = time.perf_counter()
            call()
            best = min(best, time.perf_counter() - start)
        found[name] = best
    return found


def main(rounds: int) -> None:
    """Print a line for each."""
    least: dict[int, dict[str, float]] = {1: {}, 2: {}}
    for _ in range(rounds):
        for threads, known in least.items():
            done = subprocess.run(
                [sys.executable, "-m", "examples.threads", "worker", str(threads)],
                env={**os.environ, "LOOPTX_NUM_THREADS": str(threads)},
                stdout=subprocess.PIPE,
                check=True,
            )
            for name, seconds in json.loads(done.stdout).items():
                known[name] = min(seconds, known.get(name, seconds))
    print(f"{'':18}{'1 thread':>12}{'2 threads':>12}{'efficiency':>12}")
    for name, one in least[1].items():
        two = least[2][name]
        print(f"{name:18}{one * 1e6:9.1f} us{two * 1e6:9.1f} us{one / two / 2:12.2f}")
    copy = least[2]["copy by NumPy"] / least[2]["memory"]
    print(f"bandwidth of two threads over that of two that copy: {copy:.2f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["worker"]:
        print(json.dumps(measured(int(sys.argv[2]))))
    else:
        main(int(*sys.argv[1:]) if sys.argv[1:] else 5)
