"""Aligning the loops of several nests: equal index values at equal positions."""

from __future__ import annotations

from collections.abc import Mapping

from looptx.directives.base import check
from looptx.directives.order.fused.meeting import in_steps, over
from looptx.model.expr import (
    Const,
    IntExpr,
    Var,
    add,
    floordiv,
    maximum,
    minimum,
    mul,
    sub,
)
from looptx.model.records import replace
from looptx.model.schedule import Band, Index, Schedule, lead


def shifts(
    schedule: Schedule, loops: Mapping[str, Band]
) -> tuple[dict[str, IntExpr], dict[str, IntExpr]]:
    """How far the positions of statements move so that equal index values meet.

    The common dimension starts where the first of the loops starts. Blocks of a
    ``split`` and other loops that show no index of their own meet by position.

    Args:
        schedule: the schedule, in which the loops around are fused.
        loops: the loop of each nest.

    Returns:
        By statement how far its positions move, and where those start that are not
        moved by a number of steps but counted anew.

    Raises:
        Malformed: LX116 for loops of different steps, or of steps that never meet.
    """
    uids = [band.dim.uid for band in loops.values()]
    indices: list[Index] = []
    for band in loops.values():
        index = lead(schedule, band.dim.uid)
        if index is None or band.dim.part or index.weights[band.dim.uid] != 1:
            return {x: Const(0) for uid in uids for x in schedule.position[uid]}, {}
        indices.append(index)
    step, *others = (index.step for index in indices)
    label = next(iter(loops.values())).dim.name
    check(
        all(other == step for other in others),
        f"the loops to be fused as `{label}` have different steps: "
        + " and ".join(str(one) for one in dict.fromkeys((step, *others))),
        "fuse loops of one step, or `split` them first and fuse the blocks",
        "LX116",
    )
    starts = [index.start for index in indices]
    common = minimum(*starts) if step > 0 else maximum(*starts)
    result: dict[str, IntExpr] = {}
    anew: dict[str, IntExpr] = {}
    for uid, start in zip(uids, starts, strict=True):
        statements, distance = schedule.position[uid], sub(start, common)
        if abs(step) == 1:
            result |= dict.fromkeys(statements, mul(Const(step), distance))
        elif isinstance(distance, Const) and distance.value % step == 0:
            result |= dict.fromkeys(statements, Const(distance.value // step))
        else:
            check(
                _meet(schedule, uids[0], uid, step),
                f"the loops to be fused as `{label}` have the step {step} and may never"
                " be at one index",
                "let them start at the same value",
                "LX116",
            )
            for name in statements:
                loop = Var(schedule.owner[uid][name])
                now, before = _steps(loop, common, step), _steps(loop, start, step)
                result[name], anew[name] = sub(now, before), common
    return result, anew


def _meet(schedule: Schedule, first: int, second: int, step: int) -> bool:
    """Whether loops in steps start a number of steps apart in each iteration.

    What stands in the second without having it, is skewed by it, or counts otherwise
    has positions that are not counted anew.

    Args:
        schedule: the schedule. first, second: the dimensions. step: of both.
    """
    (one, loop), *_ = schedule.owner[first].items()
    own = schedule.owner[second]
    (other, inner), *_ = own.items()
    known, index = schedule.nest.loops, schedule.index[other, inner]
    start = over(schedule, known[inner].start, other, one)
    return (
        own.keys() == schedule.position[second].keys()
        and all(
            found == index and own[name] == each
            for (name, each), found in schedule.index.items()
            if second in found.weights
        )
        and in_steps(schedule, one, start, known[loop].start, step)
    )


def _steps(loop: IntExpr, start: IntExpr, step: int) -> IntExpr:
    """How many steps the value of a loop is behind a start."""
    far = sub(loop, start)
    return floordiv(far if step > 0 else mul(Const(-1), far), abs(step))


def moved(index: Index, old: int, new: int, shift: IntExpr, own: bool) -> Index:
    """``index`` over ``new``, whose positions are those of ``old`` plus ``shift``.

    The loop's own index starts earlier by so many steps instead: a later ``fuse``
    finds it where it now starts.

    Args:
        index: the values of a loop of the source.
        old: a dimension. new: the one in its place.
        shift: how many positions further a value stands now.
        own: whether the values are those that the new dimension shows.
    """
    weights = dict(index.weights)
    weight = weights.pop(old, 0)
    if not weight:
        return index
    if own and weight == 1:
        start = sub(index.start, mul(Const(index.step), shift))
        return replace(index, start=start, weights={**weights, new: weight})
    offset = add(index.offset, mul(Const(-weight), shift))
    return replace(index, weights={**weights, new: weight}, offset=offset)


def mirrored(index: Index, old: int, new: int, end: IntExpr) -> Index:
    """``index`` over ``new``, whose positions are ``end`` less those of ``old``.

    Args:
        index: of a loop. old, new: the dimensions. end: of the positions.
    """
    weights = dict(index.weights)
    weight = weights.pop(old, 0)
    if not weight:
        return index
    offset = add(index.offset, mul(Const(weight), end))
    return replace(index, weights={**weights, new: -weight}, offset=offset)
