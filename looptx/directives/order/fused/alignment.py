"""Aligning the loops of several nests: equal index values at equal positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from looptx.directives.base import check
from looptx.model.expr import Const, IntExpr, add, maximum, minimum, mul, sub
from looptx.model.schedule import Band, Index, Schedule, lead


def shifts(schedule: Schedule, loops: Mapping[str, Band]) -> dict[str, IntExpr]:
    """How far the positions of each nest move so that equal index values meet.

    The common dimension starts where the first of the loops starts. Blocks of a
    ``split`` and other loops that show no index of their own meet by position.

    Args:
        loops: the loop of each nest.

    Raises LX116 for loops of different steps, or of steps that never meet.
    """
    none: dict[str, IntExpr] = dict.fromkeys(loops, Const(0))
    indices: dict[str, Index] = {}
    for name, band in loops.items():
        index = lead(schedule, band.dim.uid)
        if index is None or band.dim.part or index.weights[band.dim.uid] != 1:
            return none
        indices[name] = index
    step, *others = (index.step for index in indices.values())
    label = next(iter(loops.values())).dim.name
    check(
        all(other == step for other in others),
        f"the loops to be fused as `{label}` have different steps: "
        + " and ".join(str(one) for one in dict.fromkeys((step, *others))),
        "fuse loops of one step, or `split` them first and fuse the blocks",
        "LX116",
    )
    starts = [index.start for index in indices.values()]
    common = minimum(*starts) if step > 0 else maximum(*starts)
    result = {}
    for name, index in indices.items():
        distance = sub(index.start, common)
        if abs(step) == 1:
            result[name] = mul(Const(step), distance)
            continue
        meets = isinstance(distance, Const) and distance.value % step == 0
        check(
            meets,
            f"the loops to be fused as `{label}` have the step {step} and may never "
            "be at one index",
            "let them start at the same value",
            "LX116",
        )
        assert isinstance(distance, Const)
        result[name] = Const(distance.value // step)
    return result


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
