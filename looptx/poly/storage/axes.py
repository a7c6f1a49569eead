"""The axes of a buffer: where each begins, and how many cells it has."""

from __future__ import annotations

import islpy as isl

from looptx.model.expr import Const, IntExpr
from looptx.model.records import dataclass
from looptx.poly.astexpr import integer

_PARAM, _SET, _IN = isl.dim_type.param, isl.dim_type.set, isl.dim_type.in_


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of a buffer: where it begins, its cells, and where it wraps around.

    ``low`` is a function of the positions in the loops around the life; ``modulus`` is
    0 where the axis does not wrap around.
    """

    low: isl.PwAff
    extent: IntExpr
    modulus: int = 0


def bounded(cells: isl.Map) -> Axis | None:
    """A linear bound below the positions that leaves no more of them than there are.

    None where no bound of the hull is one. It is found without the least positions,
    which may be a function of very many pieces.
    """
    width = _most(cells.reverse().apply_range(cells).deltas())
    around = cells.dim(_IN)
    hull = cells.simple_hull().wrap().flatten()
    for bound in hull.get_constraints():
        if width is None or not bound.is_lower_bound(_SET, around):
            continue
        low = isl.PwAff.from_aff(
            bound.get_bound(_SET, around).drop_dims(_IN, around, 1)
        )
        if _most(distances(cells, low)) == width:
            return Axis(low, Const(width + 1))
    return None


def _most(values: isl.Set) -> int | None:
    """The largest value for all sizes; None where sizes decide."""
    values = values.project_out(_PARAM, 0, values.dim(_PARAM))
    most = values.dim_max_val(0)
    return integer(most) if most.is_int() else None


def distances(cells: isl.Map, low: isl.PwAff) -> isl.Set:
    """How far positions are from ``low``."""
    pairs = isl.Map.from_pw_aff(low).flat_range_product(cells).range()
    space = isl.LocalSpace.from_space(pairs.get_space())
    first, second = (isl.PwAff.var_on_domain(space, _SET, at) for at in range(2))
    return isl.Map.from_pw_aff(second.sub(first)).intersect_domain(pairs).range()
