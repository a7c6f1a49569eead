"""How many points a set has, at sizes that stand for those that are not known.

A set is a union of parts without common points; the coordinates of a part that no
constraint relates to one another are counted by themselves, as boxes and tiles have
them. What remains is scanned, and where that takes too long its box is counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import islpy as isl

from looptx.poly.astexpr import integer
from looptx.poly.budget import Exceeded, budget

_SET, _PARAM, _DIV = isl.dim_type.set, isl.dim_type.param, isl.dim_type.div

USUAL = 1024
"""What a size counts as that is not known."""

SCAN_OPERATIONS = 200_000
"""Those of isl for the points of one set."""


def usual(sizes: isl.Set) -> isl.Set:
    """Of the values that parameters may have those as near to 1024 as they can be."""
    count = sizes.dim(_PARAM)
    values = sizes.move_dims(_SET, 0, _PARAM, 0, count)
    for at in range(count):
        values = values.fix_val(_SET, at, _near(values, at, USUAL))
    return values.move_dims(_PARAM, 0, _SET, 0, count).params()


def middle(points: isl.Set) -> isl.Set:
    """A point of a set without parameters, in the middle of each dimension in turn."""
    for at in range(points.dim(_SET)):
        low, high = points.dim_min_val(at), points.dim_max_val(at)
        known = low.is_int() and high.is_int()
        wanted = (integer(low) + integer(high)) // 2 if known else 0
        points = points.fix_val(_SET, at, _near(points, at, wanted))
    return points


def _near(points: isl.Set, at: int, wanted: int) -> isl.Val:
    """The largest value of a coordinate that is not above a number, or the next one."""
    below = points.upper_bound_val(_SET, at, wanted)
    return points.dim_min_val(at) if below.is_empty() else below.dim_max_val(at)


def count(points: isl.Set) -> int:
    """The number of points of a set without parameters.

    Where subscripts may be anything a coordinate has no bounds: it counts as a size
    that is not known.

    Raises:
        Exceeded: LX204 where isl does not even find its box.
    """
    parts = points.coalesce().make_disjoint().get_basic_sets()
    return sum(prod(map(_scanned, _independent(part))) for part in parts)


def _independent(part: isl.BasicSet) -> Iterator[isl.BasicSet]:
    """A set as the product of sets with fewer coordinates, as far as it is one."""
    rank, inner = part.dim(_SET), part.dim(_DIV)
    group = list(range(rank + inner))
    for constraint in part.get_constraints():
        held = [at for at in range(rank) if constraint.involves_dims(_SET, at, 1)]
        divs = (at for at in range(inner) if constraint.involves_dims(_DIV, at, 1))
        held += (rank + at for at in divs)
        for other in held[1:]:
            old, new = group[other], group[held[0]]
            group = [new if one == old else one for one in group]
    for own in dict.fromkeys(group[:rank]):
        alone = part
        for at in reversed(range(rank)):
            if group[at] != own:
                alone = alone.project_out(_SET, at, 1)
        yield alone


def _scanned(part: isl.BasicSet) -> int:
    """The number of points of a set that is no product."""
    points = part.to_set()
    if points.is_empty():
        return 0
    ends = [
        (points.dim_min_val(at), points.dim_max_val(at))
        for at in range(points.dim(_SET))
    ]
    known = [low.is_int() and high.is_int() for low, high in ends]
    sides = [
        integer(high) - integer(low) + 1 if sure else USUAL
        for (low, high), sure in zip(ends, known, strict=True)
    ]
    if not all(known):
        return prod(sides)
    if len(sides) == 1 and not part.dim(_DIV):
        return sides[0]
    try:
        with budget(SCAN_OPERATIONS):
            return integer(points.count_val())
    except Exceeded:
        return prod(sides)
