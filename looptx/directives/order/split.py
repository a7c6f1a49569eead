"""``split``: one loop becomes blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
from looptx.directives.names import check_new, find, inner_name, used
from looptx.language.grammar import Clause
from looptx.model.execution.marks import Marks
from looptx.model.intervals.extent import extent
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Dim, Schedule
from looptx.model.tree import split_dim

MOST_LEVELS = 9
"""Loops that one loop may become: isl's time doubles with each."""

MOST_LOOPS = 16
"""Loops that may stand around a statement after a split."""


@dataclass(frozen=True)
class Split(LoopVerb):
    """Cut a loop into blocks; the outer loop keeps the name, the inner is ``ii``.

    syntax: ``split LOOP SIZE... [as OUTER INNER...]`` or ``split LOOP parts=COUNT``
    rewrite: ``for i in range(n): S`` ->
        ``for i in range(0, n, 32): for ii in range(i, min(i + 32, n)): S``
    """

    sizes: tuple[int, ...] = ()
    parts: int = 0
    names: tuple[str, ...] = ()

    verb = "split"
    usage = "split LOOP SIZE... [as OUTER INNER...], or split LOOP parts=COUNT"

    @classmethod
    def from_clause(cls, clause: Clause) -> Split:
        """Read the loop and either sizes or ``parts``."""
        check_clause(clause, cls, options=("parts",), names=True)
        fits(len(clause.operands) > 0, cls, "needs a loop and a size")
        loop = loop_name(clause.operands[0], cls)
        sizes = tuple(bounded(size, "block size") for size in clause.operands[1:])
        parts = clause.options.get("parts", 0)
        if "parts" in clause.options:
            parts = bounded(parts, "number of parts")
            fits(not sizes, cls, "takes sizes or `parts`, not both")
        else:
            check(
                bool(sizes),
                f"`split {loop}` has no block size",
                f"write, for example, `split {loop} 32`",
                "LX103",
            )
        want = 1 + max(1, len(sizes))
        fits(
            len(clause.names) in (0, want),
            cls,
            f"gives {want} loops here: name all of them after `as`",
        )
        place, source = clause.place, clause.source
        return cls(loop, sizes, int(parts), clause.names, place=place, source=source)

    @property
    def text(self) -> str:
        """``split i 32 as i ii``."""
        return join(
            self.verb, self.loop, *self.sizes, parts=self.parts, names=self.names
        )

    @property
    def thresholds(self) -> Mapping[str, tuple[int, ...]]:
        """The sizes of blocks, or how many there are."""
        return {self.loop: self.sizes or (self.parts,)}

    def change(self, schedule: Schedule) -> Schedule:
        """Split repeatedly, each time the innermost block."""
        dim = find(schedule, self.loop)
        check_new(used(schedule, dim), self.names, dim.name)
        sizes = self.sizes or (self._block(schedule, dim),)
        for number, size in enumerate(sizes):
            last = number + 1 == len(sizes)
            names = self.names and (self.names[number], self.names[-1] if last else "")
            schedule, _, dim = cut(schedule, dim, size, names)
        return schedule

    def _block(self, schedule: Schedule, dim: Dim) -> int:
        """The block size that gives ``parts`` blocks."""
        count = extent(schedule, dim.uid)
        if count is None:
            count = 0
            check(
                False,
                f"`parts` needs literal bounds, and those of `{self.loop}` are not",
                f"give a block size instead: `split {self.loop} 32`",
            )
        return max(1, -(-count // self.parts))


def cut(
    schedule: Schedule, old: Dim, size: int, names: tuple[str, ...] = ()
) -> tuple[Schedule, Dim, Dim]:
    """Split one loop once; names that are empty are generated.

    A parallel mark stays outside, a vectorize or unroll mark goes inside.
    """
    outer_name, inner = names or ("", "")
    marks = old.marks
    unroll = 0 if marks.unroll == 0 else None
    outer_dim = replace(
        old,
        uid=schedule.fresh,
        name=outer_name or old.name,
        marks=replace(marks, vectorize=None, unroll=unroll),
        part=True,
    )
    inner_dim = Dim(
        schedule.fresh + 1,
        inner or inner_name(schedule, old),
        Marks(None, marks.vectorize, marks.unroll, marks.unroll_below),
        part=True,
        fusing=old.fusing,
        unfused=old.unfused,
    )
    result = split_dim(schedule, old.uid, size, outer_dim, inner_dim)
    _check_levels(result, outer_dim)
    return replace(result, fresh=schedule.fresh + 2), outer_dim, inner_dim


def _check_levels(schedule: Schedule, dim: Dim) -> None:
    """No statement gets more loops than can be analysed. Raises LX106."""
    for statement, loop in schedule.owner[dim.uid].items():
        levels = sum(one.get(statement) == loop for one in schedule.owner.values())
        loops = sum(statement in one for one in schedule.position.values())
        check(
            levels <= MOST_LEVELS and loops <= MOST_LOOPS,
            f"`{dim.name}` is split too often",
            f"make at most {MOST_LEVELS} loops of one, and {MOST_LOOPS} in all",
        )


def split(
    loop: str, *sizes: int, parts: int | None = None, as_: Sequence[str] = ()
) -> Split:
    """Cut ``loop`` into blocks of ``sizes``, outer to inner, or into ``parts``."""
    return make(Split, loop, *sizes, options=given(parts=parts), names=as_)
