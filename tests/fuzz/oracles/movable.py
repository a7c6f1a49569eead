"""Whether a statement between nests that are fused can stand nowhere else (LX206).

It moves before the first nest if it shares no cell that one of them writes with what
stands between, or else behind the last one. An array of the caller's that no loop
uses may overlap one that a loop writes: no run would show that. Sharing is decided by
the names of arrays: where no run shares a cell, a refusal counts as ``array only``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from fuzz.oracles.enumeration import TooMany, analysable
from fuzz.oracles.executions import Found, everywhere
from fuzz.oracles.freedom import nests
from fuzz.oracles.freedom import written as written_name
from fuzz.oracles.refusals import Need
from fuzz.programs.model import Assign, For, Function, Node, Program, walk
from fuzz.programs.nodes import every
from fuzz.programs.terms import Cell, Name, cells, text
from fuzz.tiers.tally import ARRAY_ONLY

OVERLAP, CONFLICT = "may overlap", "conflicts"
WHYS = (ARRAY_ONLY, OVERLAP, CONFLICT)
"""Why statements do not change places, the weakest reason first."""


def stuck(program: Program, message: str) -> Need:
    """Whether the statement that a refusal names cannot move.

    Args:
        program: without tags: that of the statement is an array that no loop uses.
        message: that of the error.
    """
    found = re.search(r"line \d+, `(\w+) = (.*)`, stands", message)
    if found is None:
        return Need(None, "no statement is named")
    if not all(analysable(f.body) and not f.setting.viewed for f in program.functions):
        return Need(None, "depends on data")
    name, value = found.groups()
    for function in program.functions:
        try:
            whys = list(_stuck(program, function))
        except TooMany:
            return Need(None, "too many executions")
        for one, why in whys:
            if one.target == Name(name) and text(one.value) == value:
                return Need(True, why)
    return Need(False)


def _stuck(program: Program, function: Function) -> Iterator[tuple[Assign, str]]:
    """The statements between nests that cannot move, and why."""
    groups = nests(function)
    numbers = iter(range(1, len(groups) + 1))
    placed = []
    for node in function.body:
        inside = [next(numbers) for x in walk([node]) if isinstance(x, Assign)]
        placed.append((groups[inside[0] - 1] if inside else -1, inside, node))
    runs = [found for _, found in everywhere(program, function)]
    for _, group in groupby(placed, key=lambda one: one[0]):
        yield from _between(function, [(i, node) for _, i, node in group], runs)


def _between(
    function: Function,
    region: Sequence[tuple[Sequence[int], Node]],
    runs: Sequence[Found],
) -> Iterator[tuple[Assign, str]]:
    """Those of one group of fused nests."""
    stay = [one for one in region if isinstance(one[1], For)]
    if len(stay) == len(region):
        return
    for at, (own, node) in enumerate(region):
        if not isinstance(node, Assign):
            continue
        earlier = [x for x in region[:at] if x in stay]
        later = [x for x in region[at:] if isinstance(x[1], For)]
        apart = [_apart(function, own, node, x, stay, runs) for x in (earlier, later)]
        if all(apart):
            yield node, min(apart, key=WHYS.index)
        elif apart[0]:
            stay.append((own, node))


def _apart(
    function: Function,
    own: Sequence[int],
    node: Assign,
    others: Sequence[tuple[Sequence[int], Node]],
    stay: Sequence[tuple[Sequence[int], Node]],
    runs: Sequence[Found],
) -> str:
    """Why a statement cannot change places with others, or ``""``."""
    numbers = {number for inside, _ in others for number in inside}
    if any(_conflict(found, own[0], numbers) for found in runs):
        return CONFLICT
    given = {array.name for array in function.arrays}
    used = frozenset[str]().union(*(every(x) for _, x in stay if isinstance(x, For)))
    alone = {cell.array for cell in cells(node.value)} & given - used
    targets = [x.target for _, y in others for x in walk([y]) if isinstance(x, Assign)]
    written = {x.array for x in targets if isinstance(x, Cell)}
    if alone and written & given:
        return OVERLAP
    touched = frozenset[str]().union(*(every(y) for _, y in others))
    by_name = {cell.array for cell in cells(node.value)} & written
    return ARRAY_ONLY if by_name or written_name(node) in touched else ""


def _conflict(found: Found, own: int, numbers: set[int]) -> bool:
    """Whether an execution of one statement conflicts with one of others."""
    mine = [access for (number, _), access in found.items() if number == own]
    reads = {place for access in mine for place in access.reads}
    writes = {access.write for access in mine}
    return any(
        access.write in reads | writes or not writes.isdisjoint(access.reads)
        for (number, _), access in found.items()
        if number in numbers
    )
