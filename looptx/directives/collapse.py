"""``collapse``: two adjacent loops become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from looptx.directives.base import (
    Verb,
    check,
    check_clause,
    fits,
    join,
    loop_name,
    make,
)
from looptx.directives.names import check_new, find, free_name, used
from looptx.language.grammar import Clause
from looptx.model.schedule import Band, Marks, Schedule, replace_band


@dataclass(frozen=True)
class Collapse(Verb):
    """Run two loops, one directly in the other, as one loop over their product.

    syntax: ``collapse OUTER INNER [as NAME]``
    rewrite: ``for i in range(n): for j in range(m): S`` ->
        ``for ij in range(n * m): S`` with ``i = ij // m`` and ``j = ij % m``
    """

    outer: str
    inner: str
    name: str = ""

    verb = "collapse"
    usage = "collapse OUTER INNER [as NAME]"

    @classmethod
    def from_clause(cls, clause: Clause) -> Collapse:
        """Read two loops and at most one name."""
        check_clause(clause, cls, names=True)
        fits(len(clause.operands) == 2, cls, "takes two loops")
        outer, inner = (loop_name(operand, cls) for operand in clause.operands)
        fits(len(clause.names) <= 1, cls, "gives one loop: write one name after `as`")
        name = clause.names[0] if clause.names else ""
        return cls(outer, inner, name, place=clause.place, source=clause.source)

    @property
    def text(self) -> str:
        """``collapse i j as ij``."""
        names = (self.name,) if self.name else ()
        return join(self.verb, self.outer, self.inner, names=names)

    @property
    def loops(self) -> tuple[str, ...]:
        """Both loops."""
        return (self.outer, self.inner)

    def change(self, schedule: Schedule) -> Schedule:
        """Mark the two bands as one loop; printing merges them."""
        outer, inner = find(schedule, self.outer), find(schedule, self.inner)
        check(
            inner != outer and outer.body is inner,
            f"`{self.inner}` does not stand directly and alone in `{self.outer}`",
            (
                f"write `collapse {self.inner} {self.outer}`"
                if inner.body is outer
                else "two loops collapse when one is the whole body of the other"
            ),
        )
        check(
            inner.dim.marks == Marks(),
            f"`{self.inner}` is already marked",
            "put `collapse` first and mark the collapsed loop",
        )
        check_new(schedule, (self.name,) if self.name else (), "")
        name = self.name or _joined(schedule, outer, inner)

        def merge(band: Band) -> Band:
            return Band(
                replace(outer.dim, merged=name),
                Band(replace(inner.dim, merged=name), inner.body),
            )

        return schedule.with_tree(replace_band(schedule.tree, outer.dim.uid, merge))


def _joined(schedule: Schedule, outer: Band, inner: Band) -> str:
    """``ij`` for i and j, ``row_col`` for row and col."""
    names = (outer.dim.name, inner.dim.name)
    link = "" if max(map(len, names)) == 1 else "_"
    return free_name(link.join(names), used(schedule))


def collapse(outer: str, inner: str, *, as_: Sequence[str] | str = ()) -> Collapse:
    """Make one loop of ``outer`` and ``inner``, which stands directly in it."""
    return make(Collapse, outer, inner, names=(as_,) if isinstance(as_, str) else as_)
