"""``make corpus-numba``: the functions of the corpus timed against Numba, one thread.

``python -m corpus.against [FIELD|NAME ...] [--cpu] [--first]``. Both compile the same
text; helpers of Numba's copy are compiled by it, too. The size is doubled until looptx
takes a millisecond, or its arguments 64 MiB, or Python raises. Times are medians of
calls on fresh arguments, in turns; ``--cpu`` counts seconds of the processor, for a
busy machine, ``--first`` also times first calls, with an empty cache. Numba comes with
``pip install -e .[bench]``.
"""

from __future__ import annotations

import copy
import importlib.util
import os
import resource
import statistics
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import looptx
from corpus import FIELDS, Case
from corpus.running import cases, left

ENOUGH = 1e-3
"""Seconds that a call takes at the size that is timed."""

LARGEST, SAMPLES, SMALL = 1 << 20, 9, 13
MOST = 1 << 26
"""Bytes of arguments: with more the memory is what is timed."""


@dataclass(frozen=True)
class Timed:
    """A function under both: the size, seconds of a call, seconds of the first."""

    name: str
    size: int
    looptx: float
    numba: float
    first: tuple[float, float]

    @property
    def ratio(self) -> float:
        """Time of looptx over that of Numba."""
        return self.looptx / self.numba


class Skipped(Exception):
    """One of the two does not run a function, with the reason."""


def wall() -> float:
    """Seconds."""
    return time.perf_counter()


def compilers() -> float:
    """Seconds of the processor that this process and its compilers have used."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = map(resource.getrusage, who)
    return sum(one.ru_utime + one.ru_stime for one in used)


def jitted(function: types.FunctionType, jit: Callable[..., Any]) -> Any:
    """A function compiled by ``jit``, and the helpers that it calls likewise.

    Args:
        function: of the corpus; it stays as it is.
        jit: ``numba.njit``.
    """
    names = dict(function.__globals__)
    for name in function.__code__.co_names:
        value = names.get(name)
        if isinstance(value, types.FunctionType) and value is not function:
            names[name] = jitted(value, jit)
    made = types.FunctionType(function.__code__, names, function.__name__)
    made.__defaults__ = function.__defaults__
    return jit(made)


def seconds(called: Callable[..., Any], given: tuple[Any, ...], clock: Any) -> float:
    """What one call takes, on a copy of its arguments."""
    arguments = copy.deepcopy(given)
    start = clock()
    called(*arguments)
    return float(clock() - start)


def fitting(
    called: Callable[..., Any], case: Case, clock: Any
) -> tuple[int, tuple[Any, ...]]:
    """A size at which a call takes long enough, and its arguments.

    Args:
        called: the kernel. case: of it. clock: what tells the time.
    """
    size, given = SMALL, case.arguments(SMALL)
    larger = 16
    while True:
        more = case.arguments(larger)
        try:
            took = min(seconds(called, more, clock) for _ in range(3))
        except ArithmeticError:  # Python raises it for so many numbers.
            return size, given
        size, given = larger, more
        bytes_ = sum(getattr(one, "nbytes", 0) for one in given)
        if took > ENOUGH or size >= LARGEST or bytes_ > MOST:
            return size, given
        larger *= 2


def timed(name: str, case: Case, jit: Callable[..., Any], cpu: bool) -> Timed:
    """Compare the two on one function.

    Args:
        name: of the function. case: it, and its arguments.
        jit: ``numba.njit``. cpu: whether the time is the processor's.

    Raises:
        Skipped: one of them does not compile it, or gives something else.
    """
    clock = time.process_time if cpu else wall
    ours = looptx.kernel(case.function)
    theirs = jitted(case.function, jit)
    small = case.arguments(SMALL)
    first = [0.0, 0.0]
    for at, called in enumerate((ours, theirs)):
        try:
            first[at] = seconds(called, small, compilers if cpu else wall)
        except Exception as error:
            who = ("looptx", "Numba")[at]
            raise Skipped(f"{who}: {type(error).__name__}") from None
    report = ours.report()
    if report.left or any(nest.fallbacks for nest in report.nests) or not report.nests:
        raise Skipped("looptx: not native")
    if left(ours, case, SMALL) != left(case.function, case, SMALL):
        raise Skipped("looptx: WRONG")
    size, given = fitting(ours, case, clock)
    if any(nest.fallbacks for nest in ours.report().nests):
        raise Skipped(f"looptx: not native at {size}")
    samples: list[list[float]] = [[], []]
    seconds(theirs, given, clock)
    for _ in range(SAMPLES):
        for at, called in enumerate((ours, theirs)):
            samples[at].append(seconds(called, given, clock))
    one, two = map(statistics.median, samples)
    return Timed(name, size, one, max(two, 1e-9), (first[0], first[1]))


def rows(found: list[Timed], first: bool) -> Iterator[str]:
    """The table as Markdown, slowest first, and what it comes to.

    Args:
        found: the functions that both run.
        first: whether first calls were timed.
    """
    titles = "function", "size", "looptx, ms", "Numba, ms", "looptx / Numba", "first, s"
    yield f"| {' | '.join(titles)} |"
    yield "|---|---|---|---|---|---|"
    for one in sorted(found, key=lambda one: -one.ratio):
        times = f"{1e3 * one.looptx:.3f} | {1e3 * one.numba:.3f} | {one.ratio:.2f}"
        begun = "{:.2f} / {:.2f}".format(*one.first) if first else ""
        yield f"| {one.name} | {one.size} | {times} | {begun} |"
    ratios = [one.ratio for one in found]
    slow = sum(ratio > 1.5 for ratio in ratios)
    yield ""
    yield (
        f"{len(found)} functions: median {statistics.median(ratios):.2f}, "
        f"geometric mean {statistics.geometric_mean(ratios):.2f}, "
        f"largest {max(ratios):.2f}, {slow} above 1.5"
    )


def main(arguments: list[str]) -> int:
    """Time what was asked for and print the table."""
    if importlib.util.find_spec("numba") is None:
        print("Numba is not installed: pip install -e .[bench]")
        return 0
    import numba

    words = [one for one in arguments if not one.startswith("-")]
    cpu, first = "--cpu" in arguments, "--first" in arguments
    found = []
    os.environ.update(LOOPTX_NUM_THREADS="1", NUMBA_NUM_THREADS="1")
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if first:
            os.environ["LOOPTX_CACHE_DIR"] = folder
        np.seterr(all="ignore")
        for field in FIELDS:
            for name, case in cases(field).items():
                if words and not {field, name, f"{field}.{name}"} & set(words):
                    continue
                try:
                    label = f"{field}.{name}"
                    found.append(timed(label, case, numba.njit, cpu))
                except Skipped as reason:
                    print(f"left out: {label}: {reason}", flush=True)
    if found:
        print(*rows(found, first), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
