"""How often nests run as written, and why: some of that is right, more is a fault."""

from __future__ import annotations

import re

from fuzz.tiers.tally import Failure, Tally
from looptx.native.call.dispatch import GUARD, UNTAKEN

NOTE = "fallback: "
"""What the notes of a tally begin with that count a reason."""

UNDESERVED = (GUARD, UNTAKEN)
"""Reasons that are a fault in any case: an entry without a reason, or for other types
than it was compiled for."""

SHARE = 0.46
"""The least share of the runs of nests that are native.

Of a batch of 32 cases from 0.39 to 0.60 are, as a few functions that run as written by
right are called a dozen times each; of 256 cases 0.52 are. Of ``ENOUGH`` runs a share
that is by a tenth lower is none of chance.
"""

LEVELS = {
    "an index would leave #": 0.13,
    "it is compiled for other types": 0.11,
    "# and # overlap in memory": 0.08,
    "an index would leave an array": 0.07,
    "# of type and type": 0.06,
}
"""The largest share of a reason.

Measured on 610 cases in four parts, each of over 2,100 runs: from 0.56 to 0.62 are
native, and a reason has at most 0.71 of its level.
"""

LEVEL = 0.04
"""The largest share of any other reason; 0.028 is the most that was seen."""

ENOUGH = 5000
"""So many runs of nests tell shares: those of some 370 cases."""

EXAMPLES = 5
"""So many seeds are named."""

NAMED = re.compile(
    r", which needs .*|\b[A-DTW-Zi-nq-ty]\b|\bidx\b|\brow\b|\bx\b|`[^`]*`"
)
TYPE = r"(?:python )?\b(?:(?:u?int|float|complex)\d+|bool)\b"
TYPES = re.compile(f"{TYPE}(?: or {TYPE})*")


def reason(text: str) -> str:
    """A reason without the names and types in it."""
    text = text.removeprefix("LX504 ").removeprefix("not compiled natively: ")
    text = NAMED.sub(lambda found: "" if "," in found[0] else "#", text)
    return TYPES.sub("type", text)[:90]


def runs(tally: Tally) -> tuple[int, int]:
    """How many nests ran natively, and how many as written."""
    notes = tally.notes
    others = sum(k for name, k in notes.items() if name.startswith(NOTE))
    return notes["native"] + notes["native, raising"], others


def alarms(tally: Tally) -> list[Failure]:
    """What is wrong with all cases together: too many nests run as written."""
    native, others = runs(tally)
    whole = native + others
    if whole < ENOUGH:
        return []
    found = []
    if native < SHARE * whole:
        detail = f"{native} of {whole} runs of nests are native, {SHARE:.0%} should be"
        found.append(Failure(None, "falls back", detail, "", ""))
    for note, count in tally.notes.items():
        why = note.removeprefix(NOTE)
        level = LEVELS.get(why, LEVEL)
        if why != note and count > level * whole:
            found.append(_alarm(why, f"{count} of {whole}", level, tally.seeds[note]))
    return found


def _alarm(why: str, share: str, level: float, seeds: set[int]) -> Failure:
    """A reason that is given too often, with seeds of cases where it is."""
    first = sorted(seeds)[:EXAMPLES]
    names = ", ".join(map(str, first))
    detail = f"{share} runs of nests, {level:.0%} at most: {why}\nas in seeds {names}"
    command = f"python -m fuzz.run --tier native --seed {first[0]} --cases 1"
    return Failure(None, "falls back", detail, "", command)
