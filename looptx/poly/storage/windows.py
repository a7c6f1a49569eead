"""How many positions of a temporary's axes are live at a time.

Two cells are live together when each is touched at or before some touch of the other.
An axis may wrap around after as many positions as two such cells are apart at most; for
the next axis only cells count that agree on this one. (Successive moduli: Lefebvre and
Feautrier, "Automatic storage management for parallel programs", Parallel Computing 24,
1998.)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

import islpy as isl

from looptx.model.expr import Const, IntExpr, variables
from looptx.model.program import Statement
from looptx.model.schedule import Band, Schedule, path
from looptx.poly.astexpr import integer
from looptx.poly.dependences.privatization import Dataflow
from looptx.poly.spaces import Spaces
from looptx.poly.storage.rolling import Roll, filled
from looptx.poly.storage.touches import Touch

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out

WIDEST = 64
"""Windows with more positions than this are not worth a division for every access."""


def windows(
    spaces: Spaces,
    schedule: Schedule,
    dataflow: Dataflow,
    touches: Sequence[Touch],
    times: Mapping[str, isl.Map],
    roll: Roll | None = None,
) -> Iterator[int]:
    """For each axis the number of positions after which it may wrap around, or 0.

    Args:
        spaces: of the nest.
        schedule: final and legal.
        dataflow: of the temporary.
        touches: its accesses.
        times: of each user, its positions in the loops around the life.
        roll: when rows get their first values; by default when a life begins.
    """
    together: isl.Map | None = None
    rank = len(touches[0].cell)
    for axis in range(rank):
        if together is None:
            together = _together(spaces, schedule, dataflow, touches, times, roll)
        outer = together.dim(_IN) - rank
        limit = (
            together.deltas()
            .project_out(isl.dim_type.param, 0, len(spaces.parameters))
            .dim_max_val(outer + axis)
        )
        apart = integer(limit) if limit.is_int() else WIDEST
        yield apart + 1 if apart < WIDEST else 0
        together = together.equate(_IN, outer + axis, _OUT, outer + axis)


def _together(
    spaces: Spaces,
    schedule: Schedule,
    dataflow: Dataflow,
    touched: Sequence[Touch],
    times: Mapping[str, isl.Map],
    roll: Roll | None,
) -> isl.Map:
    """``{ [loops, cell] -> [loops, other cell] }`` of the cells live at a time."""
    runs = {
        user.name: _run(spaces, schedule, times, user, roll) for user in dataflow.users
    }
    length = max(len(vector) for vector, _ in runs.values())
    touches = []
    cells = []
    for touch in touched:
        user = touch.user
        vector, complete = runs[user.name]
        vector = [*vector, *[Const(0)] * (length - len(vector))]
        write = touch.access.write and complete and _reads_first(user)
        cell = touch.cells(spaces)
        where = times[user.name].flat_range_product(cell)
        run = [Const(1), *vector, Const(int(write))]
        when = spaces.map(user.name, user.loops, run)
        touches.append(where.reverse().apply_range(when))
        cells.append(times[user.name].reverse().apply_range(cell))
        early = [x.read.domain() for x in dataflow.first if x.sink == user.name]
        if roll is None and not touch.access.write and early:
            start = spaces.map(user.name, user.loops, [Const(0)] * len(run))
            first = where.intersect_domain(reduce(isl.Set.union, early))
            touches.append(first.reverse().apply_range(start))
    if roll is not None:
        everything = reduce(isl.Map.union, cells)
        before = [1, *_before(schedule, dataflow.users[0], roll)]
        touches += filled(roll, everything, before, length + 2)
    whole = reduce(isl.Map.union, touches).coalesce()
    order = isl.Map.lex_le(whole.get_space().range())
    pairs = whole.apply_range(order).apply_range(whole.reverse())
    for axis in range(next(iter(times.values())).dim(_OUT)):
        pairs = pairs.equate(_IN, axis, _OUT, axis)
    # What only exists has a value then: pieces become one, and the rest is quick. With
    # redundant constraints among those of the values isl ends in `isl_set_wrap_facet`.
    pairs = pairs.compute_divs().remove_redundancies().coalesce()
    return (pairs & pairs.reverse()).coalesce()


def _run(
    spaces: Spaces,
    schedule: Schedule,
    times: Mapping[str, isl.Map],
    user: Statement,
    roll: Roll | None,
) -> tuple[list[IntExpr], bool]:
    """When an instance runs during the life, and whether that is all of its time.

    The rest of it begins at a loop whose iterations run together, or whose order is no
    function of isl (a collapsed one). A loop that rolls first fills rows, at 0, and
    then runs everything else, at 1.
    """
    known = {*spaces.parameters, *user.loops}
    outer = times[user.name].dim(_OUT)
    vector: list[IntExpr] = []
    for node, taken in path(schedule.tree, user.name):
        if not isinstance(node, Band):
            vector.append(Const(taken))
            continue
        if outer > 0:
            outer -= 1
            continue
        marks, value = node.dim.marks, schedule.position[node.dim.uid][user.name]
        together = marks.together
        if together or not variables(value) <= known:
            return vector, False
        vector.append(value)
        if roll is not None and node.dim.uid == roll.dim.uid:
            vector.append(Const(1))
    return vector, True


def _before(schedule: Schedule, user: Statement, roll: Roll) -> Iterator[int]:
    """The time up to a loop that rolls, without that of the loops around the life."""
    for node, taken in path(schedule.tree, user.name):
        if isinstance(node, Band) and node.dim.uid == roll.dim.uid:
            return
        if not isinstance(node, Band):
            yield taken


def _reads_first(user: Statement) -> bool:
    """Whether a statement reads all it reads before it writes one cell."""
    match user.code:
        case (ast.Assign([ast.Subscript() | ast.Name()]),):
            return True
        case (ast.AugAssign() | ast.AnnAssign(),):
            return True
    return False
