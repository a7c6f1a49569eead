"""A reduction that is cut in two: which one, and what tells its parts apart."""

from __future__ import annotations

import ast

from looptx.directives.base import check
from looptx.directives.moving.positions import Inverse, position
from looptx.directives.names import check_new, find, free_name, single, used
from looptx.directives.parts.regrouping import regrouped
from looptx.directives.parts.statements import extended
from looptx.errors import Malformed
from looptx.model.dims import paths
from looptx.model.expr import TRUE, IntExpr, Var, substitute, variables
from looptx.model.moves import Factor
from looptx.model.program import Statement
from looptx.model.records import replace
from looptx.model.schedule import Band, Dim, Schedule, statements


def factored(schedule: Schedule, loop: str, name: str) -> Schedule:
    """The schedule in which a reduction over a loop collects in parts.

    The part of a term is told by its iteration of the loop, and by all positions on
    which the cell depends that it is reduced into. (Suriana, Adams, Kamil, "Parallel
    associative reductions in Halide", CGO 2017.)

    Args:
        schedule: the schedule.
        loop: the loop whose iterations collect by themselves.
        name: of the parts and their nest; empty for one that looptx chooses.

    Raises:
        Malformed: LX104, LX105, LX109 for names, LX106 where the loop carries not one
            reduction that can be cut.
    """
    dim = find(schedule, loop)
    statement = _reduction(schedule, single(schedule, dim, loop), loop)
    assert statement.reduction is not None
    target = statement.reduction.target
    if name:
        check_new(used(schedule), (name,))
    last = target.array.rpartition(".")[2]
    name = name or free_name(f"{last}_rf", used(schedule))
    number = len(schedule.moves) + 1
    inverse = Inverse(schedule, statement.name)
    cell = [inverse(one) for one in target.subscripts if one is not None]
    kept = inverse.used | _shared(schedule, statement) | {dim.uid}
    path = paths(schedule.tree)[statement.name]
    outer = [d for d in path if d.uid in kept and not d.fusing]
    # The loop is the first axis of the parts, whatever stands around it.
    axes = [dim, *(d for d in outer if d.uid != dim.uid)]
    names = {position(d.uid): f"@{d.uid}@{number}" for d in axes}
    coordinates: dict[str, IntExpr] = {x: Var(y) for x, y in names.items()}
    values = {x: inverse(Var(x)) for x in statement.loops}
    factor = Factor(
        target,
        name,
        {statement.name: f"{statement.name}@{number}"},
        f"{name} start",
        f"{name} total",
        tuple(names.values()),
        tuple(schedule.position[d.uid][statement.name] for d in axes),
        {
            x: substitute(y, coordinates)
            for x, y in values.items()
            if all(z in names or z[0] != "@" for z in variables(y))
        },
        tuple(substitute(one, coordinates) for one in cell),
        tuple(f"{name}.cell{axis}" for axis in range(len(cell))),
    )
    result = regrouped(schedule, factor, dim, outer)
    return replace(
        result,
        nest=extended(schedule.nest, factor, [d.name for d in axes]),
        taken=schedule.taken | {name},
        moves=(*schedule.moves, factor),
    )


def _reduction(schedule: Schedule, band: Band, loop: str) -> Statement:
    """The reduction that a loop carries. Raises LX106."""
    known = [schedule.nest.statements[name] for name in statements(band)]
    sums = [one for one in known if one.reduction is not None]
    check(
        bool(sums),
        f"no reduction is in `{loop}`",
        "name a loop of a reduction like `s += x` or `s = max(s, x)`",
    )
    collapsed = any(
        one.name in schedule.position[pair.outer.uid]
        for pair in schedule.collapsed.values()
        for one in sums
    )
    check(
        not collapsed,
        f"`{loop}` is collapsed, or a loop around or in it is",
        "collapse the loops afterwards",
    )
    carried = [one for one in sums if _is_over(schedule, one, band.dim)]
    first = sums[0].reduction
    assert first is not None
    check(
        bool(carried),
        f"`{loop}` is no loop of the reduction into `{first.target.array}`, or one"
        " that cannot be told",
        "name a loop that the subscripts of the target do not depend on",
    )
    if len(carried) > 1:
        found = (f"`{x.written}` (line {x.place.line})" for x in carried)
        raise Malformed(
            "LX106",
            f"`{loop}` has several reductions",
            detail=(f"they are {' and '.join(found)}",),
            hint="distribute them before, so that each has a loop of its own",
        )
    (one,) = carried
    assert one.reduction is not None
    target = one.reduction.target
    own = [x for x in one.accesses if x.cell == target.cell]
    check(
        any(x.certain and x.where == TRUE for x in own),
        f"whether a term is added to `{target.array}` depends on data",
        "combine one value in each iteration, such as `x if c else 0`",
    )
    check(
        not any(isinstance(line, ast.If) and line.orelse for line in one.code),
        f"an `if` chooses what is combined with `{target.array}`",
        "combine one value in each iteration, such as `x if c else y`",
    )
    check(
        not target.subscripts or any(x.cell == target.cell for x in one.elements),
        f"`{target.array}` is not used element by element",
        "write all of its subscripts",
    )
    return one


def _is_over(schedule: Schedule, statement: Statement, dim: Dim) -> bool:
    """Whether iterations of a loop reduce into one cell."""
    assert statement.reduction is not None
    inverse = Inverse(schedule, statement.name)
    cell = statement.reduction.target.subscripts
    for one in cell:
        if one is not None:
            inverse(one)
    return None not in cell and dim.uid not in inverse.used


def _shared(schedule: Schedule, statement: Statement) -> set[int]:
    """The dimensions in which other statements may use what is reduced into.

    These are loops that they stand in together, and for what may be private to the
    iterations of loops, those that are made of these.
    """
    nest = schedule.nest
    assert statement.reduction is not None
    array = statement.reduction.target.array
    others = [
        nest.statements[name]
        for name in statements(schedule.tree)
        if name != statement.name
        and any(x.array == array for x in nest.statements[name].accesses)
    ]
    path = paths(schedule.tree)
    own = {dim.uid for dim in path[statement.name]}
    found = {dim.uid for one in others for dim in path[one.name] if dim.uid in own}
    if others and array not in nest.arrays:
        inverse = Inverse(schedule, statement.name)
        for loop in statement.loops:
            if all(loop in one.loops for one in others):
                inverse(Var(loop))
        found |= inverse.used
    return found
