"""The tier of what moves work and storage: its cases one after the other."""

from __future__ import annotations

from fuzz.moving.directives import scheduled
from fuzz.moving.function import Moving
from fuzz.moving.judge import verdict
from fuzz.tiers.case import Verdict
from fuzz.tiers.smallest import smallest
from fuzz.tiers.tally import LISTED, Tally

SCHEDULES = 4
"""How many lists of directives a function gets."""

VERBS = (
    "compute_at", "sliding", "reverse_compute_at", "simple_compute_at",
    "compute_inline",
    "reverse_compute_inline", "distribute", "cache_read", "cache_write", "packed",
    "set_buffer", "rfactor", "bind", "sync_threads",
)  # fmt: skip
"""What is counted in accepted cases."""


def part(work: tuple[int, int], as_found: bool = False) -> Tally:
    """Some cases in a row: the first and their number."""
    first, count = work
    tally = Tally()
    for seed in range(first, first + count):
        one(seed, tally, as_found)
    return tally


def one(seed: int, tally: Tally, as_found: bool = False) -> None:
    """Count one case and what is wrong with it."""
    made = scheduled(seed // SCHEDULES, seed % SCHEDULES)
    found = examined(made, seed)
    tally.case(found.code)
    tally.notes.update(found.notes)
    for note in found.notes:
        if note.endswith(LISTED):
            tally.seeds.setdefault(note, set()).add(seed)
    if not found.code:
        words = {word for text in made.directives for word in text.split()}
        tally.notes.update(f"accepted: {verb}" for verb in VERBS if verb in words)
    if found.kind:
        tally.failures.append(smallest("moving", made, seed, examined, as_found))


def examined(made: Moving, seed: int) -> Verdict:
    """The verdict on a function; what raises is a failure too."""
    try:
        return verdict(made, seed)
    except Exception as error:
        return Verdict("", f"raises {type(error).__name__}", repr(error))
