"""``skew``: one loop moves along with another."""

from __future__ import annotations

from collections.abc import Mapping

from looptx.directives.base import (
    Verb,
    bounded,
    check,
    check_clause,
    fits,
    join,
    loop_name,
    make,
)
from looptx.directives.fusing import in_order
from looptx.directives.names import find
from looptx.language.grammar import Clause
from looptx.language.words import LIMIT
from looptx.model.expr import Const, add, mul
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Dim, Index, Schedule, replace_band


@dataclass(frozen=True)
class Skew(Verb):
    """Move the position of one loop by that of another: (i, j) sits at (i + by * j, j).

    syntax: ``skew LOOP ALONG [by FACTOR] [unroll<COUNT]``
    rewrite: ``for i in range(n): for j in range(m): S`` -> ``for i in range(n + m - 1):
        for j in range(max(0, i - n + 1), min(m, i + 1)): S``
    """

    loop: str
    along: str
    by: int = 1
    unroll_below: int = 0

    verb = "skew"
    usage = "skew LOOP ALONG [by FACTOR] [unroll<COUNT]"

    @classmethod
    def from_clause(cls, clause: Clause) -> Skew:
        """Read two loops, a factor that is not 0, and the small loops to unroll."""
        check_clause(clause, cls, options=("unroll<",))
        fits(len(clause.operands) >= 2, cls, "needs two loops")
        loop, along = (loop_name(name, cls) for name in clause.operands[:2])
        fits(loop != along, cls, "needs two different loops")
        rest = clause.operands[2:]
        by = 1
        if rest:
            fits(
                len(rest) == 2 and rest[0] == "by", cls, "takes `by FACTOR` after loops"
            )
            by = bounded(rest[1], "factor", least=1 - LIMIT)
            check(by != 0, "the factor 0 skews nothing", "leave the skew out", "LX103")
        below = clause.options.get("unroll<", 0)
        if "unroll<" in clause.options:
            below = bounded(below, "count after `unroll<`", most=64)
        place, source = clause.place, clause.source
        return cls(loop, along, by, int(below), place=place, source=source)

    @property
    def text(self) -> str:
        """``skew i j by 2``."""
        words = [self.verb, self.loop, self.along]
        words += ["by", str(self.by)] if self.by != 1 else []
        words += [f"unroll<{self.unroll_below}"] if self.unroll_below else []
        return join(*words)

    @property
    def loops(self) -> tuple[str, ...]:
        """Both loops."""
        return (self.loop, self.along)

    @property
    def thresholds(self) -> Mapping[str, tuple[int, ...]]:
        """The factor, for both loops."""
        return dict.fromkeys(self.loops, (self.by,))

    def change(self, schedule: Schedule) -> Schedule:
        """Add to the positions, subtract in the inverse map."""
        moved = find(schedule, self.loop)
        along = find(schedule, self.along)
        check(moved != along, "`skew` needs two different loops", "name another")
        if moved.fusing:
            raise in_order(moved)
        position = dict(schedule.position)
        both = position[moved.uid].keys() & position[along.uid].keys()
        check(
            bool(both),
            f"no statement is inside both `{self.loop}` and `{self.along}`",
            "name two loops that enclose one common statement",
        )
        position[moved.uid] = {
            name: (
                add(value, mul(Const(self.by), position[along.uid][name]))
                if name in both
                else value
            )
            for name, value in position[moved.uid].items()
        }
        index = {
            (name, loop): self._back(value, moved, along) if name in both else value
            for (name, loop), value in schedule.index.items()
        }
        result = replace(schedule, position=position, index=index)
        if self.unroll_below:
            result = self._mark(self._mark(result, moved), along)
        return result

    def _back(self, index: Index, moved: Dim, along: Dim) -> Index:
        weights = dict(index.weights)
        change = self.by * weights.get(moved.uid, 0)
        weights[along.uid] = weights.get(along.uid, 0) - change
        return replace(index, weights={uid: w for uid, w in weights.items() if w})

    def _mark(self, schedule: Schedule, dim: Dim) -> Schedule:
        marks = replace(dim.marks, unroll_below=self.unroll_below)
        changed = replace(dim, marks=marks)
        tree = replace_band(
            schedule.tree, dim.uid, lambda band: replace(band, dim=changed)
        )
        return schedule.with_tree(tree)


def skew(
    loop: str, along: str, by: int = 1, *, unroll_below: int | None = None
) -> Skew:
    """Move ``loop`` by ``by`` times ``along``; unroll loops below ``unroll_below``."""
    factor = () if isinstance(by, int) and by == 1 else ("by", by)
    made = make(Skew, loop, along, *factor)
    if unroll_below is None:
        return made
    return replace(made, unroll_below=bounded(unroll_below, "unroll_below", most=64))
