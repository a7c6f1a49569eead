"""The tier that looks at rewritten Python: its cases one after the other."""

from __future__ import annotations

import gc

from fuzz.generate.buffers import given
from fuzz.generate.forms import formed
from fuzz.generate.program import SCHEDULES, program
from fuzz.generate.surroundings import surrounded
from fuzz.generate.unusual import unusual
from fuzz.oracles import dataflow, executions
from fuzz.programs.model import Program
from fuzz.programs.shrink import shrunk
from fuzz.tiers.case import Verdict, examine
from fuzz.tiers.tally import LISTED, Failure, Tally


def part(
    work: tuple[int, int], profile: str = "mixed", as_found: bool = False
) -> Tally:
    """Some cases in a row: the first and their number; failures small or as found."""
    # What a case makes is a web of small objects, of which few go in circles.
    gc.set_threshold(50_000, 50, 100)
    first, count = work
    tally = Tally()
    for seed in range(first, first + count):
        if seed % SCHEDULES == 0:
            forget()
        one(seed, profile, tally, as_found)
    forget()
    return tally


def forget() -> None:
    """Drop what the oracles keep for the next list of directives of a program."""
    dataflow.forget()
    executions.forget()


def one(seed: int, profile: str, tally: Tally, as_found: bool = False) -> None:
    """Count one case and what is wrong with it."""
    made = surrounded(program(seed, profile), seed // SCHEDULES, seed)
    made = unusual(formed(made, seed // SCHEDULES, seed), seed // SCHEDULES)
    made = given(made, seed // SCHEDULES)
    verdict = examined(made, seed)
    tally.case(verdict.code)
    tally.notes.update(verdict.notes)
    for note in verdict.notes:
        if note.endswith(LISTED):
            tally.seeds.setdefault(note, set()).add(seed)
    if not verdict.kind:
        return

    def same(less: Program) -> bool:
        forget()
        return examined(less, seed, True).kind == verdict.kind

    small, detail = made, verdict.detail
    if not as_found:
        small = shrunk(made, same)
        detail = examined(small, seed, True).detail or detail
    options = f"--seed {seed} --cases 1 --profile {profile}"
    command = f"PYTHONPATH=tests python -m fuzz.run {options}"
    tally.failures.append(Failure(seed, verdict.kind, detail, small.text(), command))


def examined(made: Program, seed: int, formatting: bool | None = None) -> Verdict:
    """The verdict on a program; what raises is a failure too."""
    try:
        return examine(made, seed, formatting=formatting)
    except Exception as error:
        return Verdict("", f"raises {type(error).__name__}", repr(error))
