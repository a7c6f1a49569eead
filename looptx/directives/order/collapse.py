"""``collapse``: two adjacent loops become one."""

from __future__ import annotations

from collections.abc import Sequence

from looptx.directives.base import (
    Verb,
    check,
    check_clause,
    fits,
    join,
    loop_name,
    make,
)
from looptx.directives.fusing import in_order
from looptx.directives.names import check_new, find, free_name, used
from looptx.language.grammar import Clause
from looptx.model.dims import loops
from looptx.model.execution.marks import PLAIN
from looptx.model.expr import Const, Var
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Band, Collapsed, Dim, Index, Schedule, replace_band


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
        """Put one dimension in the place of two; its loop's value stands for both."""
        outer, inner = find(schedule, self.outer), find(schedule, self.inner)
        check(
            inner != outer and _directly(schedule, outer, inner),
            f"`{self.inner}` does not stand directly and alone in `{self.outer}`",
            (
                f"write `collapse {self.inner} {self.outer}`"
                if _directly(schedule, inner, outer)
                else "two loops collapse when one is the whole body of the other"
            ),
        )
        check(
            inner.marks == PLAIN,
            f"`{self.inner}` is already marked",
            "put `collapse` first and mark the collapsed loop",
        )
        for dim in (outer, inner):
            if dim.fusing:
                raise in_order(dim)
        for dim in (outer, inner):
            owners = schedule.owner.get(dim.uid, {})
            check(
                not schedule.fused
                or owners.keys() >= schedule.position[dim.uid].keys(),
                f"`{dim.name}` was fused with a nest that has no such loop",
                "collapse before `fuse`, or fuse fewer loops with `partial=`",
            )
        check_new(used(schedule), (self.name,) if self.name else ())
        name = self.name or _joined(schedule, outer, inner)
        return collapsed(schedule, outer, inner, name)


def _directly(schedule: Schedule, outer: Dim, inner: Dim) -> bool:
    """Whether every loop of one dimension is all that is in a loop of the other."""
    bodies = [band.body for band in loops(schedule.tree, outer.uid)]
    return len(bodies) == len(loops(schedule.tree, inner.uid)) and all(
        isinstance(body, Band) and body.dim == inner for body in bodies
    )


def collapsed(schedule: Schedule, first: Dim, second: Dim, name: str) -> Schedule:
    """The schedule with two dimensions, one right in the other, made one."""
    uid = schedule.fresh
    loop = f"{name}@{uid}"

    def merged(band: Band) -> Band:
        assert isinstance(band.body, Band)
        return Band(dim, band.body.body)

    dim = Dim(
        uid,
        name,
        first.marks,
        headers=(*first.headers, *second.headers),
        unfused=first.unfused | second.unfused,
    )
    parts = (
        replace(part, marks=PLAIN, merged=name, headers=()) for part in (first, second)
    )
    inside = schedule.position[first.uid]
    owners = {
        own for part in (first, second) for own in schedule.owner[part.uid].values()
    }
    return replace(
        schedule,
        tree=replace_band(schedule.tree, first.uid, merged),
        position={**schedule.position, uid: dict.fromkeys(inside, Var(loop))},
        owner={**schedule.owner, uid: dict.fromkeys(inside, loop)},
        index={
            **schedule.index,
            **{
                (statement, loop): Index(Const(0), 1, Const(0), {uid: 1})
                for statement in inside
            },
        },
        groups={
            nest: (
                replace(group, loops=group.loops | {loop})
                if group.loops >= owners
                else group
            )
            for nest, group in schedule.groups.items()
        },
        collapsed={**schedule.collapsed, loop: Collapsed(name, *parts)},
        fresh=uid + 1,
    )


def _joined(schedule: Schedule, outer: Dim, inner: Dim) -> str:
    """``ij`` for i and j, ``row_col`` for row and col."""
    names = (outer.name, inner.name)
    link = "" if max(map(len, names)) == 1 else "_"
    return free_name(link.join(names), used(schedule))


def collapse(outer: str, inner: str, *, as_: Sequence[str] | str = ()) -> Collapse:
    """Make one loop of ``outer`` and ``inner``, which stands directly in it."""
    return make(Collapse, outer, inner, names=(as_,) if isinstance(as_, str) else as_)
