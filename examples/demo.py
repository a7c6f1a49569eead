"""What looptx does, on a matrix product and a 2-D stencil: ``make demo``.

It rewrites, refuses, compiles and times, and prints each step.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter

from examples import harness
from examples.jacobi2d.timing import PROBLEM as JACOBI2D
from examples.matmul.timing import PROBLEM as MATMUL
from examples.matmul.timing import Array
from looptx import LooptxError, kernel


@kernel("reorder j i")
def smear(A: Array) -> None:
    """A recurrence whose loops cannot simply be exchanged."""
    n = A.shape[0]
    for i in range(1, n):
        for j in range(n - 1):
            A[i, j] = A[i - 1, j + 1] + 1


def title(text: str) -> None:
    """A heading."""
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}")
    print("-" * len(text))


def show_rewrite(function: Callable[..., object]) -> None:
    """The annotated loops, and the loops that looptx proved equal and wrote."""
    title("A function and the schedule that stands in its comments")
    print(inspect.getsource(function))
    scheduled = kernel(function)
    start = perf_counter()
    text = scheduled.inspect_python()
    seconds = perf_counter() - start
    title(f"Proven and rewritten in {seconds:.2f} s: plain Python, same results")
    print(text)


def show_refusal() -> None:
    """A schedule that would change the result."""
    title("A schedule that is refused, with two iterations that show why")
    print(inspect.getsource(smear.py_func))
    try:
        smear.inspect_python()
    except LooptxError as error:
        print(error)


def show_first_call(problem: harness.Problem) -> None:
    """How long the first call takes: proof, Cython and the C compiler, or the cache."""
    compiled = harness.load(problem.name, "decorated")
    args = problem.make(8)
    first = harness.clock(compiled, args)
    second = harness.clock(compiled, args)
    print(f"{problem.name}: first call {first:.2f} s, second {1e6 * second:.0f} us")


def main() -> None:
    """Rewrite, refuse, compile, time."""
    show_rewrite(harness.load("matmul"))
    show_rewrite(harness.load("jacobi2d"))
    show_refusal()
    title("Compiled at the first call, kept on disk")
    show_first_call(MATMUL)
    show_first_call(JACOBI2D)
    title("Timed")
    harness.report([MATMUL, replace(MATMUL, size=1024), JACOBI2D])


if __name__ == "__main__":
    main()
