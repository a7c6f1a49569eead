"""Oracle (b): whether a schedule is legal, from all executions at all small sizes.

Two executions of statements conflict when both touch a cell and one writes it. A
schedule is legal when all of them that conflict keep their order, and a loop may run in
parallel when none of its iterations conflict. Both are decided by looking at every pair
at every size from 0 to 5, and at the sizes that looptx names, and compared with what
looptx says, in both directions. Nothing is shared with the oracle on dataflow.

What is private to an iteration (scalars, temporaries) may be written again before or
after: for an accepted schedule it is enough that each read stays behind the write that
it sees. What refusals are measured by is said in ``refusals``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product

from fuzz.oracles.conflicts import Freedom, chains, kept, meeting, ordered
from fuzz.oracles.enumeration import Extents, TooMany
from fuzz.oracles.executions import (
    ALL,
    KEPT,
    SOME,
    Found,
    assumed,
    enumerated,
    executions,
    judged,
    kept_at,
)
from fuzz.oracles.freedom import loose, promised
from fuzz.oracles.marks import Mark
from fuzz.oracles.orders import Recorder, Runs
from fuzz.programs.model import Function, Program, deepest


@dataclass(frozen=True)
class Judgement:
    """What runs say of a schedule that was accepted.

    Attributes:
        why: it is illegal, or ``""``. unseen: the marks on loops that no run has.
    """

    why: str = ""
    unseen: frozenset[Mark] = frozenset()


def accepted(program: Program, new: str, marked: Iterable[Mark] = ()) -> Judgement:
    """Whether a schedule that was accepted is legal.

    Args:
        program: what was accepted. new: what became of it.
        marked: the loops whose iterations run together.
    """
    unseen = set(marked)
    if not judged(program):
        return Judgement("", frozenset(unseen))
    runs = Runs(new, follow=bool(unseen))
    for function in program.functions:
        freedom = loose(function)
        own = [mark for mark in unseen if mark.function == function.name]
        for extents in _usual(program, function):
            found = executions(program, function, extents)
            if found is None:
                continue
            recorder = runs.at(extents)
            if recorder is None:
                continue
            why = _wrong(program, extents, found, recorder, freedom)
            if own and not why and assumed(function, extents):
                why = _together(found, recorder, freedom, own, unseen)
            if why:
                where = f"at n={extents.n}, m={extents.m} {extents.known or ''}"
                return Judgement(f"{where} {why}")
    return Judgement("", frozenset(unseen))


def keeps(
    program: Program, new: str, sizes: Callable[[Function], Iterable[tuple[int, int]]]
) -> bool | None:
    """Whether a text keeps the order on memory in all its runs.

    Args:
        program: the original. new: the text.
        sizes: those to look at besides the small ones.

    Returns:
        None where that cannot be judged.
    """
    if not judged(program):
        return None
    runs, ran = Runs(new), False
    for function in program.functions:
        freedom = promised(program, function)
        others = (Extents(function, n, m) for n, m in sizes(function))
        for extents in chain(_usual(program, function), others):
            try:
                found = executions(program, function, extents)
            except TooMany:
                return None
            recorder = None if found is None else runs.at(extents)
            if found is None or recorder is None:
                continue
            ran = True
            if _wrong(program, extents, found, recorder, freedom):
                return False
    return ran or None


def _usual(program: Program, function: Function) -> Iterator[Extents]:
    """All small sizes; arrays are as small where subscripts count from their ends."""
    for n, m in SOME if deepest(function.body) > 2 else ALL:
        yield Extents(function, n, m)
    if not enumerated(program, function).wraps or function.shaped:
        return
    shapes = [f"{a.name}.shape[{x}]" for a in function.arrays for x in range(a.rank)]
    for (n, m), extent in product(SOME, range(1, 7)):
        yield Extents(function, n, m, dict.fromkeys(shapes, extent))


def _wrong(
    program: Program,
    extents: Extents,
    found: Found,
    recorder: Recorder,
    freedom: Freedom,
) -> str:
    """What a run does not do, or does in another order than it must."""
    order = recorder.order
    if len(order) != len(found) or found.keys() != set(order):
        missing = found.keys() - set(order)
        return f"it runs {len(order)} executions, not {len(found)}; without {missing}"
    key = *kept_at(program, extents), freedom
    if key not in KEPT:
        KEPT[key] = ordered(chains(found, freedom), freedom)
    return kept(KEPT[key], order)


def _together(
    found: Found,
    recorder: Recorder,
    freedom: Freedom,
    marked: Sequence[Mark],
    unseen: set[Mark],
) -> str:
    """Where iterations of marked loops conflict; those that ran are no more unseen."""
    pairs = list(zip(recorder.order, recorder.around, strict=True))
    cells = chains(found, freedom)
    why = ""
    for mark in marked:
        around = {one: loops for one, loops in pairs if one[0] in mark.numbers}
        if any(mark.loop == name for loops in around.values() for name, _, _ in loops):
            unseen.discard(mark)
            why = why or meeting(cells, freedom, around, mark.loop, pieces=False) or ""
    return why
