"""Time matrix products of several types and sizes against NumPy's.

Run it from the root of the repository: ``python -m examples.gemm.sizes``, or
``make bench-gemm``. looptx compiles the plain loops of gemm.py with the directives
below; every sum is taken in the order of the source, and compared with it to the bit.
NumPy is as it is shipped, and once more with OpenBLAS told to take its kernel for
AVX-512, where the processor has that. For integers NumPy has no BLAS.

OpenBLAS's threads spin while they wait, and so do those of looptx then: where they
sleep between two loops, some systems wake both on one core. On a busy machine
(``--clock cpu``) nothing is to be said of two of OpenBLAS's.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from examples.polybench import sources
from examples.workers import CLOCKS, NAMES, Failed, Worker, spent

TYPES = ("float64", "float32", "int32")
SIZES = (256, 512, 1024, 2048)
TILES = {"float64": (6, 32), "float32": (6, 64), "int32": (8, 32)}
"""Cells of C in registers, in rows and columns, for 32 registers of 64 bytes. Rows a
power of two apart lie in one set of the first cache, which has 8 lines or more."""

L2 = 2**20
"""Bytes of the second cache where the machine does not tell."""

BEST = {"OPENBLAS_CORETYPE": "SkylakeX"}
SPIN = (
    "Two threads of NumPy are left out: those of OpenBLAS spin while they wait, so "
    "that their CPU time says nothing."
)
PATIENCE = 4.0
"""Seconds after which one sample is enough."""

REST = 0.15
"""Seconds before a sample of threads, in which those of the sample before, in another
process, end their spinning: it takes the core of one that is timed. OpenBLAS's spin for
2**28 cycles of the clock."""

AWAKE = 0.02
"""Seconds of calls before a sample that are not timed: they wake the threads, which
begin on one core."""

Array = NDArray[np.generic]


def schedule(dtype: str, size: int) -> tuple[str, ...]:
    """The directives for a type and a size.

    A panel of B is as deep as fits into half of the second cache.

    Args:
        dtype: the type of all three arrays.
        size: their rows and columns.
    """
    high, wide = TILES[dtype]
    deep = second_cache() // 2 // (wide * np.dtype(dtype).itemsize)
    if size <= deep:
        blocks = f"tile i={high} j={wide} | reorder j i k ii jj"
    else:
        blocks = f"tile i={high} j={wide} k={deep} | reorder k j i kk ii jj"
    return blocks, "cache_read B at j as PB | vectorize jj | parallel j"


def second_cache() -> int:
    """Its bytes, as Linux tells them."""
    told = Path("/sys/devices/system/cpu/cpu0/cache/index2/size")
    with contextlib.suppress(OSError, ValueError):
        return int(told.read_text(encoding="ascii").strip().removesuffix("K")) * 1024
    return L2


def numbers(dtype: str, size: int) -> tuple[Array, Array, Array]:
    """Two random matrices and a zero one; products of integers fit."""
    rng = np.random.default_rng(size)
    A, B = ((100 * rng.random((size, size))).astype(dtype) for _ in range(2))
    return A, B, np.zeros((size, size), dtype)


class Bench:
    """What a process holds: two products, and matrices for them."""

    def __init__(self, clock: str) -> None:
        self.clock = CLOCKS[clock]
        self.folder = tempfile.TemporaryDirectory()

    def begin(self, dtype: str, size: int) -> None:
        """Other matrices."""
        self.A, self.B, self.C = numbers(dtype, size)

    def looptx(self, dtype: str, size: int) -> int:
        """Compile, call, and say how many rows are right to the bit."""
        from looptx import kernel

        self.call = kernel(*schedule(dtype, size), strict=True)(plain(self.folder.name))
        self.call(self.A, self.B, self.C)
        rows = np.random.default_rng(0).permutation(size)[: max(16, 2**24 // size**2)]
        for row in rows:
            terms = self.A[row, :, None] * self.B
            right = np.cumsum(terms, axis=0, dtype=dtype)[-1]
            if self.C[row].tobytes() != right.tobytes():
                raise ValueError(f"row {row} differs")
        return len(rows)

    def numpy(self, dtype: str, size: int) -> int:
        """NumPy's product."""
        self.call = lambda A, B, C: np.matmul(A, B, out=C)
        self.call(self.A, self.B, self.C)
        return 0

    def sample(self) -> float:
        """Seconds of a call."""
        end = time.perf_counter() + AWAKE
        while time.perf_counter() < end:
            self.call(self.A, self.B, self.C)
        self.C[:] = 0
        return spent(self.clock, lambda: self.call(self.A, self.B, self.C))


def plain(folder: str) -> Callable[..., object]:
    """The loops of gemm.py without the directives of their comments."""
    text = Path(__file__).with_name("gemm.py").read_text(encoding="utf-8")
    return sources.function(sources.without_directives(text), "gemm", Path(folder))


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m examples.gemm.sizes", description=__doc__
    )
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--types", nargs="*", choices=TYPES, default=TYPES)
    parser.add_argument("--threads", nargs="*", type=int, default=(1, 2))
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--write", type=Path, metavar="FILE", help="a Markdown table")
    return parser.parse_args()


def rates(chosen: argparse.Namespace, threads: int) -> dict[tuple[str, int, str], str]:
    """Billions of multiplications and additions in a second, or why there are none.

    Args:
        chosen: the command line.
        threads: of all.
    """
    make = partial(Bench, chosen.clock)
    ours = Worker(threads, make, spins=chosen.clock == "wall")
    workers = {"looptx": (ours, "looptx")}
    if threads == 1 or chosen.clock == "wall":
        workers["NumPy"] = Worker(threads, make), "numpy"
        workers["NumPy, best kernel"] = Worker(threads, make, BEST), "numpy"
    found = {}
    for dtype in chosen.types:
        for size in chosen.sizes:
            ready, times = {}, {}
            for name, (worker, method) in workers.items():
                if dtype == "int32" and "best" in name:
                    continue
                try:
                    worker.ask("begin", dtype, size)
                    worker.ask(method, dtype, size)
                    ready[name], times[name] = worker, []
                except Failed as error:
                    found[dtype, size, name] = str(error)
            for turn in range(chosen.repeat):
                for name in sorted(ready, reverse=turn % 2 == 1):
                    if sum(times[name]) < PATIENCE:
                        time.sleep(REST * (threads > 1))
                        times[name].append(ready[name].ask("sample"))
            for name, seconds in times.items():
                rate = 2e-9 * size**3 / statistics.median(seconds)
                found[dtype, size, name] = f"{rate:.1f}"
            line = [f"{name} {found.get((dtype, size, name), '-')}" for name in workers]
            print(f"{dtype:<8}{size:>5} x{threads}: {', '.join(line)}", flush=True)
    for worker, _ in workers.values():
        worker.stop()
    return found


def table(
    chosen: argparse.Namespace, all_rates: dict[int, dict[tuple[str, int, str], str]]
) -> str:
    """The rates as Markdown."""
    lines = [
        "| type | size | threads | looptx | NumPy | looptx / NumPy "
        "| NumPy, best kernel | looptx / that |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for threads, found in all_rates.items():
        for dtype in chosen.types:
            for size in chosen.sizes:
                ours, usual, best = (
                    found.get((dtype, size, name), "-")
                    for name in ("looptx", "NumPy", "NumPy, best kernel")
                )
                lines.append(
                    f"| {dtype} | {size} | {threads} | {ours} | {usual} "
                    f"| {over(ours, usual)} | {best} | {over(ours, best)} |"
                )
    return "\n".join(lines)


def over(ours: str, theirs: str) -> str:
    """A ratio of rates, where both are numbers."""
    try:
        return f"{float(ours) / float(theirs):.2f}"
    except ValueError:
        return "-"


def main() -> None:
    """Measure and print."""
    chosen = options()
    all_rates = {threads: rates(chosen, threads) for threads in chosen.threads}
    note = (
        f"Billions of multiplications and additions in a second, by the "
        f"{NAMES[chosen.clock]}, medians of {chosen.repeat} samples in turns (one of "
        f"what takes seconds). All rows of looptx that were compared (16 at least, all "
        f"of the smaller matrices) have every bit of the source's sums. "
        f"{os.cpu_count()} cores, whose load at the end was {os.getloadavg()[1]:.1f}."
    )
    if chosen.clock == "cpu" and 2 in chosen.threads:
        note += " " + SPIN
    text = f"# Matrix products\n\n{note}\n\n{table(chosen, all_rates)}\n"
    print(f"\n{text}", end="")
    if chosen.write:
        chosen.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
