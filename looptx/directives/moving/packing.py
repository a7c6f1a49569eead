"""Buffers that have the axes of loops: their cells in the order in which they are used.

(Packed panels: Goto, van de Geijn, "Anatomy of high-performance matrix multiplication",
TOMS 2008.)
"""

from __future__ import annotations

from collections.abc import Mapping

from looptx.directives.base import check
from looptx.directives.moving.copying import CopyNests
from looptx.directives.moving.positions import Inverse, position
from looptx.model.dims import paths
from looptx.model.elements import Cell
from looptx.model.expr import IntExpr, Var, substitute
from looptx.model.schedule import Schedule

Places = dict[str, dict[Cell, Cell]]


def packed(
    schedule: Schedule, copies: CopyNests, cells: Mapping[str, frozenset[Cell]]
) -> tuple[Places, tuple[IntExpr, ...], int]:
    """The axes of the loops inside, on which the cell depends.

    Args:
        schedule: the schedule.
        copies: of the buffer, if it had the axes of the array.
        cells: those in the buffer, by statement.

    Returns:
        What the cells become, by statement; the coordinates of a cell of the
        buffer in the array; and how many axes the buffer has.

    Raises:
        Malformed: LX106 where the accesses are not all to one cell.
    """
    known = {one for own in cells.values() for one in own}
    alone = f"`packed` needs one place at which `{copies.array}` is used"
    hint = "leave `packed` out, or name an inner loop"
    check(len(known) == 1, f"{alone}: there are {len(known)}", "leave `packed` out")
    (used,) = known
    found = {name: _one(schedule, copies, name, used) for name in cells}
    dims, cell = next(iter(found.values()))
    same = all(each == (dims, cell) for each in found.values())
    check(same, f"{alone}: its statements stand in different loops", hint)
    places: Places = {
        name: {used: (copies.name, tuple(schedule.position[x][name] for x in dims))}
        for name in cells
    }
    return places, cell, len(dims)


def _one(
    schedule: Schedule, copies: CopyNests, name: str, used: Cell
) -> tuple[tuple[int, ...], tuple[IntExpr, ...]]:
    """The loops inside that decide a statement's cell, and the cell they mean."""
    inverse = Inverse(schedule, name)
    cell = [inverse(one) for one in used[1] if one is not None]
    around = dict(zip(copies.counted, copies.coordinates, strict=True))
    dims = tuple(
        dim.uid
        for dim in paths(schedule.tree)[name]
        if dim.uid in inverse.used and dim.uid not in around
    )
    names: dict[str, IntExpr] = {
        position(uid): Var(loop) for uid, loop in around.items()
    }
    names |= {position(uid): Var(copies.axis(at)) for at, uid in enumerate(dims)}
    return dims, tuple(substitute(one, names) for one in cell)
