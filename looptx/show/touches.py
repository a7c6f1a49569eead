"""The cells that every run touches: elements of arrays, and scalars as their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from looptx.model.elements import Access
from looptx.model.expr import IntExpr, variables
from looptx.model.expr.evaluate import holds, value
from looptx.model.program import Statement
from looptx.model.records import dataclass, field
from looptx.model.schedule import Schedule
from looptx.show.runs import Run, Space


@dataclass(frozen=True, slots=True)
class Touch:
    """A run touches one cell.

    Attributes:
        array: the array or scalar.
        cell: the place in it; None for a subscript that is not affine.
        life: the iteration whose cell it is, where each one has cells of its own.
        write: whether the cell is written.
        update: the operation, where the run only combines a value into the cell and the
            order of such updates is free; else "".
    """

    array: str
    cell: tuple[int | None, ...]
    life: tuple[int, ...]
    write: bool
    update: str = ""

    @property
    def known(self) -> bool:
        """Whether the cell is a single one."""
        return None not in self.cell

    def __str__(self) -> str:
        if not self.cell:
            return self.array
        shown = ", ".join("?" if at is None else str(at) for at in self.cell)
        return f"{self.array}[{shown}]"


Tags: TypeAlias = dict[str, dict[str, tuple[IntExpr, ...] | tuple[str, ...]]]
"""``{array: {statement: the iteration whose cells it uses}}``, of what runs again."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The accesses that need not keep their order.

    Attributes:
        private: per temporary that has cells of its own in each iteration, how many
            outer loops tell these iterations apart.
        free: arrays and scalars whose reductions may be combined in any order.
        independent: arrays that the user vouches for.
        tags: see ``Tags``.
    """

    private: Mapping[str, int]
    free: frozenset[str] = frozenset()
    independent: frozenset[str] = frozenset()
    tags: Tags = field(default_factory=dict)


def rules_of(
    schedule: Schedule, private: Mapping[str, int], integers: frozenset[str]
) -> Rules:
    """The rules of a schedule.

    Args:
        schedule: the schedule.
        private: the temporaries with cells of their own, as ``Rules`` has them.
        integers: targets of exact arithmetic.

    Returns:
        What need not keep its order under it.
    """
    free = schedule.reassociate | integers
    return Rules(private, free, schedule.independent)


def touches(space: Space, run: Run, rules: Rules) -> list[Touch]:
    """The cells of a run, reads first, each once per way it is touched.

    Args:
        space: the runs.
        run: one of them.
        rules: what has cells of its own, and what is free.

    Returns:
        What it touches.
    """
    statement = space.nest.statements[run.statement]
    values = space.values(run)
    found = [
        Touch(
            access.array,
            _cell(space, access, values),
            _life(space, run, access.array, rules),
            access.write,
            _update(statement, access, rules),
        )
        for access in statement.accesses
        if access.array not in rules.independent and _happens(access, values)
    ]
    return sorted(dict.fromkeys(found), key=lambda touch: touch.write)


def _life(space: Space, run: Run, array: str, rules: Rules) -> tuple[int, ...]:
    """The iteration whose cells of an array a run uses."""
    known = space.values(run)
    tags = rules.tags.get(array, {}).get(run.statement, ())
    again = (
        known[tag] if isinstance(tag, str) else value(tag, known, space.starts)
        for tag in tags
    )
    return (*again, *space.own(run)[: rules.private.get(array, 0)])


def _happens(access: Access, values: Mapping[str, int]) -> bool:
    """Whether an access may happen in a run, as far as the picture's sizes tell."""
    unknown = variables(access.where) - values.keys()
    return bool(unknown) or holds(access.where, values)


def _cell(
    space: Space, access: Access, values: Mapping[str, int]
) -> tuple[int | None, ...]:
    cell: list[int | None] = []
    for axis, subscript in enumerate(access.subscripts):
        if subscript is None:
            cell.append(None)
            continue
        at = value(subscript, values)
        # As in Python, what is negative counts from the end.
        cell.append(at if at >= 0 else at + extent(space, access.array, axis))
    return tuple(cell)


def extent(space: Space, array: str, axis: int) -> int:
    """The length of an array along an axis, 0 where the sizes do not determine it.

    Args:
        space: the runs, at some sizes.
        array: the name of an array.
        axis: one of its dimensions.

    Returns:
        The length.
    """
    texts = [f"{array}.shape[{axis}]"]
    if axis == 0:
        texts.append(f"len({array})")
    for text in texts:
        text = space.nest.entry.equal.get(text, text)
        if text in space.sizes:
            return space.sizes[text]
    return 0


def _update(statement: Statement, access: Access, rules: Rules) -> str:
    reduction = statement.reduction
    if reduction is None or access.array not in rules.free:
        return ""
    return reduction.op if access.cell == reduction.target.cell else ""
