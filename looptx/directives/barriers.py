"""Loops that begin when all threads have arrived, which every directive keeps so."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from looptx.errors import Malformed
from looptx.model.dims import detached, down_to, loops, paths
from looptx.model.execution.grid import THREAD
from looptx.model.expr import TRUE, variables
from looptx.model.schedule import (
    Band,
    Dim,
    Schedule,
    Tree,
    bands,
    replace_band,
    sequence,
    statements,
)
from looptx.model.tree import parts, uids


def arrived(schedule: Schedule) -> Schedule:
    """The schedule in which the threads around each such loop end before it begins.

    The loops of threads around it are distributed, the innermost first. A loop between
    them goes outside: each of its iterations waits for all threads.

    Raises:
        Malformed: LX106 where not all threads arrive equally often.
    """
    marked = (band.dim for band in bands(schedule.tree) if band.dim.marks.arrive)
    for dim in dict.fromkeys(marked):
        schedule = _arrived(schedule, dim)
    return schedule


def _arrived(schedule: Schedule, dim: Dim) -> Schedule:
    """The same for one loop."""
    band, *more = loops(schedule.tree, dim.uid)
    around = down_to(schedule.tree, dim.uid)[:-1]
    threads = [each for each in around if each.marks.bind.startswith(THREAD)]
    if not threads:
        return schedule
    if more:
        raise Malformed(
            "LX106",
            f"threads arrive at `{dim.name}`, which has become {1 + len(more)} loops",
            hint="name one of them in `sync_threads`, after they were made",
        )
    between = around[around.index(threads[0]) :]
    _check(schedule, band, between, {each.uid for each in threads})
    target = dim.uid
    for thread in reversed(threads):
        schedule = _distributed(schedule, thread.uid, target)
        path = paths(schedule.tree)[statements(band)[0]]
        target = path[[each.uid for each in path].index(target) - 1].uid
    return schedule


def _check(
    schedule: Schedule, band: Band, between: Sequence[Dim], threads: Collection[int]
) -> None:
    """See that all threads arrive equally often. Raises LX106."""
    hint = "all threads must arrive: name a loop further out"
    name = band.dim.name
    for statement in statements(band):
        loops_of = {
            loop: set(schedule.index[statement, loop].weights)
            for loop in schedule.nest.statements[statement].loops
            if (statement, loop) in schedule.index
        }
        bound = {loop for loop, uids in loops_of.items() if uids & set(threads)}
        for dim in (*between, band.dim):
            for loop in (x for x, known in loops_of.items() if dim.uid in known):
                own = schedule.nest.loops[loop]
                if dim.uid != between[0].uid and own.guard != TRUE:
                    message = f"`{name}` stands under a condition"
                    raise Malformed("LX106", message, hint=hint)
                ends = variables(own.start) | variables(own.stop)
                free = dim is band.dim or dim.uid in threads or bound.isdisjoint(ends)
                if not free:
                    message = f"`{name}` stands in `{dim.name}`, whose bounds depend"
                    raise Malformed("LX106", f"{message} on the thread", hint=hint)


def _distributed(schedule: Schedule, thread: int, target: int) -> Schedule:
    """The schedule in which a loop of threads ends before another loop begins."""

    def visit(dim: Dim, body: Tree) -> Tree:
        children = parts(body)
        at = next(at for at, one in enumerate(children) if target in uids(one))
        found = children[at]
        assert isinstance(found, Band)
        if found.dim.uid == target:
            pieces = [children[:at], children[at:]]
        else:
            pieces = [children[:at], children[at + 1 :]]
        first, last = (
            (Band(dim, sequence(piece)),) if piece else () for piece in pieces
        )
        if found.dim.uid == target:
            return sequence((*first, *last))
        return sequence((*first, Band(found.dim, visit(dim, found.body)), *last))

    def parted(band: Band) -> Tree:
        # A loop that ended for another one is several: only one of them waits here.
        return visit(band.dim, band.body) if target in uids(band.body) else band

    tree = replace_band(schedule.tree, thread, parted)
    schedule = schedule.with_tree(tree)
    for band in loops(tree, thread)[1:]:
        schedule = detached(schedule, thread, statements(band))
    return schedule
