"""The tier of malformed texts: many of them, in processes that may hang or die.

python -m fuzz.text.tier [--cases N] [--seed S] [--jobs J]     in ``tests/``
python -m fuzz.text.tier --case SEED                           one case, shown
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from pathlib import Path

from fuzz.text.cases import Case, make
from fuzz.text.judge import SECONDS, Verdict, judge, shrunk
from fuzz.text.ways import emptied
from fuzz.tiers.tally import Failure, Tally

SILENCE = 180.0
"""Seconds without a word from a process after which it is ended."""

ADDRESSES = 4 << 30
"""Bytes that a process may ask for beyond which it gets none: more than is allowed."""

SHRUNK = 3
"""So many failures of a kind are shrunk, if they do not take long."""

Progress = Callable[[Tally], None]


def main_tier(
    cases: int,
    seed: int,
    jobs: int = 1,
    stop_first: bool = False,
    as_found: bool = False,
    progress: Progress | None = None,
) -> Tally:
    """Try malformed texts and count what became of them.

    Args:
        cases: how many. seed: the number of the first case.
        jobs: how many processes. stop_first: end at the first failure.
        as_found: leave failures as large as they are.
        progress: called with what was counted so far, after every case.
    """
    total = Tally()
    shares = [range(seed + job, seed + cases, jobs) for job in range(jobs)]
    with tempfile.TemporaryDirectory(prefix="looptx-text-") as folder:
        workers = [_Worker(share, Path(folder), as_found) for share in shares if share]
        try:
            for part in _results(workers):
                total.add(part)
                if progress is not None:
                    progress(total)
                if stop_first and total.failures:
                    break
        finally:
            for worker in workers:
                worker.end()
    return total


class _Worker:
    """A process that works on cases, and the next one it will tell of."""

    def __init__(self, seeds: range, folder: Path, as_found: bool) -> None:
        self.seeds = seeds
        self.folder = folder
        self.as_found = as_found
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.results, sender = context.Pipe(duplex=False)
        arguments = (self.seeds, str(self.folder), sender, self.as_found)
        self.process = context.Process(target=_work, args=arguments, daemon=True)
        self.process.start()
        sender.close()
        self.heard = time.monotonic()

    def told(self) -> Tally | None:
        """The next result; a case that took its process down is a failure."""
        if self.results.poll():
            try:
                part: Tally = self.results.recv()
            except EOFError:
                return self._lost("takes its process down")
            self.seeds = self.seeds[1:]
            self.heard = time.monotonic()
            return part
        if time.monotonic() - self.heard > SILENCE:
            return self._lost("hangs beyond interruption")
        return None

    def _lost(self, kind: str) -> Tally:
        self.end()
        case = make(self.seeds[0])
        self.seeds = self.seeds[1:]
        if self.seeds:
            self._start()
        tally = Tally()
        tally.case("")
        tally.failures.append(_failure(case, kind, f"exit {self.process.exitcode}"))
        return tally

    def end(self) -> None:
        """End the process if it still runs."""
        self.process.kill()
        self.process.join()
        self.results.close()


def _results(workers: list[_Worker]) -> Iterator[Tally]:
    while workers := [worker for worker in workers if worker.seeds]:
        wait([worker.results for worker in workers], timeout=1.0)
        for worker in workers:
            part = worker.told()
            if part is not None:
                yield part


def _work(seeds: range, folder: str, results: Connection, as_found: bool) -> None:
    """A process: every case in a folder of its own that is empty before it."""
    os.environ["LOOPTX_CACHE_DIR"] = os.path.join(folder, f"cache-{os.getpid()}")
    own = Path(folder, f"work-{os.getpid()}")
    own.mkdir()
    os.chdir(own)
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _warm(own)
    kinds: Counter[str] = Counter()
    for seed in seeds:
        results.send(_tried(make(seed), own, kinds, as_found))


WARM = b"""\
def f(A, n):
    # looptx: tile i=4
    for i in range(n):
        A[i] = 1
"""


def _warm(folder: Path) -> None:
    """Import what is imported once, so that no case is charged with it."""
    for entry in ("file", "cython", "ahead", "kernel"):
        judge(Case(0, "warm", entry, WARM, WARM), folder)
        emptied(folder)


def _tried(case: Case, folder: Path, kinds: Counter[str], as_found: bool) -> Tally:
    verdict = judge(case, folder)
    emptied(folder)
    tally = _counted(case, verdict)
    for kind, detail in dict(verdict.problems).items():
        kinds[kind] += 1
        small = case
        if not as_found and kinds[kind] <= SHRUNK and verdict.seconds < SECONDS:
            small = shrunk(case, kind, folder)
        emptied(folder)
        tally.failures.append(_failure(replace(small, seed=case.seed), kind, detail))
    return tally


def _counted(case: Case, verdict: Verdict) -> Tally:
    tally = Tally()
    tally.case(verdict.code)
    tally.notes[f"of kind {case.kind}"] += 1
    tally.notes[f"through {case.entry}"] += 1
    tally.notes["milliseconds"] += round(1000 * verdict.seconds)
    if verdict.seconds > 1:
        tally.notes["over 1 s"] += 1
    return tally


def _failure(case: Case, kind: str, detail: str) -> Failure:
    way = f"# {case.kind}, {case.entry} {' '.join(case.words)} {case.name!r}".rstrip()
    shown = case.data[:4000].decode("utf-8", "backslashreplace")
    beside = case.beside.decode("utf-8", "replace")
    program = "\n".join(part for part in (way, shown, beside) if part)
    command = f"python -m fuzz.text.tier --case {case.seed}"
    return Failure(case.seed, kind, detail, program, command)


def _show(seed: int) -> int:
    """One case: its text, and what is wrong."""
    case = make(seed)
    print(_failure(case, "case", "").program)
    with tempfile.TemporaryDirectory(prefix="looptx-text-") as folder:
        _warm(Path(folder))
        verdict = judge(case, Path(folder))
    print(f"--\n{verdict.code or 'no error'} {verdict.seconds:.3f} s")
    for kind, detail in verdict.problems:
        print(f"{kind}: {detail}")
    return bool(verdict.problems)


def main(words: list[str] | None = None) -> int:
    """Run the tier from the command line."""
    parser = argparse.ArgumentParser(description="Malformed texts through looptx.")
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--case", type=int)
    parser.add_argument("--first", action="store_true", help="stop at a failure")
    given = parser.parse_args(words)
    if given.case is not None:
        return _show(given.case)
    start = time.monotonic()
    seen = 0

    def progress(tally: Tally) -> None:
        nonlocal seen
        for failure in tally.failures[seen:]:
            print(failure, flush=True)
        seen = len(tally.failures)
        if tally.cases % 2000 == 0:
            rate = tally.cases / (time.monotonic() - start)
            print(f"{tally.cases} cases, {rate:.0f}/s, {seen} failures", flush=True)

    tally = main_tier(
        given.cases, given.seed, given.jobs, given.first, progress=progress
    )
    print(tally.table())
    return bool(tally.failures)


if __name__ == "__main__":
    sys.exit(main())
