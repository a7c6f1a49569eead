"""What a call of a compiled kernel costs beyond its loops.

``python -m examples.overhead`` times a kernel with three small matrices against the
same loops written by hand in Cython, all of the kernel's checks included.
"""

from __future__ import annotations

import tempfile
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import looptx
from looptx.native.compile import build, load

BY_HAND = """\
# cython: language_level=3, boundscheck=False, wraparound=False
def add(double[:, ::1] A, double[:, ::1] B, double[:, ::1] C):
    cdef Py_ssize_t i, j
    with nogil:
        for i in range(C.shape[0]):
            for j in range(C.shape[1]):
                C[i, j] = A[i, j] + B[i, j]
"""

SIZES = (1, 2, 4, 8)
ROUNDS = 60
CALLS = 2000


@looptx.kernel
def add(A: Any, B: Any, C: Any) -> None:
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[i, j] = A[i, j] + B[i, j]


def by_hand() -> Callable[..., None]:
    """The hand-written function, compiled with the flags of a kernel."""
    with tempfile.TemporaryDirectory() as directory:
        built = build.build(BY_HAND, "by_hand", Path(directory))
        function: Callable[..., None] = load.load(built.library, "by_hand").add
        return function


def seconds(calls: list[Callable[[], object]]) -> list[float]:
    """The least time of one call of each, measured in turn."""
    timers = [timeit.Timer(call) for call in calls]
    rounds = [[timer.timeit(CALLS) / CALLS for timer in timers] for _ in range(ROUNDS)]
    return [min(times) for times in zip(*rounds, strict=True)]


def measure(size: int, hand: Callable[..., None]) -> tuple[float, float]:
    """Seconds of a call of the kernel, and of the function written by hand."""
    A, B, C = (np.ones((size, size)) for _ in range(3))
    add(A, B, C)
    ours, theirs = seconds([lambda: add(A, B, C), lambda: hand(A, B, C)])
    return ours, theirs


def main() -> None:
    """Print the table."""
    hand = by_hand()
    print("  n   kernel  by hand  difference  ratio")
    for size in SIZES:
        ours, theirs = measure(size, hand)
        print(
            f"{size:3}  {ours * 1e6:4.2f} us  {theirs * 1e6:4.2f} us  "
            f"{(ours - theirs) * 1e6:7.2f} us  {ours / theirs:5.2f}"
        )


if __name__ == "__main__":
    main()
