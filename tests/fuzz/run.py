"""Run the fuzzer: ``python -m fuzz.run --tier python --cases 2000 --jobs 2``."""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

from fuzz.around import tier as around
from fuzz.cluster import tier as cluster
from fuzz.meaning import tier as meaning
from fuzz.moving import tier as moving
from fuzz.tiers import cost, python
from fuzz.tiers.tally import Failure, Tally

Part: TypeAlias = Callable[[tuple[int, int]], Tally]
"""Tries some cases in a row: the first and their number."""

PART, SOON = 20, 4
"""How many cases a process takes at a time, fewer to stop at the first failure."""

LIFE = 100
"""How often it takes some: isl keeps a little memory of each."""

TIERS = (
    "python", "moving", "around", "meaning", "native", "real", "text", "cost",
    "cluster",
)  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Run a tier; the exit status is 1 if anything failed."""
    options = parsed(arguments)
    tally = Tally()
    for seed in options.seed:
        tally.add(tried(options, seed))
        if options.stop_first and tally.failures:
            break
    print(tally.table())
    print(tally.line(), flush=True)
    return 1 if tally.failures else 0


def tried(options: argparse.Namespace, seed: int) -> Tally:
    """What becomes of the cases from a seed on."""
    wanted = options.cases, seed, options.jobs, options.stop_first
    match options.tier:
        case "python":
            run = partial(
                python.part, profile=options.profile, as_found=options.as_found
            )
            return in_parts(run, *wanted)
        case "meaning":
            run = partial(meaning.part, as_found=options.as_found)
            return in_parts(run, *wanted, alarms=meaning.alarms)
        case "moving":
            return in_parts(partial(moving.part, as_found=options.as_found), *wanted)
        case "cluster":
            return in_parts(partial(cluster.part, as_found=options.as_found), *wanted)
        case "around":
            return in_parts(partial(around.part, as_found=options.as_found), *wanted)
        case "real":
            return in_parts(importlib.import_module("fuzz.real.tier").part, *wanted)
        case "cost":
            return in_parts(partial(cost.part, as_found=options.as_found), *wanted)
    tier = importlib.import_module(f"fuzz.{options.tier}.tier")
    tally: Tally = tier.main_tier(*wanted, options.as_found)
    for failure in tally.failures:
        print(f"\n{failure}", flush=True)
    return tally


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(prog="fuzz.run", description=__doc__)
    parser.add_argument("--tier", choices=TIERS, default="python")
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument(
        "--seed",
        type=int,
        default=[0],
        nargs="+",
        help="the number of the first case; so many cases begin at each of several",
    )
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--stop-first", action="store_true", help="stop at a failure")
    parser.add_argument(
        "--as-found", action="store_true", help="leave failures as large as they are"
    )
    parser.add_argument(
        "--profile", choices=("mixed", "small", "large"), default="mixed"
    )
    return parser.parse_args(arguments)


def in_parts(
    run: Part,
    cases: int,
    seed: int,
    jobs: int = 1,
    stop_first: bool = False,
    alarms: Callable[[Tally], list[Failure]] = lambda _: [],
) -> Tally:
    """So many cases from a seed on, with progress.

    Args:
        run: tries a part of them.
        cases: how many. seed: the number of the first. jobs: how many processes.
        stop_first: end with the first part after which something is wrong.
        alarms: what is wrong with all cases together.
    """
    size, end = SOON if stop_first else PART, seed + cases
    work = [(first, min(size, end - first)) for first in range(seed, end, size)]
    total, start = Tally(), time.monotonic()
    for found in _parts(run, work, jobs):
        for failure in found.failures:
            print(f"\n{failure}", flush=True)
        total.add(found)
        _progress(total, cases, start)
        if stop_first and (total.failures or alarms(total)):
            break
    for failure in alarms(total):
        print(f"\n{failure}", flush=True)
        total.failures.append(failure)
    print(file=sys.stderr)
    return total


def _parts(run: Part, work: list[tuple[int, int]], jobs: int) -> Iterator[Tally]:
    if jobs == 1:
        yield from map(run, work)
        return
    with multiprocessing.get_context("spawn").Pool(jobs, maxtasksperchild=LIFE) as pool:
        yield from pool.imap_unordered(run, work)


def _progress(tally: Tally, cases: int, start: float) -> None:
    rate = tally.cases / max(time.monotonic() - start, 1e-9)
    share = 100 * tally.accepted / max(tally.cases, 1)
    print(
        f"\r{tally.cases}/{cases} cases, {rate:.1f}/s, {share:.0f}% accepted,"
        f" {len(tally.failures)} failures ",
        end="",
        file=sys.stderr,
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
