"""What an affine value of a directive is at a statement."""

from __future__ import annotations

from collections.abc import Sequence

from looptx.directives.base import check
from looptx.errors import Malformed
from looptx.language.words import suggestion
from looptx.model.expr import IntExpr, Var, rewrite, variables
from looptx.model.schedule import Dim, Schedule
from looptx.model.shapes import is_extent


def value_at(
    schedule: Schedule, statement: str, around: Sequence[Dim], value: IntExpr
) -> IntExpr:
    """A value, over the loops of a statement and the parameters.

    Args:
        schedule: the schedule.
        statement: the statement.
        around: the dimensions whose names the value may have.
        value: over these names and sizes.

    Raises:
        Malformed: LX104, LX106.
    """
    known: dict[IntExpr, IntExpr] = {}
    for name in variables(value):
        dims = [dim for dim in around if dim.name == name]
        if dims:
            known[Var(name)] = _of_loop(schedule, statement, around, dims[-1])
        else:
            known[Var(name)] = _of_size(schedule, around, name)
    return rewrite(value, known)


def _of_loop(
    schedule: Schedule, statement: str, around: Sequence[Dim], dim: Dim
) -> IntExpr:
    """The value of a loop around a statement. Raises LX106."""
    loop = schedule.owner.get(dim.uid, {}).get(statement, "")
    index = schedule.index.get((statement, loop))
    outer = {one.uid for one in around}
    check(
        index is not None
        and loop not in schedule.collapsed
        and index.weights.get(dim.uid) == 1
        and outer.issuperset(index.weights),
        f"the value of `{dim.name}` is not that of a loop of the source",
        "name the innermost loop that it became, or put this directive first",
    )
    return Var(loop)


def _of_size(schedule: Schedule, around: Sequence[Dim], name: str) -> IntExpr:
    """The value of a size. Raises LX104."""
    nest = schedule.nest
    sizes = dict.fromkeys(
        (*nest.parameters, *nest.entry.equal, *nest.entry.equal.values())
    )
    size = nest.entry.equal.get(name, name)
    simple = size.isidentifier() or is_extent(size)
    if name in sizes and (simple or size in nest.parameters):
        return Var(size)
    if name in nest.entry.spare:
        return Var(name)
    known = [*(dim.name for dim in around if not dim.fusing), *sizes]
    raise Malformed(
        "LX104",
        f"`{name}` is no loop around it, and no size of the nest",
        detail=(f"known: {', '.join(known)}",) if known else (),
        hint=suggestion(
            name, known, "name an outer loop, a size, or an argument that is an `int`"
        ),
    )
