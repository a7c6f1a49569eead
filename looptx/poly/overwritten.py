"""The arrays of which a nest overwrites nearly every cell before it reads it.

What these held at first is seen by nobody, and need not be filled in front of the nest.
The rest, such as the borders of a grid, is filled in slices.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import product

import islpy as isl

from looptx.errors import Unproven
from looptx.model.expr import ZERO, Compare, Var, conj, variables
from looptx.model.program import Nest
from looptx.model.storage import Allocation, Filled
from looptx.poly.budget import FACT_OPERATIONS, budget
from looptx.poly.dependences.flows import CELL
from looptx.poly.dependences.order import SourceTimes
from looptx.poly.dependences.privatization import cells, dataflow, users
from looptx.poly.spaces import Spaces

_SLICES = 6
"""More of them take longer than they save."""


def overwritten(nest: Nest) -> Iterator[tuple[Filled, Allocation, tuple[str, ...]]]:
    """Those of the arrays filled in front of a nest that it overwrites.

    Each with its allocation and the slices that are not surely written, or read before.
    """
    if not nest.host.filled or nest.host.returns:
        return
    with suppress(Unproven), budget(FACT_OPERATIONS):
        known = Spaces(nest, known=True)
        for one in nest.host.filled:
            if one.made is not None:
                sizes = (x for size in one.made.shape for x in variables(size))
                more = [x for x in dict.fromkeys(sizes) if x not in known.parameters]
                left = _left(known.extended(nest, more), one.made)
                if left is not None:
                    yield one, one.made, left


def _left(spaces: Spaces, made: Allocation) -> tuple[str, ...] | None:
    """The slices of an array that hold what they are filled with; None for too many.

    Args:
        spaces: of the nest, with the sizes of the array. made: the array.
    """
    own, rank = users(spaces.nest, made.array), len(made.shape)
    space = spaces.space(CELL, rank)
    written = isl.Set.empty(space)
    for _, access, cell in cells(spaces, made.array, own, rank):
        known = len(access.coordinates) == rank and None not in access.coordinates
        if not known or cell.dim(isl.dim_type.out) != rank:
            return None
        if access.write and access.certain:
            written |= cell.range()
    names = tuple(f"cell {axis}" for axis in range(rank))
    extents = [spaces.expr(size, spaces.params_space(), ()) for size in made.shape]
    low = (Compare(">=", Var(name), ZERO) for name in names)
    high = (Compare("<", *x) for x in zip(map(Var, names), made.shape, strict=True))
    whole = spaces.cond(conj(*low, *high), space, names)
    left = whole - written
    for flow in dataflow(spaces, SourceTimes(spaces), made.array, own, rank=rank).first:
        read = flow.read.range()
        if not read.is_subset(whole):
            return None
        left |= read
    left = left.intersect_params(spaces.context).coalesce()
    slices = {_slice(one, extents) for one in left.get_basic_sets()}
    found = [one for one in sorted(slices) if one]
    return tuple(found) if len(found) == len(slices) <= _SLICES else None


def _slice(part: isl.BasicSet, extents: list[isl.PwAff]) -> str:
    """A slice around some cells of an array, thin along an axis; empty for none.

    Args:
        part: the cells. extents: of the array.
    """
    axes, thin = [], False
    box = isl.Set.from_basic_set(part)
    for axis, extent in enumerate(extents):
        first, last = box.dim_min(axis), box.dim_max(axis)
        lows = [x for x in _places(first, extent) if first.lt_set(x[0]).is_empty()]
        highs = [x for x in _places(last, extent) if last.gt_set(x[0]).is_empty()]
        pairs = [(x, y) for (_, x), (_, y) in product(lows, highs) if x[0] == y[0]]
        either = *(x for _, x in lows), "", *(x for _, x in highs), ""
        low, high = pairs[0] if pairs else (either[0], either[len(lows) + 1])
        thin |= bool(pairs) and not extent.is_cst()
        axes.append(f"{low.lstrip('+0')}:{_behind(high)}")
    return ", ".join(axes) if thin else ""


def _places(value: isl.PwAff, extent: isl.PwAff) -> Iterator[tuple[isl.PwAff, str]]:
    """What a coordinate is for some sizes, from the start (``+2``) or end (``-2``).

    Args:
        value: the coordinate. extent: of the axis.
    """
    for _, known in value.get_pieces():
        function = isl.PwAff.from_aff(known)
        if known.is_cst():
            yield function, f"+{known.get_constant_val().to_python()}"
        from_end = function.sub(extent)
        if from_end.n_piece() == 1:
            ((_, known),) = from_end.get_pieces()
            if known.is_cst() and known.get_constant_val().is_neg():
                yield function, f"{known.get_constant_val().to_python()}"


def _behind(place: str) -> str:
    """What follows a coordinate, as the end of a slice."""
    following = str(int(place) + 1) if place else ""
    return "" if following == "0" else following
