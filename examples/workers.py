"""Processes in which contenders run, each with a number of threads of its own."""

from __future__ import annotations

import multiprocessing
import os
import re
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import NamedTuple

LIMIT = 900.0
"""Seconds after which a contender is given up."""


class Clock(NamedTuple):
    """How a call is timed.

    Attributes:
        own: the seconds of the thread that calls. others: those of each other thread.
    """

    own: Callable[[], float]
    others: Callable[[], dict[int, float]]


def busy() -> dict[int, float]:
    """The CPU time of each other thread of the process, as Linux counts it.

    The busiest thread is how long a call would take with the machine to itself, as far
    as threads do not wait for each other.
    """
    threads = {*map(int, os.listdir("/proc/self/task"))} - {threading.get_native_id()}
    return {thread: time.clock_gettime(~thread << 3 | 6) for thread in threads}


CLOCKS = {
    "wall": Clock(time.perf_counter, dict),
    "cpu": Clock(time.thread_time, busy),
}
NAMES = {"wall": "wall time", "cpu": "CPU time of the busiest thread"}


def spent(clock: Clock, call: Callable[[], object]) -> float:
    """Seconds of a call, of its busiest thread; asking the others takes none."""
    before = clock.others()
    start = clock.own()
    call()
    own = clock.own() - start
    after = clock.others()
    return max(own, *(after[thread] - before.get(thread, 0.0) for thread in after), 0.0)


PATH = re.compile(r"\S*/(?=\w+\.py:)")
"""Where a temporary module lies: of no use in a table."""


class Failed(Exception):
    """What a contender could not do; its text is for the table."""


def serve(connection: Connection, make: Callable[[], object]) -> None:
    """Call methods of an object as they are asked for, until nobody asks any more.

    Args:
        connection: where questions come from: a method's name and its arguments.
        make: the object, made in this process.
    """
    warnings.simplefilter("ignore")
    bench = make()
    while True:
        try:
            ask, *rest = connection.recv()
        except EOFError:
            return
        try:
            connection.send((None, getattr(bench, ask)(*rest)))
        except Exception as error:
            text = str(error).strip() or type(error).__name__
            connection.send((PATH.sub("", text.splitlines()[0]), None))


class Worker:
    """The parent's end of such a process."""

    def __init__(
        self,
        threads: int,
        make: Callable[[], object],
        more: Mapping[str, str] | None = None,
        spins: bool = False,
    ) -> None:
        """A new process, told of its threads before it begins.

        Threads that sleep take no core from others, and their CPU time says how long
        they work; but systems that pack what they wake keep two of them on one core,
        where BLAS's, which spin, have two.

        Args:
            threads: how many it may have.
            make: what answers in it.
            more: what else its environment says.
            spins: whether its threads wait as OpenMP has it where nobody says how,
                instead of sleeping.
        """
        names = "OMP", "LOOPTX", "NUMBA", "OPENBLAS"
        own = {f"{name}_NUM_THREADS": str(threads) for name in names}
        own |= {} if spins else {"OMP_WAIT_POLICY": "passive"}
        own |= more or {}
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, make))
        before = dict(os.environ)
        os.environ.update(own)
        try:
            self.process.start()
        finally:
            os.environ.clear()
            os.environ.update(before)
        theirs.close()

    def ask(self, *question: object) -> object:
        """What the process answers, or Failed."""
        try:
            self.connection.send(question)
            if not self.connection.poll(LIMIT):
                self.process.kill()
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
