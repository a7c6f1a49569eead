"""Collapsed loops of literal width as functions of the source's loops.

Where the number of columns is known, ``row * width + column`` is affine, and so is
every block of it. (Where it is not, a block is no affine set of rows and columns.)
"""

from __future__ import annotations

import islpy as isl

from looptx.model.expr import Const, add, mul, substitute
from looptx.model.moves import Coordinate
from looptx.model.records import replace
from looptx.model.schedule import Schedule
from looptx.poly.astexpr import integer
from looptx.poly.budget import RANGE_OPERATIONS, budget
from looptx.poly.collapse.products import Products
from looptx.poly.spaces import Spaces


def without_products(schedule: Schedule) -> Schedule:
    """The positions of a schedule without collapsed loops, as far as that can be.

    It is no schedule to go on with: only what was there before anything moved is told.
    """
    nest = schedule.nest
    coordinates = {x for x, loop in nest.loops.items() if isinstance(loop, Coordinate)}
    plain = {
        loop: pair
        for loop, pair in schedule.collapsed.items()
        if not any(
            coordinates.intersection(nest.statements[name].loops)
            for dim in pair.dims
            for name in schedule.position[dim.uid]
        )
    }
    if not plain:
        return schedule
    with budget(RANGE_OPERATIONS):
        spaces = Spaces(nest, schedule.assumes, known=True)
        found = as_functions(spaces, replace(schedule, collapsed=plain))
    left = {
        x: pair
        for x, pair in schedule.collapsed.items()
        if x not in plain or x in found.collapsed
    }
    return replace(found, collapsed=left)


def as_functions(spaces: Spaces, schedule: Schedule) -> Schedule:
    """The same positions; ``collapsed`` are the loops that are no such functions.

    Args:
        spaces: of the nest. schedule: the schedule.
    """
    if not schedule.collapsed:
        return schedule
    position = {uid: dict(values) for uid, values in schedule.position.items()}
    left = dict(schedule.collapsed)
    for loop, product in Products(spaces, schedule).known.items():
        width = product.columns.literal
        row, column = (_literal(x.first) for x in (product.rows, product.columns))
        if width is None or row is None or column is None:
            continue
        pair = left.pop(loop)
        for name in [*position[pair.outer.uid]]:
            value = add(
                mul(Const(width), add(position[pair.outer.uid][name], Const(-row))),
                add(position[pair.inner.uid][name], Const(-column)),
            )
            for values in position.values():
                if name in values:
                    values[name] = substitute(values[name], {loop: value})
    return replace(schedule, position=position, collapsed=left)


def _literal(function: isl.PwAff) -> int | None:
    """The value of a function that has one."""
    if function.n_piece() == 1 and function.is_cst():
        return integer(function.max_val())
    return None
