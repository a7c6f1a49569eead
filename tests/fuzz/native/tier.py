"""The tier that runs native code: ``python -m fuzz.run --tier native``.

Functions are compiled many to a module, as users' are, and called with arrays of any
layout between guard bands. All bytes, results and exceptions must be CPython's.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice, pairwise

from fuzz.generate.program import SCHEDULES
from fuzz.native import kernels as native_kernels
from fuzz.native.batch import Outcome, run
from fuzz.native.case import Case, case
from fuzz.native.fallbacks import alarms
from fuzz.native.judge import Wrong, raised
from fuzz.native.program import drawn
from fuzz.programs.model import Program
from fuzz.tiers.tally import Failure, Tally
from looptx.emit.cython import Cython
from looptx.errors import LooptxError

BATCH = 32
"""So many cases share a module."""

FLAGS = (("-O0",), (), ("-O0",))
"""More flags of the C compiler, for batches in turn: without any, it takes seven times
as long and does what it does for users."""

DECORATED = 3
"""For so many of them one more function is compiled as users' are, alone."""

FOREIGN = 8
"""So many more get elements that no native code is for: nothing is compiled."""

PATIENCE = 90
"""For so many seconds a failure is made smaller."""

GROUP = 12
"""So many smaller programs share a module."""


def main_tier(
    cases: int,
    seed: int,
    jobs: int = 1,
    stop_first: bool = False,
    as_found: bool = False,
    target: type[Cython] = Cython,
) -> Tally:
    """So many functions from a seed on.

    Args:
        cases: how many. seed: of the first. jobs: how many processes share them.
        stop_first: end with the first batch in which something fails.
        as_found: leave failures as large as they are.
        target: what writes the functions.
    """
    end = seed + cases
    firsts = [seed, *range(seed - seed % BATCH + BATCH, end, BATCH)]
    work = [(one, min(two, end) - one) for one, two in pairwise([*firsts, end])]
    total, start = Tally(), time.monotonic()
    for found in _parts(work, jobs, partial(part, as_found=as_found, target=target)):
        total.add(found)
        for failure in found.failures:
            print(f"\n{failure}", file=sys.stderr)
        rate = total.cases / max(time.monotonic() - start, 1e-9)
        print(
            f"\r{total.cases}/{cases} cases, {rate:.1f}/s,"
            f" {len(total.failures)} failures ",
            end="",
            file=sys.stderr,
            flush=True,
        )
        if stop_first and (total.failures or alarms(total)):
            break
    print(file=sys.stderr)
    total.failures += alarms(total)
    return total


def _parts(
    work: list[tuple[int, int]], jobs: int, one: Callable[[tuple[int, int]], Tally]
) -> Iterator[Tally]:
    if jobs == 1:
        yield from map(one, work)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(one, work)


def part(
    work: tuple[int, int], as_found: bool = True, target: type[Cython] = Cython
) -> Tally:
    """A batch: the first seed and how many."""
    first, count = work
    tally = Tally()
    programs: dict[int, Program] = {}
    cases: list[Case] = []
    for seed in range(first, first + count):
        try:
            found, made, code = accepted(seed, target)
        except Exception as error:
            tally.failures.append(_failure(seed, raised(error), ""))
            continue
        tally.case(code)
        programs[seed] = made
        if found is not None:
            cases.append(found)
    outcome, flags = Outcome(), _flags(first)
    for fused in (False, True):
        outcome.add(run([one for one in cases if one.complex == fused], flags))
    tally.notes.update(outcome.counts)
    tally.seeds.update(outcome.seeds)
    tally.notes["native functions"] += sum(len(one.functions) for one in cases)
    for seed in range(first, first + count):
        if seed % BATCH < DECORATED + FOREIGN:
            tally.notes["decorated functions"] += 1
            known = seed % BATCH < DECORATED
            draw = native_kernels.drawn if known else native_kernels.foreign
            found, text = native_kernels.tried(draw(seed))
            if found is not None:
                tally.failures.append(_failure(seed, found, text))
    for seed, wrong in outcome.wrong.items():
        made = programs[seed]
        if not as_found and not tally.failures:
            made, wrong = smallest(made, seed, wrong)
        tally.failures.append(_failure(seed, wrong, made.text()))
    return tally


def accepted(
    seed: int, target: type[Cython] = Cython
) -> tuple[Case | None, Program, str]:
    """The case of a seed, its program, and why there is no native code.

    The function comes with the first list of directives that looptx accepts, beginning
    with another one for every seed, or else without any.
    """
    code = ""
    order = [(seed + more) % SCHEDULES for more in range(SCHEDULES)]
    for schedule in (*order, SCHEDULES):
        made = drawn(seed, schedule)
        if made is None:
            continue
        try:
            found = case(made, seed, target=target)
        except LooptxError as error:
            code = error.code
            continue
        return found, made, "" if found.functions or found.wrong else "LX504"
    return None, made or Program(()), code


def smallest(made: Program, seed: int, wrong: Wrong) -> tuple[Program, Wrong]:
    """A small program that fails in the same way, and how."""
    end = time.monotonic() + PATIENCE
    rest = made.smaller()
    while time.monotonic() < end:
        group = dict(enumerate(islice(rest, GROUP)))
        if not group:
            break
        found = _tried(group, seed, wrong.call)
        for number, other in found.wrong.items():
            if other.kind == wrong.kind:
                made, wrong = group[number], other
                rest = made.smaller()
                break
    return made, wrong


def _tried(group: dict[int, Program], seed: int, call: int | None) -> Outcome:
    """What becomes of some programs when they are called like that of a seed."""
    cases: list[Case] = []
    for number, less in group.items():
        try:
            found = case(less, seed, call)
        except Exception:
            continue
        cases.append(found.numbered(number))
    return run(cases, _flags(seed))


def _flags(seed: int) -> Sequence[str]:
    """What the batch of a seed is compiled with."""
    return FLAGS[seed // BATCH % len(FLAGS)]


def _failure(seed: int, wrong: Wrong, text: str) -> Failure:
    command = f"python -m fuzz.run --tier native --seed {seed} --cases 1"
    return Failure(seed, wrong.kind, wrong.detail, text, command)
