"""What the first call of a kernel costs, in seconds of the processor.

``python -m examples.latency`` starts processes with an empty cache. *First* is the
first call of the first kernel of a process; *later* that of a kernel in a process that
has compiled another one. Time of the compiler counts; waiting for other programs, or
for files, does not. Everything is imported once before, as after an installation, so
that Python keeps compiled files.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import looptx


@looptx.kernel
def warm(A: Any, B: Any) -> None:
    for i in range(A.shape[0]):
        B[i] = A[i] + B[i]


@looptx.kernel
def stencil(A: Any, B: Any) -> None:
    for i in range(1, A.shape[0] - 1):
        for j in range(1, A.shape[1] - 1):
            B[i, j] = 0.25 * (A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1])


@looptx.kernel("tile i=32 j=32 k=32", "parallel i", "vectorize jj")
def product(A: Any, B: Any, C: Any) -> None:
    for i in range(C.shape[0]):
        for k in range(A.shape[1]):
            for j in range(C.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


@looptx.kernel
def deriche(a: Any, image: Any, out: Any, y1: Any, y2: Any) -> None:
    for i in range(image.shape[0]):
        before = 0.0
        earlier = 0.0
        last = 0.0
        for j in range(image.shape[1]):
            y1[i, j] = a[0] * image[i, j] + a[1] * last + a[8] * before + a[9] * earlier
            last = image[i, j]
            earlier = before
            before = y1[i, j]
    for i in range(image.shape[0]):
        after = 0.0
        later = 0.0
        next1 = 0.0
        next2 = 0.0
        for j in range(image.shape[1] - 1, -1, -1):
            y2[i, j] = a[2] * next1 + a[3] * next2 + a[8] * after + a[9] * later
            next2 = next1
            next1 = image[i, j]
            later = after
            after = y2[i, j]
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            out[i, j] = y1[i, j] + y2[i, j]
    for j in range(image.shape[1]):
        last = 0.0
        before = 0.0
        earlier = 0.0
        for i in range(image.shape[0]):
            y1[i, j] = a[4] * out[i, j] + a[5] * last + a[8] * before + a[9] * earlier
            last = out[i, j]
            earlier = before
            before = y1[i, j]
    for j in range(image.shape[1]):
        next1 = 0.0
        next2 = 0.0
        after = 0.0
        later = 0.0
        for i in range(image.shape[0] - 1, -1, -1):
            y2[i, j] = a[6] * next1 + a[7] * next2 + a[8] * after + a[9] * later
            next2 = next1
            next1 = out[i, j]
            later = after
            after = y2[i, j]
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            out[i, j] = y1[i, j] + y2[i, j]


def square() -> Any:
    """A small matrix."""
    return np.full((8, 8), 0.5)


KERNELS: dict[str, tuple[Any, Callable[[], list[Any]]]] = {
    "stencil": (stencil, lambda: [square() for _ in range(2)]),
    "product": (product, lambda: [square() for _ in range(3)]),
    "deriche": (
        deriche,
        lambda: [np.linspace(0.1, 0.9, 10), *(square() for _ in range(4))],
    ),
}
"""Kernels of one nest, of one nest with directives, and of six, with arguments."""

ROUNDS = 60
CALLS = 2000


def used() -> float:
    """Seconds of the processor that this process and its compilers have used."""
    both = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    times = map(resource.getrusage, both)
    return sum(one.ru_utime + one.ru_stime for one in times)


def child(name: str, first: bool) -> None:
    """Print what the first call of a kernel costs here, and what calls cost then."""
    kernel, make = KERNELS[name]
    if not first:
        warm(np.ones(3), np.ones(3))
    given, start = make(), used()
    kernel(*given)
    print(used() - start)


def measured(name: str, first: bool, compiled: str) -> float:
    """Seconds of the first call of a kernel in a process of its own.

    Args:
        name: of the kernel.
        first: whether it is the first one of the process.
        compiled: the folder where Python keeps compiled files.
    """
    with tempfile.TemporaryDirectory() as cache:
        own = {"LOOPTX_CACHE_DIR": f"{cache}/cache", "PYTHONPYCACHEPREFIX": compiled}
        rest = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        words = [sys.executable, "-m", "examples.latency", "--child", name]
        said = subprocess.run(
            [*words, *(["--first"] if first else [])],
            env={**rest, **own},
            cwd=Path(__file__).parents[1],
            stdout=subprocess.PIPE,
            check=True,
        )
        return float(said.stdout)


def call_seconds() -> float:
    """The least time of a call with two arrays, beyond that of a Python function."""

    def empty(A: Any, B: Any) -> None:
        pass

    A, B = np.ones(2), np.ones(2)
    warm(A, B)
    timers = [timeit.Timer(lambda f=f: f(A, B)) for f in (warm, empty)]
    rounds = [[one.timeit(CALLS) / CALLS for one in timers] for _ in range(ROUNDS)]
    ours, theirs = (min(times) for times in zip(*rounds, strict=True))
    return ours - theirs


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, help="the least of so many")
    parser.add_argument("--child", choices=KERNELS, help=argparse.SUPPRESS)
    parser.add_argument("--first", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child, options.first)
        return
    with tempfile.TemporaryDirectory() as compiled:
        measured("stencil", True, compiled)
        print("kernel    first   later   difference")
        for name in KERNELS:
            first, later = (
                min(measured(name, first, compiled) for _ in range(options.repeat))
                for first in (True, False)
            )
            print(
                f"{name:8} {first:5.2f} s {later:5.2f} s {first - later:7.2f} s",
                flush=True,
            )
    print(f"a call with two arrays: {call_seconds() * 1e6:.2f} us")


if __name__ == "__main__":
    main()
