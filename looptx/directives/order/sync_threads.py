"""``sync_threads``: all threads of a block arrive before a loop begins."""

from __future__ import annotations

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
from looptx.model.dims import loops
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Schedule


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
        """Mark the loop; the loops of threads around it are distributed for that."""
        dim = find(schedule, self.loop)
        count = len(loops(schedule.tree, dim.uid))
        message = f"`{self.loop}` has become {count} loops"
        check(count == 1, message, "name one of them")
        return mark(schedule, dim, replace(dim.marks, arrive=True))


def sync_threads(loop: str) -> SyncThreads:
    """Let all threads of a block arrive before ``loop`` begins."""
    return make(SyncThreads, loop)
