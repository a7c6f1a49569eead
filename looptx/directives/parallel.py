"""``parallel``: iterations on several threads."""

from __future__ import annotations

from collections.abc import Mapping

from looptx.directives.base import (
    LoopVerb,
    bounded,
    check,
    check_clause,
    fits,
    given,
    join,
    loop_name,
    make,
)
from looptx.directives.marks import mark
from looptx.directives.names import find
from looptx.language.grammar import Clause
from looptx.language.words import shorten, suggestion
from looptx.model.execution import marks as model
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Schedule

KINDS = ("static", "dynamic", "guided")
_MOST = {"chunk": 2**30, "threads": 4096, "least": 2**30}
"""The options that are numbers, and how large they are at most."""


@dataclass(frozen=True)
class Parallel(LoopVerb):
    """Share the iterations of a loop among threads; it must carry no dependence.

    syntax: ``parallel LOOP [schedule=KIND] [chunk=N] [threads=N] [least=N]``
    rewrite: in Python nothing; in Cython ``for i in range(n)`` ->
        ``for i in prange(n)``
    """

    schedule: str = ""
    chunk: int = 0
    threads: int = 0
    least: int = 0

    verb = "parallel"
    usage = "parallel LOOP [schedule=KIND] [chunk=N] [threads=N] [least=N]"
    parallel = True

    @classmethod
    def from_clause(cls, clause: Clause) -> Parallel:
        """Read a loop and the options of the team of threads."""
        check_clause(clause, cls, options=("schedule", *_MOST))
        fits(len(clause.operands) == 1, cls, "takes one loop")
        loop = loop_name(clause.operands[0], cls)
        kind = str(clause.options.get("schedule", ""))
        if "schedule" in clause.options and kind not in KINDS:
            check(
                False,
                f"`{shorten(kind)}` is no schedule",
                suggestion(kind, KINDS, "write static, dynamic or guided"),
                "LX102",
            )
        numbers = [
            bounded(clause.options[key], key, most=top) if key in clause.options else 0
            for key, top in _MOST.items()
        ]
        return cls(loop, kind, *numbers, place=clause.place, source=clause.source)

    @property
    def text(self) -> str:
        """``parallel i schedule=dynamic chunk=4``."""
        return join(
            self.verb,
            self.loop,
            schedule=self.schedule,
            chunk=self.chunk,
            threads=self.threads,
            least=self.least,
        )

    @property
    def thresholds(self) -> Mapping[str, tuple[int, ...]]:
        """The iterations of a chunk, the threads, and what they share at least."""
        counts = self.chunk, self.threads, self.least
        return {self.loop: tuple(filter(None, counts))}

    def change(self, schedule: Schedule) -> Schedule:
        """Mark the loop."""
        dim = find(schedule, self.loop)
        options = model.Parallel(self.schedule, self.chunk, self.threads, self.least)
        return mark(schedule, dim, replace(dim.marks, parallel=options))


def parallel(
    loop: str,
    *,
    schedule: str | None = None,
    chunk: int | None = None,
    threads: int | None = None,
    least: int | None = None,
) -> Parallel:
    """Share the iterations of ``loop`` among threads, as OpenMP's schedules do.

    Args:
        loop: its name.
        schedule, chunk, threads: OpenMP's.
        least: how many iterations threads share at least.
    """
    options = given(schedule=schedule, chunk=chunk, threads=threads, least=least)
    return make(Parallel, loop, options=options)
