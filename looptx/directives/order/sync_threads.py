"""``sync_threads``: all threads of a block arrive before a loop begins."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from looptx.directives.base import (
    LoopVerb,
    check,
    check_clause,
    fits,
    loop_name,
    make,
)
from looptx.directives.marks import mark
from looptx.directives.names import find
from looptx.language.grammar import Clause
from looptx.model.dims import detached, loops, paths
from looptx.model.execution.grid import THREAD
from looptx.model.expr import TRUE, variables
from looptx.model.schedule import (
    Band,
    Dim,
    Schedule,
    Tree,
    replace_band,
    sequence,
    statements,
)
from looptx.model.tree import parts, uids


@dataclass(frozen=True)
class SyncThreads(LoopVerb):
    """Let all threads of a block arrive before a loop begins.

    syntax: ``sync_threads LOOP``
    rewrite: with ``bind i threadIdx.x``, ``for i: A; for k: B`` -> ``for i: A`` and
        then ``for i: for k: B``
    """

    verb = "sync_threads"
    usage = "sync_threads LOOP"

    @classmethod
    def from_clause(cls, clause: Clause) -> SyncThreads:
        """Read a loop."""
        check_clause(clause, cls)
        fits(len(clause.operands) == 1, cls, "takes one loop")
        loop = loop_name(clause.operands[0], cls)
        return cls(loop, place=clause.place, source=clause.source)

    @property
    def text(self) -> str:
        """``sync_threads k``."""
        return f"{self.verb} {self.loop}"

    def change(self, schedule: Schedule) -> Schedule:
        """Distribute the loops of threads around the loop, the innermost first.

        A loop between them goes outside: each of its iterations waits for all threads.
        """
        dim = find(schedule, self.loop)
        found = loops(schedule.tree, dim.uid)
        check(
            len(found) == 1,
            f"`{self.loop}` has become {len(found)} loops",
            "name one of them",
        )
        around = paths(schedule.tree)[statements(found[0])[0]]
        around = around[: [each.uid for each in around].index(dim.uid)]
        threads = [each for each in around if each.marks.bind.startswith(THREAD)]
        if threads:
            between = around[around.index(threads[0]) :]
            _check(schedule, found[0], between, {each.uid for each in threads})
        target = dim.uid
        for thread in reversed(threads):
            schedule = _distributed(schedule, thread.uid, target)
            path = paths(schedule.tree)[statements(found[0])[0]]
            target = path[[each.uid for each in path].index(target) - 1].uid
        return mark(schedule, dim, replace(dim.marks, arrive=True))


def _check(
    schedule: Schedule, band: Band, between: Sequence[Dim], threads: Collection[int]
) -> None:
    """See that all threads arrive equally often. Raises LX106."""
    hint = "all threads must arrive: name a loop further out"
    for name in statements(band):
        loops_of = {
            loop: set(schedule.index[name, loop].weights)
            for loop in schedule.nest.statements[name].loops
            if (name, loop) in schedule.index
        }
        bound = {loop for loop, uids in loops_of.items() if uids & set(threads)}
        for dim in (*between, band.dim):
            for loop in (x for x, known in loops_of.items() if dim.uid in known):
                own = schedule.nest.loops[loop]
                check(
                    dim.uid == between[0].uid or own.guard == TRUE,
                    f"`{band.dim.name}` stands under a condition",
                    hint,
                )
                ends = variables(own.start) | variables(own.stop)
                check(
                    dim is band.dim or dim.uid in threads or bound.isdisjoint(ends),
                    f"`{band.dim.name}` stands in `{dim.name}`, whose bounds depend on"
                    " the thread",
                    hint,
                )


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

    tree = replace_band(schedule.tree, thread, lambda band: visit(band.dim, band.body))
    schedule = schedule.with_tree(tree)
    for band in loops(tree, thread)[1:]:
        schedule = detached(schedule, thread, statements(band))
    return schedule


def sync_threads(loop: str) -> SyncThreads:
    """Let all threads of a block arrive before ``loop`` begins."""
    return make(SyncThreads, loop)
