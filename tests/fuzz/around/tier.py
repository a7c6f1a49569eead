"""The tier of graphs of operators: its cases one after the other."""

from __future__ import annotations

from fuzz.around.graph import Graph, graph
from fuzz.around.judge import verdict
from fuzz.programs.shrink import shrunk
from fuzz.tiers.case import Verdict
from fuzz.tiers.tally import Failure, Tally


def part(work: tuple[int, int], as_found: bool = False) -> Tally:
    """Some cases in a row: the first and their number."""
    first, count = work
    tally = Tally()
    for seed in range(first, first + count):
        made = graph(seed)
        found = examined(made)
        tally.case(found.code)
        tally.notes.update(found.notes)
        if found.kind:
            tally.failures.append(_failure(seed, made, found, as_found))
    return tally


def _failure(seed: int, made: Graph, found: Verdict, as_found: bool) -> Failure:
    """A failure, as small as it can be made."""
    if not as_found:
        made = shrunk(made, lambda less: examined(less).kind == found.kind)
        found = examined(made)
    command = (
        f"PYTHONPATH=tests python -m fuzz.run --tier around --seed {seed} --cases 1"
    )
    return Failure(seed, found.kind, found.detail, made.text(), command)


def examined(made: Graph) -> Verdict:
    """The verdict on a function; what raises is a failure too."""
    try:
        return verdict(made)
    except Exception as error:
        return Verdict("", f"raises {type(error).__name__}", repr(error))
