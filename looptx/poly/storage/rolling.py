"""Temporaries that begin with values and roll: each row is filled before its first use.

Cells that are read before they are written, as those of ``T[i, j] += ...`` are, hold
their first values from the beginning of a life, so that no axis could wrap around.
Where a loop around all users goes from row to row, a row need not be filled before the
iteration that first touches it: a buffer has as many rows as are live at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

import islpy as isl

from looptx.model.records import dataclass
from looptx.model.schedule import Dim, Schedule
from looptx.poly.budget import constant
from looptx.poly.spaces import Spaces
from looptx.poly.storage.touches import Touch

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


@dataclass(frozen=True, slots=True)
class Roll:
    """A loop that goes from row to row of a temporary.

    Attributes:
        dim: the loop.
        axis: which coordinate of a cell is its row.
        rows: ``{ [loops around the life, this loop] -> [row] }`` that is filled then.
        early: ``{ [loops around the life] -> [row] }`` of those that an iteration
            touches first besides: they have what the life begins with.
    """

    dim: Dim
    axis: int
    rows: isl.Map
    early: isl.Map


def rolls(
    spaces: Spaces,
    schedule: Schedule,
    touches: Sequence[Touch],
    times: Mapping[str, isl.Map],
    dim: Dim,
) -> Iterator[Roll]:
    """Each way in which a loop goes from row to row of a temporary.

    Args:
        spaces: of the nest. schedule: final and legal.
        touches: the accesses to the temporary.
        times: of each user, its positions in the loops around the life.
        dim: the next loop around all users.
    """
    values = schedule.position[dim.uid]
    for axis in range(len(touches[0].cell)):
        found = []
        for touch in touches:
            user = touch.user
            row = spaces.map(user.name, user.loops, [touch.cell[axis]])
            where = times[user.name].flat_range_product(row)
            when = spaces.map(user.name, user.loops, [values[user.name]])
            found.append(where.reverse().apply_range(when))
        due = reduce(isl.Map.union, found).lexmin()
        around = due.dim(_IN) - 1
        # [around, row] -> [time] as [around, time] -> [row]
        due = isl.Map.from_range(due.wrap().flatten())
        due = due.move_dims(_IN, 0, _OUT, 0, around).move_dims(_IN, around, _OUT, 1, 1)
        rows = min((due.lexmax(), due.lexmin()), key=_pieces)
        yield Roll(dim, axis, rows, (due - rows).project_out(_IN, around, 1))


def _pieces(rows: isl.Map) -> int:
    """How simple rows are: rising ones are simple in another way than falling ones."""
    return int(rows.coalesce().n_basic_map())


def filled(
    roll: Roll, cells: isl.Map, before: Sequence[int], length: int
) -> Iterator[isl.Map]:
    """When cells begin to hold their first values: ``{ [around, cell] -> [time] }``.

    Args:
        roll: the rows.
        cells: from positions in the loops around to the cells that are touched there.
        before: the time up to the loop, without that of the loops around.
        length: of the times.
    """
    around, rank = cells.dim(_IN), cells.dim(_OUT)
    anywhere = cells.project_out(_OUT, roll.axis, 1).insert_dims(_OUT, roll.axis, 1)

    def whole(rows: isl.Map) -> isl.Map:
        wide = rows.insert_dims(_OUT, 0, roll.axis)
        return wide.add_dims(_OUT, rank - roll.axis - 1)

    due = whole(roll.rows) & anywhere.insert_dims(_IN, around, 1)
    # [around, time] -> [cell] as [around, cell] -> [time]
    due = isl.Map.from_range(due.wrap().flatten())
    due = due.move_dims(_IN, 0, _OUT, 0, around).move_dims(_IN, around, _OUT, 1, rank)
    due = due.insert_dims(_OUT, 0, len(before))
    for at, value in enumerate(before):
        due = due.fix_val(_OUT, at, constant(value))
    yield _padded(due, length)
    early = (whole(roll.early) & anywhere).wrap().flatten()
    yield _padded(isl.Map.from_domain(early), length)


def _padded(relation: isl.Map, length: int) -> isl.Map:
    """A relation to vectors that zeros make longer."""
    known = relation.dim(_OUT)
    relation = relation.add_dims(_OUT, length - known)
    for at in range(known, length):
        relation = relation.fix_val(_OUT, at, constant(0))
    return relation
