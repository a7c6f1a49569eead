"""Readers of several writers: the iterations of each one as a statement of their own.

Which iterations read what is a matter of the dataflow, and left to the proof; here is
said only that they are told apart. (As the leaves of an array's *last-write tree* are:
Maydan, Amarasinghe, Lam, "Array data-flow analysis and its use in array privatization",
POPL 1993.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TypeAlias

from looptx.directives.moving.inlining.solving import disjoint
from looptx.directives.moving.renamed import beside
from looptx.model.elements import Cell
from looptx.model.expr import IntExpr, Var
from looptx.model.moves import Case
from looptx.model.moves.changes import changed
from looptx.model.records import replace
from looptx.model.schedule import Schedule, statements

Reads: TypeAlias = Mapping[Cell, tuple[IntExpr, ...]]
"""Which iteration of a producer wrote what is read."""

MOST_CELLS = 2
"""How many cells that a statement reads are told apart by what wrote them."""


def told_apart(
    schedule: Schedule, producer: str, readers: Mapping[str, Reads]
) -> tuple[Schedule, dict[str, Reads]]:
    """The schedule in which all that some statements read is of a producer.

    Args:
        schedule: the schedule.
        producer: the statement that writes it.
        readers: what each statement may read of it.

    Returns:
        The schedule, and the readers that read only what is of the producer.
    """
    found: dict[str, Reads] = {}
    for old, reads in readers.items():
        only = _just_written(schedule, producer, old, reads)
        if len(reads) > MOST_CELLS or only or not _others(schedule, producer, reads):
            found[old] = reads
            continue
        for own in _subsets(reads):
            new = f"{old}@{len(schedule.moves) + 1}"
            array, _ = next(iter(own))
            step = Case(array, producer, {old: new}, own)
            nest, result = schedule.nest, beside(schedule, {old: new})
            known = {**nest.statements, **changed(nest, step)}
            schedule = replace(
                result,
                nest=replace(nest, statements=known),
                moves=(*schedule.moves, step),
            )
            found[new] = own
    return schedule, found


def _just_written(schedule: Schedule, producer: str, reader: str, reads: Reads) -> bool:
    """Whether each iteration reads what the producer has written in the same one.

    Args:
        schedule: the schedule. producer: the statement that writes.
        reader: the one that reads. reads: what it may read of the producer.
    """
    known, order = schedule.nest.statements, list(statements(schedule.tree))
    first, then = known[producer], known[reader]
    own = tuple(map(Var, then.loops))
    arrays = {array for array, _ in reads}
    between = order[order.index(producer) + 1 : order.index(reader)]
    return (
        first.loops == then.loops
        and first.guard == then.guard
        and order.index(producer) < order.index(reader)
        and all(values == own for values in reads.values())
        and not any(
            access.write and access.array in arrays
            for name in between
            for access in known[name].accesses
        )
    )


def _subsets(reads: Reads) -> Iterator[Reads]:
    """All parts of some reads that are not empty, larger ones first."""
    for count in range(len(reads), 0, -1):
        for cells in combinations(reads, count):
            yield {cell: reads[cell] for cell in cells}


def _others(schedule: Schedule, producer: str, reads: Reads) -> bool:
    """Whether other statements may write some of the cells, as subscripts tell."""
    known = schedule.nest.statements
    return any(
        access.write
        and access.array == array
        and bool(cell)
        and not disjoint(access.subscripts, cell)
        for name in statements(schedule.tree)
        if name != producer
        for access in known[name].accesses
        for array, cell in reads
    )
