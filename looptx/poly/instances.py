"""The instances that run under a schedule, at given sizes."""

from __future__ import annotations

from collections.abc import Mapping

import islpy as isl

from looptx.errors import Unproven
from looptx.poly.astexpr import integer
from looptx.poly.spaces import Spaces


def instances(
    spaces: Spaces, sizes: Mapping[str, int], most: int
) -> dict[str, list[tuple[int, ...]]]:
    """Every instance of every statement.

    Args:
        spaces: what runs.
        sizes: a value for each parameter of the nest.
        most: more of a statement are none of interest.

    Returns:
        By statement the values of its loops, in their order.

    Raises:
        Unproven: LX204 where there are more than ``most``.
    """
    found: dict[str, list[tuple[int, ...]]] = {}
    for name, statement in spaces.nest.statements.items():
        domain = spaces.domain(statement)
        for at, text in enumerate(spaces.parameters):
            if text in sizes:
                domain = domain.fix_val(isl.dim_type.param, at, sizes[text])
        domain = domain.project_out(
            isl.dim_type.param, 0, domain.dim(isl.dim_type.param)
        )
        if domain.count_val() > most:
            raise Unproven("LX204", "unknown: too many iterations to be drawn")
        points: list[tuple[int, ...]] = []

        def note(point: isl.Point, points: list[tuple[int, ...]] = points) -> None:
            count = point.get_space().dim(isl.dim_type.set)
            each = range(count)
            values = (point.get_coordinate_val(isl.dim_type.set, at) for at in each)
            points.append(tuple(map(integer, values)))

        domain.foreach_point(note)
        found[name] = sorted(points)
    return found
