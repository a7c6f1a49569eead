"""A statement that is computed where what it reads is written: the new nest.

(TVM's ``reverse_compute_inline``; CINN has it, too.)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from looptx.directives.base import check
from looptx.directives.moving.inlining.producer import Producer, producer_of
from looptx.directives.moving.inlining.readers import (
    check_reader,
    reads_of,
    solved_reads,
    touches,
)
from looptx.directives.moving.inlining.solving import solved
from looptx.directives.moving.inlining.statements import without_one
from looptx.directives.moving.into import moved_under
from looptx.directives.names import free_name, group, used
from looptx.model.dims import paths
from looptx.model.expr import IntExpr, substitute, variables
from looptx.model.moves import When
from looptx.model.records import replace
from looptx.model.schedule import Dim, Schedule, statements
from looptx.model.tree import with_dims

HINT = "name a nest that reads one cell of what a nest before it writes"
"""What can be computed where what it reads is written."""


def reverse_inlined(schedule: Schedule, nest: str) -> Schedule:
    """The schedule in which a nest is computed where what it reads is written.

    Args:
        schedule: the schedule.
        nest: the name of the nest, one statement that reads one cell in each iteration.

    Raises:
        Malformed: LX104 for the name, LX106 for what is no such nest, and where what it
            reads is no plain assignment.
    """
    order, consumer, name = _writer(schedule, nest)
    producer = producer_of(schedule, name)
    read = _cell(schedule, nest, consumer, producer)
    around = paths(schedule.tree)[name]
    dim = around[-1]
    result = schedule
    if dim in paths(schedule.tree)[consumer]:
        _check_there(schedule, producer, consumer, nest, around)
    else:
        result = moved_under(schedule, nest, dim, dim.name, When.COMPLETE, first=False)
        meant = frozenset().union(*map(variables, read))
        loops = [x for x in schedule.nest.statements[consumer].loops if x in meant]
        if solved(loops, read, producer.cell, ()) is not None:
            left = _shown(schedule, result, loops)
            result = _unnamed(result, left - {x.uid for x in around})
    others = set(order) - {consumer}
    array, local = producer.array, schedule.nest.allocations
    if array not in {**local, **dict.fromkeys(schedule.nest.scalars)} or any(
        touches(schedule.nest, x, array, write=False) for x in others
    ):
        return result
    return without_one(result, name, reads_of(result, producer_of(result, name), ()))


def _writer(schedule: Schedule, nest: str) -> tuple[list[str], str, str]:
    """What runs, in order; the one statement of a nest; the last before it that writes
    what it reads. Raises LX106."""
    own = group(schedule, nest).statements
    order = [name for name in statements(schedule.tree) if name not in schedule.left]
    running = [name for name in order if name in own]
    check(
        len(running) == 1,
        f"`{nest}` is not one statement",
        "name a nest of one assignment",
    )
    (consumer,) = running
    reads = [x for x in schedule.nest.statements[consumer].accesses if not x.write]
    before = order[: order.index(consumer)]
    name = next(
        (
            name
            for name in reversed(before)
            if any(touches(schedule.nest, name, x.array, write=True) for x in reads)
        ),
        "",
    )
    check(bool(name), f"`{nest}` reads nothing that is written before it", HINT)
    return order, consumer, name


def _cell(
    schedule: Schedule, nest: str, consumer: str, producer: Producer
) -> list[IntExpr]:
    """The subscripts at which a statement reads what another one writes.

    Args:
        schedule: the schedule. nest: the name of the nest that reads.
        consumer: its statement. producer: what writes.

    Raises:
        Malformed: LX106 for several cells, or where no expression can stand.
    """
    reads = [x for x in schedule.nest.statements[consumer].accesses if not x.write]
    cells = {x.subscripts for x in reads if x.array == producer.array}
    check(
        len(cells) == 1,
        f"`{nest}` reads {len(cells)} cells of `{producer.array}` in an iteration",
        HINT,
    )
    check_reader(schedule.nest, schedule.nest.statements[consumer], producer)
    return [one for one in next(iter(cells)) if one is not None]


def _check_there(
    schedule: Schedule,
    producer: Producer,
    consumer: str,
    nest: str,
    around: Sequence[Dim],
) -> None:
    """See that a cell is read in the iteration of its loops that writes it. (LX106)

    Args:
        schedule: the schedule. producer: what writes. consumer: the statement that
            reads, in the same loops. nest: its name. around: the loops.
    """
    reads = [*solved_reads(producer, schedule.nest.statements[consumer]).values()]
    loops = producer.statement.loops
    places = [schedule.position[dim.uid] for dim in around]
    there = bool(reads) and all(
        substitute(one[producer.statement.name], dict(zip(loops, values, strict=True)))
        == one[consumer]
        for one in places
        for values in reads
    )
    check(
        there,
        f"`{nest}` stands in the loop `{around[-1].name}` that writes"
        f" `{producer.array}`, and reads what another iteration wrote",
        "write `compute_inline` of what writes it",
    )


def _shown(
    before: Schedule, schedule: Schedule, loops: Collection[str]
) -> frozenset[int]:
    """The dimensions that show some loops of the one statement that has moved.

    Args:
        before: where it had not. schedule: where it has. loops: the loops.
    """
    (moved,) = {*statements(schedule.tree)} - {*statements(before.tree)}
    owners = ((uid, own.get(moved)) for uid, own in schedule.owner.items())
    return frozenset(uid for uid, loop in owners if loop in loops)


def _unnamed(schedule: Schedule, own: Collection[int]) -> Schedule:
    """A schedule in which dimensions of one position have names of their own.

    What stood in them is named by the loops it stands in now.
    """
    taken = used(schedule)

    def change(dim: Dim) -> Dim:
        nonlocal taken
        if dim.uid not in own:
            return dim
        name = free_name(f"{dim.name}_in", taken)
        taken |= {name}
        return replace(dim, name=name)

    return schedule.with_tree(with_dims(schedule.tree, change))
