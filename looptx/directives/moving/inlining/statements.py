"""A statement whose value is computed wherever it is read: the new nest.

(Halide's ``compute_inline``, Ragan-Kelley et al., PLDI 2013; also CINN's and TVM's.)
"""

from __future__ import annotations

from collections.abc import Mapping

from looptx.directives.base import check
from looptx.directives.moving.inlining.cases import Reads, told_apart
from looptx.directives.moving.inlining.producer import producer_of
from looptx.directives.moving.inlining.readers import reads_of
from looptx.directives.moving.renamed import renamed
from looptx.directives.names import group
from looptx.model.moves import Inline
from looptx.model.moves.changes import changed
from looptx.model.records import replace
from looptx.model.schedule import Schedule, statements
from looptx.model.tree import without


def inlined(schedule: Schedule, nest: str) -> Schedule:
    """The schedule in which what reads a nest's values computes them itself.

    Args:
        schedule: the schedule.
        nest: the name of the nest, which runs no more.

    Raises:
        Malformed: LX104 for the name, LX106 for what is no plain assignment, or is read
            where no expression can stand, LX117 for an array that others see.
    """
    while nest in schedule.groups:
        own = group(schedule, nest).statements
        first = next(name for name in statements(schedule.tree) if name in own)
        readers = reads_of(schedule, producer_of(schedule, first), own)
        result, found = told_apart(schedule, first, readers)
        for old in (own & readers.keys()) - found.keys():
            # It stays in the nest, and its own values are to be inlined next.
            producer_of(schedule, old)
        schedule = without_one(result, first, found)
    return schedule


def without_one(schedule: Schedule, name: str, reads: Mapping[str, Reads]) -> Schedule:
    """The schedule without one statement.

    Args:
        schedule: the schedule. name: of the statement.
        reads: what statements read of it, all of them.
    """
    producer, nest = producer_of(schedule, name), schedule.nest
    number = len(schedule.moves) + 1
    moved = {old: f"{old}@{number}" for old in reads}
    step = Inline(producer.array, name, moved, reads, not nest.private(producer.array))
    check(
        statements(schedule.tree) != (name,),
        f"nothing is left of the nest without {producer.words}",
        "remove the loop",
    )
    tree = without(schedule.tree, (name,))
    result = renamed(replace(schedule, tree=tree), moved, gone=name)
    return replace(
        result,
        nest=replace(nest, statements={**nest.statements, **changed(nest, step)}),
        moves=(*schedule.moves, step),
    )
