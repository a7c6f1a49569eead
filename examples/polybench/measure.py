"""Runs contenders in turns, and compares what they leave."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from examples.polybench import sources
from examples.polybench.contenders import Contender
from examples.polybench.problems import Problem
from examples.polybench.worker import Bench
from examples.workers import Failed, Worker

TOLERANCE = {"float64": 1e-6, "float32": 1e-3}
"""How far rounding in another order may take a number, of the largest of its array."""

PATIENCE = 8.0
"""Seconds that the samples of one contender may take together."""

Say = Callable[[str], None]


@dataclass
class Cell:
    """What became of a contender on a kernel.

    Attributes:
        times: seconds of a call, sample by sample.
        error: why it does not count, if it does not.
        exact: whether every bit is that of the source.
    """

    times: list[float] = field(default_factory=list)
    error: str = ""
    exact: bool = False

    @property
    def median(self) -> float:
        return statistics.median(self.times)

    @property
    def spread(self) -> float:
        """Half of the range of the middle half of samples, over their median."""
        if len(self.times) < 3:
            return 0.0
        low, _, high = statistics.quantiles(self.times, n=4)
        return (high - low) / 2 / self.median


Cells = dict[str, Cell]


def write(cells: Cells, path: Path) -> None:
    """Keep what was measured."""
    kept = {key: asdict(cell) for key, cell in cells.items()}
    path.write_text(json.dumps(kept), encoding="utf-8")


def read(path: Path) -> Cells:
    """What was kept."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    return {key: Cell(**cell) for key, cell in kept.items()}


class Workers:
    """A process for each group of contenders and number of threads."""

    def __init__(self, clock: str) -> None:
        self.clock = clock
        self.running: dict[tuple[str, int], Worker] = {}

    def of(self, one: Contender) -> Worker:
        """The process of a contender, which begins when it is needed."""
        key = one.group, one.threads
        if key not in self.running:
            self.running[key] = Worker(one.threads, partial(Bench, self.clock))
        return self.running[key]

    def dead(self, one: Contender) -> bool:
        """Whether the process of a contender is no more; another one will begin."""
        worker = self.of(one)
        worker.process.join(0.01)
        if worker.process.is_alive():
            return False
        del self.running[one.group, one.threads]
        return True

    def stop(self) -> None:
        for worker in self.running.values():
            worker.stop()


def in_python(problem: Problem, sizes: tuple[int, ...]) -> list[np.ndarray]:
    """What CPython leaves of the plain loops."""
    space: dict[str, Callable[..., object]] = {}
    exec(compile(sources.plain(problem), str(problem.python), "exec"), space)
    arguments = problem.arguments(sizes)
    with np.errstate(all="ignore"):
        space[problem.name](*arguments)
    return problem.results(arguments)


def verdict(
    got: Sequence[np.ndarray], right: Sequence[np.ndarray], exact: bool
) -> tuple[str, bool]:
    """What is wrong with a result, and whether all its bits are right.

    Args:
        got: the arrays that a contender left.
        right: those of the source.
        exact: whether every bit was promised, so that looptx may not differ in one.
    """
    if all(a.tobytes() == b.tobytes() for a, b in zip(got, right, strict=True)):
        return "", True
    far = 0.0
    for a, b in zip(got, right, strict=True):
        allowed = TOLERANCE.get(str(b.dtype), 0.0)
        largest = float(np.abs(b).max()) or 1.0
        off = float(np.abs(a.astype(float) - b.astype(float)).max()) / largest
        if not off <= allowed:
            return f"WRONG: off by {off:.0e}", False
        far = max(far, off)
    return (f"WRONG: bits differ, by {far:.0e}" if exact else ""), False


def prepare(
    problem: Problem,
    sizes: tuple[int, ...],
    contenders: Sequence[Contender],
    workers: Workers,
    say: Say,
) -> Cells:
    """Compile and check all contenders.

    The first that can be compiled is what others are compared with, but at the sizes of
    MINI, where CPython is. It is looptx without a schedule, if that works.

    Args:
        problem: the kernel.
        sizes: its sizes.
        contenders: who takes part.
        workers: their processes.
        say: called with what is being done.
    """
    mini = sizes == problem.sizes["MINI"]
    right = in_python(problem, sizes) if mini else None
    cells: Cells = {}
    ready: set[tuple[str, int]] = set()
    for one in contenders:
        say(f"{one.name}, {one.threads}")
        cell = cells[one.key] = Cell()
        worker = workers.of(one)
        try:
            if (one.group, one.threads) not in ready:
                worker.ask("problem", problem.name, sizes)
                ready.add((one.group, one.threads))
            worker.ask("load", one.key)
            got = worker.ask("arrays")
        except Failed as error:
            cell.error = str(error)
            if workers.dead(one):
                ready.discard((one.group, one.threads))
                revive(one, cells, contenders)
            continue
        if right is None:
            right = got
        promised = one.exact and one.ours
        cell.error, cell.exact = verdict(got, right, promised)
    return cells


def revive(one: Contender, cells: Cells, contenders: Iterable[Contender]) -> None:
    """Give up those who were in the process that a contender took with it."""
    for other in contenders:
        same = (other.group, other.threads) == (one.group, one.threads)
        if same and other.key in cells and not cells[other.key].error:
            cells[other.key].error = f"was in the process of {one.name}, which crashed"


def run(
    contenders: Sequence[Contender],
    cells: Cells,
    workers: Workers,
    repeat: int,
    say: Say,
) -> None:
    """Sample those that count in turns; the order of turns is reversed every time.

    Args:
        contenders: who takes part.
        cells: what became of them so far; samples are added.
        workers: their processes.
        repeat: how many samples; three at least of who is slow.
        say: called with what is being done.
    """
    order = [one for one in contenders if not cells[one.key].error]
    for turn in range(repeat):
        say(f"turn {turn + 1} of {repeat}")
        for one in order:
            cell = cells[one.key]
            if (turn >= 3 and sum(cell.times) > PATIENCE) or cell.error:
                continue
            try:
                sample = workers.of(one).ask("sample", one.key)
            except Failed as error:
                cell.error = str(error)
                workers.dead(one)
                continue
            assert isinstance(sample, float)
            cell.times.append(sample)
        order.reverse()


def progress(text: str) -> None:
    """One line of a terminal, written over and over; nothing where there is none."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
