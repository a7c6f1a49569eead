"""Whether a refusal is needed: oracle (b) in the other direction.

A refusal is needed when some run at some size turns the order of two executions round
that touch one cell, of which one writes it. *Legal* speaks of the order on memory, not
of values: what happens to compute the same in another order is no legal schedule. Free
are only sums, products, minima and maxima that are named by ``reassociate`` or combine
integers, and scalars and temporaries that have cells of their own (``freedom``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice, product

from fuzz.oracles import witnesses
from fuzz.oracles.conflicts import chains, kept, meeting, ordered
from fuzz.oracles.enumeration import Extents, Instance, TooMany
from fuzz.oracles.executions import ALL, BEYOND, assumed, executions, judged
from fuzz.oracles.freedom import promised
from fuzz.oracles.marks import moved
from fuzz.oracles.orders import Around, Runs
from fuzz.oracles.witnesses import named, realised
from fuzz.programs.model import Function, Program
from fuzz.programs.nodes import surrounding

TRIED = 40
"""How many calls are tried that give the sizes of a witness."""


@dataclass(frozen=True)
class Need:
    """Whether a refusal is needed.

    Attributes:
        needed: None where that cannot be judged. why: it cannot.
        extents: those at which a run shows that it is.
        wrong: whether what the refusal says is not so.
    """

    needed: bool | None
    why: str = ""
    extents: Extents | None = None
    wrong: bool = False


def refused(
    program: Program,
    trusting: str,
    code: str,
    message: str,
    more: Callable[[], tuple[Mapping[str, int], str]] = lambda: ({}, ""),
) -> Need:
    """Whether a refusal is needed, as some execution shows.

    Args:
        program: what was refused.
        trusting: what looptx makes of it when the order is trusted.
        code: ``LX201`` or ``LX202``.
        message: that of the error, with the sizes of the witness.
        more: gives, if asked, the sizes of a witness against the whole schedule, and
            the loop whose iterations it is about.
    """
    if not judged(program):
        return Need(None, "depends on data")
    found = re.search(r"different iterations of (\w+) ", message)
    loop = found[1].rstrip("_0123456789") if found else ""
    if code == "LX202" and not loop:
        return Need(None, "no loop is named")
    if loop and any(moved(loop, f.clauses()) for f in program.functions):
        loop = more()[1]
    runs = Runs(trusting, follow=bool(loop))
    wrong = witnesses.false(program, message, runs)
    if wrong not in ("", witnesses.RAISES):
        return Need(None, wrong, wrong=True)
    needs = []
    for function in program.functions:
        if function.texts():
            sizes = _sizes(function, message, more)
            need = _needed(program, function, runs, loop, sizes)
            if need.needed:
                return replace(need, why=wrong, wrong=bool(wrong))
            needs.append(need)
    return next((need for need in needs if need.needed is None), Need(False))


def _needed(
    program: Program,
    function: Function,
    runs: Runs,
    loop: str,
    sizes: Iterator[tuple[Extents, bool]],
) -> Need:
    """Whether the runs of one function show it."""
    ran, many = False, False
    try:
        freedom = promised(program, function)
    except TooMany:
        return Need(None, "too many executions")
    for extents, said in sizes:
        if not assumed(function, extents):  # the loops run as they were written
            ran = ran or said
            continue
        try:
            found = executions(program, function, extents)
        except TooMany:
            many = True
            continue
        if found is None:
            continue
        try:
            recorder = runs.at(extents)
        except KeyError:  # a private value is read before it is written
            return Need(True, extents=extents)
        if recorder is None:
            continue
        ran = ran or said
        cells = chains(found, freedom)
        if loop:
            around = dict(zip(recorder.order, recorder.around, strict=True))
            why = meeting(cells, freedom, around, loop, pieces=True)
        else:
            why = kept(ordered(cells, freedom), recorder.order)
        if why is None:
            return Need(None, "stands beside the loop")
        if loop and not why and _joined(function, around, loop):
            return Need(None, "iterations are written as one")
        if why:
            return Need(True, extents=extents)
    if many:
        return Need(None, "too many executions")
    return Need(False) if ran else Need(None, "raises at the sizes named")


def _joined(function: Function, around: Mapping[Instance, Around], loop: str) -> bool:
    """Whether one iteration of a loop, as it is written, is several of the source's."""
    loops = [[loop.var for loop in one] for one in surrounding(function.body)]
    values: dict[object, int] = {}
    for (number, point), written in around.items():
        names = loops[number - 1]
        if loop not in names:
            continue
        at = names.index(loop)
        outer = tuple(x for x in written if x[0].rstrip("_0123456789") == loop)
        if values.setdefault((outer, point[:at]), point[at]) != point[at]:
            return True
    return False


def _sizes(
    function: Function,
    message: str,
    more: Callable[[], tuple[Mapping[str, int], str]],
) -> Iterator[tuple[Extents, bool]]:
    """Those that looptx names, all small ones, and some beyond several blocks.

    Each comes with whether looptx names it.
    """
    shapes: set[str] = set()
    for sizes in _witnesses(message, more):
        for extents in islice(realised(function, sizes), TRIED):
            shapes |= extents.known.keys()
            yield extents, True
    for one, two in (*ALL, *BEYOND):
        yield Extents(function, one, two), False
    if shapes:
        for (one, two), extent in product(ALL, range(1, 7)):
            yield Extents(function, one, two, dict.fromkeys(shapes, extent)), False


def _witnesses(
    message: str, more: Callable[[], tuple[Mapping[str, int], str]]
) -> Iterator[Mapping[str, int]]:
    """The sizes that looptx names; those behind the first take longer to find."""
    yield named(message)
    yield more()[0]
