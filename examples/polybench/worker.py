"""A process in which contenders run, with a number of threads of its own."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import time
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from examples.polybench.problems import HERE, PROBLEMS, Arguments

SHORTEST = 0.005
"""Seconds that a sample takes at least: what is shorter is called several times."""

LIMIT = 900.0
"""Seconds after which a contender is given up."""

Arrays = list[np.ndarray]
Clock = Callable[[], "dict[int, float]"]


def wall() -> dict[int, float]:
    """The time of day, as the time of one thread."""
    return {0: time.perf_counter()}


def busy() -> dict[int, float]:
    """The CPU time of each thread of the process, as Linux counts it.

    The busiest thread is how long a call would take with the machine to itself, as far
    as threads do not wait for each other.
    """
    threads = map(int, os.listdir("/proc/self/task"))
    return {thread: time.clock_gettime(~thread << 3 | 6) for thread in threads}


CLOCKS: dict[str, Clock] = {"wall": wall, "cpu": busy}


class Failed(Exception):
    """What a contender could not do; its text is for the table."""


class Bench:
    """What a worker holds: the arguments of one problem, and functions for them."""

    def __init__(self, folder: Path, clock: str) -> None:
        self.folder = folder
        self.clock = CLOCKS[clock]
        self.calls: dict[str, Callable[[], object]] = {}

    def problem(self, name: str, sizes: tuple[int, ...]) -> None:
        """Begin with another problem."""
        self.calls.clear()
        self.given = PROBLEMS[name], sizes
        self.original = PROBLEMS[name].arguments(sizes)
        self.buffers = PROBLEMS[name].arguments(sizes)

    def load(self, key: str) -> None:
        """Compile and call once."""
        from examples.polybench import compilers
        from examples.polybench.contenders import BY_KEY

        problem, sizes = self.given
        one = BY_KEY[key]
        kept = HERE / "build" if one.group in ("gcc", "clang", "pythran") else None
        place = kept or self.folder / key.replace(" ", "_").replace(":", "_")
        place.mkdir(exist_ok=True)
        run = one.make(problem, place)
        given: Arguments = self.buffers
        if one.group in ("gcc", "clang"):
            given = compilers.c_values(problem, sizes, self.buffers)
        self.restore()
        with np.errstate(all="ignore"):
            run(*given)
        self.calls[key] = lambda: run(*given)

    def restore(self) -> None:
        """The arguments as they were."""
        for target, source in zip(self.buffers, self.original, strict=True):
            if isinstance(target, np.ndarray) and isinstance(source, np.ndarray):
                np.copyto(target, source)

    def arrays(self) -> Arrays:
        """What the last call left."""
        return [one for one in self.buffers if isinstance(one, np.ndarray)]

    def sample(self, key: str) -> float:
        """Seconds of a call, the mean of several if they are short."""
        call, total, count = self.calls[key], 0.0, 0
        while total < SHORTEST:
            self.restore()
            before = self.clock()
            call()
            after = self.clock()
            spent = (after[one] - before.get(one, 0.0) for one in after)
            total += max(spent)
            count += 1
        return total / count


def serve(connection: Connection, clock: str) -> None:
    """Answer until nobody asks any more."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), clock)
        while True:
            try:
                ask, *rest = connection.recv()
            except EOFError:
                return
            try:
                connection.send((None, getattr(bench, ask)(*rest)))
            except Exception as error:
                text = str(error).strip() or type(error).__name__
                connection.send((text.splitlines()[0], None))


class Worker:
    """The parent's end of such a process."""

    def __init__(self, threads: int, clock: str) -> None:
        self.threads, self.clock = threads, clock
        self.start()

    def start(self) -> None:
        """A new process, told of its threads before it begins."""
        count = str(self.threads)
        own = {f"{name}_NUM_THREADS": count for name in ("OMP", "LOOPTX", "NUMBA")}
        own |= {"OMP_WAIT_POLICY": "passive", "OPENBLAS_NUM_THREADS": count}
        os.environ.update(own)
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, self.clock))
        self.process.start()
        theirs.close()

    def ask(self, *question: object) -> object:
        """What the process answers, or Failed."""
        try:
            self.connection.send(question)
            if not self.connection.poll(LIMIT):
                raise Failed(f"took more than {LIMIT:.0f} s")
            error, answer = self.connection.recv()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            self.process.join(5)
            raise Failed(f"crashed (exit status {self.process.exitcode})") from None
        if error is not None:
            raise Failed(error)
        return answer

    def stop(self) -> None:
        """End the process."""
        self.connection.close()
        self.process.join(5)
        if self.process.is_alive():
            self.process.kill()
