"""Marks on loops, which say how a loop runs and move nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, TypeVar

from looptx.directives.base import (
    LoopVerb,
    bounded,
    check_clause,
    fits,
    join,
    loop_name,
)
from looptx.language.grammar import Clause
from looptx.model.execution.marks import Marks
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Band, Dim, Schedule, replace_band

MOST = 1024
"""The largest number of a mark: copies of a body, lanes."""

C = TypeVar("C", bound="Counted")


@dataclass(frozen=True)
class Counted(LoopVerb):
    """A mark on a loop with a number that need not be given.

    Attributes:
        count: the number, 0 where it is not given. counts: what it is, for messages.
        perhaps: the same in ``takes a loop and perhaps``.
    """

    count: int = 0

    counts: ClassVar[str]
    perhaps: ClassVar[str]

    @classmethod
    def from_clause(cls: type[C], clause: Clause) -> C:
        """Read a loop and perhaps a number."""
        check_clause(clause, cls)
        takes = f"takes a loop and perhaps {cls.perhaps}"
        fits(len(clause.operands) in (1, 2), cls, takes)
        loop = loop_name(clause.operands[0], cls)
        count = [bounded(one, cls.counts, most=MOST) for one in clause.operands[1:]]
        return cls(loop, *count, place=clause.place, source=clause.source)

    @property
    def text(self) -> str:
        """``unroll k 4``."""
        return join(self.verb, self.loop, *([self.count] if self.count else []))

    @property
    def thresholds(self) -> Mapping[str, tuple[int, ...]]:
        """The number."""
        return {self.loop: (self.count,)}


def mark(schedule: Schedule, dim: Dim, marks: Marks) -> Schedule:
    """The schedule with other marks on one dimension."""
    dim = replace(dim, marks=marks)
    tree = replace_band(schedule.tree, dim.uid, lambda old: Band(dim, old.body))
    return schedule.with_tree(tree)
