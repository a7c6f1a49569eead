"""The steps of a call: each is one run through bound loops, or a task beside these."""

from __future__ import annotations

from collections.abc import Sequence

from looptx.cluster.programs.parts import Part
from looptx.looptree.nodes import For
from looptx.model.records import dataclass, replace


@dataclass(slots=True)
class Traffic:
    """What tasks move.

    Attributes:
        tasks: how many run parts of nests. cuts: how many cut cells out for others.
        moved: the bytes that go from one worker to another. sent: from the caller.
    """

    tasks: int = 0
    cuts: int = 0
    moved: int = 0
    sent: int = 0

    def since(self, other: Traffic) -> Traffic:
        """What came after another one."""
        return Traffic(
            self.tasks - other.tasks,
            self.cuts - other.cuts,
            self.moved - other.moved,
            self.sent - other.sent,
        )

    def copy(self) -> Traffic:
        """What there is by now."""
        return replace(self)


@dataclass(frozen=True, slots=True)
class Step:
    """What runs side by side.

    Attributes:
        label: what its tasks are called, the first of them.
        around: the loops around its blocks, with their values.
        blocks: the loops whose iterations are blocks, and where the values of such are
            in a task's key.
        begin, end: the numbers of tasks between which its own are.
        traffic: what it moves.
    """

    label: str
    around: tuple[tuple[str, int], ...]
    blocks: tuple[tuple[str, int], ...]
    begin: int
    end: int
    traffic: Traffic


def loops(
    part: Part, values: Sequence[int]
) -> tuple[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]]:
    """The loops around a part, with their values, and those whose iterations are tasks.

    Args:
        part: the part. values: of what is bound around it.
    """
    own = [one for one in part.around if isinstance(one, For)]
    places = {one.var: part.outer.index(one.var) for one in own}
    return (
        tuple((x.var, values[places[x.var]]) for x in own if not x.marks.worker),
        tuple((x.var, 2 + places[x.var]) for x in own if x.marks.worker),
    )
