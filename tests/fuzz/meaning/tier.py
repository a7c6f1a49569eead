"""The tier that knows what directives mean: positions, codes and refusals.

``python -m fuzz.run --tier meaning``. The second interpreter of directives, and the
programs that are put to both, are beside this module.
"""

from __future__ import annotations

from fuzz.meaning.drawing import drawn
from fuzz.meaning.judge import UNKNOWN, examine
from fuzz.programs.model import Program
from fuzz.programs.shrink import shrunk
from fuzz.tiers.case import Verdict
from fuzz.tiers.python import forget
from fuzz.tiers.tally import Failure, Tally

ACCEPTED, UNDERSTOOD = 0.3, 0.97
"""The least shares of cases that are carried out, and of those that are understood."""

ENOUGH = 200
"""How many cases it takes to speak of shares."""


def part(work: tuple[int, int], as_found: bool = False) -> Tally:
    """Some cases in a row: the first and their number; failures small or as found."""
    first, count = work
    tally = Tally()
    for seed in range(first, first + count):
        _one(seed, tally, as_found)
    return tally


def _one(seed: int, tally: Tally, as_found: bool) -> None:
    """Count one case and what is wrong with it."""
    case = drawn(seed)
    verdict = examined(case, seed)
    tally.case(verdict.code)
    if not verdict.kind:
        return

    def same(less: Program) -> bool:
        found = examine(less, seed)
        return (found.kind, found.code) == (verdict.kind, verdict.code)

    small, detail = case, verdict.detail
    if not as_found:
        small = shrunk(case, same)
        detail = examined(small, seed).detail
    command = f"PYTHONPATH=tests python -m fuzz.run --tier meaning --seed {seed}"
    failure = Failure(seed, verdict.kind, detail, small.text(), f"{command} --cases 1")
    tally.failures.append(failure)


def examined(case: Program, seed: int) -> Verdict:
    """The verdict on a case; what raises is a failure too."""
    try:
        forget()
        return examine(case, seed)
    except Exception as error:
        return Verdict("", f"raises {type(error).__name__}", repr(error))


def alarms(tally: Tally) -> list[Failure]:
    """What is wrong with a run as a whole."""
    if tally.cases < ENOUGH:
        return []
    unknown = sum(tally.codes[code] for code in UNKNOWN)
    shares = {
        "accepts too little": (tally.accepted, ACCEPTED),
        "understands too little": (tally.cases - unknown, UNDERSTOOD),
    }
    return [
        Failure(None, kind, f"{count} of {tally.cases} cases", "", "")
        for kind, (count, least) in shares.items()
        if count < least * tally.cases
    ]
